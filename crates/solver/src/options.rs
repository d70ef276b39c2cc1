//! What a solver is told when it is made, and what can go wrong with it.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use thiserror::Error;

use crate::tiers::Tiers;

/// A layer of the solver: each answers some questions, and each can be switched off by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum LayerName {
    /// The question is a constant.
    Constants,
    /// The given witness already satisfies the question.
    Witness,
    /// Exact sets of the values of single bytes.
    ByteSets,
    /// Only what shares bytes with the question is looked at; a condition contradicted by name.
    Slices,
    /// Bounds of words and chains of comparisons between them.
    Words,
    /// Models of earlier questions.
    Models,
    /// Unsatisfiable cores of earlier questions.
    Cores,
    /// Local changes of the witness that make the question true.
    Patching,
    /// All values of a few bytes, tried.
    Trying,
    /// The back ends. Switched off, the solver gives up where no other layer answers.
    Sat,
}

impl LayerName {
    /// All layers, in the order in which they are asked.
    pub const ALL: [LayerName; 10] = [
        LayerName::Constants,
        LayerName::Witness,
        LayerName::ByteSets,
        LayerName::Slices,
        LayerName::Words,
        LayerName::Models,
        LayerName::Cores,
        LayerName::Patching,
        LayerName::Trying,
        LayerName::Sat,
    ];

    /// The name that options and statistics use.
    pub fn as_str(self) -> &'static str {
        match self {
            LayerName::Constants => "constants",
            LayerName::Witness => "witness",
            LayerName::ByteSets => "byte-sets",
            LayerName::Slices => "slices",
            LayerName::Words => "words",
            LayerName::Models => "models",
            LayerName::Cores => "cores",
            LayerName::Patching => "patching",
            LayerName::Trying => "trying",
            LayerName::Sat => "sat",
        }
    }
}

impl fmt::Display for LayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for LayerName {
    type Err = SolverError;
    fn from_str(s: &str) -> Result<Self, SolverError> {
        let found = LayerName::ALL.into_iter().find(|l| l.as_str() == s);
        found.ok_or_else(|| SolverError::UnknownLayer { name: s.to_string() })
    }
}

/// How a [`Solver`](crate::Solver) works.
#[derive(Clone, Debug)]
pub struct SolverOptions {
    /// The most time that one question may take in the back ends. Default is 30 seconds.
    pub timeout: Duration,
    /// With several back ends: how long each but the last tries before the next is asked. Default is 1 second.
    pub first_limit: Duration,
    /// Layers that are not to be used. Default is none.
    pub disabled: BTreeSet<LayerName>,
    /// Ask all back ends, two at least, each question that reaches them; see [`SolverError::Disagreement`]. Default is
    /// no.
    pub cross_check: bool,
    /// Evaluate the whole path condition under each model, and solve each question that was found
    /// unsatisfiable again by the other back end (the same one where there is only one). Default is no.
    pub self_check: bool,
    /// Hand the conditions of a question to the first back end one by one, and stop at the first at which it sees
    /// by itself, without a search, that they contradict each other (S2PF, section 3.2). Default is no.
    pub feeding: bool,
    /// The back ends, in the order in which they are asked. Default is all that [`crate::BACK_ENDS`] marks as usual.
    pub tiers: Tiers,
    /// While this is true, back ends give up at once, also on the query at hand. Another thread may set it. Default is
    /// a flag that nobody sets.
    pub stop: Arc<AtomicBool>,
}

impl Default for SolverOptions {
    fn default() -> Self {
        SolverOptions {
            timeout: Duration::from_secs(30),
            first_limit: Duration::from_secs(1),
            disabled: BTreeSet::new(),
            cross_check: false,
            self_check: false,
            feeding: false,
            tiers: Tiers::default(),
            stop: Arc::default(),
        }
    }
}

/// What is wrong with a solver or with what it was told.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SolverError {
    /// There is no layer of this name.
    #[error("there is no solver layer `{name}`; the layers are {}", LayerName::ALL.map(|l| l.as_str()).join(", "))]
    UnknownLayer {
        /// The name.
        name: String,
    },
    /// There is no back end of this name.
    #[error("there is no solver `{name}`; the solvers of this build are {}", crate::tiers::names())]
    UnknownBackEnd {
        /// The name.
        name: String,
    },
    /// A list of back ends has one of them twice.
    #[error("the solver `{name}` is named twice; name each once")]
    NamedTwice {
        /// The name.
        name: &'static str,
    },
    /// The options need two back ends, and there is one.
    #[error("a cross-check needs two solvers, and this build has one; build with the feature `bitwuzla`")]
    NoSecond,
    /// A back end could not be started.
    #[error("the solver back end {name} did not start: {why}")]
    NotStarted {
        /// Its name.
        name: &'static str,
        /// Its message.
        why: String,
    },
    /// Two back ends, or a layer and a back end, answered one question differently: one of them has a bug.
    #[error(
        "{first} says {first_says} and {second} says {second_says} to one question; \
         this is a bug, please report the question: {question}"
    )]
    Disagreement {
        /// Who answered first.
        first: String,
        /// What it said.
        first_says: &'static str,
        /// Who was asked to check.
        second: String,
        /// What that said.
        second_says: &'static str,
        /// The question as text, cut at some depth.
        question: String,
    },
    /// A model does not satisfy what it was to satisfy: whoever found it has a bug.
    #[error(
        "{from} gave a model that does not satisfy its question; this is a bug, please report it: {question}"
    )]
    WrongModel {
        /// Who found the model.
        from: String,
        /// The question as text, cut at some depth.
        question: String,
    },
}
