// planted: overflow; stdin 14
// A canonical code from the lengths of eight symbols, then text in it.
#include <stddef.h>
#include <stdlib.h>

enum { SYMBOLS = 8, LONGEST = 6, TABLE = 1 << LONGEST };

struct entry {
    unsigned char symbol;
    unsigned char length;
};

static int lengths_of(const unsigned char *in, unsigned char *length) {
    int used = 0;
    for (int i = 0; i < SYMBOLS; i++) {
        int v = i % 2 ? in[i / 2] >> 4 : in[i / 2] & 15;
        if (v > LONGEST)
            return -1;
        length[i] = (unsigned char)v;
        used += v != 0;
    }
    return used;
}

static void build(struct entry *table, const unsigned char *length) {
    unsigned at = 0;
    for (int bits = 1; bits <= LONGEST; bits++) {
        for (int symbol = 0; symbol < SYMBOLS; symbol++) {
            if (length[symbol] != bits)
                continue;
            unsigned span = 1u << (LONGEST - bits);
            for (unsigned i = 0; i < span; i++) {
                table[at].symbol = (unsigned char)symbol; /* BUG */
                table[at].length = (unsigned char)bits;
                at++;
            }
        }
    }
}

static int decode(const struct entry *table, const unsigned char *in, size_t size) {
    unsigned bits = 0;
    int have = 0, sum = 0;
    size_t at = 0;
    for (;;) {
        while (have < LONGEST && at < size) {
            bits = (bits << 8 | in[at++]) & 0xffff;
            have += 8;
        }
        if (have < LONGEST)
            return sum;
        struct entry e = table[bits >> (have - LONGEST) & (TABLE - 1)];
        if (e.length == 0)
            return -1;
        have -= e.length;
        sum = (sum * 3 + e.symbol) & 0xfff;
    }
}

int target(const unsigned char *data, size_t size) {
    unsigned char length[SYMBOLS];
    if (size < SYMBOLS / 2 || lengths_of(data, length) < 2)
        return -1;
    struct entry *table = calloc(TABLE, sizeof *table);
    if (!table)
        return -1;
    build(table, length);
    int n = decode(table, data + SYMBOLS / 2, size - SYMBOLS / 2);
    free(table);
    return n;
}

#define MAX 14
#include "harness.h"
