//! Functions marked `#[cleave::proof]`, and their beginning.

use std::io::Write;
use std::panic;
use std::process::{ExitCode, Termination};

/// A function that `#[cleave::proof]` marks. Only the attribute makes one.
#[doc(hidden)]
#[repr(C)]
#[derive(Debug)]
pub struct Proof {
    name: *const u8,
    length: usize,
    run: fn(),
    should_panic: bool,
}

// SAFETY: a name is a constant, and nobody writes to it.
unsafe impl Sync for Proof {}

impl Proof {
    #[doc(hidden)]
    pub const fn new(name: &'static str, run: fn(), should_panic: bool) -> Proof {
        Proof { name: name.as_ptr(), length: name.len(), run, should_panic }
    }
}

/// Runs a proof. A panic ends the program, in a harness of tests too, where it would unwind. An error that the proof returns is a panic,
/// as it is a failure of a test.
///
/// # Panics
/// As the proof does.
#[doc(hidden)]
#[track_caller]
pub fn run_proof<T: Termination>(run: impl FnOnce() -> T) {
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |panicked| {
        tell(panicked);
        std::process::abort();
    }));
    let ended = run().report();
    assert!(ended == ExitCode::SUCCESS, "the proof returned an error");
    drop(std::io::stdout().flush());
}
