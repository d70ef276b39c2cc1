// A small program with a bug: a tag of the form <name> or <name=value>. Which input finds it?
#include <stdio.h>
#include <string.h>

static int parse(const char *text, char *name) {
  int n = 0;
  if (text[0] != '<') return 0;
  for (const char *p = text + 1; *p && *p != '>' && *p != '='; p++) name[n++] = *p;
  name[n] = 0;
  return n;
}

int main(int argc, char **argv) {
  char name[4];
  if (argc < 2) return 1;
  int n = parse(argv[1], name);
  if (n == 0) return 2;
  printf("tag %s\n", name);
  return 0;
}
