//! States: a point of the exploration as a value, and what it carries with it.

pub(crate) mod aside; // counts of the forks inside of the C library
pub(crate) mod by_value; // counts of values that a limit had decided one by one
pub(crate) mod compared; // words with which functions compare the input
pub(crate) mod coverage; // coverage of finished paths
pub(crate) mod frame; // frames of functions that run
pub(crate) mod hearing; // an optional log of the conditions of branches
pub(crate) mod jumps; // the next places of states, and visits to each place
pub(crate) mod passing; // marks that states pass
pub(crate) mod places; // numbers for places of a program
pub(crate) mod scopes; // scopes of local variables
pub(crate) mod self_check; // the self-check of a path while its test is followed
pub(crate) mod state; // a state
pub(crate) mod visits; // counts of the visits to each place by all states
pub(crate) mod watch; // observers of a path while it is followed
