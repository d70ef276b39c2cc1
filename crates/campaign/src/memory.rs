//! How much memory this process takes.
#![allow(unsafe_code)]

/// Bytes that this process has allocated and not freed.
pub(crate) fn heap_in_use() -> u64 {
    // SAFETY: the function takes no argument; it reads the allocator's counters under the allocator's own locks.
    let info = unsafe { libc::mallinfo2() };
    (info.uordblks + info.hblkhd) as u64
}

/// The largest resident size of this process, in bytes.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}
