// planted: overflow; stdin 10
// A printf of our own, with width, zeros and a few conversions.
#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { ROOM = 64, PAD = 16 };

struct out {
    char text[ROOM];
    int n;
};

static void put(struct out *o, char c) {
    if (o->n < ROOM - 1)
        o->text[o->n++] = c;
}

static void put_padded(struct out *o, const char *digits, int length, int width, char fill) {
    char pad[PAD];
    int n = 0;
    while (n < width - length)
        pad[n++] = fill; /* BUG */
    for (int i = 0; i < n; i++)
        put(o, pad[i]);
    for (int i = 0; i < length; i++)
        put(o, digits[i]);
}

static int convert(unsigned v, unsigned base, char *to) {
    char back[40];
    int n = 0;
    do {
        back[n++] = "0123456789abcdef"[v % base];
        v /= base;
    } while (v);
    for (int i = 0; i < n; i++)
        to[i] = back[n - 1 - i];
    return n;
}

static int format(struct out *o, const char *f) {
    char digits[40];
    unsigned next = 7;
    for (; *f; f++) {
        if (*f != '%') {
            put(o, *f);
            continue;
        }
        f++;
        char fill = ' ';
        int width = 0;
        if (*f == '0') {
            fill = '0';
            f++;
        }
        while (isdigit((unsigned char)*f) && width < 100)
            width = width * 10 + *f++ - '0';
        if (width > 40)
            return -1;
        switch (*f) {
        case 'd': case 'u':
            put_padded(o, digits, convert(next, 10, digits), width, fill);
            break;
        case 'x':
            put_padded(o, digits, convert(next, 16, digits), width, fill);
            break;
        case 's':
            put_padded(o, "text", 4, width, ' ');
            break;
        case '%':
            put(o, '%');
            break;
        default:
            return -1;
        }
        next = next * 31 + 1;
    }
    o->text[o->n] = 0;
    return o->n;
}

int target(const unsigned char *data, size_t size) {
    char text[32];
    struct out o = {.n = 0};
    if (size >= sizeof text)
        return -1;
    memcpy(text, data, size);
    text[size] = 0;
    return format(&o, text);
}

#define MAX 10
#include "harness.h"
