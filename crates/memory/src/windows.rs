//! Windows: runs of plain bytes of objects, for compiled code that reads and writes them without a look at the object. A byte is
//! plain if it is known and wholly defined. A pointer of a window is valid until [`crate::changes`] gives another number: each event that
//! moves the bytes of a page, shares them, ends them, or may make them other than plain counts. Known values that are stored do not.

use crate::space::AddressSpace;
use crate::undefined::PAGE;

/// A run of plain bytes of an object.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Its address.
    pub start: u64,
    /// Its length in bytes, at most [`PAGE`]. It does not cross a multiple of that.
    pub len: u64,
    /// Its bytes. They may be written if the window was asked for to write.
    pub bytes: *mut u8,
}

impl AddressSpace {
    /// The window around a plain byte at an address. `write` makes the bytes this address space's own; of a constant there is then
    /// no window, nor of an object whose size depends on the input, that has holes, or that begins within a page.
    pub fn window(&mut self, address: u64, write: bool) -> Option<Window> {
        let (object, offset) = self.resolve(address, 1).ok()?;
        if object.extent.is_some() || object.holes.is_some() || !object.base.is_multiple_of(PAGE as u64) {
            return None;
        }
        let base = object.base;
        if write {
            if object.constant {
                return None;
            }
            let object = self.live_to_store(base)?;
            let (page, at) = object.page_mut(offset);
            let run = page.plain_around(at)?;
            let start = base + offset - (at - run.start) as u64;
            let len = run.len() as u64;
            return Some(Window { start, len, bytes: page.known[run].as_mut_ptr() });
        }
        let (page, at) = object.page(offset);
        let run = page.plain_around(at)?;
        let start = base + offset - (at - run.start) as u64;
        let bytes = page.known[run.clone()].as_ptr().cast_mut();
        Some(Window { start, len: run.len() as u64, bytes })
    }
}
