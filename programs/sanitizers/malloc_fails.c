// Allocations that fail: who looks at the result goes on, who forgets to does not. The twins beside each other.
//
// cleave: bug ptr
// cleave: run --fail-malloc
#include <errno.h>
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static void *volatile kept;

static int checked(size_t n) {
  char *p = kept = malloc(n);
  if (!p) return errno == ENOMEM ? 1 : 2;
  p[0] = 1;
  char *larger = realloc(p, 2 * n);
  if (!larger) {
    // The old object is still there.
    p[n - 1] = p[0];
    free(p);
    return errno == ENOMEM ? 3 : 4;
  }
  kept = larger;
  larger[2 * n - 1] = larger[0];
  free(larger);
  void *aligned;
  errno = 0;
  int status = posix_memalign(&aligned, 64, n);
  if (status) return status == ENOMEM && !errno ? 5 : 6;
  kept = aligned;
  free(aligned);
  char *copy = strdup("copy");
  if (!copy) return 7;
  kept = copy;
  int same = !strcmp(copy, "copy");
  free(copy);
  return same ? 0 : 8;
}

static int forgetful(size_t n) {
  volatile int *p = kept = calloc(n, sizeof *p);
  p[n - 1] = 1; //~ ERROR ptr
  free(kept);
  return 9;
}

int main(void) {
  unsigned char which;
  klee_make_symbolic(&which, sizeof which, "which");
  return which == 0 ? checked(16) : forgetful(4);
}
