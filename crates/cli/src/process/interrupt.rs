//! Ctrl-C: the first asks the run to stop and keep what is open; the second ends the program at once.

use crate::failure::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Signals that ask the run to stop.
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    /// The signal that came last; 0 for none.
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Listens from now on.
    ///
    /// # Errors
    /// If the system takes no handlers.
    pub fn listen() -> Result<Interrupt, Failure> {
        let (flag, last) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        for signal in [SIGINT, SIGTERM] {
            let failed = |e| Failure::new(format!("cannot listen for signal {signal}: {e}"));
            // In this order: the one that ends the program looks at the flag before the others set theirs.
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, flag.clone())
                .map_err(failed)?;
            signal_hook::flag::register_usize(signal, last.clone(), signal as usize).map_err(failed)?;
            signal_hook::flag::register(signal, flag.clone()).map_err(failed)?;
        }
        Ok(Interrupt { flag, signal: last })
    }

    /// Becomes true when the run is to stop.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.flag.clone()
    }

    /// As shells have it: 130 for Ctrl-C, 143 for SIGTERM.
    pub fn exit_code(&self) -> ExitCode {
        let signal = u8::try_from(self.signal.load(Ordering::Relaxed)).unwrap_or(0);
        ExitCode::from(128u8.saturating_add(signal))
    }
}
