// A checker of JSON without numbers that have fractions: a push-down automaton with an explicit stack.
#include <klee/klee.h>

enum { LENGTH = 9, DEPTH = 4 };
enum want { VALUE, VALUE_OR_END, COMMA_OR_END, KEY_OR_END, KEY, COLON };

static char text[LENGTH + 1];
static int at;

static int string(void) {
  for (at++; text[at] != '"'; at++) {
    if ((unsigned char)text[at] < ' ') return 0;
    if (text[at] == '\\') {
      at++;
      if (text[at] != 'n' && text[at] != '"' && text[at] != '\\') return 0;
    }
  }
  at++;
  return 1;
}

static int number(void) {
  if (text[at] == '-') at++;
  if (text[at] == '0') return at++, 1;
  if (text[at] < '1' || text[at] > '9') return 0;
  while (text[at] >= '0' && text[at] <= '9') at++;
  return 1;
}

static int check(void) {
  char stack[DEPTH];
  int depth = 0;
  enum want want = VALUE;
  for (;;) {
    while (text[at] == ' ') at++;
    char c = text[at];
    if (c == '\0') return depth == 0 && want == COMMA_OR_END;
    if (want == COLON) {
      if (c != ':') return 0;
      at++, want = VALUE;
    } else if (want == COMMA_OR_END || ((want == VALUE_OR_END || want == KEY_OR_END) && (c == ']' || c == '}'))) {
      if (depth == 0) return 0;
      if (c == ',' && want == COMMA_OR_END) {
        want = stack[depth - 1] == '{' ? KEY : VALUE;
      } else if (c == (stack[depth - 1] == '{' ? '}' : ']')) {
        depth--, want = COMMA_OR_END;
      } else {
        return 0;
      }
      at++;
    } else if (want == KEY || want == KEY_OR_END) {
      if (c != '"' || !string()) return 0;
      want = COLON;
    } else if (c == '[' || c == '{') {
      if (depth == DEPTH) return 0;
      stack[depth++] = c;
      at++, want = c == '{' ? KEY_OR_END : VALUE_OR_END;
    } else {
      if (!(c == '"' ? string() : number())) return 0;
      want = COMMA_OR_END;
    }
  }
}

int main(void) {
  klee_make_symbolic(text, sizeof text, "text");
  klee_assume(text[LENGTH] == 0);
  return check() ? 0 : 1;
}
