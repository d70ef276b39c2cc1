// std::variant, std::any, std::optional and std::function: what they hold depends on the input, and a wrong question throws.
// cleave: expect paths=4
#include <klee/klee.h>
#include <any>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <variant>

template <class... F> struct overloaded : F... { using F::operator()...; };
template <class... F> overloaded(F...) -> overloaded<F...>;

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    std::variant<int, std::string, double> v;
    if (x < 50)
        v = 5;
    else if (x < 100)
        v = std::string("text");
    else
        v = 1.5;
    std::function<int()> f = [&] { return static_cast<int>(v.index()); };
    std::visit(overloaded{[](int n) { std::printf("int %d\n", n); }, [](const std::string &s) { std::printf("%s\n", s.c_str()); },
                          [](double d) { std::printf("double %g\n", d); }}, v);
    std::any any = x == 150 ? std::any(std::string("any")) : std::any(f());
    try {
        int n = std::any_cast<int>(any);
        std::get<std::string>(v);
        return n;
    } catch (const std::bad_any_cast &) {
        return 10;
    } catch (const std::bad_variant_access &e) {
        std::puts(e.what());
        return 20;
    }
}
