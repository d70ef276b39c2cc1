// The variables of a section whose name is an identifier lie one behind the other, and `__start_NAME`, `__stop_NAME` bound them.
// cleave: expect paths=1 failed=0 unsupported=0
// cleave: code 0
#include <stdio.h>
static const int a __attribute__((section("table"), used)) = 1, b __attribute__((section("table"), used)) = 2;
extern const int __start_table[], __stop_table[];
int main(void) {
  int sum = 0;
  for (const int *p = __start_table; p < __stop_table; p++) sum += *p;
  printf("%d entries, sum %d\n", (int)(__stop_table - __start_table), sum);
  return sum;
}
