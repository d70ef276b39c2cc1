//! Comparison of two address spaces. Parts that they share are not looked at, so that to compare a clone with its original
//! costs as much as was written since.

use std::rc::Rc;

use crate::byte::Byte;
use crate::object::Object;
use crate::slots::{Chunk, Slot, Slots};

/// Returns true if two different bytes at one place have the same value all the same.
pub(crate) type Alike<'a> = &'a mut dyn FnMut(Byte, Byte) -> bool;

/// True if two objects are one, or have the same bytes.
fn same_object(a: &Rc<Object>, b: &Rc<Object>, alike: Alike<'_>) -> bool {
    if Rc::ptr_eq(a, b) {
        return true;
    }
    let same_kind =
        (a.base, a.size, a.extent, a.kind, a.constant) == (b.base, b.size, b.extent, b.kind, b.constant);
    let mut same = |x: Byte, y: Byte| x == y || alike(x, y);
    same_kind
        && a.holes() == b.holes()
        && (0..a.size).all(|i| same(a.get(i), b.get(i)) && a.shadow(i) == b.shadow(i))
}

/// True if both slots have the same live object, or none; the graves of dead ones do not count.
fn same_slot(a: &Slot, b: &Slot, alike: Alike<'_>) -> bool {
    match (a, b) {
        (Slot::Live(a), Slot::Live(b)) => same_object(a, b, alike),
        (Slot::Live(_), _) | (_, Slot::Live(_)) => false,
        _ => true,
    }
}

impl Slots {
    /// True if the live objects are the same in both, with the same bytes.
    pub(crate) fn holds_the_same(&self, other: &Slots, alike: Alike<'_>) -> bool {
        let (short, long) =
            if self.chunks.len() <= other.chunks.len() { (self, other) } else { (other, self) };
        let (both, rest) = long.chunks.split_at(short.chunks.len());
        let mut same = |(a, b): (&Rc<Chunk>, &Rc<Chunk>)| {
            Rc::ptr_eq(a, b) || a.iter().zip(b.iter()).all(|(a, b)| same_slot(a, b, alike))
        };
        let lives = |slot: &Slot| matches!(slot, Slot::Live(_));
        short.chunks.iter().zip(both).all(&mut same) && !rest.iter().any(|chunk| chunk.iter().any(lives))
    }
}

#[cfg(test)]
mod tests {
    use crate::{AddressSpace, Byte, Kind, Shadow};

    #[test]
    fn what_is_written_back_is_the_same_and_what_is_not_is_not() {
        let mut before = AddressSpace::default();
        let small = before.allocate(8, Kind::Heap).unwrap();
        let large = before.allocate(100_000, Kind::Heap).unwrap();
        for (address, n) in [(small, 8), (large + 70_000, 4)] {
            let mut after = before.clone();
            assert!(after.holds_the_same(&before));
            after.store_known(address, n, 5).unwrap();
            assert!(!after.holds_the_same(&before) && !before.holds_the_same(&after));
            after.store_known(address, n, 0).unwrap();
            assert!(after.holds_the_same(&before));
            after.fill(address, 1, Byte::Known(0), Shadow::Fresh).unwrap();
            assert!(!after.holds_the_same(&before), "a byte that nobody has set is none that is zero");
        }
    }

    #[test]
    fn a_stack_object_that_came_and_went_leaves_no_trace() {
        let before = AddressSpace::default();
        let mut after = before.clone();
        let mark = after.stack_mark();
        after.allocate_stack(64, Kind::Stack).unwrap();
        assert!(!after.holds_the_same(&before));
        after.release_stack(mark, 0);
        assert!(after.holds_the_same(&before));
        after.allocate(8, Kind::Heap).unwrap();
        assert!(!after.holds_the_same(&before));
    }
}
