// The longest cycle of a permutation of five: 120 permutations, and fewer paths, as the last elements of each are known.
//
// cleave: seconds 60
#include <klee/klee.h>
#include <stdint.h>

enum { N = 5 };

int main(void) {
  uint8_t p[N];
  klee_make_symbolic(p, sizeof p, "p");
  for (int i = 0; i < N; i++) {
    klee_assume(p[i] < N);
    for (int j = 0; j < i; j++) klee_assume(p[i] != p[j]);
  }
  int longest = 0;
  for (int i = 0; i < N; i++) {
    int length = 1;
    for (int at = p[i]; at != i; at = p[at]) length++;
    if (length > longest) longest = length;
  }
  return longest;
}
