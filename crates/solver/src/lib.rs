//! Answers whether a condition can hold on a path, mostly without an SMT solver.
//!
//! A [`PathCondition`] (of `cleave-path`) keeps the conditions of a path. [`Solver::ask`] puts a question through layers,
//! cheapest first: constants, the witness at hand, byte sets, the slice of conditions that share bytes with the
//! question, comparisons between words, recent cores, local changes of the witness. Back ends ([`BACK_ENDS`]) come last: a bit-blaster over an
//! incremental SAT solver, and an SMT solver behind it. Sat and unsat are facts, so they are the same on every worker;
//! the witness of an answer may depend on earlier questions.

mod answer;
mod backend;
#[cfg(feature = "bitwuzla")]
mod bitwuzla;
mod blast;
mod budget;
mod chain;
mod disagreement;
mod error;
mod local;
mod numbers;
mod options;
mod patch;
mod pipeline;
mod policy;
mod question;
mod recent;
mod record;
mod refute;
mod rewriting;
mod slice;
mod smtlib;
mod solutions;
mod solver;
mod survivors;
mod sweeping;
mod tiers;
mod together;
mod trying;
mod values;
mod words;

pub use answer::{Answer, Core, SolverStats, Together};
pub use backend::{BackEnd, Backend, Conflict, Query, Verdict};
pub use cleave_path::{History, PathCondition};
pub use error::SolverError;
pub use options::{LayerName, SolverOptions};
pub use record::{Kind, Question, Recording};
pub use refute::{Refutation, refute};
pub use solver::Solver;
pub use tiers::{BACK_ENDS, Tiers};
