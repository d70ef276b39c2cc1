// posix_memalign: less than a pointer's alignment and what is no power of two are EINVAL; nothing is written then.
//
// cleave: expect paths=3 failed=0 unsupported=0
#include <errno.h>
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  size_t align;
  void *p = &align;
  klee_make_symbolic(&align, sizeof align, "align");
  int status = posix_memalign(&p, align, 24);
  if (status) return p != &align ? 9 : status == EINVAL ? 1 : 2;
  if ((uintptr_t)p % align) return 10;
  ((char *)p)[23] = 1;
  free(p);
  return 3;
}
