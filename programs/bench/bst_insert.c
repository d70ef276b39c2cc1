// 5 inserts into an unbalanced binary search tree: 541 paths. A measure of paths a second.
//
// cleave: expect paths=541
// cleave: domain value 1..5
#define N 5
#include "../oracles/bst_add.c"
