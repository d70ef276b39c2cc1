// Objects are destroyed in the opposite order in which they were built, and no others: members, array elements, bases of an object whose
// constructor throws, temporaries.
// cleave: expect paths=5
#include <klee/klee.h>
#include <cstdio>
#include <memory>

static int made, breaks_at;

struct Part {
    int number;
    Part() : number(++made)
    {
        if (number == breaks_at)
            throw number;
    }
    ~Part() { std::printf("-%d ", number); }
};
struct Base {
    Part a;
    virtual ~Base() { std::printf("base "); }
};
struct Whole : Base {
    Part b;
    Part two[2];
    Whole() try : Base() {
        Part local;
        std::printf("body ");
    } catch (int n) {
        std::printf("(%d) ", n);
        throw;
    }
};

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    static const int places[] = {1, 3, 5, 7, 99};
    int which = x < 10 ? 0 : x < 20 ? 1 : x < 30 ? 2 : x < 40 ? 3 : 4;
    breaks_at = places[which];
    try {
        auto whole = std::make_unique<Whole>();
        std::unique_ptr<Part[]> parts(new Part[2]);
        std::printf("done ");
    } catch (int n) {
        std::printf("caught %d\n", n);
        return n;
    }
    std::puts("");
    return 0;
}
