//! The tests of the crate, in one executable.

mod judged;
