// The string functions, tokens, spans, searches, overlapping moves, character classes, errors as text.
//
// cleave: expect paths=1
// cleave: exit 0
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int sign(int v) { return (v > 0) - (v < 0); }

int main(void) {
  char b[64];
  strcpy(b, "hello");
  strcat(b, ", ");
  strncat(b, "world and more", 5);
  printf("%s %zu %zu\n", b, strlen(b), strnlen(b, 4));
  printf("%d %d %d %d\n", sign(strcmp("a", "b")), sign(strncmp("abc", "abd", 2)), sign(strcasecmp("HeLLo", "hEllO")), sign(memcmp("\x80", "\x7f", 1)));
  printf("%s %s %s %s\n", strchr(b, 'w'), strrchr(b, 'l'), strstr(b, "lo,"), strpbrk(b, "xyzw"));
  printf("%zu %zu %d\n", strspn("aabbc", "ab"), strcspn("hello", "l"), strstr(b, "absent") == NULL);
  memmove(b + 2, b, 8);
  b[10] = 0;
  printf("%s\n", b);
  char list[] = "one,two;;three", *save, *t = strtok_r(list, ",;", &save);
  for (; t; t = strtok_r(NULL, ",;", &save)) printf("<%s>", t);
  char fields[] = "a::b", *rest = fields, *f;
  while ((f = strsep(&rest, ":"))) printf("[%s]", f);
  char *copy = strdup("duplicate"), *some = strndup("duplicate", 3);
  printf(" %s %s\n", copy, some);
  printf("%s %s %ld\n", (char *)memchr("find me", 'm', 7), (char *)memrchr("a.b.c", '.', 5), (long)strlen(strchrnul("abc", 'x')));
  for (int c = 0; c < 128; c += 9) printf("%d%d%d%d%d%d ", !!isalpha(c), !!isdigit(c), !!isspace(c), !!ispunct(c), !!isxdigit(c), !!iscntrl(c));
  printf("%c%c\n", toupper('q'), tolower('Q'));
  printf("%s\n", strerror(ENOENT));
  memset(b, '-', 10);
  b[10] = 0;
  size_t end = (size_t)(stpcpy(b, "end") - b);
  printf("%s %zu\n", b, end);
  free(copy);
  free(some);
  return 0;
}
