// File descriptors that are used behind their close, or for what they are not open for, beside good uses.
//
// cleave: run --check descriptor
// cleave: bug descriptor
#include <fcntl.h>
#include <klee/klee.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int good(void) {
  char byte = 'x';
  struct stat stat;
  int fd = open("good", O_RDWR | O_CREAT, 0600);
  if (fd < 0 || write(fd, &byte, 1) != 1 || lseek(fd, 0, SEEK_SET)) return 1;
  if (read(fd, &byte, 1) != 1 || close(fd)) return 2;
  /* To ask whether a descriptor is open is no mistake. */
  if (fcntl(fd, F_GETFD) != -1 || fstat(fd, &stat) != -1) return 3;
  FILE *f = fopen("good", "r");
  if (!f || getc(f) != 'x' || fclose(f)) return 4;
  return 0;
}

int main(void) {
  unsigned char which;
  char byte = 'x';
  klee_make_symbolic(&which, sizeof which, "which");
  int fd = open("bad", O_WRONLY | O_CREAT, 0600);
  switch (which) {
  case 1:
    close(fd);
    close(fd); //~ ERROR descriptor: close on the file descriptor
    break;
  case 2:
    close(fd);
    return write(fd, &byte, 1) == 1; //~ ERROR descriptor: write on the file descriptor
  case 3:
    return read(fd, &byte, 1) == 1; //~ ERROR descriptor: read on the file descriptor
  case 4:
    close(-1); //~ ERROR descriptor: close on the file descriptor -1
    break;
  case 5:
    fclose(fdopen(fd, "w"));
    close(fd); //~ ERROR descriptor: close on the file descriptor
    break;
  default:
    close(fd);
    return good();
  }
  return 0;
}
