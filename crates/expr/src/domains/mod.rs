//! Abstract domains: sets of values that a term can have.

pub(crate) mod bounds; // intervals of integers, one transfer function for each operator
pub(crate) mod byteset; // exact sets of the values of one byte
pub(crate) mod domain; // the bytes for which a condition holds
pub(crate) mod interval; // intervals of floating-point numbers
pub(crate) mod number_ranges; // intervals of floating-point terms that hold for every input
pub(crate) mod slices; // bounds of bits of a floating-point number
