// A table with open addressing under a multiplicative hash: keys of two bytes, insertions, removals, a search.
// flags: -O0
#include <klee/klee.h>
#include <stdint.h>

enum { SLOTS = 8, KEYS = 4 };

static uint16_t slots[SLOTS];
static uint8_t used[SLOTS];  // 0: free, 1: taken, 2: removed

static unsigned hash(uint16_t key) { return (uint16_t)(key * 40503u) >> 13; }

static int find(uint16_t key) {
  unsigned i = hash(key);
  for (int n = 0; n < SLOTS && used[i]; n++, i = (i + 1) % SLOTS) {
    if (used[i] == 1 && slots[i] == key) return (int)i;
  }
  return -1;
}

static int insert(uint16_t key) {
  if (find(key) >= 0) return 0;
  unsigned i = hash(key);
  while (used[i] == 1) i = (i + 1) % SLOTS;
  slots[i] = key;
  used[i] = 1;
  return 1;
}

int main(void) {
  uint16_t keys[KEYS];
  klee_make_symbolic(keys, sizeof keys, "keys");
  int made = 0;
  for (int i = 0; i < KEYS - 1; i++) made += insert(keys[i]);
  int place = find(keys[KEYS - 1]);
  if (place >= 0) used[place] = 2;
  if (find(keys[0]) < 0 && keys[0] != keys[KEYS - 1]) return 9;
  return made * 2 + (place >= 0);
}
