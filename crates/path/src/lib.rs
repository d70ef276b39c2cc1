//! The definition of a path: its conditions, and all that decides which further conditions are decisions of it.
//!
//! A [`PathCondition`] keeps the conditions of a path: exact value sets for conditions on single bytes, and components of
//! linked bytes for the others. A condition that becomes constant by them is no decision; so the depth and the digest of
//! a path depend on each rule of this crate, and on the forms that the constructors of `cleave-expr` give to terms. These
//! rules are functions of the path's conditions and of the term alone, never of a solver's answer, a cache or a limit of
//! time or memory. The engine simplifies terms by them; the solver's layers read the conditions.

mod assume; // Conditions become those of a path: their conjuncts, bytes and components.
mod by_models; // Values of terms over the enumerated models of a path; when models are listed.
mod checked; // Checks of a model and of a condition by the facts of a path.
mod component; // Bytes and the conditions that link them.
mod condition; // Path conditions and their histories.
mod facts; // Facts that follow from the many conditions of a long component.
mod groups; // Enumerated models of many bytes, group by group.
mod implied; // Simplification by what the path has decided.
mod lookup; // Tables of a path's conditions, to find one.
mod models; // Enumerated models of a few bytes.
mod persistent; // Lists and vectors whose clones share everything.
mod policy; // Budgets and thresholds.
mod words; // Words: comparisons, bounds, sets of numbers.

pub use assume::{Part, conjuncts};
pub use checked::Broken;
pub use component::{Component, Relation, filter_bit};
pub use condition::{Given, History, PathCondition};
pub use facts::{Apart, Pair, number};
pub use models::{Models, all_rows, places};
pub use persistent::List;
pub use words::comparisons::{Comparison, comparison};
pub use words::ranges::{Arc, Ranges};

/// Number of conditions from which a component has facts.
pub const LEAST_FACTS: usize = policy::facts::LEAST;

/// The format of paths, as a number: the rules by which the engine counts decisions and simplifies their conditions, on which
/// digests and depths depend. A run keeps the number of the version that began it. A version with another number cannot resume
/// that run, because its regions are places among other decisions. Raise it with every change of a digest in
/// `programs/golden/digests.txt`; the test `golden` compares them.
///
/// The rules are those of this crate (its `policy.rs` marks their constants) and of the constructors of terms (`policy::paths` of
/// `cleave-expr`).
pub const PATH_FORMAT: u32 = 2;
