// planted: division by zero; stdin 34
// The header of a BMP: sizes that must fit, then how many rows the data holds.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { HEADER = 30 };

struct bmp {
    uint32_t file_size;
    uint32_t offset;
    uint32_t header_size;
    int32_t width;
    int32_t height;
    uint16_t planes;
    uint16_t bits;
};

static uint32_t le32(const unsigned char *p) {
    return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint16_t le16(const unsigned char *p) {
    return (uint16_t)(p[0] | p[1] << 8);
}

static int read_header(struct bmp *b, const unsigned char *p, size_t size) {
    if (size < HEADER || p[0] != 'B' || p[1] != 'M')
        return -1;
    b->file_size = le32(p + 2);
    b->offset = le32(p + 10);
    b->header_size = le32(p + 14);
    b->width = (int32_t)le32(p + 18);
    b->height = (int32_t)le32(p + 22);
    b->planes = le16(p + 26);
    b->bits = le16(p + 28);
    if (b->file_size != size || b->offset < HEADER || b->offset >= size)
        return -2;
    if (b->header_size != 16 || b->planes != 1)
        return -3;
    if (b->width < 0 || b->width > 4096 || b->height <= 0 || b->height > 4096)
        return -4;
    if (b->bits != 1 && b->bits != 4 && b->bits != 8 && b->bits != 24)
        return -5;
    return 0;
}

static uint32_t stride(const struct bmp *b) {
    uint32_t bits = (uint32_t)b->width * b->bits;
    return (bits + 31) / 32 * 4;
}

static int rows(const struct bmp *b, size_t size) {
    size_t have = size - b->offset;
    return (int)(have / stride(b)); /* BUG */
}

int target(const unsigned char *data, size_t size) {
    struct bmp b;
    int code = read_header(&b, data, size);
    if (code < 0)
        return code;
    int n = rows(&b, size);
    if (n < b.height)
        return -6;
    unsigned sum = 0;
    for (size_t i = b.offset; i < size; i++)
        sum += data[i];
    return (int)(sum & 0xffff);
}

#define MAX 34
#include "harness.h"
