// A text of the input as a number, by the library that people use: what it refuses comes as exceptions of two types.
// cleave: expect paths=6
#include <klee/klee.h>
#include <cstdio>
#include <stdexcept>
#include <string>

int main()
{
    char text[3];
    klee_make_symbolic(text, sizeof text, "text");
    klee_assume(text[2] == 0);
    std::string s(text);
    try {
        std::size_t end = 0;
        int n = std::stoi("99999999" + s, &end, 10);
        std::printf("%s\n", end == 8 + s.size() ? "whole" : "a part");
        return n == 999999991;
    } catch (const std::out_of_range &e) {
        std::printf("too large: %s\n", e.what());
    }
    try {
        std::stoi(s);
    } catch (const std::invalid_argument &e) {
        std::printf("no number: %s\n", e.what());
        return 2;
    }
    return 3;
}
