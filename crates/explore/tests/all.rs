//! The tests of `cleave-explore` through its public door, in one binary: each that is linked anew costs a build seconds.

mod bound;
mod classes;
mod divergence;
mod engines;
mod flow;
mod guards;
mod laws;
mod pace;
mod sides;
mod slow;
mod spill;
mod trail;
