//! The memory in use by a run. The kernel's limits count reserved memory, but a program may reserve much and use little.

use crate::Limits;
use std::path::Path;

/// Maximum depth at which descendants of a process are counted.
const DEEPEST: u32 = 16;

fn children_of(pid: i32) -> String {
    format!("/proc/{pid}/task/{pid}/children")
}

/// The limits; the address space is limited to [`Limits::memory`] if the memory in use cannot be measured.
pub(crate) fn that_hold(limits: Limits) -> Limits {
    let seen = Path::new(&children_of(std::process::id() as i32)).exists();
    let address_space = if seen { limits.address_space } else { limits.address_space.min(limits.memory) };
    Limits { address_space, ..limits }
}

/// Memory in use by a process, in bytes; 0 if it is gone.
pub(crate) fn of(pid: i32) -> u64 {
    const PAGE: u64 = 4096;
    let text = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let resident = text.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok());
    resident.unwrap_or(0) * PAGE
}

/// Memory in use by the largest process below this one, in bytes.
pub(crate) fn most_below(pid: i32) -> u64 {
    below(pid, 0)
}

fn below(pid: i32, depth: u32) -> u64 {
    if depth == DEEPEST {
        return 0;
    }
    let text = std::fs::read_to_string(children_of(pid)).unwrap_or_default();
    let children = text.split_whitespace().filter_map(|n| n.parse::<i32>().ok());
    children.map(|child| of(child).max(below(child, depth + 1))).max().unwrap_or(0)
}
