// Counts how often each byte occurs, in a hash table with open addressing.
// Holds: the table finds each byte with its number, no byte twice, and the numbers add up to the length of the input.
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef N
#define N 8
#endif
#define SLOTS (N < 8 ? 16 : N < 32 ? 64 : 256)

struct slot {
  unsigned char key;
  int count; // 0 where the slot is free.
};

// The slot of a key, or the free one where it belongs. There is always one.
static struct slot *find(struct slot *table, unsigned char key) {
  unsigned at = (key ^ key >> 4) & (SLOTS - 1);
  while (table[at].count > 0 && table[at].key != key) at = (at + 1) & (SLOTS - 1);
  return &table[at];
}

int main(void) {
  unsigned char input[N];
  struct slot *table = calloc(SLOTS, sizeof *table);
  int n = read(0, input, N), total = 0;
  if (!table) return 1;
  for (int i = 0; i < n; i++) {
    struct slot *slot = find(table, input[i]);
    slot->key = input[i];
    slot->count++;
  }
  for (int i = 0; i < SLOTS; i++) {
    total += table[i].count;
    if (table[i].count > 0) assert(find(table, table[i].key) == &table[i]);
  }
  assert(total == n);
  for (int i = 0; i < n; i++) {
    int occurs = 0;
    for (int k = 0; k < n; k++) occurs += input[k] == input[i];
    assert(find(table, input[i])->count == occurs);
  }
  free(table);
  return 0;
}
