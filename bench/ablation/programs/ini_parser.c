// A parser of lines NAME=VALUE, with comments and a section in brackets: scanning text byte by byte.
#include <klee/klee.h>

enum { LENGTH = 11, NAMES = 4 };

struct entry {
  const char *name, *value;
  int name_length, value_length;
};

static int is_name(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

static const char *skip_line(const char *at, const char *end) {
  while (at < end && *at != '\n') at++;
  return at < end ? at + 1 : end;
}

// Returns the number of entries, or minus the offset of an error.
static int parse(const char *text, int length, struct entry *out) {
  const char *at = text, *end = text + length;
  int found = 0, section = 0;
  while (at < end && *at) {
    if (*at == '#') {
      at = skip_line(at, end);
    } else if (*at == '[') {
      const char *from = ++at;
      while (at < end && is_name(*at)) at++;
      if (at == from || at == end || *at != ']') return -(int)(at - text) - 1;
      section++;
      at = skip_line(at, end);
    } else if (is_name(*at)) {
      struct entry e = {at, 0, 0, 0};
      while (at < end && is_name(*at)) at++;
      e.name_length = (int)(at - e.name);
      if (at == end || *at != '=') return -(int)(at - text) - 1;
      e.value = ++at;
      while (at < end && *at != '\n' && *at != '\0') at++;
      e.value_length = (int)(at - e.value);
      if (found == NAMES) return -LENGTH - 1;
      out[found++] = e;
    } else if (*at == '\n') {
      at++;
    } else {
      return -(int)(at - text) - 1;
    }
  }
  return found + 100 * section;
}

int main(void) {
  char text[LENGTH];
  struct entry entries[NAMES];
  klee_make_symbolic(text, sizeof text, "text");
  int n = parse(text, LENGTH, entries);
  for (int i = 1; i < n % 100; i++) {
    if (entries[i].name_length == entries[i - 1].name_length && entries[i].name[0] == entries[i - 1].name[0]) return 2;
  }
  return n < 0;
}
