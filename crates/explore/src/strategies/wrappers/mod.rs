//! Strategies that are made of other strategies.

pub(crate) mod batch; // A strategy whose choice holds for some instructions.
pub(crate) mod deepening; // A strategy that sees only states up to a depth; when none is left, the depth is doubled.
pub(crate) mod ending; // A strategy whose choice holds until the path ends.
pub(crate) mod interleaved; // Several strategies that take turns.
