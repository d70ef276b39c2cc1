//! Options of a solver and the names of its layers. The command line fills them; [`Solver::new`](crate::Solver::new)
//! reads them.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cleave_expr::Terms;

use crate::backends::tiers::Tiers;
use crate::error::SolverError;
use crate::policy::back_ends;

macro_rules! layers {
    ($($(#[$doc:meta])* $layer:ident = $name:literal,)*) => {
        /// A layer of the solver: each answers some questions, and each can be switched off by name.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum LayerName {
            $($(#[$doc])* $layer,)*
        }

        impl LayerName {
            /// All layers, in the order in which they are asked.
            pub const ALL: [LayerName; [$($name),*].len()] = [$(LayerName::$layer),*];

            /// The name that options and statistics use.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(LayerName::$layer => $name,)*
                }
            }
        }
    };
}

layers! {
    /// The question is a constant.
    Constants = "constants",
    /// The given witness already satisfies the question.
    Witness = "witness",
    /// Exact sets of the values of single bytes.
    ByteSets = "byte-sets",
    /// Only conditions that share bytes with the question are looked at; one of them may be its negation.
    Slices = "slices",
    /// Bounds of words and chains of comparisons between them.
    Words = "words",
    /// Unsatisfiable cores of earlier questions.
    Cores = "cores",
    /// Local changes of the witness that make the question true.
    Patching = "patching",
    /// All values of a term, listed once and kept for later questions.
    Values = "values",
    /// Exhaustive enumeration of a few bytes.
    Trying = "trying",
    /// Floating-point numbers: branch and prune over intervals of the input's words.
    Intervals = "intervals",
    /// Floating-point numbers: local search that moves words of the witness towards the conditions.
    Search = "search",
    /// Simpler forms of the conditions; conditions on one term of few values that contradict each other.
    Rewriting = "rewriting",
    /// Values of one byte after the other, with prefix states merged if they are equal for the rest.
    Sweeping = "sweeping",
    /// Random inputs.
    Sampling = "sampling",
    /// The back ends. Switched off, the solver gives up where no other layer answers.
    Sat = "sat",
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

/// Options of a [`Solver`](crate::Solver).
#[derive(Clone, Debug)]
pub struct SolverOptions {
    /// Maximum time of one question in the back ends. Default is 30 seconds.
    pub timeout: Duration,
    /// Maximum time of each back end but the last, if there are several. Default is 1 second.
    pub first_limit: Duration,
    /// Layers that are switched off. Default is none.
    pub disabled: BTreeSet<LayerName>,
    /// Send each question that reaches the back ends to all of them, two at least; see [`SolverError::Disagreement`].
    /// Default is no.
    pub cross_check: bool,
    /// Evaluate the whole path condition under each model, and solve each refuted question again by another back end
    /// (the same one if there is only one). Default is no.
    pub self_check: bool,
    /// Assert the conditions of a question in the first back end one by one, and stop at the first that contradicts
    /// those before it without a search (S2PF, section 3.2). Default is no.
    pub feeding: bool,
    /// The back ends, in the order in which they are asked. Default is all that [`crate::BACK_ENDS`] marks as usual.
    pub tiers: Tiers,
    /// Memory of the value vectors of a path's models and of cached lists, in bytes. Default is 256 MiB.
    pub table_memory: usize,
    /// A folder for recordings of all questions; see [`Recording`](crate::Recording). Default is none.
    pub record: Option<PathBuf>,
    /// A folder for the questions that reach the back ends, a file of SMT-LIB 2 each. Default is none.
    pub dump: Option<PathBuf>,
    /// While this flag is true, back ends give up at once, also on the query at hand. Another thread may set it.
    /// Default is a flag that is never set.
    pub stop: Arc<AtomicBool>,
}

impl Default for SolverOptions {
    fn default() -> Self {
        SolverOptions {
            timeout: back_ends::TIMEOUT,
            first_limit: back_ends::FIRST_LIMIT,
            disabled: BTreeSet::new(),
            cross_check: false,
            self_check: false,
            feeding: false,
            tiers: Tiers::default(),
            table_memory: Terms::TABLE_MEMORY,
            record: None,
            dump: None,
            stop: Arc::default(),
        }
    }
}
