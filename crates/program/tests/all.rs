//! The tests of `cleave-program` through its public door, in one binary: each that is linked anew costs a build seconds.

mod images;
mod lowering;
mod verifier;
mod whole_programs;
