//! The tests of `cleave-expr` through its public door, in one binary: each that is linked anew costs a build seconds.

mod agreement;
mod boxes;
mod c_text;
mod common;
mod floats;
mod selection;
