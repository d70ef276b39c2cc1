// Packs bytes as PackBits does: runs as a count and a byte, other bytes as a count and themselves. Unpacks them again.
// Holds: what is unpacked is the input, and packing adds at most one byte to each 128.
#include <assert.h>
#include <string.h>
#include <unistd.h>

#ifndef N
#define N 8
#endif

static int pack(const unsigned char *in, int n, unsigned char *out) {
  int size = 0, i = 0;
  while (i < n) {
    int run = 1;
    while (i + run < n && run < 128 && in[i + run] == in[i]) run++;
    if (run >= 3) {
      out[size++] = 257 - run;
      out[size++] = in[i];
      i += run;
      continue;
    }
    int start = i;
    while (i < n && i - start < 128) {
      if (i + 2 < n && in[i] == in[i + 1] && in[i] == in[i + 2]) break;
      i++;
    }
    out[size++] = i - start - 1;
    memcpy(out + size, in + start, i - start);
    size += i - start;
  }
  return size;
}

// The number of bytes written, or -1 if they do not fit or the input ends too early.
static int unpack(const unsigned char *in, int n, unsigned char *out, int room) {
  int size = 0;
  for (int i = 0; i < n;) {
    int count = in[i++];
    if (count < 128) {
      if (i + count + 1 > n || size + count + 1 > room) return -1;
      memcpy(out + size, in + i, count + 1);
      i += count + 1;
      size += count + 1;
    } else if (count > 128) {
      if (i >= n || size + 257 - count > room) return -1;
      memset(out + size, in[i++], 257 - count);
      size += 257 - count;
    }
  }
  return size;
}

int main(void) {
  unsigned char input[N], packed[2 * N + 2], output[N];
  int n = read(0, input, N);
  int size = pack(input, n, packed);
  assert(size <= n + (n + 127) / 128);
  assert(unpack(packed, size, output, N) == n);
  assert(memcmp(input, output, n) == 0);
  return 0;
}
