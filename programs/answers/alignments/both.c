// Alignment and size both come from the input: one path for all valid alignments, one for those that no object of the model
// can have, one for those that are no power of two; sizes up to the limit are one path.
//
// cleave: expect paths=4..8 failed=0 unsupported=0
#include <errno.h>
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  size_t align, size;
  klee_make_symbolic(&align, sizeof align, "align");
  klee_make_symbolic(&size, sizeof size, "size");
  if (size > 100 || size == 0) return 1;
  // The model refuses these, and a machine may have the memory.
  if (align > 1 << 19 && align < 1ul << 35) return 1;
  errno = 0;
  char *p = aligned_alloc(align, size);
  if (!p) return errno == EINVAL ? 2 : errno == ENOMEM ? 3 : 4;
  if (align && (uintptr_t)p % align) return 5;
  p[size - 1] = 1;
  free(p);
  return 6;
}
