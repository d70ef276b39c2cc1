// Client and server are two processes: over UNIX, IPv4 and IPv6, by path, by getaddrinfo, and by a pair.
//
// cleave: expect paths=5
// cleave: args --sym-arg 1
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void client(int family, struct sockaddr *at, socklen_t len) {
  char answer[16] = "";
  int fd = socket(family, SOCK_STREAM, 0);
  if (connect(fd, at, len)) _exit(1);
  if (write(fd, "hello", 5) != 5) _exit(2);
  shutdown(fd, SHUT_WR);
  size_t n = 0;
  ssize_t got;
  while ((got = read(fd, answer + n, sizeof answer - n)) > 0) n += got;
  _exit(n == 6 && !strcmp(answer, "world\n") ? 42 : 3);
}

static int serve(int family, struct sockaddr *at, socklen_t len) {
  int server = socket(family, SOCK_STREAM, 0), status;
  if (bind(server, at, len) || listen(server, 1)) return 10;
  if (getsockname(server, at, &len)) return 11;
  pid_t pid = fork();
  if (!pid) client(family, at, len);
  int fd = accept(server, NULL, NULL);
  char data[16];
  size_t n = 0;
  ssize_t got;
  while ((got = read(fd, data + n, sizeof data - n)) > 0) n += got;
  printf("%.*s\n", (int)n, data);
  write(fd, "world\n", 6);
  close(fd);
  if (waitpid(pid, &status, 0) != pid) return 12;
  return WEXITSTATUS(status);
}

static int pair(void) {
  int fds[2], status;
  signal(SIGPIPE, SIG_IGN);
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds)) return 20;
  pid_t pid = fork();
  if (!pid) {
    close(fds[0]);
    send(fds[1], "one", 3, 0);
    send(fds[1], "two", 3, 0);
    _exit(0);
  }
  close(fds[1]);
  char data[16];
  for (int i = 0; i < 3; i++) printf("%zd\n", recv(fds[0], data, sizeof data, 0));
  waitpid(pid, &status, 0);
  printf("%d %d\n", (int)send(fds[0], "x", 1, 0), errno == EPIPE);
  return 42;
}

int main(int argc, char **argv) {
  struct sockaddr_un path = {.sun_family = AF_UNIX, .sun_path = "door"};
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  struct addrinfo *found;
  switch (argv[1][0]) {
  case 'u': return serve(AF_UNIX, (struct sockaddr *)&path, sizeof path);
  case '4': return serve(AF_INET, (struct sockaddr *)&four, sizeof four);
  case '6': return serve(AF_INET6, (struct sockaddr *)&six, sizeof six);
  case 'n':
    if (getaddrinfo("127.0.0.1", "8080", NULL, &found)) return 30;
    return serve(found->ai_family, found->ai_addr, found->ai_addrlen);
  default: return pair();
  }
}
