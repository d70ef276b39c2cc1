// A destructor that throws and catches inside itself while another exception unwinds the stack: the outer one goes on.
// cleave: expect paths=3
#include <klee/klee.h>
#include <cstdio>
#include <exception>

static int depth(int n)
{
    if (n == 0)
        throw 'c';
    return depth(n - 1) + 1;
}

struct Noisy {
    const char *name;
    ~Noisy()
    {
        try {
            depth(2);
        } catch (char c) {
            std::printf("%s caught %c, %d on their way\n", name, c, std::uncaught_exceptions());
        }
    }
};

static int works(unsigned char x)
{
    Noisy a{"a"};
    {
        Noisy b{"b"};
        if (x > 200)
            throw x;
    }
    if (x > 100)
        throw x + 1000;
    return 0;
}

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    try {
        return works(x);
    } catch (unsigned char) {
        std::puts("unsigned char");
        return 1;
    } catch (int) {
        std::puts("int");
        return 2;
    }
}
