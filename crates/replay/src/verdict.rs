//! What the engine foretold, against what the native run did.

use crate::{End, Observed, Order};
use sha2::{Digest, Sha256};

/// Kinds of error whose native effect is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `abort` or a failed assertion: SIGABRT.
    Abort,
    /// Division by zero: SIGFPE, or nothing where the compiler has dropped the division.
    Division,
    /// A trap: SIGILL.
    Trap,
    /// A breakpoint: SIGTRAP.
    Breakpoint,
    /// Waiting for what never comes: it runs out of time.
    Hang,
    /// A null pointer: SIGSEGV in all likelihood, not for certain.
    NullPointer,
    /// Anything else: what happens natively is not foretold.
    Other,
}

/// What the engine says that the program does on a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foretold {
    /// It ends by itself.
    Ends {
        /// With which exit status, or by which signal that it sends to itself.
        end: End,
        /// Digest of everything it writes to standard output.
        stdout_sha256: [u8; 32],
    },
    /// The engine found an error on the path.
    Fault(Fault),
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The native run did what was foretold.
    Agrees,
    /// The path ends in an error whose native effect is not foretold; the text says what happened.
    Ran(String),
    /// The native run did something else; the text says what.
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
        // A path ends at an error, and natively the program may go on.
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
            // The path ends at the fault, but natively only the process ends: others go on if it was not the first.
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

/// A division whose result nobody uses is a bug in the source, and natively not there: compilers drop it.
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
