// A shell's job control: a job in a group of its own is stopped, continued and ended.
//
// cleave: expect paths=3
// cleave: args --sym-arg 1
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const char *what, int status) {
  printf("%s: %d %d %d %d\n", what, WIFEXITED(status) ? WEXITSTATUS(status) : -1,
         WIFSTOPPED(status) ? WSTOPSIG(status) : -1, WIFCONTINUED(status) ? 1 : 0,
         WIFSIGNALED(status) ? WTERMSIG(status) : -1);
}

int main(int argc, char **argv) {
  int status, word[2];
  char c;
  if (pipe(word)) return 1;
  pid_t job = fork();
  if (!job) {
    setpgid(0, 0);
    close(word[1]);
    raise(argv[1][0] == 't' ? SIGTSTP : SIGSTOP);
    _exit(read(word[0], &c, 1) == 1 ? c : 0);
  }
  setpgid(job, job);
  if (waitpid(job, &status, WUNTRACED) != job) return 2;
  tell("stopped", status);
  if (argv[1][0] == 'k') {
    kill(-job, SIGTERM);
    printf("%d\n", (int)waitpid(job, &status, WNOHANG));
  }
  kill(-job, SIGCONT);
  if (argv[1][0] != 'k') {
    if (waitpid(job, &status, WCONTINUED) != job) return 3;
    tell("continued", status);
    if (write(word[1], "!", 1) != 1) return 4;
  }
  if (waitpid(job, &status, 0) != job) return 5;
  tell("ended", status);
  return 0;
}
