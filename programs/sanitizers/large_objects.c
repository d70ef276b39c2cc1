// Accesses at, beyond and after the end of objects of several GiB.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static volatile char sink;

int main(void) {
  size_t size = ((size_t)4 << 30) + 7;
  unsigned char k;
  klee_make_symbolic(&k, sizeof k, "k");
  char *volatile p = malloc(size);
  p[size - 1] = 1;
  switch (k) {
  case 0:
    p[size] = 1; //~ ERROR ptr
    break;
  case 1:
    p[-1] = 1; //~ ERROR ptr
    break;
  case 2:
    memset(p + 8, 1, size - 7); //~ ERROR ptr
    break;
  case 3:
    memcpy(p + size / 2 + 1, p, size / 2 + 1); //~ ERROR ptr
    break;
  case 4:
    free(p);
    sink = p[size - 1]; //~ ERROR ptr: 4294967303 bytes
    return 0;
  case 5:
    free(p);
    free(p); //~ ERROR ptr
    return 0;
  case 6:
    if (p[size - 2] == 7) //~ ERROR uninitialised
      return 3;
    break;
  case 7:
    memcpy(p, p + size - 9, 9);
    if (p[8] == 1)
      break;
    return 4;
  case 8:
    memset(p, 1, -(size_t)size); //~ ERROR ptr: length
    break;
  }
  free(p);
  return 0;
}
