// dynamic_cast down, across and to the whole object; one to a reference that fails throws; typeid of an object and of null.
// cleave: expect paths=4
#include <klee/klee.h>
#include <cstdio>
#include <typeinfo>

struct A { virtual ~A() {} };
struct B { virtual ~B() {} int b = 5; };
struct C : A, B {};
struct D : A {};

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    C c;
    D d;
    A *a = x < 50 ? static_cast<A *>(&c) : x < 100 ? &d : nullptr;
    if (C *down = dynamic_cast<C *>(a))
        std::printf("down %d\n", down->b);
    if (B *across = dynamic_cast<B *>(a))
        std::printf("across %d %d\n", across->b, dynamic_cast<void *>(across) == static_cast<void *>(&c));
    try {
        std::puts(typeid(*a) == typeid(D) ? "a D" : "no D");
        B &b = dynamic_cast<B &>(*a);
        return x == 7 ? 1 : b.b;
    } catch (const std::bad_cast &) {
        std::puts("bad cast");
        return 2;
    } catch (const std::bad_typeid &) {
        std::puts("bad typeid");
        return 3;
    }
}
