//! Memory of the program: from pointers to objects, the heap, and sizes and places that depend on the input.

pub(crate) mod access_marks; // marks of accesses that come nearer to the end of an object
pub(crate) mod accessed; // the memory access of an op
pub(crate) mod addresses; // marks of paths whose outcome depends on addresses
pub(crate) mod alignments; // alignments that a program asks the heap for
pub(crate) mod copies; // copying and filling of memory, also of lengths and at places that depend on the input
pub(crate) mod few_places; // accesses at few places, where arms are joined
pub(crate) mod guards; // branches with a side that nobody has taken, and the values that they saw
pub(crate) mod heap; // the heap
pub(crate) mod nested_reads; // indices that come out of reads at unknown indices
pub(crate) mod origins; // the object that a pointer was made from
pub(crate) mod overlap; // copies whose source and destination overlap
pub(crate) mod pointers; // from a pointer to the object it points into
pub(crate) mod several; // reads through tables of pointers
pub(crate) mod sizes; // objects whose size depends on the input
