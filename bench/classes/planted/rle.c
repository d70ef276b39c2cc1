// planted: missing check; stdin 12
// Run lengths (PackBits): a count, then a byte to repeat or bytes to copy.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 16 };

struct picture {
    unsigned char *row;
    size_t n;
};

static int repeat(struct picture *p, int count, unsigned char byte) {
    if (p->n + (size_t)count > ROOM)
        return -1;
    memset(p->row + p->n, byte, (size_t)count);
    p->n += (size_t)count;
    return 0;
}

static void literal(unsigned char *to, const unsigned char *from, size_t count) {
    while (count-- > 0)
        *to++ = *from++; /* BUG */
}

static int decode(struct picture *p, const unsigned char *data, size_t size) {
    size_t i = 0;
    while (i < size) {
        int c = data[i++];
        if (c == 0x80)
            continue;
        if (c > 0x80) {
            if (i >= size)
                return -1;
            if (repeat(p, c - 0x80 + 1, data[i]) < 0)
                return -1;
            i++;
        } else {
            size_t count = (size_t)c + 1;
            if (count > size - i)
                return -1;
            literal(p->row + p->n, data + i, count);
            p->n += count;
            i += count;
        }
    }
    return (int)p->n;
}

int target(const unsigned char *data, size_t size) {
    struct picture p = {malloc(ROOM), 0};
    if (!p.row)
        return -1;
    int n = decode(&p, data, size);
    int sum = -1;
    if (n > 0) {
        sum = 0;
        for (int i = 1; i < n; i++)
            sum += p.row[i] != p.row[i - 1];
    }
    free(p.row);
    return sum;
}

#define MAX 12
#include "harness.h"
