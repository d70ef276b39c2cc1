//! The tests of `cleave-simulate` through its public door, in one binary: each that is linked anew costs a build seconds.

mod grown;
mod scale;
mod simulation;
mod toy;
