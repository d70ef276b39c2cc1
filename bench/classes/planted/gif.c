// planted: overflow; stdin 24
// The blocks of a GIF: screen, extensions, images with codes of a given width.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 10 };

struct screen {
    int width;
    int height;
    int images;
    int extensions;
};

static int sub_blocks(const unsigned char **at, const unsigned char *end) {
    for (;;) {
        if (*at == end)
            return -1;
        size_t n = *(*at)++;
        if (n == 0)
            return 0;
        if (n > (size_t)(end - *at))
            return -1;
        *at += n;
    }
}

static int image(const unsigned char **at, const unsigned char *end, unsigned short *prefix) {
    if (end - *at < 2)
        return -1;
    int width = *(*at)++;
    if (width < 2 || width > 11)
        return -1;
    for (int i = 0; i < 1 << width; i++)
        prefix[i] = (unsigned short)i; /* BUG */
    size_t n = *(*at)++;
    if (n > (size_t)(end - *at))
        return -1;
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += prefix[(*at)[i] & ((1 << width) - 1)];
    *at += n;
    return sum & 0xff;
}

static int parse(struct screen *s, const unsigned char *at, const unsigned char *end, unsigned short *prefix) {
    while (at < end) {
        int c = *at++;
        if (c == ';')
            return s->images;
        if (c == '!') {
            if (at == end)
                return -1;
            at++;
            if (sub_blocks(&at, end) < 0)
                return -1;
            s->extensions++;
        } else if (c == ',') {
            if (image(&at, end, prefix) < 0)
                return -1;
            s->images++;
        } else {
            return -1;
        }
    }
    return -1;
}

int target(const unsigned char *data, size_t size) {
    struct screen s = {0};
    if (size < 13 || memcmp(data, "GIF8", 4) != 0)
        return -1;
    if ((data[4] != '7' && data[4] != '9') || data[5] != 'a')
        return -1;
    s.width = data[6] | data[7] << 8;
    s.height = data[8] | data[9] << 8;
    if (s.width == 0 || s.height == 0 || data[10] & 0x80)
        return -1;
    unsigned short *prefix = calloc(1 << WIDEST, sizeof *prefix);
    if (!prefix)
        return -1;
    int n = parse(&s, data + 13, data + size, prefix);
    free(prefix);
    return n;
}

#define MAX 24
#include "harness.h"
