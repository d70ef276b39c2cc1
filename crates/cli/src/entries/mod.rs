//! Functions as entries: contracts that say what a function is given, and harnesses that are made of them.

pub(crate) mod annotations; // Contracts in comments above a function.
pub(crate) mod comparison; // The C of a comparison of two versions.
pub(crate) mod contract; // Contracts: items about inputs, promises about results.
pub(crate) mod drivers; // The `main` of a run that begins with a function.
pub(crate) mod harness; // The C of a harness.
pub(crate) mod logic; // Conditions of contracts as expressions of C.
pub(crate) mod rust; // Proofs of Rust functions.
pub(crate) mod signature; // Signatures of functions, as clang reads them.
pub(crate) mod tokens; // Words of C.
pub(crate) mod wrappers; // Functions that check contracts around calls, or stand in the place of code.
