// planted: overflow; stdin 20
// Records with a Fletcher sum over them: a kind, a name, a number.
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 8 };

struct record {
    char *name;
    unsigned number;
};

static unsigned fletcher(const unsigned char *p, size_t n) {
    unsigned a = 0, b = 0;
    for (size_t i = 0; i < n; i++) {
        a = (a + p[i]) % 255;
        b = (b + a) % 255;
    }
    return a << 8 | b;
}

static int read_record(struct record *r, const unsigned char *p, size_t n) {
    if (n < 4 || p[0] != 'R')
        return -1;
    size_t length = p[1];
    if (length + 4 != n)
        return -2;
    for (size_t i = 0; i < length; i++) {
        if (!isalnum(p[2 + i]))
            return -3;
    }
    memcpy(r->name, p + 2, length); /* BUG */
    r->number = (unsigned)p[2 + length] << 8 | p[3 + length];
    return (int)length;
}

static int verify(const unsigned char *data, size_t size) {
    if (size < 6)
        return 0;
    unsigned want = (unsigned)data[size - 2] << 8 | data[size - 1];
    return fletcher(data, size - 2) == want;
}

int target(const unsigned char *data, size_t size) {
    struct record r = {NULL, 0};
    if (!verify(data, size))
        return -1;
    r.name = calloc(1, NAME);
    if (!r.name)
        return -1;
    int n = read_record(&r, data, size - 2);
    int result = n < 0 ? n : n + r.name[0] + (int)r.number;
    free(r.name);
    return result;
}

#define MAX 20
#include "harness.h"
