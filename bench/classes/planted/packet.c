// planted: bad index; stdin 12
// Packets with a start byte, a length and a sum; commands set and read slots.
#include <stddef.h>
#include <string.h>

enum { SLOTS = 8, START = 0x7e };

struct device {
    int reads;
    int writes;
    int rejected;
};

static unsigned char sum(const unsigned char *p, size_t n) {
    unsigned char s = 0;
    while (n-- > 0)
        s = (unsigned char)(s + *p++);
    return s;
}

static int run(struct device *d, unsigned char *slot, const unsigned char *p, size_t n) {
    switch (p[0]) {
    case 1:
        if (n != 2 || p[1] >= SLOTS)
            return -1;
        d->reads++;
        return slot[p[1]];
    case 2:
        if (n != 3 || p[1] > SLOTS)
            return -1;
        slot[p[1]] = p[2]; /* BUG */
        d->writes++;
        return 0;
    case 3:
        memset(slot, 0, SLOTS);
        return n == 1 ? 0 : -1;
    default:
        return -1;
    }
}

int target(const unsigned char *data, size_t size) {
    struct device d = {0, 0, 0};
    unsigned char slot[SLOTS] = {0};
    size_t i = 0;
    int last = 0;
    while (i + 2 < size) {
        if (data[i] != START) {
            i++;
            continue;
        }
        size_t n = data[i + 1];
        if (n == 0 || n > size - i - 3) {
            d.rejected++;
            i++;
            continue;
        }
        const unsigned char *body = data + i + 2;
        if (sum(body, n) != body[n]) {
            d.rejected++;
            i++;
            continue;
        }
        last = run(&d, slot, body, n);
        if (last < 0)
            d.rejected++;
        i += n + 3;
    }
    return d.reads + d.writes * 16 - d.rejected + last;
}

#define MAX 12
#include "harness.h"
