// Statics: globals in their order, a local one whose initialiser throws and is tried again, destructors behind `main`.
// cleave: expect paths=2
#include <klee/klee.h>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

struct Tells {
    const char *name;
    explicit Tells(const char *n) : name(n) { std::printf("begins %s\n", name); }
    ~Tells() { std::printf("ends %s\n", name); }
};

static Tells first("first");
static Tells second("second");
static thread_local Tells of_thread("of the thread");
static int tries;

static Tells &local(bool fails)
{
    static Tells inner((tries++, fails && tries < 3) ? throw std::runtime_error("not yet") : "local");
    return inner;
}

int main()
{
    bool fails;
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    fails = x > 5;
    std::atexit([] { std::puts("at exit"); });
    std::puts(of_thread.name);
    for (int i = 0; i < 4; i++) {
        try {
            std::printf("%s\n", local(fails).name);
        } catch (const std::exception &e) {
            std::puts(e.what());
        }
    }
    return tries;
}
