/* Does the thing its first argument names, and says on standard output how far it came. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int write_file(const char *path) {
  int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0666);
  if (fd < 0) return 0;
  int done = write(fd, "harm", 4) == 4;
  close(fd);
  return done;
}

static void try_escape(const char *target) {
  printf("target %d\n", write_file(target));
  printf("passwd %d\n", open("/etc/passwd", O_RDONLY) >= 0);
  mkdir("/jail", 0777);
  printf("chroot %d\n", chroot("/jail") == 0);
  char up[400] = "";
  for (int i = 0; i < 100; i++) strcat(up, "../");
  strcat(up, "etc/passwd");
  printf("up %d\n", open(up, O_RDONLY) >= 0);
  printf("proc %d\n", open("/proc/1/root/etc/passwd", O_RDONLY) >= 0);
  printf("setuid %d\n", setuid(0) == 0);
  printf("root %d\n", getuid() == 0 || geteuid() == 0 || getgid() == 0);
  printf("mount %d\n", mount("none", "/", "tmpfs", 0, 0) == 0);
  printf("namespace %d\n", unshare(CLONE_NEWUSER) == 0);
  printf("clone %d\n", syscall(56, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) >= 0);
  printf("device %d\n", mknod("/sda", S_IFBLK | 0600, makedev(8, 0)) == 0);
  printf("group %d\n", setgid(0) == 0);
}

static void try_connect(int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  printf("connect %d\n", connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
}

static void fill_disk(void) {
  static char block[65536];
  long total = 0;
  for (int file = 0; file < 100000; file++) {
    char name[32];
    sprintf(name, "fill%d", file);
    int fd = open(name, O_CREAT | O_WRONLY, 0666);
    if (fd < 0) break;
    long n, here = 0;
    while ((n = write(fd, block, sizeof block)) > 0) here += n;
    close(fd);
    if (here == 0) break;
    total += here;
  }
  printf("%ld\n", total);
}

static void allocate(void) {
  long total = 0;
  for (char *p; (p = malloc(1 << 20)); total += 1 << 20) {
    memset(p, 1, 1 << 20);
    if (total % (16 << 20) == 0) printf("%ld\n", total), fflush(stdout);
  }
}

static void reserve(void) {
  size_t size = (size_t)3 << 30;
  volatile char *p = malloc(size);
  if (!p) return;
  long sum = 0;
  for (size_t i = 0; i < size; i += size / 1000) p[i] = 1, sum += p[i];
  printf("%ld\n", sum);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  const char *with = argc > 2 ? argv[2] : "";
  if (!strcmp(what, "escape")) try_escape(with);
  if (!strcmp(what, "connect")) try_connect(atoi(with));
  if (!strcmp(what, "forkbomb")) for (;;) if (fork() < 0) usleep(1000);
  if (!strcmp(what, "disk")) { signal(SIGXFSZ, SIG_IGN); fill_disk(); }
  if (!strcmp(what, "memory")) allocate();
  if (!strcmp(what, "reserve")) reserve();
  if (!strcmp(what, "loop")) for (;;) { }
  if (!strcmp(what, "sleep")) for (;;) pause();
  if (!strcmp(what, "output")) for (;;) write(1, "0123456789", 10);
  if (!strcmp(what, "errors")) for (;;) write(2, "0123456789", 10);
  if (!strcmp(what, "linger")) { if (fork() == 0) { setsid(); for (;;) pause(); } puts("left"); }
  if (!strcmp(what, "kill")) { kill(getppid(), SIGKILL); kill(-1, SIGKILL); puts("alive"); }
  if (!strcmp(what, "model")) {
    struct utsname name;
    struct stat root;
    uname(&name);
    stat("/", &root);
    printf("%d %d %ld %s %lu\n", (int)getpid(), (int)getuid(), (long)root.st_mtime, name.nodename, (long)root.st_dev);
  }
  if (!strcmp(what, "abort")) abort();
  if (!strcmp(what, "null")) *(volatile int *)0 = 1;
  if (!strcmp(what, "divide")) { volatile int zero = 0; return 100 / zero; }
  if (!strcmp(what, "exit")) return atoi(with);
  if (!strcmp(what, "cat")) { char b[4096]; long n; while ((n = read(0, b, sizeof b)) > 0) write(1, b, n); }
  if (!strcmp(what, "seek")) printf("%d %d\n", lseek(0, 0, SEEK_CUR) == 0, write(0, "x", 1) == 1);
  if (!strcmp(what, "file")) {
    char b[100] = "";
    int fd = open(with, O_RDONLY);
    long n = fd < 0 ? -1 : read(fd, b, sizeof b);
    printf("%ld %.*s\n", n, n > 0 ? (int)n : 0, b);
  }
  if (!strcmp(what, "make")) printf("%d\n", open(with, O_CREAT | O_EXCL | O_WRONLY, 0666) >= 0);
  if (!strcmp(what, "world")) {
    for (char **e = environ; *e; e++) puts(*e);
    for (int fd = 0; fd < 1024; fd++) if (fcntl(fd, F_GETFD) >= 0) printf("fd %d\n", fd);
    printf("sigpipe %d pid %d cwd %s\n", signal(SIGPIPE, SIG_DFL) == SIG_DFL, (int)getpid(), getcwd(0, 0));
  }
  return 0;
}
