// A server that dies of a command of four bytes. It serves until nobody comes any more, and is then told to end.
//
// cleave: expect paths=8 failed=1
// cleave: args --sym-connection 4
// cleave: says null pointer
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(8080), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int server = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(server, (struct sockaddr *)&at, sizeof at) || listen(server, 5)) return 1;
  for (;;) {
    char command[4];
    int client = accept(server, NULL, NULL);
    if (client < 0) return 2;
    if (recv(client, command, sizeof command, MSG_WAITALL) == sizeof command && command[0] == 'B' && command[1] == 'O' &&
        command[2] == 'O' && command[3] == 'M')
      *(volatile int *)0 = 1;
    send(client, "no\n", 3, 0);
    close(client);
  }
}
