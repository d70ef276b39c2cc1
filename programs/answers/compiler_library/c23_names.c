// Names of C23's <stddef.h>.
// cleave: flags -std=c23
// cleave: expect paths=1 failed=0 unsupported=0 open=0
// cleave: code 0
#include <stddef.h>
int main(int c, char **v) { if (c > 5) unreachable(); nullptr_t p = nullptr; return p != nullptr; }
