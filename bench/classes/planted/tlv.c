// planted: missing check; stdin 16
// Type, length, value; type 0x30 has others inside; all bytes together are zero.
#include <stddef.h>
#include <stdlib.h>

enum { LABEL = 8, DEPTH = 4 };

struct record {
    int number;
    int items;
    char *label;
};

static int parse(struct record *r, const unsigned char *p, size_t size, int depth);

static int item(struct record *r, int type, const unsigned char *p, size_t length, int depth) {
    r->items++;
    switch (type) {
    case 0x02:
        if (length == 0 || length > 4)
            return -1;
        r->number = p[0] & 0x80 ? -1 : 0;
        for (size_t i = 0; i < length; i++)
            r->number = (int)((unsigned)r->number << 8 | p[i]);
        return 0;
    case 0x04:
        for (size_t i = 0; i < length; i++)
            r->label[i] = (char)p[i]; /* BUG */
        return 0;
    case 0x05:
        return length == 0 ? 0 : -1;
    case 0x30:
        return depth < DEPTH ? parse(r, p, length, depth + 1) : -1;
    default:
        return type & 0x80 ? 0 : -1;
    }
}

static int parse(struct record *r, const unsigned char *p, size_t size, int depth) {
    size_t i = 0;
    while (i < size) {
        if (size - i < 2)
            return -1;
        int type = p[i];
        size_t length = p[i + 1];
        i += 2;
        if (length > size - i)
            return -1;
        if (item(r, type, p + i, length, depth) < 0)
            return -1;
        i += length;
    }
    return 0;
}

int target(const unsigned char *data, size_t size) {
    struct record r = {0, 0, calloc(1, LABEL)};
    if (!r.label)
        return -1;
    int code = -1;
    unsigned char all = 0;
    for (size_t i = 0; i < size; i++)
        all ^= data[i];
    if (size >= 3 && all == 0 && data[0] == 0x30 && parse(&r, data, size - 1, 0) == 0)
        code = r.items ^ r.number ^ r.label[0];
    free(r.label);
    return code;
}

#define MAX 16
#include "harness.h"
