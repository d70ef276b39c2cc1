// A binary heap: no parent is larger than its children. The program puts symbolic numbers in, takes the least one out, and
// asks after each step if the invariant holds.
#include <klee/klee.h>

#define MOST 5

static unsigned char heap[MOST];
static int count;

static int is_heap(void) {
  for (int i = 1; i < count; i++)
    if (heap[(i - 1) / 2] > heap[i]) return 0;
  return 1;
}

static void swap(int i, int j) {
  unsigned char kept = heap[i];
  heap[i] = heap[j];
  heap[j] = kept;
}

static void push(unsigned char number) {
  int i = count++;
  heap[i] = number;
  for (; i > 0 && heap[(i - 1) / 2] > heap[i]; i = (i - 1) / 2) swap(i, (i - 1) / 2);
}

static unsigned char pop(void) {
  unsigned char least = heap[0];
  heap[0] = heap[--count];
  for (int i = 0, child; (child = 2 * i + 1) < count; i = child) {
#ifdef FIXED
    if (child + 1 < count && heap[child + 1] < heap[child]) child++;
#endif
    if (heap[child] >= heap[i]) break; // without the line above, the right child is forgotten
    swap(i, child);
  }
  return least;
}

int main(void) {
  unsigned char numbers[MOST];
  klee_make_symbolic(numbers, sizeof numbers, "numbers");
  for (int i = 0; i < MOST; i++) {
    push(numbers[i]);
    klee_assert(is_heap());
  }
  for (unsigned char before = 0; count > 0;) {
    unsigned char least = pop();
    klee_assert(is_heap() && before <= least);
    before = least;
  }
  return 0;
}
