// A loan in doubles: interest a month, a last payment, and a limit on the number of months.
// flags: -O0
#include <klee/klee.h>

int main(void) {
  unsigned short amount, payment;
  double rate;
  klee_make_symbolic(&amount, sizeof amount, "amount");
  klee_make_symbolic(&payment, sizeof payment, "payment");
  klee_make_symbolic(&rate, sizeof rate, "rate");
  if (!(rate >= 0 && rate <= 0.02)) return 1;
  double left = amount;
  int months = 0;
  while (left > 0) {
    double interest = left * rate;
    if (payment <= interest) return 2;
    if (left + interest <= payment) break;
    left = left + interest - payment;
    if (++months == 5) return 3;
  }
  if (months == 0) return 4;
  return left * (1 + rate) < 1 ? 5 : 6;
}
