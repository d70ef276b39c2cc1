// planted: overflow; stdin 16
// Base64 to bytes; the padding may be left out.
#include <stddef.h>
#include <stdlib.h>

static int value(int c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    if (c == '/')
        return 63;
    return -1;
}

static unsigned char *decode(const unsigned char *in, size_t size, size_t *length) {
    size_t n = 0;
    unsigned bits = 0;
    int have = 0;
    unsigned char *out = malloc(size / 4 * 3 + (size < 4));
    if (!out)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        if (in[i] == '=') {
            if (i + 2 < size || (i + 1 < size && in[i + 1] != '='))
                goto bad;
            break;
        }
        int v = value(in[i]);
        if (v < 0)
            goto bad;
        bits = bits << 6 | (unsigned)v;
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[n++] = (unsigned char)(bits >> have); /* BUG */
            bits &= (1u << have) - 1;
        }
    }
    if (bits)
        goto bad;
    *length = n;
    return out;
bad:
    free(out);
    return NULL;
}

int target(const unsigned char *data, size_t size) {
    size_t length;
    while (size > 0 && (data[size - 1] == '\n' || data[size - 1] == '\r'))
        size--;
    if (size < 4)
        return -1;
    unsigned char *out = decode(data, size, &length);
    if (!out)
        return -1;
    unsigned sum = 0;
    for (size_t i = 0; i < length; i++)
        sum = sum * 31 + out[i];
    free(out);
    return (int)(sum & 0xffff);
}

#define MAX 16
#include "harness.h"
