// A server with one loop for all its connections, which looks at its clock beside them: a command of four bytes is its end, and another
// one, given over two connections, frees a thing twice. A connection has 13 outcomes: 4 lengths that are no command, and of a command
// 9 ways to be told from FREE and BOOM; all but the second BOOM and the second FREE go on.
//
// cleave: expect paths=143 failed=14
// cleave: args --sym-connections 2 4
// cleave: says freed
// cleave: says null pointer
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 4 };

static char *kept;
static volatile sig_atomic_t over;
static void end(int signal) { over = signal; }

static int is(const char *command, const char *name) {
  for (int i = 0; i < 4; i++)
    if (command[i] != name[i]) return 0;
  return 1;
}

static void serve(int client) {
  char command[4];
  if (read(client, command, sizeof command) == sizeof command) {
    if (is(command, "FREE")) free(kept);
    else if (is(command, "BOOM")) *(volatile int *)0 = 1;
  }
  write(client, "ok\n", 3);
}

int main(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(8080), .sin_addr = {htonl(INADDR_ANY)}};
  struct pollfd watched[1 + MOST];
  int count = 1, server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  kept = malloc(16);
  signal(SIGTERM, end);
  if (bind(server, (struct sockaddr *)&at, sizeof at) || listen(server, 5)) return 1;
  watched[0] = (struct pollfd){server, POLLIN};
  while (!over) {
    if (poll(watched, count, 30000) <= 0) continue;
    for (int i = count - 1; i > 0; i--) {
      if (!(watched[i].revents & (POLLIN | POLLHUP))) continue;
      serve(watched[i].fd);
      close(watched[i].fd);
      watched[i] = watched[--count];
    }
    if (watched[0].revents & POLLIN && count <= MOST) {
      int client = accept(server, 0, 0);
      if (client >= 0) watched[count++] = (struct pollfd){client, POLLIN};
    }
  }
  return 0;
}
