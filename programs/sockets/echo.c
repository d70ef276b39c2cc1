// A server that answers each connection with what it got, and counts the letters `a`.
//
// cleave: expect paths=7
// cleave: args --sym-connection 2
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(8080)}, from;
  socklen_t len = sizeof from;
  char data[16];
  int server = socket(AF_INET, SOCK_STREAM, 0);
  if (server < 0 || bind(server, (struct sockaddr *)&at, sizeof at) || listen(server, 5)) return 1;
  int client = accept(server, (struct sockaddr *)&from, &len);
  if (client < 0 || len != sizeof from || from.sin_family != AF_INET) return 2;
  ssize_t n;
  int letters = 0;
  while ((n = read(client, data, sizeof data)) > 0) {
    for (ssize_t i = 0; i < n; i++)
      if (data[i] == 'a') letters++;
    if (write(client, data, n) != n) return 3;
  }
  if (close(client) || close(server)) return 4;
  printf("%d\n", letters);
  return 0;
}
