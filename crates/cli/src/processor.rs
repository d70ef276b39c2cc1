//! Time of a processor.

use std::time::Duration;

/// What this thread has had of a processor: benches may take long, beside other work.
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}
