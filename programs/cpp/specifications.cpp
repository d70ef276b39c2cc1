// Exception specifications as they were before C++17: what is not in the list comes to std::unexpected's handler.
// cleave: flags -std=c++14 -D_LIBCPP_ENABLE_CXX17_REMOVED_UNEXPECTED_FUNCTIONS
// cleave: expect paths=3
#include <klee/klee.h>
#include <cstdio>
#include <cstdlib>
#include <exception>

static void throws(unsigned char x) throw(int, const char *)
{
    if (x > 200)
        throw 5;
    if (x > 100)
        throw 2.5;
}

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    std::set_unexpected([] {
        std::puts("unexpected");
        throw "another";
    });
    try {
        throws(x);
    } catch (int n) {
        std::printf("int %d\n", n);
        return 1;
    } catch (const char *text) {
        std::printf("text %s\n", text);
        return 2;
    }
    return 0;
}
