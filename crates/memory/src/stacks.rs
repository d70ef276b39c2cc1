//! The stacks of threads that do not run.

use std::collections::BTreeMap;

use cleave_program::layout::Target;

use crate::object::Object;
use crate::same::Alike;
use crate::slots::{Slot, Slots};

/// Stacks by number. That of an ended thread is kept: its dead objects are known, and the next thread takes it over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stacks(BTreeMap<u64, Slots>);

/// The stack that an address lies on, and the slot there.
fn place(target: Target, address: u64) -> (u64, u64) {
    let offset = address.wrapping_sub(target.stack_base());
    let number = target.stack_at(offset);
    (number, (offset - target.stack_start(number)) >> target.slot_bits())
}

impl Stacks {
    /// A stack, which is empty if nobody had it.
    pub(crate) fn take(&mut self, number: u64) -> Slots {
        self.0.remove(&number).unwrap_or_default()
    }

    pub(crate) fn put(&mut self, number: u64, stack: Slots) {
        self.0.insert(number, stack);
    }

    pub(crate) fn holds_the_same(&self, other: &Stacks, alike: Alike<'_>) -> bool {
        self.0.len() == other.0.len()
            && self.0.iter().zip(&other.0).all(|((n, a), (m, b))| n == m && a.holds_the_same(b, alike))
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Slots> {
        self.0.values()
    }

    pub(crate) fn slot(&self, target: Target, address: u64) -> Option<&Slot> {
        let (number, slot) = place(target, address);
        self.0.get(&number)?.get(slot)
    }

    /// The object whose slots an address lies in.
    pub(crate) fn object(&self, target: Target, address: u64) -> Option<&Object> {
        let (number, slot) = place(target, address);
        let slots = self.0.get(&number)?;
        slots.live(slot - slots.back(slot))
    }

    /// The object that starts at an address.
    pub(crate) fn object_mut(&mut self, target: Target, base: u64) -> Option<&mut Object> {
        let (number, slot) = place(target, base);
        self.0.get_mut(&number)?.live_mut(slot)
    }
}
