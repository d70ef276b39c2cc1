//! When this command began: what a run takes is told from there.

use std::sync::OnceLock;
use std::time::Instant;

static START: OnceLock<Instant> = OnceLock::new();

/// The start of the command: the first call. `main` begins with it.
pub fn started() -> Instant {
    *START.get_or_init(Instant::now)
}
