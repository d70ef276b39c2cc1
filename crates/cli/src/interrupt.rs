//! Ctrl-C: the first asks the run to stop and keep what is open; the second ends the program at once.

use crate::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that becomes true when the run is to stop.
///
/// # Errors
/// If the system takes no handlers.
pub fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let failed = |e| Failure::new(format!("cannot listen for signal {signal}: {e}"));
        // In this order: the one that ends the program looks at the flag before the other sets it.
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, flag.clone())
            .map_err(failed)?;
        signal_hook::flag::register(signal, flag.clone()).map_err(failed)?;
    }
    Ok(flag)
}
