//! The tests of `cleave-linux` through its public door, in one binary: each that is linked anew costs a build seconds.

mod common;
mod differential;
mod env;
mod events;
mod kernel;
mod processes;
mod signals;
mod sockets;
mod terminal;
