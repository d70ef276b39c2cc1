// The overflow is five forks of the program away; beside them `strtod` has thousands.
// cleave: levels -O0
// cleave: args --sym-arg 6
// cleave: run --max-bugs 1 --max-time 60
// cleave: modes symbolic
// cleave: replay no
/* A small recursive JSON reader with numbers by strtod, unicode escapes, and a depth that is not limited. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

static const char *p;
static int depth;
static int value(void);
static void space(void) { while (*p == ' ' || *p == '\t' || *p == '\n') p++; }
static int hex(int c) { return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1; }
static int string(void) {
  char out[4]; int n = 0;                               /* never more than four characters? */
  p++;
  while (*p && *p != '"') {
    if (*p == '\\') {
      p++;
      if (*p == 'u') { int v = 0; for (int i = 1; i <= 4; i++) { int h = hex(p[i]); if (h < 0) return 0; v = v * 16 + h; } p += 5; out[n++] = v; continue; }
      if (!*p) return 0;
    }
    out[n++] = *p++;                                    //~ ERROR ptr
  }
  if (*p != '"') return 0;
  p++; return 1;
}
static int list(void) {
  p++; space();
  if (*p == ']') { p++; return 1; }
  for (;;) { if (!value()) return 0; space(); if (*p == ',') { p++; continue; } if (*p == ']') { p++; return 1; } return 0; }
}
static int value(void) {
  space();
  if (*p == '[') { depth++; int r = list(); depth--; return r; }
  if (*p == '"') return string();
  if (!strncmp(p, "null", 4)) { p += 4; return 1; }
  char *e; strtod(p, &e);
  if (e == p) return 0;
  p = e; return 1;
}
int main(int argc, char **argv) {
  if (argc < 2) return 2;
  p = argv[1];
  int ok = value(); space();
  return ok && !*p ? 0 : 1;
}
