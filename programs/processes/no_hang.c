// A loop that asks without waiting until its child has ended. The child waits for a word of its parent.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int word[2], status;
  char c;
  if (pipe(word)) return 1;
  pid_t child = fork();
  if (!child) {
    close(word[1]);
    _exit(read(word[0], &c, 1) == 1 ? c : 99);
  }
  close(word[0]);
  printf("%d\n", (int)waitpid(child, &status, WNOHANG));
  if (argv[1][0] == 'w' && write(word[1], "!", 1) != 1) return 2;
  close(word[1]);
  while (waitpid(child, &status, WNOHANG) == 0)
    ;
  printf("%d\n", WEXITSTATUS(status));
  printf("%d\n", (int)waitpid(child, &status, WNOHANG));
  return 0;
}
