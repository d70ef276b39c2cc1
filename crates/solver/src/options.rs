//! What a solver is told when it is made.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::error::SolverError;
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
    /// Values that a term was found to have on this path or before.
    Values,
    /// All values of a few bytes, tried.
    Trying,
    /// Floating-point numbers: intervals of the input's words, cut in two until they prove something or hold a witness.
    Intervals,
    /// Floating-point numbers: words of the witness moved to where the question is nearer to holding.
    Search,
    /// Simpler forms of the conditions; conditions on one term of few values that contradict each other.
    Rewriting,
    /// Values of one byte after the other, where beginnings that are the same to the rest count once.
    Sweeping,
    /// Inputs by chance.
    Sampling,
    /// The back ends. Switched off, the solver gives up where no other layer answers.
    Sat,
}

impl LayerName {
    /// All layers, in the order in which they are asked.
    pub const ALL: [LayerName; 16] = [
        LayerName::Constants,
        LayerName::Witness,
        LayerName::ByteSets,
        LayerName::Slices,
        LayerName::Words,
        LayerName::Models,
        LayerName::Cores,
        LayerName::Patching,
        LayerName::Values,
        LayerName::Trying,
        LayerName::Intervals,
        LayerName::Search,
        LayerName::Rewriting,
        LayerName::Sweeping,
        LayerName::Sampling,
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
            LayerName::Values => "values",
            LayerName::Trying => "trying",
            LayerName::Intervals => "intervals",
            LayerName::Search => "search",
            LayerName::Rewriting => "rewriting",
            LayerName::Sampling => "sampling",
            LayerName::Sweeping => "sweeping",
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
        found.ok_or_else(|| SolverError::UnknownLayer {
            name: s.to_string(),
            layers: LayerName::ALL.map(LayerName::as_str).join(", "),
        })
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
    /// A folder to record all questions in, with all that led to them; see [`Recording`](crate::Recording). Default is none.
    pub record: Option<PathBuf>,
    /// A folder to write each question in that reaches the back ends, a file of SMT-LIB 2 each. Default is none.
    pub dump: Option<PathBuf>,
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
            record: None,
            dump: None,
            stop: Arc::default(),
        }
    }
}
