// planted: null pointer; stdin 40
// The chunks of a small PNG: the header, a palette, data that needs the palette.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct image {
    int width;
    int height;
    int depth;
    int color;
    unsigned char *palette;
    int entries;
    int sum;
};

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

static int header(struct image *m, const unsigned char *p, size_t n) {
    if (n != 4 || m->width)
        return -1;
    m->width = p[0];
    m->height = p[1];
    m->depth = p[2];
    m->color = p[3];
    if (m->width == 0 || m->height == 0 || m->width > 64 || m->height > 64)
        return -1;
    return m->depth == 8 && (m->color == 0 || m->color == 3) ? 0 : -1;
}

static int palette(struct image *m, const unsigned char *p, size_t n) {
    if (!m->width || m->color != 3 || n == 0 || n % 3 || m->palette)
        return -1;
    m->palette = malloc(n);
    if (!m->palette)
        return -1;
    memcpy(m->palette, p, n);
    m->entries = (int)(n / 3);
    return 0;
}

static int pixels(struct image *m, const unsigned char *p, size_t n) {
    if (!m->width)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (m->color == 0) {
            m->sum += p[i];
            continue;
        }
        if (m->entries && p[i] >= m->entries)
            return -1;
        m->sum += m->palette[p[i] * 3]; /* BUG */
    }
    return 0;
}

static int chunks(struct image *m, const unsigned char *p, size_t size) {
    size_t i = 8;
    while (size - i >= 6) {
        size_t n = (size_t)p[i] << 8 | p[i + 1];
        const unsigned char *type = p + i + 2;
        i += 6;
        if (n > size - i)
            return -1;
        int code = 0;
        if (memcmp(type, "IHDR", 4) == 0)
            code = header(m, p + i, n);
        else if (memcmp(type, "PLTE", 4) == 0)
            code = palette(m, p + i, n);
        else if (memcmp(type, "IDAT", 4) == 0)
            code = pixels(m, p + i, n);
        else if (memcmp(type, "IEND", 4) == 0)
            return n ? -1 : 0;
        else if (!(type[0] & 0x20))
            return -1;
        if (code < 0)
            return code;
        i += n;
    }
    return -1;
}

int target(const unsigned char *data, size_t size) {
    struct image m = {0};
    if (size < 8 || memcmp(data, signature, 8) != 0)
        return -1;
    int code = chunks(&m, data, size);
    free(m.palette);
    return code < 0 ? -1 : m.sum;
}

#define MAX 40
#include "harness.h"
