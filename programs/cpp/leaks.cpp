// An exception between `new` and `delete` loses the object; one that a smart pointer holds is freed. An optimiser
// leaves the first out, as nobody looks at it.
// cleave: run --check leak
// cleave: expect (-O2) paths=3
// cleave: expect paths=2 failed=1
#include <klee/klee.h>
#include <memory>
#include <vector>

static int half(int n)
{
    if (n % 2)
        throw n;
    return n / 2;
}

static int raw(int n)
{
    int *kept = new int(n); //~ ERROR (-O0) leak
    int result = half(*kept);
    delete kept;
    return result;
}

static int held(int n)
{
    auto kept = std::make_shared<std::vector<int>>(3, n);
    std::unique_ptr<int> other(new int(4));
    return half((*kept)[1]) + *other;
}

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    try {
        return held(x) > 1000 ? raw(8) : 0;
    } catch (int) {
        try {
            return x == 33 ? raw(x) : 1;
        } catch (int n) {
            return 2;
        }
    }
}
