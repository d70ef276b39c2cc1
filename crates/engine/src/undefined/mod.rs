//! Undefined bits: where they come from, where they go, and which use of them is a bug.

pub(crate) mod shaded_memory; // undefined bits in memory
pub(crate) mod shades; // origins of undefined bits
pub(crate) mod shadow; // the undefined bits of the result of each operation
pub(crate) mod uses; // uses of undefined bits
