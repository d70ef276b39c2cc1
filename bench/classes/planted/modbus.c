// planted: missing check; stdin 17
// Modbus requests with a CRC of sixteen bits: read, write one, write several registers.
#include <stddef.h>
#include <stdint.h>

enum { UNIT = 0x11, REGISTERS = 8 };

static uint16_t crc16(const uint8_t *p, size_t n) {
    uint16_t crc = 0xffff;
    while (n-- > 0) {
        crc ^= *p++;
        for (int i = 0; i < 8; i++)
            crc = (uint16_t)(crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1);
    }
    return crc;
}

static unsigned be16(const uint8_t *p) {
    return (unsigned)p[0] << 8 | p[1];
}

static int read_registers(const uint16_t *r, const uint8_t *p, size_t n) {
    if (n != 4)
        return -3;
    unsigned from = be16(p), count = be16(p + 2);
    if (count == 0 || from >= REGISTERS || count > REGISTERS - from)
        return -2;
    int sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += r[from + i];
    return sum;
}

static int write_one(uint16_t *r, const uint8_t *p, size_t n) {
    if (n != 4 || be16(p) >= REGISTERS)
        return -2;
    r[be16(p)] = (uint16_t)be16(p + 2);
    return 0;
}

static int write_several(uint16_t *r, const uint8_t *p, size_t n) {
    if (n < 5)
        return -3;
    unsigned from = be16(p), count = be16(p + 2), bytes = p[4];
    if (count == 0 || bytes != 2 * count || n != 5 + (size_t)bytes)
        return -3;
    if (from >= REGISTERS || count > REGISTERS)
        return -2;
    for (unsigned i = 0; i < count; i++)
        r[from + i] = (uint16_t)be16(p + 5 + 2 * i); /* BUG */
    return (int)count;
}

int target(const unsigned char *data, size_t size) {
    uint16_t registers[REGISTERS] = {0};
    if (size < 4 || data[0] != UNIT)
        return -1;
    if (crc16(data, size - 2) != (data[size - 2] | data[size - 1] << 8))
        return -1;
    const uint8_t *body = data + 2;
    size_t n = size - 4;
    switch (data[1]) {
    case 3:
        return read_registers(registers, body, n);
    case 6:
        return write_one(registers, body, n);
    case 16:
        return write_several(registers, body, n);
    default:
        return -1;
    }
}

#define MAX 17
#include "harness.h"
