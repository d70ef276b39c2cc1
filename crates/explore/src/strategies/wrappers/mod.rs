//! Strategies that are made of other strategies.

pub(crate) mod batch; // The choice holds for some instructions (KLEE's batching search).
pub(crate) mod deepening; // Only states up to a depth; when none is left, the depth is doubled.
pub(crate) mod ending; // The choice holds until the path ends.
pub(crate) mod interleaved; // Several strategies that share the choices by what each finds.
