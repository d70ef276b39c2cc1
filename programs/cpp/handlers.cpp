// Handlers take classes by their public bases, pointers by conversions, and nothing else.
// cleave: expect paths=6
#include <klee/klee.h>
#include <cstdio>

struct Left { virtual ~Left() {} int l = 1; };
struct Right { virtual ~Right() {} int r = 2; };
struct Both : Left, Right { int b = 3; };
struct Hidden : private Left {};
struct Top : virtual Left {};
struct Diamond : Top, virtual Right {};

static Both both;
enum class Colour { red, green };

static int choose(unsigned char x)
{
    try {
        switch (x) {
        case 1: throw Both();
        case 2: throw &both;
        case 3: throw Hidden();
        case 4: throw nullptr;
        case 5: throw Diamond();
        default: throw Colour::green;
        }
    } catch (Right *right) {
        return 10 + (right ? right->r : 5);
    } catch (const Left &left) {
        return 20 + left.l;
    } catch (const volatile void *) {
        return 30;
    } catch (Colour colour) {
        return 40 + static_cast<int>(colour);
    } catch (...) {
        return 50;
    }
}

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    int found = choose(x);
    std::printf("%d\n", found);
    return found;
}
