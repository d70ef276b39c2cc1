// The checks of the library, where it is asked for them: an index beyond a vector, at the line of the program.
// cleave: flags -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_EXTENSIVE
// cleave: expect paths=2 failed=2
// cleave: says an assertion of the C++ library fails: vector[] index out of bounds
#include <klee/klee.h>
#include <optional>
#include <vector>

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    std::vector<int> three{1, 2, 3};
    std::optional<int> maybe;
    if (x != 200)
        maybe = x;
    if (three[x & 3] == 3) //~ ERROR assert
        return 1;
    return *maybe & 1; //~ ERROR assert
}
