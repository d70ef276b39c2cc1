// Locks of whole files hold other processes up, and end with the last descriptor.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int ready[2], go[2];
  char c;
  int mine = open("lock", O_RDWR | O_CREAT, 0600);
  if (mine < 0 || pipe(ready) || pipe(go)) return 1;
  pid_t child = fork();
  if (!child) {
    int theirs = open("lock", O_RDWR);
    if (theirs < 0 || flock(theirs, argv[1][0] == 's' ? LOCK_SH : LOCK_EX)) _exit(1);
    if (write(ready[1], "r", 1) != 1 || read(go[0], &c, 1) != 1) _exit(2);
    if (write(theirs, "child", 5) != 5) _exit(3);
    _exit(0);
  }
  if (read(ready[0], &c, 1) != 1) return 2;
  printf("%d ", flock(mine, LOCK_EX | LOCK_NB));
  printf("%d\n", errno == EWOULDBLOCK);
  printf("%d\n", flock(mine, LOCK_SH | LOCK_NB));
  flock(mine, LOCK_UN);
  if (write(go[1], "g", 1) != 1) return 3;
  printf("%d\n", flock(mine, LOCK_EX));
  char text[6] = "";
  printf("%d %s\n", (int)read(mine, text, 5), text);
  unlink("lock");
  return wait(NULL) != child;
}
