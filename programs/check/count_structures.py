#!/usr/bin/env python3
"""Check the `cleave: expect` lines of programs/structures without an engine: counts what is valid.

Nothing is shared with the programs: Catalan numbers and binomial coefficients are computed, and red-black trees are counted
by black height. Up to six nodes, the trees are also built one by one and their colourings checked by the definition.
"""

import itertools
import math
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
EXPECT = re.compile(r"^// cleave: expect -DN=(\d+)(?: -DK=(\d+))? paths=(\d+)$", re.M)


def catalan(n):
    return math.comb(2 * n, n) // (n + 1)


def shapes(n):
    """All binary trees of n nodes, as (left, right) or None."""
    if n == 0:
        yield None
    for left in range(n):
        for tree in itertools.product(shapes(left), shapes(n - 1 - left)):
            yield tree


def red_black(n):
    """Red-black trees of n nodes with a root of either colour (OEIS A001131): by black height, a red root has two
    trees below whose roots are black or empty."""
    black, total = [1] + [0] * n, 0  # trees of this black height by their number of nodes, the root black or empty
    while any(black):
        red = [0] + [sum(black[i] * black[k - i] for i in range(k + 1)) for k in range(n)]
        either = [b + r for b, r in zip(black, red)]
        total += either[n] if n else 0
        black = [0] + [sum(either[i] * either[k - i] for i in range(k + 1)) for k in range(n)]
    return total


def red_black_by_definition(n):
    """The same, by trying all colourings of all shapes."""

    def height(tree, colours, parent_red):
        if tree is None:
            return 0
        red = next(colours)
        left = height(tree[0], colours, red)
        right = height(tree[1], colours, red)
        if left is None or left != right or (red and parent_red):
            return None
        return left + (not red)

    return sum(
        height(tree, iter(colours), False) is not None
        for tree in shapes(n)
        for colours in itertools.product((False, True), repeat=n)
    )


COUNT = {
    "binary_trees": lambda n, _: catalan(n),
    "search_trees": lambda n, _: catalan(n),
    "red_black_trees": lambda n, _: red_black(n),
    "sorted_lists": lambda n, k: math.comb(k, n),
}


def main():
    good = True
    for n in range(1, 7):
        good &= sum(1 for _ in shapes(n)) == catalan(n) and red_black_by_definition(n) == red_black(n)
    print("up to 6 nodes, by definition:", "as computed" if good else "NOT AS COMPUTED")
    for name, count in COUNT.items():
        for n, k, paths in EXPECT.findall((HERE.parent / f"structures/{name}.c").read_text()):
            known = count(int(n), int(k or 0))
            good &= known == int(paths)
            print(f"{name} N={n}: {known}{'' if known == int(paths) else f', EXPECTED {paths}'}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
