// An exception cannot pass a function of C that was compiled without exceptions (qsort), and passes one of the library of C++.
// cleave: expect paths=2 failed=1
// cleave: says which cannot pass `qsort`
#include <klee/klee.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>

static int limit;

static bool less(int a, int b)
{
    if (a == limit || b == limit)
        throw limit; //~ ERROR uncaught_exception
    return a < b;
}

extern "C" int compare(const void *a, const void *b)
{
    return less(*static_cast<const int *>(a), *static_cast<const int *>(b)) ? -1 : 1;
}

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    int all[] = {3, 1, 2};
    limit = x > 5 ? 2 : 9;
    try {
        if (x == 77)
            std::qsort(all, 3, sizeof *all, compare);
        else
            std::sort(all, all + 3, less);
    } catch (int n) {
        std::printf("caught %d\n", n);
        return 1;
    }
    std::printf("%d %d %d\n", all[0], all[1], all[2]);
    return 0;
}
