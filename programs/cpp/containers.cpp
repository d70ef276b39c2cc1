// Containers and algorithms: what is sorted and counted depends on the input.
// cleave: expect paths=6
#include <klee/klee.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

int main()
{
    std::array<unsigned char, 3> in;
    klee_make_symbolic(in.data(), in.size(), "in");
    klee_assume((in[0] != in[1]) & (in[1] != in[2]) & (in[0] != in[2]));
    std::vector<int> sorted(in.begin(), in.end());
    std::sort(sorted.begin(), sorted.end());
    std::list<int> list(in.begin(), in.end());
    list.sort();
    std::deque<int> deque;
    for (int n : sorted)
        deque.push_front(n);
    bool same = std::equal(sorted.begin(), sorted.end(), list.begin()) && std::equal(sorted.begin(), sorted.end(), deque.rbegin());
    std::map<std::string, int> ages{{"ann", 3}, {"bob", 5}};
    ages["cy"] = std::accumulate(sorted.begin(), sorted.end(), 0) > 764;
    std::unordered_map<int, const char *> names{{1, "one"}, {2, "two"}};
    names.emplace(3, "three");
    for (const auto &[name, age] : ages)
        std::printf("%s %d\n", name.c_str(), age);
    std::printf("%d %s %zu\n", same, names.at(3), names.size());
    return !same;
}
