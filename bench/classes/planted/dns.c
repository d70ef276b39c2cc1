// planted: overflow; stdin 20
// A name in a DNS packet, with pointers back to earlier names.
#include <stddef.h>
#include <stdlib.h>

enum { NAME = 16, JUMPS = 4 };

struct packet {
    const unsigned char *data;
    size_t size;
};

/* Writes the name at `at` as text, and returns where the next one begins. */
static long expand(const struct packet *p, size_t at, char *name, size_t *length) {
    size_t n = 0;
    long next = -1;
    int jumps = 0;
    for (;;) {
        if (at >= p->size)
            return -1;
        unsigned c = p->data[at++];
        if (c == 0)
            break;
        if ((c & 0xc0) == 0xc0) {
            if (at >= p->size || ++jumps > JUMPS)
                return -1;
            if (next < 0)
                next = (long)at + 1;
            at = (c & 0x3f) << 8 | p->data[at];
            continue;
        }
        if (c > 63 || c > p->size - at)
            return -1;
        if (n + c > NAME)
            return -1;
        if (n)
            name[n++] = '.';
        for (unsigned i = 0; i < c; i++) {
            if (p->data[at + i] <= ' ' || p->data[at + i] == '.')
                return -1;
            name[n++] = (char)p->data[at + i]; /* BUG */
        }
        at += c;
    }
    *length = n;
    return next < 0 ? (long)at : next;
}

int target(const unsigned char *data, size_t size) {
    struct packet p = {data, size};
    size_t length = 0, at = 0;
    int count = 0, sum = 0;
    char *name = malloc(NAME);
    if (!name)
        return -1;
    while (at < size) {
        long next = expand(&p, at, name, &length);
        if (next < 0)
            break;
        for (size_t i = 0; i < length; i++)
            sum += name[i];
        count++;
        at = (size_t)next;
    }
    free(name);
    return count * 1000 + sum;
}

#define MAX 20
#include "harness.h"
