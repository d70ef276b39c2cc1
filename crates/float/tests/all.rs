//! The tests of `cleave-float` through its public door, in one binary: each that is linked anew costs a build seconds.

mod extended;
mod native;
