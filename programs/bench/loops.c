// Concrete loops over arithmetic and array accesses: a measure of instructions a second, without a fork.
//
// Four kernels: a sieve of Eratosthenes, a matrix product, xorshift with updates of a table, and a byte-wise
// checksum. SCALE is how often they run; once is 14,619,391 LLVM instructions
// at clang-19 -O1 without vectorising and unrolling, and 21,366,976 at -O0 with mem2reg (library calls: none).
// The sum of all results is checked, so that a wrong answer shows in the exit status.
//
// cleave: expect -DSCALE=1 paths=1
#include <klee/klee.h>
#include <stdint.h>

#ifndef SCALE
#define SCALE 10
#endif

enum { SIEVE = 200000, SIDE = 64, TABLE = 4096, UPDATES = 200000, BYTES = 100000 };

static unsigned char composite[SIEVE];
static uint32_t a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
static uint32_t table[TABLE];
static unsigned char bytes[BYTES];

static uint32_t sieve(void) {
  uint32_t primes = 0;
  for (int i = 0; i < SIEVE; i++) composite[i] = 0;
  for (int i = 2; i < SIEVE; i++) {
    if (composite[i]) continue;
    primes++;
    for (int j = 2 * i; j < SIEVE; j += i) composite[j] = 1;
  }
  return primes;
}

static uint32_t matrix(void) {
  for (uint32_t i = 0; i < SIDE; i++)
    for (uint32_t j = 0; j < SIDE; j++) {
      a[i][j] = i * 3 + j;
      b[i][j] = i ^ (j * 5);
    }
  uint32_t trace = 0;
  for (int i = 0; i < SIDE; i++) {
    for (int j = 0; j < SIDE; j++) {
      uint32_t sum = 0;
      for (int k = 0; k < SIDE; k++) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
    trace += c[i][i];
  }
  return trace;
}

static uint32_t xorshift(void) {
  uint64_t x = 88172645463325252u;
  for (int i = 0; i < TABLE; i++) table[i] = 0;
  for (int i = 0; i < UPDATES; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    table[x % TABLE] += (uint32_t)(x >> 32);
  }
  uint32_t sum = 0;
  for (int i = 0; i < TABLE; i++) sum = sum * 31 + table[i];
  return sum;
}

static uint32_t checksum(void) {
  for (int i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(i * 7 + (i >> 8));
  uint32_t low = 1, high = 0;
  for (int i = 0; i < BYTES; i++) {
    low = (low + bytes[i]) % 65521;
    high = (high + low) % 65521;
  }
  return high << 16 | low;
}

int main(void) {
  uint32_t sum = 0;
  for (int i = 0; i < SCALE; i++) sum += sieve() + matrix() + xorshift() + checksum();
  return sum == (uint32_t)SCALE * 2828820400u ? 0 : 1;
}
