//! Answers whether a condition can hold on a path, mostly without an SMT solver.
//!
//! A [`PathCondition`] keeps the conditions of a path: exact value sets for conditions on single bytes, and components
//! of linked bytes for the others. [`Solver::ask`] puts a question through layers, cheapest first: constants, the
//! witness at hand, byte sets, the slice of conditions that share bytes with the question, comparisons between words,
//! recent cores, local changes of the witness. Back ends ([`BACK_ENDS`]) come last: a bit-blaster over an
//! incremental SAT solver, and an SMT solver behind it. Sat and unsat are facts, so they are the same on every worker;
//! the witness of an answer may depend on earlier questions.

mod answer;
mod backend;
#[cfg(feature = "bitwuzla")]
mod bitwuzla;
mod blast;
mod bounds;
mod budget;
mod chain;
mod checked;
mod compared;
mod component;
mod disagreement;
mod error;
mod facts;
mod groups;
mod kept;
mod known;
mod live;
mod local;
mod lookup;
mod numbers;
mod options;
mod patch;
mod path;
mod persistent;
mod pipeline;
mod policy;
mod question;
mod ranges;
mod recent;
mod record;
mod refute;
mod rewriting;
mod rows;
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
pub use error::SolverError;
pub use options::{LayerName, SolverOptions};
pub use path::{History, PathCondition};
pub use record::{Kind, Question, Recording};
pub use refute::{Refutation, refute};
pub use solver::Solver;
pub use tiers::{BACK_ENDS, Tiers};
