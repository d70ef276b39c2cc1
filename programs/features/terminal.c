// A terminal: standard input and output may each be one. From a terminal the program reads a line without echo; for a
// terminal it writes in colours and as wide as its window.
//
// cleave: args --sym-terminal --sym-stdin 3
// cleave: expect paths=8
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

// Three bytes from a terminal are one line of three lengths, or of all three bytes; from a file they are three.
static int secret(char *line, size_t size) {
  struct termios old, silent;
  if (tcgetattr(0, &old)) {
    if (errno != ENOTTY) puts("not the right error");
    return read(0, line, size);
  }
  silent = old;
  silent.c_lflag &= ~(ECHO | ECHONL);
  silent.c_cflag &= ~CSIZE;
  if (tcsetattr(0, TCSAFLUSH, &silent)) perror("tcsetattr");
  int length = read(0, line, size);
  // A terminal keeps its eight bits a character.
  if (tcgetattr(0, &silent) || silent.c_lflag & ECHO || (silent.c_cflag & CSIZE) != CS8) puts("not silent");
  tcsetattr(0, TCSANOW, &old);
  if (lseek(0, 0, SEEK_CUR) != -1 || errno != ESPIPE) puts("a terminal has positions");
  return length;
}

int main(void) {
  char line[8];
  struct stat status;
  struct winsize window = { 0 };
  int length = secret(line, sizeof line);
  int colours = isatty(1);
  if (colours && ioctl(1, TIOCGWINSZ, &window)) perror("window");
  fstat(1, &status);
  printf("%s%d%s in %d columns, %s, mode %o\n", colours ? "\033[1m" : "", length, colours ? "\033[0m" : "",
         window.ws_col, S_ISCHR(status.st_mode) ? "a device" : "no device", status.st_mode & 0777);
  // The end of input, and once more.
  return isatty(0) && length == 3 ? read(0, line, 1) + read(0, line, 1) : 0;
}
