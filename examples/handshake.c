// A server's states. It may send data only to a client that has logged in since the last hello. Does that hold?
#include <assert.h>
#include <stdio.h>

enum state { IDLE, GREETED, ALLOWED };

struct session {
  enum state state;
  int user;       // 0: nobody
  int resumable;  // a pause keeps the user
};

static int step(struct session *s, int message) {
  switch (message) {
  case 'h': // hello: a new client
    s->state = GREETED;
    s->user = 0;
    return 0;
  case 'l': // login
    if (s->state != GREETED) return -1;
    s->state = ALLOWED;
    s->user = 7;
    return 0;
  case 'p': // pause
    s->resumable = s->state == ALLOWED;
    s->state = IDLE;
    return 0;
  case 'c': // continue
    if (!s->resumable) return -1;
    s->state = ALLOWED;
    return 0;
  case 'd': // data
    if (s->state != ALLOWED) return -1;
    assert(s->user != 0);
    return 1;
  default:
    return -1;
  }
}

int main(void) {
  struct session session = {IDLE, 0, 0};
  int message, sent = 0;
  while ((message = getchar()) != EOF) {
    int result = step(&session, message);
    if (result < 0) return 1;
    sent += result;
  }
  printf("%d packets\n", sent);
  return 0;
}
