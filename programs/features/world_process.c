// The world of a process: clocks, ids, the machine, random numbers, limits, and sleep that takes no time.
//
// cleave: args --sym-stdin 1
// cleave: expect paths=2
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static void clocks(void) {
  for (int clock = 0; clock < 12; clock++) {
    struct timespec now = { 0, 0 }, grain = { 0, 0 };
    int got = clock_gettime(clock, &now), known = clock_getres(clock, &grain);
    printf("%d: %d %ld.%09ld %d %ld.%09ld\n", clock, got, (long)now.tv_sec, now.tv_nsec, known, (long)grain.tv_sec,
           grain.tv_nsec);
  }
  struct timeval today;
  struct tms used;
  printf("%d %ld.%06ld", gettimeofday(&today, 0), (long)today.tv_sec, (long)today.tv_usec);
  printf(" %ld %ld %ld\n", (long)time(0), (long)times(&used), (long)clock());
  time_t now = time(0);
  printf("%s", ctime(&now));
}

int main(void) {
  clocks();
  printf("%d %d\n", sleep(100), usleep(5000));
  printf("%d %d\n", poll(0, 0, 700), clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ 50, 1 }, 0));
  clocks();

  struct utsname name;
  uname(&name);
  printf("%s %s %s %s %s %s\n", name.sysname, name.nodename, name.release, name.version, name.machine,
         name.domainname);
  char host[65] = "", thread[17] = "";
  gethostname(host, sizeof host);
  prctl(PR_GET_NAME, thread);
  printf("%s %s %ld %ld\n", host, thread, gethostid(), sysconf(_SC_NPROCESSORS_ONLN));

  gid_t groups[4];
  uid_t a, b, c;
  printf("%d %d %d %d %d %d\n", getpid(), getppid(), gettid(), getpgrp(), getsid(0), getpgid(0));
  printf("%d %d %d %d %d\n", getuid(), geteuid(), getgid(), getegid(), getgroups(4, groups));
  printf("%d %u %u %u\n", getresuid(&a, &b, &c), a, b, c);
  printf("%d %d %d\n", setuid(getuid()), setuid(0), errno);
  printf("%d %d %d\n", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0), sched_getcpu());

  unsigned char noise[20];
  for (int round = 0; round < 2; round++) {
    printf("%zd ", getrandom(noise, sizeof noise, 0));
    for (unsigned i = 0; i < sizeof noise; i++) printf("%02x", noise[i]);
    printf("\n");
  }

  for (int limit = 0; limit < RLIM_NLIMITS; limit++) {
    struct rlimit l = { 1, 1 };
    printf("%d: %d %llx %llx\n", limit, getrlimit(limit, &l), (unsigned long long)l.rlim_cur,
           (unsigned long long)l.rlim_max);
  }
  struct rusage usage;
  struct sysinfo info;
  printf("%d %ld %ld\n", getrusage(RUSAGE_SELF, &usage), (long)usage.ru_utime.tv_usec, usage.ru_maxrss);
  printf("%d %ld %lu %lu %d\n", sysinfo(&info), info.uptime, info.totalram, info.freeram, info.procs);
  printf("%lu %lu %lu\n", getauxval(AT_SYSINFO_EHDR), getauxval(AT_HWCAP), getauxval(AT_PAGESZ));

  // A signal to oneself arrives although the process has another number outside.
  if (getchar() == 'k') {
    fflush(stdout);
    kill(getpid(), SIGTERM);
  }
  raise(SIGURG);
  printf("%d\n", kill(getppid(), 0));
  return 3;
}
