// Files: stdio on files that the program creates, seeking, appending, lines, descriptors, rename, unlink, errors.
//
// cleave: expect paths=1
// cleave: exit 0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  const char *name = "cleave-feature-file", *other = "cleave-feature-other";
  FILE *f = fopen(name, "w+");
  if (!f) return 1;
  for (int i = 0; i < 5; i++) fprintf(f, "line %d\n", i);
  printf("%ld\n", ftell(f));
  fseek(f, 7, SEEK_SET);
  char line[32];
  printf("%s", fgets(line, sizeof line, f));
  fseek(f, -7, SEEK_END);
  printf("%s", fgets(line, sizeof line, f));
  printf("%d ", fgetc(f));
  printf("%d\n", feof(f) != 0);
  rewind(f);
  fputs("LINE", f);
  fclose(f);
  f = fopen(name, "a");
  fputs("appended\n", f);
  fclose(f);
  f = fopen(name, "r");
  char *text = NULL;
  size_t room = 0;
  ssize_t n;
  int lines = 0;
  while ((n = getline(&text, &room, f)) > 0) printf("%d:%zd:%s", ++lines, n, text);
  free(text);
  fclose(f);
  struct stat st;
  int status = stat(name, &st);
  printf("%d %ld %d\n", status, (long)st.st_size, S_ISREG(st.st_mode));
  printf("%d ", rename(name, other));
  printf("%d\n", access(name, F_OK) == -1 && errno == ENOENT);
  int fd = open(other, O_RDWR);
  char block[8] = "";
  printf("%ld ", (long)lseek(fd, 5, SEEK_SET));
  printf("%zd ", read(fd, block, 3));
  printf("%s\n", block);
  printf("%zd ", write(fd, "##", 2));
  printf("%ld\n", (long)lseek(fd, 0, SEEK_CUR));
  printf("%d ", ftruncate(fd, 4));
  printf("%ld\n", (long)lseek(fd, 0, SEEK_END));
  close(fd);
  printf("%d ", unlink(other));
  printf("%d\n", fopen(other, "r") == NULL && errno == ENOENT);
  printf("%d\n", open("/absent/file", O_RDONLY) == -1 && errno == ENOENT);
  printf("%d\n", write(77, "x", 1) == -1 && errno == EBADF);
  return 0;
}
