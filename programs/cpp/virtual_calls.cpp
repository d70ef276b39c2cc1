// Virtual calls through bases with an offset, a table of objects that the input chooses from, and covariant results.
// cleave: expect paths=2..4
#include <klee/klee.h>
#include <cstdio>

struct Named { virtual const char *name() const = 0; virtual ~Named() = default; };
struct Shape { virtual int area() const = 0; virtual Shape *copy() const = 0; virtual ~Shape() = default; };
struct Square : Named, Shape {
    int side;
    explicit Square(int s) : side(s) {}
    const char *name() const override { return "square"; }
    int area() const override { return side * side; }
    Square *copy() const override { return new Square(*this); }
};
struct Box : Square {
    int depth;
    Box(int s, int d) : Square(s), depth(d) {}
    const char *name() const override { return "box"; }
    int area() const override { return 2 * Square::area() + 4 * side * depth; }
    Box *copy() const override { return new Box(*this); }
};

int main()
{
    unsigned char which, depth;
    klee_make_symbolic(&which, sizeof which, "which");
    klee_make_symbolic(&depth, sizeof depth, "depth");
    Square square(3);
    Box box(2, depth);
    Shape *shapes[] = {&square, &box};
    Shape *shape = shapes[which > 9]->copy();
    int area = shape->area();
    delete shape;
    Named *named = which > 9 ? static_cast<Named *>(&box) : &square;
    std::puts(named->name());
    return area == 8 + 8 * 7 ? 1 : area > 100 ? 2 : 0;
}
