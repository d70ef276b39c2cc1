// stdio on files and memory: modes, seeking, pushing back, buffering, lines, fmemopen, open_memstream, end and error marks.
//
// cleave: expect paths=1
// cleave: exit 0
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  FILE *f = fopen("file", "w+");
  if (!f) return 1;
  for (int i = 0; i < 300; i++) fprintf(f, "line %d\n", i);
  printf("%ld\n", ftell(f));
  rewind(f);
  char *line = NULL;
  size_t room = 0;
  ssize_t length, total = 0;
  int lines = 0;
  while ((length = getline(&line, &room, f)) > 0) {
    total += length;
    lines++;
  }
  printf("%d %zd %d\n", lines, total, feof(f) != 0);
  free(line);
  fseek(f, -9, SEEK_END);
  char word[16];
  int number;
  printf("%d ", fscanf(f, "%15s %d", word, &number));
  printf("%s %d\n", word, number);
  fseek(f, 5, SEEK_SET);
  int c = fgetc(f);
  ungetc('#', f);
  printf("%c%c%c %ld\n", c, fgetc(f), fgetc(f), ftell(f));
  fclose(f);
  char space[32];
  FILE *m = fmemopen(space, sizeof space, "w+");
  fputs("in memory", m);
  fflush(m);
  fseek(m, 3, SEEK_SET);
  fputc('M', m);
  fclose(m);
  printf("%s\n", space);
  char *text;
  size_t size;
  FILE *s = open_memstream(&text, &size);
  for (int i = 0; i < 50; i++) fprintf(s, "%d,", i);
  fclose(s);
  printf("%zu %s\n", size, text + size - 10);
  free(text);
  errno = 0;
  FILE *none = fopen("no such file", "r");
  printf("%d %d\n", none == NULL, errno == ENOENT);
  printf("%d %d\n", fputs("", stdout), ferror(stdin));
  char *made;
  printf("%d ", asprintf(&made, "%05.1f|%s", 2.25, "made"));
  printf("%s\n", made);
  free(made);
  printf("%d %d\n", getchar() == EOF, feof(stdin) != 0);
  return 0;
}
