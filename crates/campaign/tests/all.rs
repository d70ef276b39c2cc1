//! The tests of `cleave-campaign` through its public door, in one binary: each that is linked anew costs a build seconds.

mod common;
mod exhaustive;
mod faults;
mod interleavings;
mod measure;
mod odd;
mod thefts;
mod threads;
