// How threads end: detached, by pthread_exit of the first, and by the end of the process.
//
// cleave: expect paths=3
// cleave: args --sym-arg 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char how;

static void *last(void *unused) {
  printf("last\n");
  if (how == 'e') exit(7);
  return 0;
}

static void *forever(void *unused) {
  for (;;) pause();
}

static void *ends(void *done) {
  *(int *)done = 1;
  return 0;
}

static int done;

int main(int argc, char **argv) {
  pthread_t thread;
  how = argv[1][0];
  pthread_create(&thread, 0, ends, &done);
  pthread_detach(thread);
  while (!done) sched_yield();
  if (how == 'p' || how == 'e') {
    pthread_create(&thread, 0, last, 0);
    pthread_exit(0);
  }
  pthread_create(&thread, 0, forever, 0);
  usleep(10);
  printf("first\n");
  return 3;
}
