//! Decision diagrams of conditions over input bytes: a form in which equal conditions are one number, and conditions that never hold are
//! [`Diagram::FALSE`]. The engine keeps the guards of arms in it, which are many conditions about few bytes.
//!
//! - `sets.rs`: what a byte's values are divided into;
//! - `store.rs`: nodes, each once, and conjunction, disjunction, negation of diagrams;
//! - `conditions.rs`: the diagram of a term of one bit, and the term of a diagram;
//! - `bits.rs`: terms bit by bit, for comparisons of words that `values.rs` does not have as choices;
//! - `values.rs`: terms as choices between few terms: diagrams with these as leaves.
//!
//! Every result is a function of the terms and diagrams that are given, never of what was computed before: where a diagram
//! would be too large there is none, for each who asks. A comparison that is no function of few bytes is a variable of its own.

mod bits;
mod conditions;
mod sets;
mod store;
mod unary;
mod values;
mod words;

pub use store::{Diagram, Diagrams};
