//! The table of objects: slots by number, in chunks that forks share.

use std::rc::Rc;

use cleave_program::layout::Target;

use crate::object::{Grave, Object};
use crate::own::{changed, own};

/// Slots in a chunk, which is the unit that a fork shares: it copies one for its first write there, and counts references of
/// all chunks when it is made.
const CHUNK: usize = 16;

#[derive(Clone, Debug, Default)]
pub(crate) enum Slot {
    #[default]
    Empty,
    /// An object starts here.
    Live(Rc<Object>),
    /// An object goes on here that starts this many slots before.
    Inner(u32),
    /// An object was here, or went on here.
    Dead(Grave),
}

pub(crate) type Chunk = [Slot; CHUNK];

/// Slots by number, in chunks that are copied when a fork writes to them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    pub(crate) chunks: Vec<Rc<Chunk>>,
    /// The first slot that was never used.
    pub(crate) end: u64,
}

impl Slots {
    #[inline(always)]
    pub(crate) fn get(&self, slot: u64) -> Option<&Slot> {
        let chunk = self.chunks.get(slot as usize / CHUNK)?;
        Some(&chunk[slot as usize % CHUNK])
    }

    pub(crate) fn live(&self, slot: u64) -> Option<&Object> {
        match self.get(slot)? {
            Slot::Live(object) => Some(object),
            _ => None,
        }
    }

    #[inline(always)]
    pub(crate) fn live_mut(&mut self, slot: u64) -> Option<&mut Object> {
        let chunk = self.chunks.get_mut(slot as usize / CHUNK)?;
        match &mut own(chunk)[slot as usize % CHUNK] {
            Slot::Live(object) => Some(own(object)),
            _ => None,
        }
    }

    pub(crate) fn set(&mut self, slot: u64, value: Slot) {
        let c = slot as usize / CHUNK;
        if self.chunks.len() <= c {
            // One empty chunk for all that are skipped.
            let empty: Rc<Chunk> = Rc::new(std::array::from_fn(|_| Slot::Empty));
            self.chunks.resize(c + 1, empty);
        }
        own(&mut self.chunks[c])[slot as usize % CHUNK] = value;
    }

    /// Number of slots between this one and the first slot of its object; 0 if it is not an inner slot.
    pub(crate) fn back(&self, slot: u64) -> u64 {
        match self.get(slot) {
            Some(Slot::Inner(back)) => u64::from(*back),
            _ => 0,
        }
    }

    /// Puts an object at the end.
    pub(crate) fn push(&mut self, target: Target, object: Object) {
        self.end += self.put(target, self.end, object);
    }

    /// Puts an object at the end that has the slots of `room` bytes, though it has fewer bytes.
    pub(crate) fn push_with_room(&mut self, target: Target, object: Object, room: u64) {
        let (first, count) = (self.end, target.slots_of(object.base, room));
        self.push(target, object);
        for k in 1..count {
            self.set(first + k, Slot::Inner(k as u32));
        }
        self.end = first + count.max(1);
    }

    /// Puts an object into the slots from `start` on. Returns the number of them.
    pub(crate) fn put(&mut self, target: Target, start: u64, object: Object) -> u64 {
        let count = target.slots_of(object.base, object.size);
        self.set(start, Slot::Live(Rc::new(object)));
        for k in 1..count {
            self.set(start + k, Slot::Inner(k as u32));
        }
        count
    }

    /// Marks the slots of the object that starts at `slot` as dead. Returns the number of them. A dead slot keeps the last
    /// `death`.
    #[inline]
    pub(crate) fn kill(&mut self, target: Target, slot: u64, death: u32) -> u64 {
        changed();
        let Some(chunk) = self.chunks.get_mut(slot as usize / CHUNK) else { return 1 };
        let first = &mut own(chunk)[slot as usize % CHUNK];
        match first {
            Slot::Live(o) => {
                let (count, grave) = (target.slots_of(o.base, o.size), o.grave(target, death));
                *first = Slot::Dead(grave);
                if count > 1 {
                    self.kill_inner(slot, count, grave);
                }
                count
            }
            Slot::Dead(grave) => {
                grave.death = death;
                1
            }
            _ => 1,
        }
    }

    /// Marks the further slots of an object as dead.
    #[cold]
    fn kill_inner(&mut self, slot: u64, count: u64, grave: Grave) {
        // The guard behind an object at an address of the program's choice may be its neighbour's slot.
        for k in 1..count {
            if matches!(self.get(slot + k), Some(Slot::Inner(back)) if u64::from(*back) == k) {
                self.set(slot + k, Slot::Dead(grave));
            }
        }
    }
}
