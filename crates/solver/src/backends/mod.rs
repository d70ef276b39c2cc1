//! Back ends: decision procedures for the queries that no layer answers.

pub(crate) mod backend; // their interface
#[cfg(feature = "bitwuzla")]
pub(crate) mod bitwuzla; // Bitwuzla
pub(crate) mod blast; // a bit-blaster over an incremental SAT solver
pub(crate) mod chain; // the running back ends, their order and time limits
pub(crate) mod disagreement; // contradictions between two back ends
pub(crate) mod smtlib; // solvers that are installed on this machine
pub(crate) mod tiers; // back ends by name: the table of this build
