//! The layers of the solver; `pipeline.rs` has their order.

pub(crate) mod local; // answers from the facts of a long component
pub(crate) mod numbers; // branch and prune for floating point
pub(crate) mod patch; // local search: changes of a witness
pub(crate) mod recent; // cores of recent questions
pub(crate) mod rewriting; // simpler forms of the conditions of a hard question
pub(crate) mod simple; // constants, the witness at hand, byte sets, contradictions
pub(crate) mod slice; // the conjuncts that share bytes with a question
pub(crate) mod solutions; // all solutions over the bytes of a slice, if they are few
pub(crate) mod survivors; // satisfying assignments kept from question to question
pub(crate) mod sweeping; // enumeration, and random inputs
pub(crate) mod trying; // exhaustive enumeration of a few bytes
pub(crate) mod values; // all values of a term on a path
pub(crate) mod words; // difference constraints between words
