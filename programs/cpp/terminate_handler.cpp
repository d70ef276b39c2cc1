// A program's own handler of std::terminate knows the exception, and ends the program as it likes.
// cleave: expect paths=2
#include <klee/klee.h>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    std::set_terminate([] {
        try {
            throw;
        } catch (const std::exception &e) {
            std::printf("terminated by %s\n", e.what());
        }
        std::fflush(stdout);
        std::_Exit(42);
    });
    if (x > 5)
        throw std::logic_error("logic");
    return 0;
}
