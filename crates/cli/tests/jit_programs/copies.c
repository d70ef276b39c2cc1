// Copies within a buffer that overlap, across pages, of no bytes, and of bytes that nobody has written.
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static unsigned char bytes[5000];
int main(void) {
  unsigned x = 1, h = 0;
  for (int i = 0; i < 5000; i++) bytes[i] = i * 7 + i / 251;
  for (int round = 0; round < 400; round++) {
    x = x * 1103515245u + 12345u;
    unsigned from = x % 3000, n = (x >> 12) % 1500 % (round % 3 ? 60 : 1500);
    unsigned to = (x >> 7) % 3000;
    memmove(bytes + to, bytes + from, n);
    if (to + n <= from || from + n <= to) memcpy(bytes + to, bytes + from, n);
    memset(bytes + (x >> 20) % 3000, x >> 3, n / 3);
    h = h * 31 + bytes[x % 5000];
  }
  unsigned char *fresh = malloc(3000);
  for (int i = 0; i < 3000; i++)
    if (i % 5) fresh[i] = bytes[i];
  for (int i = 0; i + 40 < 3000; i += 7) memmove(fresh + i, fresh + i + 3, 40);
  unsigned char symbolic;
  klee_make_symbolic(&symbolic, sizeof symbolic, "symbolic");
  for (int i = 0; i < 300; i++) {
    memcpy(bytes + i, bytes + 1000 + i % 7, 5);
    if (i == 150) bytes[1003] = symbolic;
    h += i < 140 ? bytes[i] : 1;
  }
  if (bytes[199] == 'x') return fresh[2] ? 1 : 2; // a byte that is not written
  char small[4] = {1, 2, 3, 4};
  if (bytes[157] == 'y') memcpy(bytes + 1, bytes, 100);
  return small[4 + h % 1000];
}
