// Matches brackets of three kinds with a stack, as an editor does: other characters do not count.
// Holds: in an accepted text each kind closes as often as it opens, never sooner, and pairs lie within each other.
#include <assert.h>
#include <string.h>
#include <unistd.h>

#ifndef N
#define N 8
#endif

static char input[N + 1];
static int partner[N]; // The index of the other bracket, or -1.

static int match(const char *s) {
  static const char opening[] = "([{", closing[] = ")]}";
  int stack[N], depth = 0;
  for (int i = 0; s[i]; i++) {
    const char *close = strchr(closing, s[i]);
    partner[i] = -1;
    if (strchr(opening, s[i])) {
      stack[depth++] = i;
    } else if (close) {
      if (depth == 0) return 0;
      int open = stack[--depth];
      if (s[open] != opening[close - closing]) return 0;
      partner[open] = i;
      partner[i] = open;
    }
  }
  return depth == 0;
}

static int count(const char *s, char c) {
  int n = 0;
  while ((s = strchr(s, c))) n++, s++;
  return n;
}

int main(void) {
  if (read(0, input, N) < 0) return 1;
  if (!match(input)) return 1;
  assert(count(input, '(') == count(input, ')'));
  assert(count(input, '[') == count(input, ']'));
  assert(count(input, '{') == count(input, '}'));
  for (int i = 0; input[i]; i++) {
    if (partner[i] < 0) continue;
    assert(partner[partner[i]] == i);
    if (partner[i] < i) continue;
    for (int k = i + 1; k < partner[i]; k++) assert(partner[k] < partner[i] && (partner[k] < 0 || partner[k] > i));
  }
  return 0;
}
