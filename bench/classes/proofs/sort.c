// Sorts the bytes of the input by insertion.
// Holds: the result is in order, and has each byte as often as the input.
#include <assert.h>
#include <string.h>
#include <unistd.h>

#ifndef N
#define N 8
#endif

static void insertion_sort(unsigned char *a, int n) {
  for (int i = 1; i < n; i++) {
    unsigned char x = a[i];
    int k = i;
    while (k > 0 && a[k - 1] > x) {
      a[k] = a[k - 1];
      k--;
    }
    a[k] = x;
  }
}

static int occurrences(const unsigned char *a, int n, unsigned char x) {
  int count = 0;
  for (int i = 0; i < n; i++)
    if (a[i] == x) count++;
  return count;
}

int main(void) {
  unsigned char input[N], sorted[N];
  int n = read(0, input, N);
  memcpy(sorted, input, n);
  insertion_sort(sorted, n);
  for (int i = 1; i < n; i++) assert(sorted[i - 1] <= sorted[i]);
  for (int i = 0; i < n; i++) assert(occurrences(sorted, n, input[i]) == occurrences(input, n, input[i]));
  return 0;
}
