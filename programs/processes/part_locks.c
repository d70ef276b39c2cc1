// Locks of parts of a file: who is in the way, waiting for it, and two that would wait for each other.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int lock(int fd, int command, int type, int start, int len) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len};
  return fcntl(fd, command, &lock);
}

int main(int argc, char **argv) {
  int ready[2], status;
  char c;
  int fd = open("parts", O_RDWR | O_CREAT, 0600);
  if (fd < 0 || pipe(ready)) return 1;
  if (lock(fd, F_SETLK, F_WRLCK, 0, 10)) return 2;
  pid_t child = fork();
  if (!child) {
    struct flock there = {.l_type = F_RDLCK, .l_start = 5, .l_len = 100};
    if (lock(fd, F_SETLK, F_WRLCK, 20, 10)) _exit(1);
    if (fcntl(fd, F_GETLK, &there)) _exit(2);
    printf("%d %d %d %d\n", there.l_type == F_WRLCK, (int)there.l_start, (int)there.l_len, there.l_pid == getppid());
    int refused = lock(fd, F_SETLK, F_RDLCK, 9, 1);
    printf("%d %d\n", refused, errno == EAGAIN || errno == EACCES);
    fflush(stdout);
    if (write(ready[1], "r", 1) != 1) _exit(3);
    if (lock(fd, F_SETLKW, F_WRLCK, 0, 5)) _exit(errno == EDEADLK ? 9 : 4);
    _exit(5);
  }
  if (read(ready[0], &c, 1) != 1) return 3;
  if (argv[1][0] == 'd') {
    // The child waits already, or its wait is the one that is refused.
    int failed = lock(fd, F_SETLKW, F_WRLCK, 25, 1) && errno == EDEADLK;
    if (failed) lock(fd, F_SETLK, F_UNLCK, 0, 10);
    waitpid(child, &status, 0);
    printf("%d\n", failed != (WEXITSTATUS(status) == 9));
  } else {
    lock(fd, F_SETLK, F_UNLCK, 0, 4);
    lock(fd, F_SETLK, F_UNLCK, 4, 1);
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
  }
  unlink("parts");
  return 0;
}
