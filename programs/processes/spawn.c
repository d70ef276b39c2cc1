// posix_spawn of a program that is not there says so: the child tells its parent through a pipe.
//
// cleave: expect paths=2
// cleave: args --sym-arg 1
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv) {
  pid_t child = 0;
  char *arguments[] = {"none", 0};
  posix_spawn_file_actions_t actions;
  int error;
  if (posix_spawn_file_actions_init(&actions)) return 1;
  if (posix_spawn_file_actions_adddup2(&actions, 1, 5)) return 2;
  if (argv[1][0] == 'd' && posix_spawn_file_actions_addopen(&actions, 6, "/none/there", O_RDONLY, 0)) return 3;
  error = posix_spawn(&child, "/none/program", &actions, NULL, arguments, environ);
  printf("%d\n", error == ENOENT);
  posix_spawn_file_actions_destroy(&actions);
  printf("%d\n", wait(NULL) == -1 && errno == ECHILD);
  printf("%d\n", fcntl(5, F_GETFD));
  return 0;
}
