//! Start of this command, from which the time of a run is counted.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

static START: OnceLock<Instant> = OnceLock::new();

/// Maximum time for loading the executable and its libraries. Any more processor time belongs to the shell that became this
/// command by `exec`.
const MOST_BEFORE_MAIN: Duration = Duration::from_millis(200);

/// The start of the command: the first call less the processor time that was used before it, in which LLVM's library was
/// loaded. `main` begins with it.
pub fn started() -> Instant {
    *START.get_or_init(|| {
        let used = Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default();
        let now = Instant::now();
        now.checked_sub(used.min(MOST_BEFORE_MAIN)).unwrap_or(now)
    })
}
