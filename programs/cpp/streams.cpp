// Streams: numbers and words out of a text, manipulators, a failure that throws where it is asked to.
// cleave: expect paths=3
#include <klee/klee.h>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

int main()
{
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    std::istringstream in(x < 100 ? "12 word 3.5" : x < 200 ? "oops" : "7");
    int n = 0;
    std::string word;
    double d = 0;
    if (x < 200) {
        in >> n >> word >> d;
        std::cout << std::boolalpha << bool(in) << ' ' << std::hex << std::setw(4) << std::setfill('0') << n << ' ' << word
                  << ' ' << std::fixed << std::setprecision(2) << d << std::endl;
        return 0;
    }
    in.exceptions(std::ios::failbit);
    try {
        in >> n >> word;
    } catch (const std::ios_base::failure &e) {
        std::cerr << "failure\n";
        std::cout << "got " << n << '\n';
        return 1;
    }
    return 2;
}
