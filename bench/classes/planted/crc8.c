// planted: null pointer; stdin 12
// Frames with a CRC of eight bits call a handler from a table.
#include <stddef.h>
#include <stdint.h>

struct counter {
    int value;
    int calls;
};

static uint8_t crc8(const uint8_t *p, size_t n) {
    uint8_t crc = 0;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (uint8_t)(crc & 0x80 ? crc << 1 ^ 0x07 : crc << 1);
    }
    return crc;
}

static int add(struct counter *c, const uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        c->value += p[i];
    return 0;
}

static int subtract(struct counter *c, const uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        c->value -= p[i];
    return 0;
}

static int set(struct counter *c, const uint8_t *p, size_t n) {
    if (n != 2)
        return -1;
    c->value = p[0] << 8 | p[1];
    return 0;
}

static int clear(struct counter *c, const uint8_t *p, size_t n) {
    (void)p;
    c->value = 0;
    return n ? -1 : 0;
}

struct handler {
    const char *name;
    int (*call)(struct counter *c, const uint8_t *p, size_t n);
};

/* The two in the middle are reserved. */
static const struct handler handlers[] = {
    {"add", add}, {"subtract", subtract}, {"set", set}, {"clear", clear}, {NULL, NULL}, {NULL, NULL}, {"add", add},
};

static int frame(struct counter *c, const uint8_t *p, size_t size) {
    if (size < 4 || p[0] != 0xaa)
        return -1;
    size_t n = p[1];
    if (n == 0 || n + 3 != size)
        return -2;
    if (crc8(p, size - 1) != p[size - 1])
        return -3;
    unsigned code = p[2];
    if (code >= sizeof handlers / sizeof *handlers)
        return -4;
    const char *name = handlers[code].name;
    if (*name == 'c') /* BUG */
        c->calls = 0;
    c->calls++;
    return handlers[code].call(c, p + 3, n - 1);
}

int target(const unsigned char *data, size_t size) {
    struct counter c = {0, 0};
    int code = frame(&c, data, size);
    return code < 0 ? code : c.value + c.calls;
}

#define MAX 12
#include "harness.h"
