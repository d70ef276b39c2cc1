// The world's files: numbers, owners, modes and times of the files that are there and of those the program makes, the
// order of directories, and what standard streams are.
//
// cleave: args --sym-files 2 4 --sym-stdin 3
// cleave: expect paths=2
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void show(const char *what, const struct stat *s) {
  printf("%s: %u:%u %lu %o %lu %u %u %ld %ld %ld\n", what, major(s->st_dev), minor(s->st_dev),
         (unsigned long)s->st_ino, s->st_mode, (unsigned long)s->st_nlink, s->st_uid, s->st_gid, (long)s->st_size,
         (long)s->st_blocks, (long)s->st_blksize);
  printf("  %ld.%09ld %ld.%09ld %ld.%09ld\n", (long)s->st_atim.tv_sec, s->st_atim.tv_nsec, (long)s->st_mtim.tv_sec,
         s->st_mtim.tv_nsec, (long)s->st_ctim.tv_sec, s->st_ctim.tv_nsec);
}

static void path(const char *name) {
  struct stat s;
  if (lstat(name, &s)) printf("%s: %m\n", name);
  else show(name, &s);
}

static void descriptor(int fd) {
  struct stat s;
  struct winsize size;
  printf("%d: %d %d %d ", fd, isatty(fd), ioctl(fd, TIOCGWINSZ, &size), fcntl(fd, F_GETFL));
  if (fstat(fd, &s)) printf("%m\n");
  else show("it", &s);
}

static void list(const char *name) {
  DIR *d = opendir(name);
  if (!d) return;
  for (int round = 0; round < 2; round++) {
    for (struct dirent *e; (e = readdir(d));) printf("%s %lu %d, ", e->d_name, (unsigned long)e->d_ino, e->d_type);
    printf("\n");
    rewinddir(d);
  }
  closedir(d);
}

int main(void) {
  struct timespec now;
  struct timespec set[2] = { { 1000000000, 5 }, { 1100000000, 7 } };
  char buffer[8] = "", cwd[64];
  struct statvfs fs;
  struct stat again;
  for (int fd = 0; fd < 4; fd++) descriptor(fd);
  path("."), path("A"), path("B"), path("C"), path("/"), path("/dev/null"), path("/etc");
  clock_gettime(CLOCK_REALTIME, &now);
  int fd = open("new", O_CREAT | O_RDWR, 0666);
  descriptor(fd);
  clock_gettime(CLOCK_REALTIME, &now);
  printf("%zd\n", write(fd, "text", 4));
  path("new");
  clock_gettime(CLOCK_REALTIME, &now);
  printf("%d %d\n", mkdir("d", 0777), link("new", "d/other"));
  path("new"), path("d");
  time(0);
  printf("%d %d\n", symlink("d/other", "link"), rename("A", "d/A"));
  path("link"), path("d"), path("d/A"), path(".");
  utimensat(AT_FDCWD, "d/A", set, 0);
  path("d/A");
  nanosleep(&(struct timespec){ 90, 0 }, 0);
  chmod("d/A", 0600);
  int b = open("B", O_RDONLY);
  printf("%zd\n", read(b, buffer, 4));
  path("B"), path("d/A");
  printf("%d %d\n", unlink("new"), chown("B", getuid(), getgid()));
  fstat(fd, &again);
  show("unlinked", &again);
  list("."), list("d");
  chdir("d");
  printf("%s %o\n", getcwd(cwd, sizeof cwd), umask(022));
  int pipes[2] = { -1, -1 };
  printf("%d\n", pipe(pipes));
  descriptor(pipes[0]), descriptor(pipes[1]);
  if (!statvfs("/", &fs))
    printf("%lu %lu %lu %lu %lu %lu\n", fs.f_bsize, (long)fs.f_blocks, (long)fs.f_bfree, (long)fs.f_files,
           (long)fs.f_ffree, fs.f_namemax);
  if (buffer[0] == 'x')
    return 1;
  return 0;
}
