// A priority queue of tasks in an array; jobs of equal priority keep their order. Bytes compared with each other.
#include <klee/klee.h>

enum { COUNT = 7 };

struct task {
  unsigned char priority, number;
};

static struct task heap[COUNT];
static int size;

static int before(struct task a, struct task b) {
  return a.priority != b.priority ? a.priority > b.priority : a.number < b.number;
}

static void swap(int i, int j) {
  struct task kept = heap[i];
  heap[i] = heap[j];
  heap[j] = kept;
}

static void push(struct task task) {
  int i = size++;
  heap[i] = task;
  for (; i > 0 && before(heap[i], heap[(i - 1) / 2]); i = (i - 1) / 2) swap(i, (i - 1) / 2);
}

static struct task pop(void) {
  struct task top = heap[0];
  heap[0] = heap[--size];
  for (int i = 0;;) {
    int best = i;
    for (int child = 2 * i + 1; child <= 2 * i + 2; child++) {
      if (child < size && before(heap[child], heap[best])) best = child;
    }
    if (best == i) return top;
    swap(i, best);
    i = best;
  }
}

int main(void) {
  unsigned char priorities[COUNT];
  klee_make_symbolic(priorities, sizeof priorities, "priorities");
  for (int i = 0; i < COUNT; i++) push((struct task){priorities[i] & 0x3F, (unsigned char)i});
  int last = 255, late = 0;
  while (size > 0) {
    struct task task = pop();
    if (task.priority > last) return 9;
    late += task.priority < 5;
    last = task.priority;
  }
  return late > 3;
}
