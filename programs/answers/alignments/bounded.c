// A page of a size that a header gives, as arenas ask for: 64 to 4096 bytes, in steps of 64, of which powers of two are valid.
//
// cleave: expect paths=3..5 failed=0 unsupported=0
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

struct arena { size_t page; char *memory; };

static int open_arena(struct arena *a, uint16_t page) {
  a->page = page;
  a->memory = aligned_alloc(page, (size_t)page * 2);
  return a->memory != NULL;
}

int main(void) {
  uint16_t page;
  struct arena a;
  klee_make_symbolic(&page, sizeof page, "page");
  if (page < 64 || page > 2048 || page % 64) return 1;
  if (!open_arena(&a, page)) return 2;
  a.memory[a.page * 2 - 1] = 1;
  if ((uintptr_t)a.memory & (a.page - 1)) return 3;
  free(a.memory);
  return 4;
}
