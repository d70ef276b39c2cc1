// Insertion sort of 6 symbolic ints with strict comparisons: 6! paths. A measure of paths a second.
//
// cleave: expect paths=720
// cleave: domain value 1..6
#define N 6
#include "../oracles/insertion_sort.c"
