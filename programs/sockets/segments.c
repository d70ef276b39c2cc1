// How the bytes of a connection are cut is an input: four bytes come in eight ways.
//
// cleave: expect paths=16
// cleave: args --sym-connection 4 --sym-segments
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(void) {
  struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "door"};
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(server, (struct sockaddr *)&at, sizeof at) || listen(server, 1)) return 1;
  int client = accept(server, NULL, NULL);
  char data[8];
  ssize_t n;
  while ((n = recv(client, data, sizeof data, 0)) > 0) printf("%zd ", n);
  close(client);
  return unlink("door");
}
