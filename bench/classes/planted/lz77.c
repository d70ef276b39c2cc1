// planted: wrong check; stdin 12
// A LZ77 of bytes: a flag bit for each item, literals, pairs of distance and length.
#include <stddef.h>
#include <stdlib.h>

enum { ROOM = 64 };

static int copy(unsigned char *window, size_t n, size_t distance, size_t length) {
    if (distance == 0 || distance > n + 1 || length > ROOM - n)
        return -1;
    long from = (long)n - (long)distance;
    for (size_t i = 0; i < length; i++)
        window[n + i] = window[from + (long)i]; /* BUG */
    return 0;
}

static int decode(const unsigned char *in, size_t size, unsigned char *window) {
    size_t at = 0, n = 0;
    while (at < size) {
        unsigned flags = in[at++];
        for (int bit = 0; bit < 8 && at < size; bit++) {
            if (flags >> bit & 1) {
                if (size - at < 2)
                    return -1;
                if (copy(window, n, in[at], in[at + 1] + 1u) < 0)
                    return -1;
                n += in[at + 1] + 1u;
                at += 2;
            } else {
                if (n >= ROOM)
                    return -1;
                window[n++] = in[at++];
            }
        }
    }
    return (int)n;
}

int target(const unsigned char *data, size_t size) {
    unsigned char *window = malloc(ROOM);
    if (!window)
        return -1;
    int n = decode(data, size, window);
    unsigned a = 1, b = 0;
    for (int i = 0; i < n; i++) {
        a = (a + window[i]) % 251;
        b = (b + a) % 251;
    }
    free(window);
    return n < 0 ? -1 : (int)(b << 8 | a);
}

#define MAX 12
#include "harness.h"
