//! Answers whether a condition can hold on a path, mostly without an SMT solver.
//!
//! A [`PathCondition`] (of `cleave-path`) keeps the conditions of a path. [`Solver::ask`] puts a question through layers,
//! cheapest first: constants, the witness at hand, byte sets, the slice of conditions that share bytes with the
//! question, comparisons between words, recent cores, local changes of the witness. Back ends ([`BACK_ENDS`]) come last: a bit-blaster over an
//! incremental SAT solver, and an SMT solver behind it. Sat and unsat are facts, so they are the same on every worker;
//! the witness of an answer may depend on earlier questions.

mod answer; // answers, and counters
mod asking; // questions about one condition
mod backends; // back ends: decision procedures for the queries that no layer answers
mod budget; // fuel of the strategies for hard questions
mod error; // errors of a solver
mod layers; // the layers of the solver; `pipeline.rs` has their order
mod options; // options, and the names of the layers
mod pipeline; // the order of the layers: one table
mod policy; // budgets and thresholds
mod question; // a question on its way through the layers
mod record; // recordings of questions, to measure a solver on
mod refute; // refutation by counted work
mod rounds; // the back ends, in rounds of growing length
mod solver; // the solver: its state, counters, checks
mod together; // questions about a conjunction of conditions

pub use answer::{Answer, Core, SolverStats, Together};
pub use backends::backend::{BackEnd, Backend, Conflict, Query, Verdict};
pub use backends::tiers::{BACK_ENDS, Tiers};
pub use cleave_path::{History, PathCondition};
pub use error::SolverError;
pub use options::{LayerName, SolverOptions};
pub use record::{Kind, Question, Recording};
pub use refute::{Refutation, refute};
pub use solver::Solver;
