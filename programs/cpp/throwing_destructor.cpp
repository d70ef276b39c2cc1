// A destructor that may throw: caught where nothing else is on its way, the end of the program while the stack unwinds.
// cleave: expect paths=2 failed=1
// cleave: says uncaught exception of type char const*, thrown by a destructor while another exception unwinds
#include <klee/klee.h>
#include <cstdio>

struct Bomb {
    bool armed;
    ~Bomb() noexcept(false)
    {
        if (armed)
            throw "bomb";
    }
};

static int __attribute__((noinline)) works(unsigned char x)
{
    Bomb bomb{x > 10};
    if (x > 20)
        throw 5;
    return 0;
} //~ ERROR uncaught_exception

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    try {
        return works(x);
    } catch (const char *text) {
        std::puts(text);
        return 1;
    } catch (int n) {
        return n;
    }
}
