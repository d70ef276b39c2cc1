// Runs a program on a test in a folder of its own, and tells how it ended and what it wrote to standard output. Written by
// `cleave tests export`; C99 and C++11, on Linux.
#ifndef CLEAVE_RUN_CASE_H
#define CLEAVE_RUN_CASE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// Seconds that a program may take.
#ifndef CLEAVE_SECONDS
#define CLEAVE_SECONDS 10
#endif

struct cleave_bytes {
  const char *data;
  size_t size;
};

struct cleave_file {
  const char *name;
  struct cleave_bytes contents;
};

// What a program is given. Lists end with a null pointer, files with one without a name.
struct cleave_case {
  const char *name;
  const char *const *arguments;
  const char *const *environment;
  struct cleave_bytes input;
  const struct cleave_file *files;
  struct cleave_bytes objects;  // a test in KLEE's format, for klee_make_symbolic; empty where there is no such call
};

// What it did.
struct cleave_seen {
  int status;  // its exit status; -1 if a signal ended it
  int signal;  // that signal; 0 if there was none
  struct cleave_bytes output;
};

static void cleave_give_up(const char *what) {
  perror(what);
  exit(99);
}

static void cleave_put(const char *folder, const char *name, struct cleave_bytes bytes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fclose(file)) cleave_give_up(path);
}

static void cleave_remove(const char *folder) {
  pid_t child = fork();
  if (child == 0) {
    execlp("rm", "rm", "-rf", "--", folder, (char *)NULL);
    _exit(99);
  }
  if (child > 0) waitpid(child, NULL, 0);
}

static void cleave_become(const struct cleave_case *test, const char *program, const char *outside) {
  char path[4096], objects[4200];
  const char *environment[64];
  size_t n = 0;
  for (; test->environment[n] && n < 62; n++) environment[n] = test->environment[n];
  snprintf(objects, sizeof objects, "CLEAVE_TEST=%s/objects", outside);
  if (test->objects.size > 0) environment[n++] = objects;
  environment[n] = NULL;
  snprintf(path, sizeof path, "%s/input", outside);
  int in = open(path, O_RDONLY);
  snprintf(path, sizeof path, "%s/output", outside);
  int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int null = open("/dev/null", O_WRONLY);
  if (in < 0 || out < 0 || null < 0) _exit(99);
  snprintf(path, sizeof path, "%s/files", outside);
  if (chdir(path) || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0) _exit(99);
  for (int fd = 3; fd < 64; fd++) close(fd);
  alarm(CLEAVE_SECONDS);
  execve(program, (char *const *)test->arguments, (char *const *)environment);
  _exit(99);
}

// The output is the caller's, to be freed.
static struct cleave_seen cleave_run(const struct cleave_case *test, const char *program) {
  char folder[] = "/tmp/cleave-case-XXXXXX", path[4096], absolute[4096];
  if (!realpath(program, absolute)) cleave_give_up(program);
  if (!mkdtemp(folder)) cleave_give_up(folder);
  snprintf(path, sizeof path, "%s/files", folder);
  if (mkdir(path, 0700)) cleave_give_up(path);
  for (const struct cleave_file *file = test->files; file->name; file++)
    cleave_put(path, file->name, file->contents);
  cleave_put(folder, "input", test->input);
  cleave_put(folder, "objects", test->objects);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) cleave_become(test, absolute, folder);
  int ended = 0;
  if (child < 0 || waitpid(child, &ended, 0) != child) cleave_give_up("cannot run the program");
  struct cleave_seen seen = {WIFEXITED(ended) ? WEXITSTATUS(ended) : -1, WIFSIGNALED(ended) ? WTERMSIG(ended) : 0, {NULL, 0}};
  snprintf(path, sizeof path, "%s/output", folder);
  FILE *file = fopen(path, "rb");
  if (!file) cleave_give_up(path);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *output = (char *)malloc((size_t)size + 1);
  if (size < 0 || !output || fread(output, 1, (size_t)size, file) != (size_t)size) cleave_give_up(path);
  fclose(file);
  seen.output.data = output;
  seen.output.size = (size_t)size;
  cleave_remove(folder);
  return seen;
}

#endif
