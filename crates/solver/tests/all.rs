//! The tests of `cleave-solver` through its public door, in one binary: each that is linked anew costs a build seconds.

mod agreement;
mod backends;
mod bounds;
mod common;
mod float_operators;
mod floats;
mod forms;
mod known;
mod linear_forms;
mod live;
mod long_paths;
mod recording;
mod rows;
mod stopping;
mod together;
mod trying;
