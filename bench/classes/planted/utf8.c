// planted: bad index; stdin 8
// UTF-8 to code points; counts the characters of each plane.
#include <stddef.h>

enum { PLANES = 17 };

struct counts {
    int ascii;
    int wide;
    int bad;
};

static size_t sequence(unsigned char c) {
    if (c < 0x80)
        return 1;
    if (c >= 0xc2 && c <= 0xdf)
        return 2;
    if (c >= 0xe0 && c <= 0xef)
        return 3;
    if (c >= 0xf0 && c <= 0xf4)
        return 4;
    return 0;
}

static long decode(const unsigned char *s, size_t n) {
    static const unsigned char mask[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    static const long least[5] = {0, 0, 0x80, 0x800, 0x10000};
    long c = s[0] & mask[n];
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return -1;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (c < least[n] || (c >= 0xd800 && c <= 0xdfff))
        return -1;
    return c;
}

int target(const unsigned char *data, size_t size) {
    struct counts counts = {0, 0, 0};
    int planes[PLANES] = {0};
    size_t i = 0;
    while (i < size) {
        size_t n = sequence(data[i]);
        if (n == 0 || n > size - i) {
            counts.bad++;
            i++;
            continue;
        }
        long c = decode(data + i, n);
        if (c < 0) {
            counts.bad++;
            i++;
            continue;
        }
        planes[c >> 16]++; /* BUG */
        if (c < 0x80)
            counts.ascii++;
        else
            counts.wide++;
        i += n;
    }
    return planes[0] * 100 + counts.ascii * 10 + counts.wide - counts.bad;
}

#define MAX 8
#include "harness.h"
