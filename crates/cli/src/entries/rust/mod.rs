//! Proofs of Rust functions: what `cleave harness` prints for a function of a Rust source.

pub(crate) mod functions; // Functions of a source, as syn reads them.
pub(crate) mod inputs; // Statements that make the inputs of a function.
pub(crate) mod proof; // The text of a proof.
