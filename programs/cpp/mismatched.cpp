// An object of one operator is freed by another one, or frees as an object of another size. A class with its own operators is no such thing.
// cleave: levels -O0
// cleave: expect paths=2 failed=4
// cleave: says is made by new[] and freed by delete
// cleave: says is made by malloc and freed by delete
// cleave: says is made by new and freed by free
// cleave: says is freed by delete as one of 4 bytes
#include <klee/klee.h>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

struct Small { int a; };
struct Large : Small { int b = 0; };
struct Own {
    int n = 1;
    void *operator new(std::size_t size) { return std::malloc(size); }
    void operator delete(void *p) { std::free(p); }
};
struct alignas(64) Aligned { char bytes[3]; };

static int all_is_well()
{
    std::unique_ptr<int[]> array(new int[5]);
    std::unique_ptr<Own> own(new Own);
    std::unique_ptr<Aligned> aligned(new Aligned);
    std::vector<Large> several(3);
    int *silent = new (std::nothrow) int;
    delete silent;
    Large *none = nullptr;
    delete none;
    delete[] new char[0];
    return own->n;
}

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    switch (x) {
    case 1:
        delete new int[3]; //~ ERROR free
        return 1;
    case 2:
        delete static_cast<int *>(std::malloc(sizeof(int))); //~ ERROR free
        return 2;
    case 3:
        std::free(new Small); //~ ERROR free
        return 3;
    case 4: {
        Small *part = new Large;
        delete part; //~ ERROR free
        return 4;
    }
    case 5:
        return all_is_well();
    }
    return 0;
}
