//! Mappings of which the program has given a part back (`munmap`): the object stays as long as a byte of it does, and has holes
//! where bytes are gone. An access in front of the first hole is resolved like any other; one behind it looks for the hole that it meets.

use crate::object::{Birth, Hole, Kind, Object};
use crate::space::AddressSpace;

/// Takes the bytes from `start` to `end` out of holes that rise and do not meet.
fn filled(holes: &[Hole], start: u64, end: u64) -> Vec<Hole> {
    let halves = |hole: &Hole| {
        let front = Hole { end: hole.end.min(start), ..*hole };
        let back = Hole { start: hole.start.max(end), ..*hole };
        [front, back].into_iter().filter(|h| h.start < h.end)
    };
    holes.iter().flat_map(halves).collect()
}

impl AddressSpace {
    /// Gives back the bytes of mapped objects between two addresses; `death` is the op that does. Returns true if there were
    /// some.
    pub fn unmap(&mut self, from: u64, to: u64, death: u32) -> bool {
        let meets = |o: &&Object| o.kind == Kind::Mapped && o.base < to && from < o.base + o.size;
        let met: Vec<u64> = self.objects().filter(meets).map(|o| o.base).collect();
        for &base in &met {
            self.unmap_part(base, from, to, death);
        }
        !met.is_empty()
    }

    fn unmap_part(&mut self, base: u64, from: u64, to: u64, death: u32) {
        let Some(object) = self.live_mut(base) else { return };
        let (start, end) = (from.saturating_sub(base), (to - base).min(object.size));
        let mut holes = filled(object.holes(), start, end);
        let at = holes.partition_point(|h| h.start < start);
        holes.insert(at, Hole { start, end, death });
        let gone: u64 = holes.iter().map(|h| h.end - h.start).sum();
        let (size, all) = (object.size, gone >= object.size);
        if !all {
            object.set_holes(holes);
            return;
        }
        self.heap_bytes -= size;
        let slot = base >> self.target.slot_bits();
        self.low.kill(self.target, slot, death);
    }

    /// Puts zeros where bytes of a mapped object are or were, which are mapped anew. `false` if there is no such object.
    #[must_use]
    pub fn map_again(&mut self, from: u64, to: u64) -> bool {
        let inside = |o: &&Object| o.kind == Kind::Mapped && o.base <= from && to <= o.base + o.size;
        let Some(base) = self.object(from).filter(inside).map(|o| o.base) else { return false };
        let Some(object) = self.live_mut(base) else { return false };
        let (start, end) = (from - base, to - base);
        let holes = filled(object.holes(), start, end);
        object.set_holes(holes);
        object.fill(start, end - start, crate::Byte::Known(0), crate::Shadow::Defined);
        true
    }

    /// A new mapped object at an address of the program's choice: see [`AddressSpace::define`].
    #[must_use]
    pub fn define_born(&mut self, address: u64, size: u64, birth: Birth) -> bool {
        let defined = self.define(address, size);
        if let Some(object) = self.live_mut(address).filter(|_| defined) {
            object.birth = birth.place;
        }
        defined
    }
}
