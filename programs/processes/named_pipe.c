// Opening a named pipe waits for somebody at its other end.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  char text[16] = "";
  int n, total = 0;
  if (mkfifo("fifo", 0600)) return 1;
  pid_t child = fork();
  if (!child) {
    int out = open("fifo", O_WRONLY);
    if (out < 0) _exit(1);
    if (argv[1][0] == 'h' && write(out, "hello ", 6) != 6) _exit(2);
    if (write(out, "world", 5) != 5) _exit(3);
    _exit(0);
  }
  int in = open("fifo", O_RDONLY);
  if (in < 0) return 2;
  while ((n = read(in, text + total, sizeof text - total)) > 0) total += n;
  printf("%d %s\n", total, text);
  unlink("fifo");
  return wait(NULL) != child;
}
