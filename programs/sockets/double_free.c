// A server that keeps one thing for all its connections: two of them free it twice.
//
// cleave: expect paths=8 failed=1
// cleave: args --sym-connections 2 1
// cleave: says freed
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static char *kept;

static void serve(int client) {
  char command;
  if (read(client, &command, 1) != 1) return;
  if (command == 'f') free(kept);
  write(client, "!", 1);
}

int main(void) {
  struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_port = htons(8080)};
  int server = socket(AF_INET6, SOCK_STREAM, 0);
  if (bind(server, (struct sockaddr *)&at, sizeof at) || listen(server, 5)) return 1;
  kept = malloc(8);
  for (int i = 0; i < 2; i++) {
    int client = accept(server, NULL, NULL);
    if (client < 0) return 2;
    serve(client);
    close(client);
  }
  return 0;
}
