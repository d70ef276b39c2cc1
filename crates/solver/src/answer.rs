//! Answers and what was counted on the way to them.

use std::collections::BTreeMap;
use std::time::Duration;

use cleave_expr::{Term, Witness};

use crate::backend::Conflict;
use crate::chain::Chain;
use crate::options::LayerName;

/// The answer to a question.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It can hold: under this witness it does, together with the path condition.
    Sat(Witness),
    /// It cannot hold together with the path condition.
    Unsat(Core),
    /// Nobody knows; the text says why.
    Unknown(String),
}

/// The answer to a question about several conditions.
#[derive(Clone, Debug)]
pub enum Together {
    /// All can hold: under this witness they do, together with the path condition.
    Sat(Witness),
    /// They cannot, and the first `within` of them, at least one, cannot either. Fewer may suffice.
    Unsat {
        /// How many.
        within: usize,
    },
    /// Nobody knows; the text says why.
    Unknown(String),
}

/// What a layer found, before it is turned into an answer.
pub(crate) enum LayerAnswer {
    Sat(Witness),
    /// Because of these conditions, those of the question among them.
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

/// Why a question cannot hold: conditions of the path, or conjuncts of such, that conflict with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Core {
    /// The conditions; `None` where they are not known. Not minimal in general.
    pub conditions: Option<Vec<Term>>,
}

impl Core {
    pub(crate) fn of(conditions: Vec<Term>) -> Core {
        Core { conditions: Some(conditions) }
    }
}

/// What a solver has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SolverStats {
    /// Questions asked.
    pub questions: u64,
    /// Questions answered by each layer, by its name. Questions that nobody answered are not among them.
    pub answered_by: BTreeMap<&'static str, u64>,
    /// Calls of a back end, including those that only check others.
    pub smt_calls: u64,
    /// The same by the back end's name.
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

/// The counters as they are counted.
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
