//! Workers on the ranks of an MPI job: `mpiexec -n N cleave run ...` makes rank 0 the coordinator, and each other
//! rank runs one worker. The only crate that knows MPI.
//!
//! A rank explores nothing itself. It starts the worker as a child process and passes messages on between MPI and
//! the child's pipes, for three reasons. MPI ends the whole job when a rank dies, so a process that may die (by a panic, or
//! killed by the system when memory is short) must not be a rank. A process that explores does not depend on MPI. And a rank
//! that only waits can be stopped at any moment, however long the worker's solver query takes.
//!
//! Ranks need a file system in common neither for the program, which comes in the set-up message, nor for the
//! run directory, which only rank 0 touches.
//!
//! * [`launched`] detects if this process is a rank; it needs no MPI library.
//! * `Ranks` (feature `mpi`) is the coordinator's transport, on rank 0; `serve` is the body of the other ranks.

mod launch;
#[cfg(feature = "mpi")]
mod leave;
#[cfg(feature = "mpi")]
mod link;
#[cfg(feature = "mpi")]
mod ranks;
#[cfg(feature = "mpi")]
mod relay;

pub use launch::{Launch, launched};
#[cfg(feature = "mpi")]
pub use link::Link;
#[cfg(feature = "mpi")]
pub use ranks::Ranks;
#[cfg(feature = "mpi")]
pub use relay::serve;
