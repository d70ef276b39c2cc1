// planted: shift too far; stdin 12
// An allocator of 32 blocks in a bitmap: a size takes a run, a place gives it back.
#include <stddef.h>
#include <stdint.h>

enum { BLOCKS = 32, RUNS = 8 };

struct run {
    int from;
    int length;
};

struct map {
    uint32_t bits;
    int runs;
    int failed;
    struct run run[RUNS];
};

static uint32_t mask(int from, int length) {
    if (length == BLOCKS)
        return 0xffffffff;
    return ((1u << length) - 1) << from; /* BUG */
}

static int first_free(uint32_t bits, int from) {
    while (from < BLOCKS && (bits >> from & 1))
        from++;
    return from;
}

static int run_length(uint32_t bits, int from, int wanted) {
    int n = 0;
    while (n < wanted && from + n < BLOCKS && !(bits >> (from + n) & 1))
        n++;
    return n;
}

static int take(struct map *m, int length) {
    int from = 0;
    if (m->runs == RUNS)
        return -1;
    for (;;) {
        from = first_free(m->bits, from);
        if (from > BLOCKS - length && from != BLOCKS)
            return -1;
        int have = from < BLOCKS ? run_length(m->bits, from, length) : length;
        if (have == length)
            break;
        from += have;
    }
    m->bits |= mask(from, length);
    m->run[m->runs++] = (struct run){from, length};
    return from;
}

static int give_back(struct map *m, int index) {
    if (index >= m->runs)
        return -1;
    struct run r = m->run[index];
    m->bits &= ~mask(r.from, r.length);
    m->runs--;
    m->run[index] = m->run[m->runs];
    return 0;
}

int target(const unsigned char *data, size_t size) {
    struct map m = {.bits = 0};
    for (size_t i = 0; i < size; i++) {
        int c = data[i], code;
        if (c & 0x80)
            code = give_back(&m, c & 0x7f);
        else if (c == 0 || c > BLOCKS)
            return -1;
        else
            code = take(&m, c);
        if (code < 0)
            m.failed++;
    }
    return m.failed * 100 + m.runs;
}

#define MAX 12
#include "harness.h"
