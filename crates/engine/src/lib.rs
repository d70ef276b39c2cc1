//! The engine: one step of one state. It knows instructions, forks and errors, and not which state is next.
//!
//! An op that depends on the inputs asks for decisions. Where one is open, the run of the state stops with the
//! condition; [`Engine::take`] adds a side to the path, and the next run executes *the same op again from its
//! start*, with the answers so far. So an op's code reads as if it were concrete, and a fork is a clone of a
//! state between two ops. What an op changes before its last decision must not outlive it: ops decide first
//! and change then; system calls work on copies.

mod accessed;
mod addresses;
mod alignments;
mod aside;
mod atomics;
mod builtins;
mod by_value;
mod calls;
mod checks;
mod clocks;
mod code_pointers;
mod contracts;
mod coverage;
mod decide;
mod descriptors;
mod engine;
mod execution;
mod failing;
mod fault_texts;
mod floats;
mod formats;
mod frame;
mod guest;
mod handlers;
mod heap;
mod hearing;
mod inspect;
mod integers;
mod intrinsics;
mod jumps;
mod leaks;
mod lengths;
mod limits;
mod memory_ops;
mod nested_reads;
mod noted;
mod origins;
mod overlap;
mod parked;
mod passing;
mod places;
mod pointers;
mod printed;
mod processes;
mod processor;
mod races;
mod racing;
mod recurrence;
mod rounds;
mod schedules;
mod scopes;
mod self_check;
mod several;
mod shaded_memory;
mod shades;
mod shadow;
mod signatures;
mod sizes;
mod spin;
mod spins;
mod state;
mod step;
mod stop;
mod suppress;
mod threads;
mod trace;
mod undefined;
mod uses;
mod varargs;
mod visits;
mod watch;
mod wide;

pub use checks::{Checks, Family};
pub use cleave_linux::Turn;
pub use cleave_region::BugKind;
pub use coverage::Coverage;
pub use engine::{Decided, Engine, EngineOptions, Finished, MAX_SYMBOLIC_SIZE};
pub use limits::{ByValue, Limit, Limits};
pub use state::{Input, State};
pub use stop::{Bug, End, Outcome, TraceLine};
pub use suppress::{Suppression, Suppressions, WORD_READ};
pub use visits::Visits;
pub use watch::HeardBranch;
