//! The engine: one step of one state. It knows instructions, forks and errors, and not which state is next.
//!
//! An op that depends on the inputs asks for decisions. If one is open, the run of the state stops with the condition;
//! [`Engine::take`] adds a side to the path, and the next run executes *the same op again from its start*, with the answers so
//! far. So an op's code reads as if it were concrete, and a fork is a clone of a state between two ops. Changes that an op
//! makes before its last decision must not outlive it: ops decide first and change then; system calls work on copies.

mod checking; // checks, and the bugs that they find
mod compiled; // the compiled functions of a program
mod compiled_runs; // compiled code in place of the loop of `step.rs`
mod decide; // decisions of the op at hand, and values made concrete by them
mod engine; // the engine: its options, and what it holds
mod inspect; // a debugger's view of a state
mod library; // the world of a program, as the C library asks for it
mod limits; // limits behind which a value is decided one by one
mod looks; // looks at the work on terms during a run
mod memory; // memory of the program: from pointers to objects, the heap, and sizes and places that depend on the input
mod merging; // merging: the arms of a path run one after the other, and are joined where they meet
mod ops; // ops: what the loop of `step.rs` does not execute itself, because a value is not known or the op is rare
mod run_loop; // the loop of a run of a state
mod running; // the public operations of an engine
mod snapshot; // executions of tests with known bytes
mod states; // states: a point of the exploration as a value, and what it carries with it
mod step; // the execution of register code
mod stop; // reasons why the run of a state stops
mod threads; // threads and processes of one state, the order in which they run, and data races
mod trace; // places of states, objects and decisions, for messages
mod undefined; // undefined bits: where they come from, where they go, and which use of them is a bug

pub use checking::checks::{Checks, Family};
pub use cleave_linux::Turn;
pub use cleave_region::BugKind;
pub use engine::{COMPILE_AFTER, Decided, Engine, EngineOptions, MAX_SYMBOLIC_SIZE};
pub use running::Finished;
pub use states::compared::{Comparison, Comparisons};
pub use states::coverage::Coverage;

pub use checking::suppress::{Suppression, Suppressions, WORD_READ};
pub use limits::{ByValue, Limit, Limits};
pub use snapshot::Executed;
pub use states::state::{Input, State};
pub use states::visits::Visits;
pub use states::watch::HeardBranch;
pub use stop::{Bug, End, Outcome, TraceLine};
