// Merge sort of words, then a binary search for another word: comparisons of whole integers with each other.
// flags: -O0
#include <klee/klee.h>
#include <string.h>

enum { COUNT = 5 };

static void sort(int *values, int *scratch, int count) {
  if (count < 2) return;
  int half = count / 2;
  sort(values, scratch, half);
  sort(values + half, scratch, count - half);
  int left = 0, right = half, out = 0;
  while (left < half && right < count) scratch[out++] = values[left] <= values[right] ? values[left++] : values[right++];
  while (left < half) scratch[out++] = values[left++];
  while (right < count) scratch[out++] = values[right++];
  memcpy(values, scratch, (size_t)count * sizeof *values);
}

static int search(const int *values, int count, int wanted) {
  int low = 0, high = count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (values[middle] == wanted) return middle;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return -1;
}

int main(void) {
  int values[COUNT], scratch[COUNT], wanted;
  klee_make_symbolic(values, sizeof values, "values");
  klee_make_symbolic(&wanted, sizeof wanted, "wanted");
  sort(values, scratch, COUNT);
  for (int i = 1; i < COUNT; i++) {
    if (values[i - 1] > values[i]) return 9;
  }
  return search(values, COUNT, wanted) + 1;
}
