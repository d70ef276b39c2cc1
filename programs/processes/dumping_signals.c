// A parent ends children that wait, by signals that dump memory and by one that does not: in a read, and where they have made way.
//
// cleave: expect paths=10
// cleave: args --sym-arg 2
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int with, status, ends[2];
  char c;
  switch (argv[1][0]) {
  case 'q': with = SIGQUIT; break;
  case 's': with = SIGSEGV; break;
  case 'y': with = SIGSYS; break;
  case 'c': return raise(SIGXCPU); // which does not mean that the time of the run is used up
  default: with = SIGTERM;
  }
  int reads = argv[1][0] && argv[1][1] == 'r';
  if (pipe(ends)) return 1;
  pid_t child = fork();
  if (!child) {
    for (;;)
      if (reads) read(ends[0], &c, 1);
      else sched_yield();
  }
  sched_yield();
  if (kill(child, with) || waitpid(child, &status, 0) != child) return 2;
  printf("%d %d\n", WIFSIGNALED(status), WTERMSIG(status));
  return 0;
}
