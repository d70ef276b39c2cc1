//! Searches over assignments of bytes: which values satisfy conditions, one assignment, all of them, or all values of a term.
//!
//! The solver's layers call them, each with a limit of work. An answer is exact: an assignment that was found satisfies the
//! conditions, and a refusal has looked at all. A search that the limit ends says so. Value vectors of terms in rows are in
//! `cleave-expr`, the models of a path, which decide what a path is, in `cleave-path`. What is kept for later questions counts
//! for the one limit of memory that the store of terms has ([`Terms::limit_tables`](cleave_expr::Terms::limit_tables)).

mod abstract_bounds; // Bounds of conditions when some fields have values.
mod cached_models; // Satisfying assignments kept from one question to the next.
mod diagram; // Decision-diagram construction: one byte after the other.
mod dominator; // Terms through which a condition depends on all its bytes.
mod enumeration; // All combinations of a few bytes.
mod fields; // The bits of bytes that terms use together.
mod policy; // Budgets and thresholds.
mod sampling; // Random inputs.
mod spans; // Wrapped intervals of terms, for 64 prefix states at once.

pub use cached_models::{CachedModels, KeptModels};
pub use diagram::{Reached, solutions, sweep, values_of};
pub use dominator::{holds_for, pivot};
pub use enumeration::{Conditions, Tried, conditions, try_all, try_byte};
pub use fields::bits_seen;
pub use sampling::sample;
