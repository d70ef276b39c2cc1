// Names and services from files: /etc/hosts and /etc/services, which the program writes itself. The first byte of the argument is
// a host's name, `a` to `c`, or says which of the others is asked for.
//
// cleave: args --sym-arg 1
// cleave: expect paths=9
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void file(const char *path, const char *text) {
  int fd = open(path, O_CREAT | O_WRONLY | O_EXCL, 0644);
  assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !close(fd));
}

/// Prints what a host and a service are, one line an address, or which error there is.
static int ask(const char *host, const char *service, int flags, int family, int type) {
  struct addrinfo hints = {.ai_flags = flags, .ai_family = family, .ai_socktype = type}, *found = NULL;
  int error = getaddrinfo(host, service, &hints, &found), n = 0;
  printf("%s %s: %s\n", host ? host : "-", service ? service : "-", error ? gai_strerror(error) : "found");
  for (struct addrinfo *a = found; a; a = a->ai_next, n++) {
    char name[64], port[32];
    assert(!getnameinfo(a->ai_addr, a->ai_addrlen, name, sizeof name, port, sizeof port,
                        NI_NUMERICHOST | NI_NUMERICSERV | (type == SOCK_DGRAM ? NI_DGRAM : 0)));
    printf("  %d %d %d %s %s %s\n", a->ai_family, a->ai_socktype, a->ai_protocol, name, port,
           a->ai_canonname ? a->ai_canonname : "-");
  }
  if (found) freeaddrinfo(found);
  return error ? error : n;
}

/// The way back, from an address and a port to their names.
static void back(const char *address, int port, int flags) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
  char host[64], service[32];
  assert(inet_pton(AF_INET, address, &at.sin_addr) == 1);
  int error = getnameinfo((struct sockaddr *)&at, sizeof at, host, sizeof host, service, sizeof service, flags);
  if (error) printf("%s: %s\n", address, gai_strerror(error));
  else printf("%s: %s %s\n", address, host, service);
}

int main(int argc, char **argv) {
  assert(argc == 2 && !mkdir("/etc", 0755));
  file("/etc/hosts", "127.0.0.1\tlocalhost\n# 10.0.0.9 a\n10.0.0.1 a first.example alias\n\n10.0.0.2  b # b's\n"
                     "10.0.0.3 b\nfd00::7 c six.example\n300.0.0.1 d\n10.0.0.4\n");
  file("/etc/services", "# services\necho 7/tcp\necho 7/udp\nhttp 80/tcp www # the web\ndomain 53/udp\nlate 99999/tcp\n");
  char name[2] = {argv[1][0]};
  switch (name[0]) {
  case 'a':
    return ask(name, "www", 0, AF_INET, SOCK_STREAM) != 1;
  case 'b':
    return ask(name, "7", AI_CANONNAME, AF_UNSPEC, SOCK_DGRAM) != 2;
  case 'c':
    return ask(name, "echo", AI_NUMERICSERV, AF_INET6, SOCK_STREAM) != EAI_NONAME ||
           ask(name, "echo", AI_CANONNAME, AF_INET6, 0) != 2;
  case 'd': // Its line has no address, so it is asked for over the network, where nobody answers.
    return ask(name, NULL, 0, AF_INET, SOCK_STREAM) >= 0;
  case 'n': // Numbers need no file.
    if (ask("192.168.1.2", "80", AI_NUMERICHOST, AF_INET, SOCK_STREAM) != 1) return 1;
    if (ask("0x7f.1", NULL, AI_NUMERICHOST, AF_UNSPEC, SOCK_STREAM) != 1) return 2;
    if (ask("::ffff:10.1.2.3", "65535", AI_NUMERICHOST, AF_INET6, SOCK_DGRAM) != 1) return 3;
    if (ask("10.1.2.3", NULL, AI_NUMERICHOST, AF_INET6, SOCK_DGRAM) >= 0) return 4;
    return ask("localhost", NULL, AI_NUMERICHOST, AF_INET, 0) != EAI_NONAME;
  case 'p': // No host: to wait on all addresses, or to go to this machine.
    if (ask(NULL, "http", AI_PASSIVE, AF_INET, 0) != 1) return 1;
    return ask(NULL, "echo", 0, AF_UNSPEC, SOCK_STREAM) != 2;
  case 's': // Services: of one protocol only, none, and beyond all ports.
    if (ask("10.0.0.1", "domain", 0, AF_INET, SOCK_STREAM) >= 0) return 1;
    if (ask("10.0.0.1", "late", 0, AF_INET, SOCK_STREAM) >= 0) return 2;
    return ask("10.0.0.1", "65536", 0, AF_INET, SOCK_STREAM) >= 0;
  case 'w': // Back, and the old functions.
    back("10.0.0.1", 80, 0);
    back("10.0.0.2", 53, NI_DGRAM);
    back("10.0.0.2", 53, NI_NUMERICHOST);
    back("10.0.0.99", 7, NI_NAMEREQD);
    struct hostent *h = gethostbyname("alias");
    assert(h && h->h_length == 4 && h->h_addr_list[0] && !h->h_addr_list[1]);
    printf("%s %s\n", h->h_name, inet_ntoa(*(struct in_addr *)h->h_addr_list[0]));
    struct servent *s = getservbyname("www", "tcp");
    assert(s && ntohs(s->s_port) == 80);
    return puts(s->s_name) < 0;
  }
  return 0;
}
