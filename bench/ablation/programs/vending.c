// A vending machine: coins, selections, refunds. A small state machine with sums of money and a stock.
#include <klee/klee.h>

enum { EVENTS = 6 };

static const struct {
  int price, stock;
} goods[4] = {{50, 2}, {85, 1}, {120, 1}, {200, 3}};

int main(void) {
  unsigned char events[EVENTS];
  klee_make_symbolic(events, sizeof events, "events");
  int money = 0, earned = 0, sold[4] = {0};
  for (int i = 0; i < EVENTS; i++) {
    unsigned char e = events[i];
    switch (e >> 6) {
      case 0:
        switch (e & 7) {
          case 1: money += 10; break;
          case 2: money += 20; break;
          case 5: money += 50; break;
          case 7: money += 100; break;
          default: return 1;
        }
        break;
      case 1: {
        int which = e & 3;
        if (sold[which] == goods[which].stock) return 2;
        if (money < goods[which].price) break;
        money -= goods[which].price;
        earned += goods[which].price;
        sold[which]++;
        break;
      }
      case 2: money = 0; break;
      default:
        if (e == 0xFF) return earned > 100 ? 3 : 4;
    }
    if (money > 250) return 5;
  }
  return money == 0 ? 0 : 6;
}
