// A descriptor that a child has of its parent shares its position; one that it opens itself does not.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  char text[32] = "";
  int fd = open("shared", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, "parent ", 7) != 7) return 1;
  if (!fork()) {
    int own = open("shared", O_WRONLY);
    if (own < 0 || write(argv[1][0] == 'o' ? own : fd, "child ", 6) != 6) _exit(1);
    _exit(0);
  }
  wait(NULL);
  printf("%d\n", (int)lseek(fd, 0, SEEK_CUR));
  if (write(fd, "end", 3) != 3) return 2;
  printf("%d", (int)pread(fd, text, sizeof text - 1, 0));
  printf(" %s\n", text);
  unlink("shared");
  return 0;
}
