// A door that opens for one word. The word is nowhere in the program: each letter is mixed with its place and its neighbour.
#include <stdio.h>
#include <string.h>

static const unsigned char wanted[] = {0x7b, 0x49, 0x50, 0x4b, 0x40, 0x3b};

static int opens(const char *word) {
  if (strlen(word) != sizeof wanted) return 0;
  unsigned char before = 0x5a;
  for (unsigned i = 0; i < sizeof wanted; i++) {
    unsigned char mixed = (unsigned char)((word[i] ^ before) * 3 + 7 * i);
    if (mixed != wanted[i]) return 0;
    before = (unsigned char)word[i];
  }
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  int open = opens(argv[1]);
  puts(open ? "open" : "closed");
  return !open;
}
