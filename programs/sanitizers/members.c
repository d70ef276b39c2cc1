// Arrays inside of structures: accesses beyond them that stay in the structure, and beside them pointers behind the end,
// flexible arrays, arrays that are the last member, and the way back from a member to its structure.
//
// cleave: bug ptr
// cleave: run --check subobject
// cleave: flags -Wno-array-bounds
#include <klee/klee.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct person {
  char name[16];
  int age;
  int grades[4];
  char note[1];
};

struct flexible {
  int n;
  char data[];
};

struct old {
  int n;
  char data[8];
};

// Its bit-fields take three bytes, which LLVM has as an array.
struct packed {
  char before;
  int bits : 20;
  char after;
};

struct grid {
  int cells[3][4];
  int after;
};

static struct person person = {"somebody", 3, {1, 2, 3, 4}, ""};

static int good(unsigned k) {
  int sum = 0;
  if (k < 16) sum += person.name[k];
  if (k < 4) sum += person.grades[k];
  const char *end = &person.name[16];
  for (const char *p = person.name; p != end; p++) sum += *p;
  sum += end[-1] + *(end - 16);
  int *grades = person.grades;
  sum += grades[k & 3];
  struct person *back = (struct person *)((char *)person.grades - offsetof(struct person, grades));
  sum += back->age;
  struct flexible *f = malloc(sizeof *f + 20);
  memset(f, 0, sizeof *f + 20);
  sum += f->data[k % 20];
  struct old *o = malloc(sizeof *o + 20);
  memset(o, 0, sizeof *o + 20);
  sum += o->data[8 + k % 20] + o->data[20];
  struct grid grid;
  memset(&grid, 0, sizeof grid);
  sum += grid.cells[k % 3][k & 3];
  struct packed packed = {1, 2, 3};
  packed.bits += (int)k;
  sum += packed.bits;
  free(f);
  free(o);
  return sum != 0;
}

static int past(struct person *p, unsigned k) {
  return p->name[k]; //~ ERROR ptr (-O0)
}

static int before(struct person *p, int k) {
  return p->grades[k]; //~ ERROR ptr
}

static void written(struct person *p, unsigned k) {
  char *to = p->name;
  to[k] = 1; //~ ERROR ptr (-O0)
}

static int constant(struct person *p) {
  return p->grades[4]; //~ ERROR ptr (-O0)
}

static int inner(struct grid *g, unsigned k) {
  return g->cells[2][k]; //~ ERROR ptr (-O0)
}

int main(void) {
  unsigned char k;
  struct grid grid = {{{0}}, 1};
  klee_make_symbolic(&k, sizeof k, "k");
  if (k < 30) return k < 20 ? past(&person, k) : before(&person, (int)k - 22);
  if (k < 50) {
    written(&person, k - 30);
    return 0;
  }
  if (k == 50) return constant(&person);
  if (k < 56) return inner(&grid, k - 51);
  return good(k - 56);
}
