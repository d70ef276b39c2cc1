// An exception that nothing catches: its type and its words are told, at the line that throws.
// cleave: expect paths=1 failed=2
// cleave: says uncaught exception of type std::out_of_range: vector
// cleave: says uncaught exception of type Odd
#include <klee/klee.h>
#include <cstdio>
#include <stdexcept>
#include <vector>

struct Odd { int n; };

static void strict(int n)
{
    if (n % 2)
        throw Odd{n}; //~ ERROR uncaught_exception
}

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    std::vector<int> three{1, 2, 3};
    if (x == 9)
        return three.at(x); //~ ERROR uncaught_exception
    try {
        strict(x & 2);
    } catch (const std::exception &) {
        return 1;
    }
    if (x == 13)
        strict(x);
    return x == 17;
}
