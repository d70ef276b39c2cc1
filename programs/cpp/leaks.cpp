// An exception between `new` and `delete` loses the object; one that a smart pointer holds is freed.
// cleave: run --check leak
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
    int *kept = new int(n); //~ ERROR leak
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
