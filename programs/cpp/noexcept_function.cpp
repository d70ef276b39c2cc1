// An exception that comes to a function which lets none pass ends the program there, although a caller would catch it.
// cleave: expect paths=1 failed=1
// cleave: says which must not leave `quiet(int)` (noexcept)
#include <klee/klee.h>
#include <cstdio>

struct Loud {
    ~Loud() { std::puts("unwound"); }
};

static void __attribute__((noinline)) loud(int n)
{
    if (n > 10)
        throw n;
}

static void __attribute__((noinline)) quiet(int n) noexcept
{
    Loud here;
    loud(n); //~ ERROR uncaught_exception
}

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    try {
        quiet(x);
    } catch (int) {
        std::puts("never");
    }
    return 0;
}
