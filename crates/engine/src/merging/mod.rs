//! Merging: the arms of a path run one after the other, and are joined where they meet.

pub(crate) mod arms; // arms of a path
pub(crate) mod class; // the class of a test, as conditions
pub(crate) mod guards; // guards that no input satisfies
pub(crate) mod known; // what the diagrams of a path know
pub(crate) mod merge; // where arms begin, run and are joined
pub(crate) mod shapes; // shapes of functions, and which of two arms is further behind
