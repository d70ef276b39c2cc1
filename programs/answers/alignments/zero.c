// musl gives memory for an alignment of zero, and posix_memalign refuses it.
//
// cleave: expect paths=1 failed=0
#include <errno.h>
#include <stdlib.h>

int main(void) {
  volatile size_t zero = 0;
  void *q = NULL;
  char *p = aligned_alloc(zero, 16);
  if (!p) return 1;
  p[15] = 1;
  free(p);
  errno = 0;
  if (aligned_alloc(zero + 24, 16) || errno != EINVAL) return 2;
  return posix_memalign(&q, zero, 16) == EINVAL && !q ? 0 : 3;
}
