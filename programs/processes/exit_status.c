// The exit status of a child is made of the input: its parent branches on it.
//
// cleave: expect paths=3
// cleave: args --sym-arg 1
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int status;
  pid_t child = fork();
  if (!child) exit((unsigned char)argv[1][0] ^ 1);
  if (waitpid(child, &status, 0) != child) return 1;
  if (!WIFEXITED(status) || WIFSIGNALED(status) || WIFSTOPPED(status)) return 2;
  if (WEXITSTATUS(status) == ('x' ^ 1))
    puts("x");
  else if (WEXITSTATUS(status) > 200)
    puts("high");
  else
    puts("low");
  return 0;
}
