// Reads each line as a Roman numeral of up to 3999, in either case, and writes the number as one.
// Holds: a line that is accepted is the numeral of its number, and numbers lie between 1 and 3999.
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#ifndef N
#define N 8
#endif

// How often each part may follow itself, and how many of the parts behind it may not stand after it: behind D no CD,
// behind CM neither D, CD nor C.
static const struct {
  int value;
  const char *text;
  int most, skip;
} parts[] = {
    {1000, "M", 3, 0}, {900, "CM", 1, 3}, {500, "D", 1, 1}, {400, "CD", 1, 1}, {100, "C", 3, 0},
    {90, "XC", 1, 3},  {50, "L", 1, 1},   {40, "XL", 1, 1}, {10, "X", 3, 0},   {9, "IX", 1, 3},
    {5, "V", 1, 1},    {4, "IV", 1, 1},   {1, "I", 3, 0},
};

#define PARTS (sizeof parts / sizeof *parts)

// The number, or 0 if the word is no numeral. Parts descend.
static int from_roman(const char *s) {
  int number = 0;
  for (size_t i = 0; i < PARTS; i++) {
    size_t length = strlen(parts[i].text);
    int count = 0;
    while (count < parts[i].most && strncasecmp(s, parts[i].text, length) == 0) {
      number += parts[i].value;
      s += length;
      count++;
    }
    if (count > 0) i += parts[i].skip;
  }
  return *s == 0 ? number : 0;
}

static void to_roman(int number, char *out) {
  *out = 0;
  for (size_t i = 0; i < PARTS; i++)
    for (; number >= parts[i].value; number -= parts[i].value) out = stpcpy(out, parts[i].text);
}

int main(void) {
  char word[N + 1], again[20];
  while (fgets(word, sizeof word, stdin)) {
    word[strcspn(word, "\n")] = 0;
    int number = from_roman(word);
    if (number == 0) return 1;
    assert(number >= 1 && number <= 3999);
    to_roman(number, again);
    assert(strcasecmp(word, again) == 0);
  }
  return 0;
}
