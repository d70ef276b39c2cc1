//! The commands of the field's competitions: `cleave testcomp` and `cleave svcomp` explore one task for one property, within the
//! competition's limits, and end with one line for the competition's scripts.

pub mod options; // A task as the competition names it: its sources, property, limits and data model.
pub mod property; // Properties: what a file with the ending .prp asks for.
pub mod svcomp; // `cleave svcomp`: a verdict, and a witness of a violation.
mod task; // The exploration of a task, by `cleave run`.
pub mod testcomp; // `cleave testcomp`: a suite of tests, written while the task is explored.
mod witness; // Witnesses of violations, in format 2.0.
