//! The global allocator: mimalloc with a count of the bytes that each thread holds. A worker explores in one thread, and
//! bounds its memory by this count.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

use libmimalloc_sys::{mi_malloc, mi_realloc, mi_zalloc};
use mimalloc::MiMalloc;

/// mimalloc with a count for each thread.
pub struct Counting;

thread_local! {
    /// Bytes allocated by this thread less those that it has freed.
    static HELD: Cell<i64> = const { Cell::new(0) };
}

fn count(bytes: i64) {
    // A thread that ends frees memory after its own variables are gone.
    let _ = HELD.try_with(|held| held.set(held.get() + bytes));
}

/// Bytes that this thread holds.
pub fn held() -> u64 {
    HELD.with(|held| u64::try_from(held.get()).unwrap_or(0))
}

/// Alignment that mimalloc guarantees without a request, in bytes: its smallest block.
const ALIGNED: usize = 8;

// SAFETY: all is left to mimalloc; counting does not allocate. Blocks of `mi_malloc` and `mi_realloc` are aligned to
// `ALIGNED`, and `mi_free` takes those of the aligned functions too.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        if layout.align() <= ALIGNED {
            // SAFETY: any size is allowed.
            return unsafe { mi_malloc(layout.size()) }.cast();
        }
        // SAFETY: the caller keeps to the contract of `alloc`, which is handed on.
        unsafe { MiMalloc.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        if layout.align() <= ALIGNED {
            // SAFETY: any size is allowed.
            return unsafe { mi_zalloc(layout.size()) }.cast();
        }
        // SAFETY: as of `alloc`.
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: as of `alloc`.
        unsafe { MiMalloc.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        if layout.align() <= ALIGNED {
            // SAFETY: the memory is mimalloc's, and is the caller's.
            return unsafe { mi_realloc(memory.cast(), size) }.cast();
        }
        // SAFETY: as of `alloc`.
        unsafe { MiMalloc.realloc(memory, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_counted_until_it_is_freed() {
        let before = held();
        let mut bytes = vec![1u8; 1 << 20];
        assert!(held() >= before + (1 << 20));
        bytes.resize(3 << 20, 2);
        assert!(held() >= before + (3 << 20));
        drop(bytes);
        assert!(held() < before + (1 << 19));
    }
}
