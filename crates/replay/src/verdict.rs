//! Compares the native run with the engine's forecast.

use crate::{End, Observed, Order};
use sha2::{Digest, Sha256};

/// Kinds of error with their native effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `abort` or a failed assertion: SIGABRT.
    Abort,
    /// Division by zero: SIGFPE, or no effect if the compiler has dropped the division.
    Division,
    /// A trap: SIGILL.
    Trap,
    /// A breakpoint: SIGTRAP.
    Breakpoint,
    /// A wait that never ends: the run times out.
    Hang,
    /// A null pointer: most likely SIGSEGV, but not for certain.
    NullPointer,
    /// Any other error; its native effect is not foretold.
    Other,
}

/// The engine's forecast for a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foretold {
    /// The program ends by itself.
    Ends {
        /// The exit status, or the signal that the program sends to itself.
        end: End,
        /// Digest of the program's standard output.
        stdout_sha256: [u8; 32],
    },
    /// The engine found an error on the path.
    Fault(Fault),
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The native run matches the forecast.
    Agrees,
    /// The path ends in an error whose native effect is not foretold; the text describes the native end.
    Ran(String),
    /// The native run differs from the forecast; the text says how.
    Differs(String),
}

/// The SHA-256 digest of `bytes`.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Compares a run with what was foretold.
pub fn compare(foretold: &Foretold, observed: &Observed) -> Verdict {
    let is_error = matches!(foretold, Foretold::Fault(_));
    match &observed.order {
        Order::Kept => {}
        // A path ends at an error, but the native program may continue.
        Order::Beyond if is_error => {}
        Order::Beyond => {
            return Verdict::Differs("its threads go on where the foretold order of them ends".into());
        }
        Order::Short(left) => {
            return Verdict::Differs(format!(
                "its threads end {left} turns before the foretold order of them; natively: {}",
                observed.end
            ));
        }
        Order::Left(how) => return Verdict::Differs(how.clone()),
    }
    match foretold {
        Foretold::Ends { end, stdout_sha256 } => compare_end(*end, stdout_sha256, observed),
        Foretold::Fault(Fault::Other) => Verdict::Ran(format!("natively: {}", observed.end)),
        Foretold::Fault(Fault::Hang) => match observed.end {
            End::TimedOut => Verdict::Agrees,
            end => Verdict::Differs(format!("foretold: it waits for ever; natively: {end}")),
        },
        Foretold::Fault(fault) => {
            let signal = match fault {
                Fault::Abort => libc::SIGABRT,
                Fault::Division => libc::SIGFPE,
                Fault::Trap => libc::SIGILL,
                Fault::Breakpoint => libc::SIGTRAP,
                _ => libc::SIGSEGV,
            };
            // The path ends at the fault. Natively only the process ends, and others continue if it was not the first.
            if observed.end == End::Signaled(signal) || observed.killed.contains(&signal) {
                Verdict::Agrees
            } else if *fault == Fault::NullPointer || unused_division(*fault, observed.end) {
                Verdict::Ran(format!("natively: {}", observed.end))
            } else {
                let name = signal_name(signal);
                Verdict::Differs(format!("foretold: killed by {name}; natively: {}", observed.end))
            }
        }
    }
}

/// Returns true for a division by zero without native effect: compilers drop a division whose result is not used.
fn unused_division(fault: Fault, end: End) -> bool {
    fault == Fault::Division && matches!(end, End::Exited(_))
}

fn compare_end(end: End, digest: &[u8; 32], observed: &Observed) -> Verdict {
    let mut differences = Vec::new();
    if observed.end != end {
        differences.push(format!("foretold: {end}; natively: {}", observed.end));
    }
    if sha256(&observed.stdout) != *digest {
        let length = observed.stdout.len();
        let shown = observed.stdout.get(..200).unwrap_or(&observed.stdout).escape_ascii();
        let more = if length > 200 { " ..." } else { "" };
        differences.push(format!(
            "standard output is not the foretold one; natively {length} bytes: \"{shown}\"{more}"
        ));
    }
    if differences.is_empty() { Verdict::Agrees } else { Verdict::Differs(differences.join("; ")) }
}

/// The usual name of a signal.
pub(crate) fn signal_name(signal: i32) -> &'static str {
    match signal {
        libc::SIGABRT => "SIGABRT",
        libc::SIGFPE => "SIGFPE",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGBUS => "SIGBUS",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGKILL => "SIGKILL",
        libc::SIGTERM => "SIGTERM",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGXFSZ => "SIGXFSZ",
        libc::SIGSYS => "SIGSYS",
        libc::SIGALRM => "SIGALRM",
        libc::SIGHUP => "SIGHUP",
        _ => "another signal",
    }
}
