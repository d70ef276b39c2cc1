//! Branch and prune: conditions over boxes, where each word of the input lies between two bounds.

pub(crate) mod boxes; // conditions over a box
pub(crate) mod contract; // bounds of words from conditions, backwards through terms
pub(crate) mod forms; // affine arithmetic over a box
pub(crate) mod linear; // linear forms over reals
pub(crate) mod parts; // the parts of conditions, operands first
pub(crate) mod slopes; // comparisons decided by slopes
