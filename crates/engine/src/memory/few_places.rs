//! Accesses at few places, where arms are joined: an offset that has few values for the inputs that come here is a choice between them,
//! each under the diagram of its inputs.

use cleave_diagram::Diagram;
use cleave_expr::Term;
use cleave_memory::Object;
use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::states::state::State;
use crate::undefined::shades::Cause;

/// Offsets of an access, as far as they matter where the state stands.
pub(crate) struct FewPlaces {
    /// Which one it is.
    offset: Diagram,
    /// All of them, rising.
    at: Vec<u64>,
}

impl Engine {
    /// The places of an access of `n` bytes in an object of `size` bytes, if they are few and inside of it.
    pub(crate) fn few_places(&mut self, state: &State, offset: Term, size: u64, n: u64) -> Option<FewPlaces> {
        if !self.has_diagrams(state) || self.terms.constant(offset).is_some() {
            return None;
        }
        let offset = self.diagrams.value(&mut self.terms, offset);
        let offset = self.diagrams.within(offset, state.care);
        let at = self.diagrams.numbers(&mut self.terms, offset)?;
        let inside = |at: &u64| n <= size && *at <= size - n;
        at.iter().all(inside).then_some(FewPlaces { offset, at })
    }

    /// Each of the places, with the condition by which it is the one.
    pub(crate) fn each_place(&mut self, places: &FewPlaces) -> Option<Vec<(u64, Term)>> {
        let each = self.diagrams.inputs_of_numbers(&mut self.terms, places.offset)?;
        let term = |(at, inputs)| (at, self.diagrams.term(&mut self.terms, inputs));
        Some(each.into_iter().map(term).collect())
    }

    /// Whether no bit of a value is undefined for the inputs that come to where the state stands; `bits` are those that may be.
    pub(crate) fn is_defined_here(&mut self, state: &State, bits: Term) -> bool {
        let zero = self.terms.constant_of(self.terms.width(bits), 0);
        let defined = self.terms.eq(bits, zero);
        self.known_side(state, defined) == Some(true)
    }

    /// The value of `n` bytes that stands `behind` bytes behind one of these places, and its undefined bits.
    pub(crate) fn load_of_places(
        &mut self,
        state: &State,
        object: &Object,
        places: &FewPlaces,
        (behind, n): (u64, u64),
    ) -> Option<(Term, Option<(Term, Cause)>)> {
        let nothing = self.terms.constant_of(8 * n as u8, 0);
        let (mut values, mut bits, mut why) = (FxHashMap::default(), FxHashMap::default(), None);
        for &at in &places.at {
            values.insert(at, self.value_at(object, at + behind, n));
            let here = self.bits_at(object, at + behind, n);
            why = why.or(here.map(|(_, cause)| cause));
            bits.insert(at, here.map_or(nothing, |(bits, _)| bits));
        }
        let value = self.read_at(state, places, &values)?;
        let bits = match why {
            None => None,
            Some(cause) => {
                let bits = self.read_at(state, places, &bits)?;
                (!self.is_defined_here(state, bits)).then_some((bits, cause))
            }
        };
        Some((value, bits))
    }

    /// The value that stands at the place of an access.
    fn read_at(&mut self, state: &State, places: &FewPlaces, values: &FxHashMap<u64, Term>) -> Option<Term> {
        if let Some(chosen) = self.diagrams.selected(&mut self.terms, places.offset, values) {
            let chosen = self.diagrams.within(chosen, state.care);
            return Some(self.diagrams.term(&mut self.terms, chosen));
        }
        let mut made = None;
        for (at, here) in self.each_place(places)? {
            let value = *values.get(&at)?;
            made = Some(made.map_or(value, |others| self.terms.ite(here, value, others)));
        }
        made
    }
}
