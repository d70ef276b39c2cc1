// The states of a TCP connection under a sequence of segments with flags and sequence numbers.
// flags: -O0
#include <klee/klee.h>
#include <stdint.h>

enum { SEGMENTS = 6 };
enum state { LISTEN, SYN_RECEIVED, ESTABLISHED, CLOSE_WAIT, LAST_ACK, CLOSED };
enum { FIN = 1, SYN = 2, RST = 4, ACK = 16 };

struct segment {
  uint8_t flags, window;
  uint16_t sequence, acknowledged;
};

int main(void) {
  struct segment segments[SEGMENTS];
  klee_make_symbolic(segments, sizeof segments, "segments");
  enum state state = LISTEN;
  uint16_t expected = 0, sent = 1000;
  int refused = 0;
  for (int i = 0; i < SEGMENTS; i++) {
    const struct segment *s = &segments[i];
    if (s->flags & RST) {
      if (state == LISTEN) continue;
      if (s->sequence != expected) return 10;
      return 20 + (int)state;
    }
    switch (state) {
      case LISTEN:
        if (!(s->flags & SYN) || s->flags & ACK) return 11;
        expected = (uint16_t)(s->sequence + 1);
        state = SYN_RECEIVED;
        break;
      case SYN_RECEIVED:
        if (!(s->flags & ACK) || s->acknowledged != (uint16_t)(sent + 1)) return 12;
        sent++;
        state = ESTABLISHED;
        break;
      case ESTABLISHED:
        if ((uint16_t)(s->sequence - expected) > s->window) {
          refused++;
          break;
        }
        expected = (uint16_t)(s->sequence + 1);
        if (s->flags & FIN) state = CLOSE_WAIT;
        break;
      case CLOSE_WAIT:
        if (s->flags & ACK) state = LAST_ACK;
        break;
      case LAST_ACK: state = CLOSED; break;
      case CLOSED: return 13;
    }
  }
  return (int)state + (refused > 1 ? 30 : 0);
}
