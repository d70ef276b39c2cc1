//! The memory of this process. A worker reports its peak, and gives states up when it grows too large.

/// The part of the limit by which the process must have grown since states were given up before more are: freed memory
/// becomes usable again, but only a part of it leaves the process.
const GROWN: u64 = 64;

/// The largest resident size of this process, in bytes.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The resident size of this process, in bytes.
pub(crate) fn resident_memory() -> Option<u64> {
    let sizes = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages = sizes.split_whitespace().nth(1)?.parse::<u64>().ok()?;
    Some(pages * PAGE)
}

/// Size of a page, in bytes, on the processors that Cleave runs on.
const PAGE: u64 = 4096;

/// The limit of a process that has one worker.
pub(crate) struct ProcessLimit {
    most: u64,
    /// Size above which states are given up.
    due: u64,
}

impl ProcessLimit {
    /// Lets the process take the memory of a worker, all in all; half of it at least beside the loaded program.
    pub(crate) fn new(of_worker: u64, loaded: u64) -> ProcessLimit {
        let most = of_worker.max(loaded.saturating_add(of_worker / 2));
        ProcessLimit { most, due: most }
    }

    /// True if states must be given up at this size. The next time is when the process has become larger than now.
    pub(crate) fn is_reached(&mut self, now: u64) -> bool {
        if now <= self.most {
            self.due = self.most;
            return false;
        }
        let reached = now > self.due;
        if reached {
            self.due = now + self.most / GROWN;
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_the_process_is_that_of_the_system() {
        let (now, peak) = (resident_memory().unwrap(), peak_memory().unwrap());
        assert!(now > 100_000 && now <= peak + (1 << 22), "{now} {peak}");
    }

    #[test]
    fn states_are_given_up_above_the_limit_and_again_only_when_the_process_has_grown() {
        let mut limit = ProcessLimit::new(6400, 50);
        let mut reached = |now| limit.is_reached(now);
        assert!(!reached(6400));
        assert!(reached(6401));
        assert!(!reached(6500));
        assert!(reached(6502));
        // States were freed, and others take their place.
        assert!(!reached(5000));
        assert!(reached(6401));
        // A loaded program that is larger than the limit leaves half of it for states.
        let mut limit = ProcessLimit::new(1000, 2000);
        assert!(!limit.is_reached(2500) && limit.is_reached(2501));
    }
}
