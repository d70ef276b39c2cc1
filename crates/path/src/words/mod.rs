//! Words of a path: the numbers that they are compared with, and those that are left to them.

mod bounds; // Bounds of a word, from byte sets and comparisons with constants.
pub(crate) mod comparisons; // Comparisons of words, and the bounds that constants give to a word.
pub(crate) mod ranges; // Sets of numbers as intervals.
