// `throw;` hands the same object on, and handlers nest. std::throw_with_nested keeps the one that is at hand.
// cleave: expect paths=3
#include <klee/klee.h>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

struct Counted {
    int n = 0;
    static int alive;
    Counted() { alive++; }
    Counted(const Counted &other) : n(other.n) { alive++; }
    ~Counted() { alive--; }
};
int Counted::alive;

static void passes(int times)
{
    try {
        if (times == 0)
            throw Counted();
        passes(times - 1);
    } catch (Counted &counted) {
        counted.n++;
        throw;
    }
}

static void tell(const std::exception &e, int depth = 0)
{
    std::printf("%*s%s\n", depth, "", e.what());
    try {
        std::rethrow_if_nested(e);
    } catch (const std::exception &inner) {
        tell(inner, depth + 1);
    }
}

static void nests(int n)
{
    try {
        if (n == 0)
            throw std::out_of_range("innermost");
        nests(n - 1);
    } catch (...) {
        std::throw_with_nested(std::runtime_error("level " + std::to_string(n)));
    }
}

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    try {
        if (x == 0)
            passes(3);
        else if (x == 1)
            nests(2);
        else
            std::puts("nothing");
    } catch (const Counted &counted) {
        std::printf("handed on %d times\n", counted.n);
    } catch (const std::exception &e) {
        tell(e);
    }
    std::printf("%d alive\n", Counted::alive);
    return Counted::alive;
}
