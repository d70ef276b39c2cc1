// Files and directories that are watched: what an input has done to them, and what is told of it.
//
// cleave: args --sym-stdin 2
// cleave: expect paths=6
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static int watcher;

static void tell(const char *what) {
  char buffer[1024] __attribute__((aligned(8)));
  int waiting = 0;
  ioctl(watcher, FIONREAD, &waiting);
  printf("%s (%d):\n", what, waiting);
  struct pollfd one = { watcher, POLLIN, 0 };
  while (poll(&one, 1, 0) > 0) {
    long n = read(watcher, buffer, sizeof buffer);
    for (long at = 0; at < n;) {
      struct inotify_event *event = (void *)(buffer + at);
      printf("  watch %d, mask %x, cookie %d, %u bytes of name %s\n", event->wd, event->mask, event->cookie, event->len,
             event->len ? event->name : "-");
      at += sizeof *event + event->len;
    }
  }
}

static void put(const char *name, const char *text) {
  int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
  write(fd, text, strlen(text));
  write(fd, text, strlen(text));
  close(fd);
}

int main(void) {
  char input[2] = { 0, 0 };
  read(0, input, 2);
  watcher = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  mkdir("folder", 0755);
  int folder = inotify_add_watch(watcher, "folder", IN_ALL_EVENTS);
  put("folder/file", "one");
  tell("made");
  int file = inotify_add_watch(watcher, "folder/file", IN_MODIFY | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB);
  printf("watches %d and %d\n", folder, file);
  switch (input[0]) {
  case 'm':
    rename("folder/file", "folder/moved");
    put("folder/file", "two");
    rename("folder/moved", "folder/file");
    break;
  case 'u': {
    int fd = open("folder/file", O_RDONLY);
    unlink("folder/file");
    char byte;
    read(fd, &byte, 1);
    tell("unlinked");
    close(fd);
    break;
  }
  default:
    chmod("folder/file", 0600);
    put("folder/file", "three");
  }
  tell("changed");
  char small[20];
  unlink("folder/file");
  long n = read(watcher, small, sizeof small);
  printf("small: %ld%s\n", n, n < 0 && errno == EINVAL ? " EINVAL" : "");
  if (input[1] == '1') {
    inotify_add_watch(watcher, "folder", IN_CREATE | IN_ONESHOT);
    put("folder/a", "");
    put("folder/b", "");
  } else {
    inotify_rm_watch(watcher, folder);
    rmdir("folder");
  }
  tell("end");
  errno = 0;
  n = read(watcher, small, sizeof small);
  printf("quiet: %ld %s\n", n, strerror(errno));
  return 0;
}
