// Checks the syntax of a JSON text by recursive descent.
// Holds: in an accepted text, as many brackets open as close outside of strings, and it is not blank.
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#ifndef N
#define N 8
#endif

static const char *p;

static int value(int depth);

static void blanks(void) {
  while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') p++;
}

static int string(void) {
  if (*p++ != '"') return 0;
  for (; *p != '"'; p++) {
    if ((unsigned char)*p < 0x20) return 0;
    if (*p != '\\') continue;
    p++;
    if (*p == 'u') {
      for (int i = 0; i < 4; i++)
        if (!isxdigit((unsigned char)*++p)) return 0;
    } else if (*p == 0 || !strchr("\"\\/bfnrt", *p)) {
      return 0;
    }
  }
  p++;
  return 1;
}

static int number(void) {
  if (*p == '-') p++;
  if (!isdigit((unsigned char)*p)) return 0;
  if (*p == '0') p++;
  else while (isdigit((unsigned char)*p)) p++;
  if (*p == '.') {
    if (!isdigit((unsigned char)*++p)) return 0;
    while (isdigit((unsigned char)*p)) p++;
  }
  return 1;
}

// The members of an array or object, up to its closing bracket.
static int members(char close, int named, int depth) {
  p++;
  blanks();
  if (*p == close) return p++, 1;
  for (;;) {
    if (named) {
      blanks();
      if (!string()) return 0;
      blanks();
      if (*p++ != ':') return 0;
    }
    if (!value(depth + 1)) return 0;
    if (*p == close) return p++, 1;
    if (*p++ != ',') return 0;
  }
}

static int value(int depth) {
  int good;
  if (depth > 64) return 0;
  blanks();
  if (*p == '[') good = members(']', 0, depth);
  else if (*p == '{') good = members('}', 1, depth);
  else if (*p == '"') good = string();
  else if (strncmp(p, "true", 4) == 0 || strncmp(p, "null", 4) == 0) p += 4, good = 1;
  else if (strncmp(p, "false", 5) == 0) p += 5, good = 1;
  else good = number();
  if (good) blanks();
  return good;
}

int main(void) {
  char text[N + 1];
  size_t n = fread(text, 1, N, stdin);
  text[n] = 0;
  p = text;
  if (!value(0) || p != text + n) return 1;
  int open = 0, inside = 0, seen = 0;
  for (size_t i = 0; i < n; i++) {
    if (inside && text[i] == '\\') i++;
    else if (text[i] == '"') inside = !inside;
    else if (!inside && (text[i] == '[' || text[i] == '{')) open++;
    else if (!inside && (text[i] == ']' || text[i] == '}')) open--;
    if (!isspace((unsigned char)text[i])) seen = 1;
    assert(open >= 0);
  }
  assert(open == 0 && !inside && seen);
  return 0;
}
