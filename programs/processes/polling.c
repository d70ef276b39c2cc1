// poll and select over the pipes of two children.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <poll.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  struct pollfd watched[2];
  int sum[2] = {0, 0}, open = 2;
  for (int i = 0; i < 2; i++) {
    int ends[2];
    if (pipe(ends)) return 1;
    if (!fork()) {
      close(ends[0]);
      for (int k = 0; k <= 3 + i; k++) {
        char c = (char)(k + i);
        if (write(ends[1], &c, 1) != 1) _exit(1);
      }
      _exit(0);
    }
    close(ends[1]);
    watched[i] = (struct pollfd){ends[0], POLLIN, 0};
  }
  while (open) {
    if (argv[1][0] == 's') {
      fd_set set;
      FD_ZERO(&set);
      for (int i = 0; i < 2; i++)
        if (watched[i].fd >= 0) FD_SET(watched[i].fd, &set);
      if (select(64, &set, NULL, NULL, NULL) <= 0) return 2;
      for (int i = 0; i < 2; i++) watched[i].revents = watched[i].fd >= 0 && FD_ISSET(watched[i].fd, &set);
    } else if (poll(watched, 2, -1) <= 0) {
      return 3;
    }
    for (int i = 0; i < 2; i++) {
      char c;
      if (watched[i].fd < 0 || !watched[i].revents) continue;
      if (read(watched[i].fd, &c, 1) == 1) {
        sum[i] += c;
      } else {
        watched[i].fd = -1;
        open--;
      }
    }
  }
  printf("%d %d\n", sum[0], sum[1]);
  while (wait(NULL) > 0)
    ;
  return 0;
}
