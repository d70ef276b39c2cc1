//! The command line as people write it: put in order, with hints and warnings.

pub(crate) mod hints; // Hints for a user who is new to symbolic inputs.
pub(crate) mod misplaced; // Warnings about options in the wrong place.
pub(crate) mod reorder; // The command line of `cleave run` as people write it, put in order.
