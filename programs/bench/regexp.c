// A matcher of small regular expressions (literal characters, '.', '*', '^', '$') on the text "hello", with a
// symbolic pattern of 8 characters of which the last is NUL. A measure of paths a second.
//
// The structure is the well-known recursive one (Pike's, as Kernighan describes it); as in KLEE's tutorial an
// exhausted pattern is no match, so that all alternatives are tried. KLEE's figure of 12,405 paths is that of
// clang -O1, which evaluates three of the tests without a branch: they are written with `|` and `&` here, so
// that the count is the same at -O0. (With `||` and `&&` throughout, -O0 has 18,600 paths.)
//
// cleave: expect paths=12405
// cleave: domain pattern chars "\0.*^$helox"
#include <klee/klee.h>

static volatile int result;

static int match_here(const char *re, const char *text);

// Zero or more of `c`, then the rest, the shortest first.
static int match_star(int c, const char *re, const char *text) {
  do {
    if (match_here(re, text)) return 1;
  } while (*text != '\0' && ((*text++ == c) | (c == '.')));
  return 0;
}

static int match_here(const char *re, const char *text) {
  if (re[0] == '\0') return 0;
  if (re[1] == '*') return match_star(re[0], re + 2, text);
  if ((re[0] == '$') & (re[1] == '\0')) return *text == '\0';
  if (*text != '\0' && ((re[0] == '.') | (re[0] == *text))) return match_here(re + 1, text + 1);
  return 0;
}

static int match(const char *re, const char *text) {
  if (re[0] == '^') return match_here(re + 1, text);
  do {
    if (match_here(re, text)) return 1;
  } while (*text++ != '\0');
  return 0;
}

int main(void) {
  char pattern[8];
  klee_make_symbolic(pattern, sizeof pattern, "pattern");
  klee_assume(pattern[7] == '\0');
  result = match(pattern, "hello");
  return 0;
}
