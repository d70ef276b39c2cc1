//! The memory that a run uses. A limit of the kernel's counts what is reserved; a program may reserve much and use little.

use crate::Limits;
use std::path::Path;

/// Processes deeper below the first than this are not looked for.
const DEEPEST: u32 = 16;

fn children_of(pid: i32) -> String {
    format!("/proc/{pid}/task/{pid}/children")
}

/// The limits, with an address space that is small where nobody can see what is used of it.
pub(crate) fn that_hold(limits: Limits) -> Limits {
    let seen = Path::new(&children_of(std::process::id() as i32)).exists();
    let address_space = if seen { limits.address_space } else { limits.address_space.min(limits.memory) };
    Limits { address_space, ..limits }
}

/// Bytes of memory that a process uses; none if it is gone.
pub(crate) fn of(pid: i32) -> u64 {
    const PAGE: u64 = 4096;
    let text = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let resident = text.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok());
    resident.unwrap_or(0) * PAGE
}

/// What the process below this one uses that uses most.
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
