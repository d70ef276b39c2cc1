// planted: shift too far; stdin 10
// Messages of varints: a key with field and wire type, then a value.
#include <stddef.h>

struct message {
    unsigned id;
    int delta;
    unsigned text;
    int unknown;
};

static int varint(const unsigned char **at, const unsigned char *end, unsigned *out) {
    unsigned v = 0;
    int shift = 0;
    for (;;) {
        if (*at == end)
            return -1;
        unsigned c = *(*at)++;
        v |= (c & 0x7f) << shift; /* BUG */
        if (!(c & 0x80))
            break;
        shift += 7;
    }
    *out = v;
    return 0;
}

static int zigzag(unsigned v) {
    return (int)(v >> 1) ^ -(int)(v & 1);
}

static int field(struct message *m, const unsigned char **at, const unsigned char *end) {
    unsigned key, v;
    if (varint(at, end, &key) < 0)
        return -1;
    switch (key & 7) {
    case 0:
        if (varint(at, end, &v) < 0)
            return -1;
        if (key >> 3 == 1)
            m->id = v;
        else if (key >> 3 == 3)
            m->delta = zigzag(v);
        else
            m->unknown++;
        return 0;
    case 2:
        if (varint(at, end, &v) < 0 || v > (size_t)(end - *at))
            return -1;
        if (key >> 3 == 2)
            for (unsigned i = 0; i < v; i++)
                m->text = m->text * 33 + (*at)[i];
        *at += v;
        return 0;
    case 5:
        if (end - *at < 4)
            return -1;
        *at += 4;
        m->unknown++;
        return 0;
    default:
        return -1;
    }
}

int target(const unsigned char *data, size_t size) {
    struct message m = {0, 0, 0, 0};
    const unsigned char *at = data, *end = data + size;
    while (at < end)
        if (field(&m, &at, end) < 0)
            return -1;
    return (int)(m.id + m.text) ^ m.delta ^ m.unknown;
}

#define MAX 10
#include "harness.h"
