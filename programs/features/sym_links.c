// Links of a tree as the optimiser leaves them: choices between two addresses, without a branch. Going through such
// a link is a branch again, so the paths are those of the source.
//
// cleave: flags -O1
// cleave: expect paths=13
// cleave: domain value 1..3
#define N 3
#include "../oracles/bst_add.c"
