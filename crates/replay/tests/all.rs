//! The tests of `cleave-replay` through its public door, in one binary: each that is linked anew costs a build seconds.

mod replay;
mod verdict;
