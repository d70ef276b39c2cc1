// Converts each line to an int as atoi does, and gives the nearest int where the number is too large.
// Holds: each result is that of a conversion from the last digit to the first in wider arithmetic.
#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stdio.h>

#ifndef N
#define N 8
#endif

static int to_int(const char *s) {
  int negative = 0, value = 0;
  while (isspace((unsigned char)*s)) s++;
  if (*s == '-' || *s == '+') negative = *s++ == '-';
  for (; isdigit((unsigned char)*s); s++) {
    int digit = *s - '0';
    if (negative) {
      if (value < (INT_MIN + digit) / 10) return INT_MIN;
      value = value * 10 - digit;
    } else {
      if (value > (INT_MAX - digit) / 10) return INT_MAX;
      value = value * 10 + digit;
    }
  }
  return value;
}

static long long reference(const char *s) {
  const char *first, *last;
  long long value = 0, weight = 1;
  int negative;
  while (isspace((unsigned char)*s)) s++;
  negative = *s == '-';
  first = *s == '-' || *s == '+' ? s + 1 : s;
  for (last = first; isdigit((unsigned char)*last); last++)
    ;
  while (last > first) {
    value += (*--last - '0') * weight;
    if (value > INT_MAX + 1LL) value = INT_MAX + 1LL;
    if (weight < 100000000000LL) weight *= 10;
  }
  if (negative) return -value;
  return value > INT_MAX ? INT_MAX : value;
}

int main(void) {
  char line[N + 1];
  while (fgets(line, sizeof line, stdin)) assert(to_int(line) == reference(line));
  return 0;
}
