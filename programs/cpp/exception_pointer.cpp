// An exception is kept beyond its handler, copied, thrown again and compared.
// cleave: expect paths=2
#include <klee/klee.h>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

static std::exception_ptr kept(int n)
{
    try {
        if (n > 0)
            throw std::invalid_argument("positive");
        throw n;
    } catch (...) {
        return std::current_exception();
    }
}

int main()
{
    signed char x;
    klee_make_symbolic(&x, sizeof x, "x");
    std::vector<std::exception_ptr> all{kept(x), std::make_exception_ptr(4L), nullptr};
    all.push_back(all.front());
    int sum = 0;
    for (std::exception_ptr &one : all) {
        if (!one) {
            sum += 1000;
            continue;
        }
        try {
            std::rethrow_exception(one);
        } catch (const std::exception &e) {
            std::puts(e.what());
            sum += 1;
        } catch (int) {
            sum += 10;
        } catch (long n) {
            sum += n * 100;
        }
    }
    std::printf("%d %d\n", sum, all[0] == all[3]);
    return 0;
}
