// Data that is declared and nobody defines is not modelled, as a function is that nobody defines: it does not read as zeros.
// cleave: flags -Wl,--unresolved-symbols=ignore-all
// cleave: expect paths=0 failed=0 unsupported=1
// cleave: code 5
// cleave: link says no bitcode defines `missing`, `table`
// cleave: says an access to the variable `missing`, which is defined nowhere
// cleave: says link what defines it
// cleave: replay no
#include <stdio.h>
extern int missing, table[4];
extern char end_of_data;
int main(void) { printf("%d %d %d\n", missing, table[3], &missing != 0); return missing; } //~ ERROR model
