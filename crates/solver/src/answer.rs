//! Answers of a solver and its counters. [`Solver::ask`](crate::Solver::ask) and its relatives return the answers;
//! [`SolverStats`] is a snapshot of the counters.

use std::collections::BTreeMap;
use std::time::Duration;

use cleave_expr::{Term, Witness};

use crate::backends::backend::Conflict;
use crate::backends::chain::Chain;
use crate::options::LayerName;

/// The answer to a question.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The condition can hold: this witness satisfies it and the path condition.
    Sat(Witness),
    /// The condition cannot hold together with the path condition.
    Unsat(Core),
    /// No layer and no back end answered; the text says why.
    Unknown(String),
}

/// The answer to a question about a conjunction of conditions.
#[derive(Clone, Debug)]
pub enum Together {
    /// All conditions can hold: this witness satisfies them and the path condition.
    Sat(Witness),
    /// The conditions cannot hold together, and neither can the first `within` of them. Fewer may suffice.
    Unsat {
        /// Number of conditions, at least one.
        within: usize,
    },
    /// No layer and no back end answered; the text says why.
    Unknown(String),
}

/// Result of a layer, before it becomes an [`Answer`].
pub(crate) enum LayerAnswer {
    Sat(Witness),
    /// These conditions conflict; those of the question are among them.
    Unsat(Conflict),
    Unknown(String),
}

impl LayerAnswer {
    /// `sat`, `unsat` or `unknown`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            LayerAnswer::Sat(_) => "sat",
            LayerAnswer::Unsat(_) => "unsat",
            LayerAnswer::Unknown(_) => "unknown",
        }
    }
}

/// Unsatisfiable core of a question: conditions of the path, or conjuncts of them, that conflict with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Core {
    /// The conditions; `None` if they are not known. Not minimal in general.
    pub conditions: Option<Vec<Term>>,
}

impl Core {
    pub(crate) fn of(conditions: Vec<Term>) -> Core {
        Core { conditions: Some(conditions) }
    }
}

/// Counters of a solver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SolverStats {
    /// Questions asked.
    pub questions: u64,
    /// Questions answered by each layer, by its name. Questions without an answer are not included.
    pub answered_by: BTreeMap<&'static str, u64>,
    /// Calls of back ends, including those that only check other answers.
    pub smt_calls: u64,
    /// Calls by the back end's name.
    pub calls_of: BTreeMap<&'static str, u64>,
    /// Time spent in back ends.
    pub smt_time: Duration,
    /// Questions that can hold.
    pub sat: u64,
    /// Questions that cannot.
    pub unsat: u64,
    /// Questions without an answer.
    pub unknown: u64,
}

/// The counters in the form in which the solver keeps them.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) questions: u64,
    pub(crate) layers: [u64; LayerName::ALL.len()],
    pub(crate) smt_time: Duration,
    pub(crate) sat: u64,
    pub(crate) unsat: u64,
    pub(crate) unknown: u64,
}

impl Counters {
    pub(crate) fn stats(&self, chain: &Chain) -> SolverStats {
        let mut calls_of: BTreeMap<&'static str, u64> = BTreeMap::new();
        chain.calls().for_each(|(name, n)| *calls_of.entry(name).or_default() += n);
        let named = LayerName::ALL.iter().map(|l| (l.as_str(), self.layers[*l as usize]));
        SolverStats {
            questions: self.questions,
            answered_by: named.collect(),
            smt_calls: calls_of.values().sum(),
            calls_of,
            smt_time: self.smt_time,
            sat: self.sat,
            unsat: self.unsat,
            unknown: self.unknown,
        }
    }
}
