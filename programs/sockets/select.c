// A server that serves two connections at once, by select, poll and epoll in turn, until both have ended.
//
// cleave: expect paths=27
// cleave: args --sym-arg 1 --sym-connections 2 2
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

static int server, client[2] = {-1, -1}, clients, open_ones, set;

static void serve(int i) {
  char data[8];
  ssize_t n = read(client[i], data, sizeof data);
  if (n > 0) {
    write(client[i], data, n);
    printf("%d: %zd\n", i, n);
    return;
  }
  close(client[i]);
  client[i] = -1;
  open_ones--;
}

static void meet(void) {
  int fd = accept(server, NULL, NULL);
  if (fd < 0) _exit(3);
  if (set > 0) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = clients};
    epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
  }
  client[clients++] = fd;
  open_ones++;
}

static void by_select(void) {
  fd_set read_set;
  FD_ZERO(&read_set);
  if (clients < 2) FD_SET(server, &read_set);
  for (int i = 0; i < clients; i++)
    if (client[i] >= 0) FD_SET(client[i], &read_set);
  if (select(16, &read_set, NULL, NULL, NULL) < 0) _exit(4);
  if (clients < 2 && FD_ISSET(server, &read_set)) {
    meet();
    return;
  }
  for (int i = 0; i < clients; i++)
    if (client[i] >= 0 && FD_ISSET(client[i], &read_set)) serve(i);
}

static void by_poll(void) {
  struct pollfd fds[3] = {{.fd = clients < 2 ? server : -1, .events = POLLIN},
                          {.fd = client[0], .events = POLLIN},
                          {.fd = client[1], .events = POLLIN}};
  if (poll(fds, 3, -1) < 0) _exit(5);
  if (fds[0].revents) meet();
  for (int i = 0; i < 2; i++)
    if (fds[i + 1].revents) serve(i);
}

static void by_epoll(void) {
  struct epoll_event events[4];
  int n = epoll_wait(set, events, 4, 1000);
  if (n <= 0) _exit(6);
  for (int i = 0; i < n; i++)
    if (events[i].data.u64 == 9) {
      if (clients < 2) meet();
      if (clients == 2) epoll_ctl(set, EPOLL_CTL_DEL, server, NULL);
    } else {
      serve(events[i].data.u64);
    }
}

int main(int argc, char **argv) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(8080)};
  server = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(server, (struct sockaddr *)&at, sizeof at) || listen(server, 5)) return 1;
  void (*step)(void) = argv[1][0] == 's' ? by_select : argv[1][0] == 'e' ? by_epoll : by_poll;
  if (step == by_epoll) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 9};
    set = epoll_create1(0);
    epoll_ctl(set, EPOLL_CTL_ADD, server, &event);
  }
  while (clients < 2 || open_ones) step();
  return 0;
}
