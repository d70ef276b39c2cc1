// A server of datagrams answers a question of three bytes that starts with `?`.
//
// cleave: expect paths=5
// cleave: args --sym-connection 3
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

int main(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(5353)}, from;
  socklen_t len = sizeof from;
  char data[8];
  int server = socket(AF_INET, SOCK_DGRAM, 0);
  if (bind(server, (struct sockaddr *)&at, sizeof at)) return 1;
  ssize_t n = recvfrom(server, data, sizeof data, 0, (struct sockaddr *)&from, &len);
  if (n == 3 && data[0] == '?') sendto(server, "yes", 3, 0, (struct sockaddr *)&from, len);
  printf("%d\n", ntohs(from.sin_port) == 61000);
  return n;
}
