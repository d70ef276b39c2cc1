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
    /// Its length with the bytes behind it in its page that may be written, too, if [`AddressSpace::defines`] is told of them.
    pub most: u64,
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
            let most = if page.has_terms() { len } else { (page.known.len() - run.start) as u64 };
            return Some(Window { start, len, bytes: page.known[run].as_mut_ptr(), most });
        }
        let (page, at) = object.page(offset);
        let run = page.plain_around(at)?;
        let start = base + offset - (at - run.start) as u64;
        let bytes = page.known[run.clone()].as_ptr().cast_mut();
        let len = run.len() as u64;
        Some(Window { start, len, bytes, most: len })
    }
}

impl AddressSpace {
    /// `n` bytes behind a window that may be written were written, up to [`Window::most`]: they are defined from now on.
    pub fn defines(&mut self, address: u64, n: u64) {
        if let Ok((object, offset)) = self.resolve_to_store(address, n) {
            let (page, at) = object.page_mut(offset);
            page.define(at, n as usize);
        }
    }

    /// Copies `n` bytes, at least one, as if all of them were read before one is written. `None` if one of them is not plain, or if a
    /// place is not accessible; then nothing is written.
    pub fn copy_plain(&mut self, to: u64, from: u64, n: u64) -> Option<()> {
        let (source, start) = self.resolve(from, n).ok()?;
        let bytes = source.plain_bytes(start, n)?;
        let (object, offset) = self.resolve_to_store(to, n).ok()?;
        object.fill_from(offset, &bytes);
        Some(())
    }

    /// Writes a known byte `n` times, at least once. `None` if the place is not accessible; then nothing is written.
    pub fn fill_plain(&mut self, to: u64, byte: u8, n: u64) -> Option<()> {
        let (object, offset) = self.resolve_to_store(to, n).ok()?;
        object.fill_from(offset, &vec![byte; n as usize]);
        Some(())
    }

    /// The address and the size in bytes of each object that [`AddressSpace::release_stack`] would end.
    pub fn stack_objects_since(&self, mark: u64) -> Vec<(u64, u64)> {
        let stack = self.own_stack();
        let live = (mark..stack.end).filter_map(|slot| stack.live(slot));
        live.map(|object| (object.base, object.size)).collect()
    }
}
