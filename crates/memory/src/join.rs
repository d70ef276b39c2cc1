//! Two address spaces that were one, as one again: what an engine needs that joins two arms of a path. Objects that they still share
//! cost nothing.

use std::rc::Rc;

use crate::object::Object;
use crate::own::own;
use crate::slots::{Chunk, Slot, Slots};
use crate::space::AddressSpace;

/// Makes one object of two that lie at the same place and have the same size; `None` if it cannot.
pub type JoinObjects<'a> = &'a mut dyn FnMut(&Object, &Object) -> Option<Object>;

/// The slot that stands for both; `None` where an object lives in one of them only, or the objects are not of one shape.
fn join_slots(a: &Slot, b: &Slot, objects: JoinObjects<'_>) -> Option<Slot> {
    match (a, b) {
        (Slot::Live(x), Slot::Live(y)) if Rc::ptr_eq(x, y) => Some(a.clone()),
        (Slot::Live(x), Slot::Live(y)) => {
            let shape = |o: &Object| (o.base, o.size, o.extent, o.kind, o.constant);
            if shape(x) != shape(y) || x.holes() != y.holes() {
                return None;
            }
            let mut joined = objects(x, y)?;
            joined.certain = x.certain.min(y.certain);
            Some(Slot::Live(Rc::new(joined)))
        }
        (Slot::Live(_), _) | (_, Slot::Live(_)) => None,
        // Of what lives no more the first one's word is kept.
        (Slot::Empty, other) | (other, _) => Some(other.clone()),
    }
}

impl Slots {
    fn join(&self, other: &Slots, objects: JoinObjects<'_>) -> Option<Slots> {
        let mut joined = self.clone();
        joined.end = self.end.max(other.end);
        for (i, theirs) in other.chunks.iter().enumerate() {
            let Some(ours) = joined.chunks.get_mut(i) else {
                if theirs.iter().any(|slot| matches!(slot, Slot::Live(_))) {
                    return None;
                }
                joined.chunks.push(theirs.clone());
                continue;
            };
            if Rc::ptr_eq(ours, theirs) {
                continue;
            }
            let chunk: &mut Chunk = own(ours);
            for (slot, their) in chunk.iter_mut().zip(theirs.iter()) {
                *slot = join_slots(slot, their, objects)?;
            }
        }
        let rest = joined.chunks.iter().skip(other.chunks.len());
        let lives = |chunk: &Rc<Chunk>| chunk.iter().any(|slot| matches!(slot, Slot::Live(_)));
        if rest.into_iter().any(lives) { None } else { Some(joined) }
    }
}

impl AddressSpace {
    /// One address space for two that were clones of one: objects that differ are what `objects` makes of the two. `None` where the same
    /// objects do not live in both, or `objects` fails. Addresses that one of them has used are used.
    pub fn join(&self, other: &AddressSpace, objects: JoinObjects<'_>) -> Option<AddressSpace> {
        if !self.has_stacks_of(other) || self.heap_bytes != other.heap_bytes {
            return None;
        }
        let (low, stack) =
            (self.low.join(&other.low, objects)?, self.own_stack().join(other.own_stack(), objects)?);
        Some(self.with_parts(low, stack))
    }
}

#[cfg(test)]
mod tests {
    use crate::{AddressSpace, Byte, Kind};

    #[test]
    fn objects_that_differ_are_made_one_and_others_are_shared() {
        let mut before = AddressSpace::default();
        let (a, b) = (before.allocate(8, Kind::Heap).unwrap(), before.allocate(3000, Kind::Heap).unwrap());
        let (mut one, mut two) = (before.clone(), before.clone());
        one.store_known(a, 4, 1).unwrap();
        two.store_known(b + 2000, 1, 7).unwrap();
        let mut asked = Vec::new();
        let joined = one.join(&two, &mut |x, y| {
            let differing = x.differing(y);
            asked.push((x.base, differing.clone()));
            let mut made = x.clone();
            differing.iter().for_each(|&i| made.set(i, Byte::Known(0x55)));
            Some(made)
        });
        let joined = joined.unwrap();
        assert_eq!(asked, [(a, vec![0]), (b, vec![2000])]);
        assert_eq!(joined.load_known(a, 4), Some(0x55));
        assert_eq!(joined.load_known(b + 2000, 1), Some(0x55));
        assert_eq!(joined.load_known(b + 1999, 1), Some(0));
    }

    #[test]
    fn an_object_that_lives_in_one_of_two_cannot_be_joined() {
        let before = AddressSpace::default();
        let (mut one, two) = (before.clone(), before.clone());
        let object = one.allocate(8, Kind::Heap).unwrap();
        assert!(one.join(&two, &mut |x, _| Some(x.clone())).is_none());
        assert!(two.join(&one, &mut |x, _| Some(x.clone())).is_none());
        one.free(object, Kind::Heap, 1).unwrap();
        let joined = two.join(&one, &mut |x, _| Some(x.clone())).unwrap();
        assert!(joined.grave(object).is_some(), "what was there once is remembered");
        let mut next = joined.clone();
        assert!(next.allocate(8, Kind::Heap).unwrap() > object, "no address is given twice");
    }
}
