// Insertion sort of N symbolic ints, with one strict comparison a step: equal keys do not fork.
// Each of the N! orders is one path.
//
// cleave: expect -DN=1 paths=1
// cleave: expect -DN=2 paths=2
// cleave: expect -DN=3 paths=6
// cleave: expect -DN=4 paths=24
// cleave: expect -DN=5 paths=120
// cleave: expect -DN=6 paths=720
// cleave: expect -DN=7 paths=5040
// cleave: expect -DN=8 paths=40320
// cleave: domain value 1..N
#include <klee/klee.h>

#ifndef N
#define N 4
#endif

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++) {
    int value;
    klee_make_symbolic(&value, sizeof value, "value");
    a[i] = value;
  }
  for (int i = 1; i < N; i++) {
    int key = a[i], j = i;
    while (j > 0 && a[j - 1] > key) {
      a[j] = a[j - 1];
      j--;
    }
    a[j] = key;
  }
  return 0;
}
