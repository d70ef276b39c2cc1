// Counts lines, words and characters of standard input, and the longest line, as wc does.
// Holds: the bounds between these numbers.
#include <assert.h>
#include <ctype.h>
#include <stdio.h>

struct counts {
  long lines, words, characters, longest;
};

static struct counts count(FILE *file) {
  struct counts counts = {0, 0, 0, 0};
  long width = 0;
  int inside = 0;
  int c;
  while ((c = getc(file)) != EOF) {
    counts.characters++;
    if (c == '\n') {
      counts.lines++;
      if (width > counts.longest) counts.longest = width;
      width = 0;
    } else {
      width++;
    }
    if (isspace(c)) {
      inside = 0;
    } else if (!inside) {
      inside = 1;
      counts.words++;
    }
  }
  if (width > counts.longest) counts.longest = width;
  return counts;
}

int main(void) {
  struct counts counts = count(stdin);
  assert(counts.words <= (counts.characters + 1) / 2);
  assert(counts.lines + counts.words <= counts.characters);
  assert(counts.lines + counts.longest <= counts.characters);
  assert(counts.characters <= counts.longest * (counts.lines + 1) + counts.lines);
  if (counts.longest == 0) assert(counts.words == 0);
  return 0;
}
