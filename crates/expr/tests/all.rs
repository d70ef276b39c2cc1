//! The tests of `cleave-expr` through its public interface, in one binary: linking each further binary takes seconds.

mod agreement;
mod boxes;
mod c_text;
mod common;
mod floats;
mod selection;
