//! Processor time.

use std::time::Duration;

/// Processor time of this thread: benches may take long, beside other work.
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}
