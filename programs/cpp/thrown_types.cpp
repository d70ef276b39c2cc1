// Which type is thrown depends on the input: each handler is a path, and its order among the handlers counts.
// cleave: expect paths=6
#include <klee/klee.h>
#include <cstdio>
#include <stdexcept>
#include <string>

struct Base { int n; };
struct Derived : Base {};

static void thrower(unsigned char what)
{
    switch (what) {
    case 0: throw 7;
    case 1: throw 2.5;
    case 2: throw "text";
    case 3: throw Derived{{3}};
    case 4: throw std::string("string");
    }
}

int main()
{
    unsigned char what;
    klee_make_symbolic(&what, sizeof what, "what");
    try {
        thrower(what);
        std::puts("nothing");
    } catch (int n) {
        std::printf("int %d\n", n);
    } catch (double d) {
        std::printf("double %g\n", d);
    } catch (const char *text) {
        std::printf("text %s\n", text);
    } catch (const Base &base) {
        std::printf("base %d\n", base.n);
        return 3;
    } catch (...) {
        std::puts("something else");
        return 4;
    }
    return 0;
}
