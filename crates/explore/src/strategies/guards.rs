//! States that have a value for which a branch waits. A branch that known values decide is no decision of a path: `if (recursive)` is
//! true on those paths only that have set it before, and most of the states that wait have not. Of each side that no state has taken
//! it is known where the value stands that decides, and which values have taken the other side
//! ([`Space::fitting`](crate::space::Space::fitting)). The untaken sides take turns; of the states that fit one, any is next.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::strategies::{Making, Ranked};
use crate::strategy::{Place, Random, Slot, StateView, Strategy, Waiters};

/// States that are kept for one side: of more, any are as good.
const MOST: usize = 64;

/// States that fit an untaken side.
#[derive(Default)]
struct Fitting {
    /// At random.
    states: Ranked,
    count: usize,
    /// How often one of them was chosen.
    drawn: u64,
}

struct Guards {
    random: Random,
    sides: BTreeMap<Place, Fitting>,
    /// By state: the sides that it fits, if it is known.
    fits: Vec<Option<Rc<[Place]>>>,
}

pub(crate) fn make(making: &Making) -> Box<dyn Strategy> {
    Box::new(Guards { random: Random::new(making.seed), sides: BTreeMap::new(), fits: Vec::new() })
}

impl Strategy for Guards {
    fn add(&mut self, slot: Slot, state: &StateView) {
        if self.fits.len() <= slot.index() {
            self.fits.resize(slot.index() + 1, None);
        }
        let mut joined = Vec::new();
        for side in state.fits.iter() {
            let fitting = self.sides.entry(*side).or_default();
            if fitting.count < MOST {
                fitting.states.put(slot, self.random.below(1 << 32));
                fitting.count += 1;
                joined.push(*side);
            }
        }
        self.fits[slot.index()] = Some(joined.into());
    }

    fn remove(&mut self, slot: Slot) {
        let Some(fits) = self.fits.get_mut(slot.index()).and_then(Option::take) else { return };
        for side in fits.iter() {
            if let Some(fitting) = self.sides.get_mut(side) {
                fitting.states.remove(slot);
                fitting.count = fitting.count.saturating_sub(1);
            }
        }
    }

    fn next(&mut self, waiters: &Waiters) -> Option<Slot> {
        let least = self
            .sides
            .values_mut()
            .filter(|side| side.count > 0)
            .min_by_key(|side| side.drawn * side.count as u64);
        if let Some(side) = least {
            side.drawn += 1;
            return side.states.last().map(|(_, slot)| slot);
        }
        let known = |slot: Slot| self.fits.get(slot.index()).is_some_and(Option::is_some);
        waiters.walk_to(&mut self.random, known)
    }

    fn covered(&mut self, places: &[Place]) {
        for place in places {
            self.sides.remove(place);
        }
    }

    fn uses_guards(&self) -> bool {
        true
    }

    fn uses_coverage(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(pc: u32) -> Place {
        Place { func: 3, pc }
    }

    fn view(sides: &[u32]) -> StateView {
        StateView { fits: sides.iter().map(|&pc| side(pc)).collect(), ..StateView::default() }
    }

    fn guards() -> Box<dyn Strategy> {
        make(&Making { seed: 5, flow: None })
    }

    #[test]
    fn a_state_that_fits_an_untaken_side_goes_before_all_others_until_the_side_is_taken() {
        let (mut guards, waiters) = (guards(), Waiters::default());
        for i in 0..100 {
            guards.add(Slot(i), &view(if i == 42 { &[7] } else { &[] }));
        }
        assert!((0..20).all(|_| guards.next(&waiters) == Some(Slot(42))));
        guards.covered(&[side(7)]);
        assert_eq!(guards.next(&waiters), None, "no walk leads to a state here");
        guards.remove(Slot(42));
    }

    #[test]
    fn sides_take_turns_and_those_that_few_states_fit_have_more_of_them() {
        let (mut guards, waiters) = (guards(), Waiters::default());
        for i in 0..1000 {
            guards.add(Slot(i), &view(if i % 100 == 0 { &[1, 2] } else { &[1] }));
        }
        let rare = (0..300).filter_map(|_| guards.next(&waiters)).filter(|slot| slot.0 % 100 == 0).count();
        assert!((200..290).contains(&rare), "{rare} of 300");
        (0..1000).for_each(|i| guards.remove(Slot(i)));
        assert_eq!(guards.next(&waiters), None);
    }
}
