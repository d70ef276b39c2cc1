// Symbols: aliases, weak definitions that are used, weak declarations that stay null, used before defined.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdio.h>

int original(int v) { return v + 1; }
int another_name(int v) __attribute__((alias("original")));
__attribute__((weak)) int weak_function(void) { return 11; }
extern int absent_function(void) __attribute__((weak));
int variable = 5;
extern int variable_alias __attribute__((alias("variable")));

int main(void) {
  variable_alias = 6;
  printf("%d %d %d %d\n", another_name(4), weak_function(), absent_function != NULL ? absent_function() : -1, variable);
  printf("%d\n", another_name == original);
  return 0;
}
