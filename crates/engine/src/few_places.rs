//! Accesses at few places, where arms are joined: an offset that has few values for the inputs that come here is a choice between them,
//! each under the diagram of its inputs.

use cleave_diagram::Diagram;
use cleave_expr::Term;
use cleave_memory::Object;

use crate::engine::Engine;
use crate::shades::Cause;
use crate::state::State;

/// Offsets of an access, each with the inputs for which the access is there, as far as these matter where the state stands.
pub(crate) type FewPlaces = Vec<(Diagram, u64)>;

impl Engine {
    /// The places of an access of `n` bytes in an object of `size` bytes, if they are few and inside of it.
    pub(crate) fn few_places(&mut self, state: &State, offset: Term, size: u64, n: u64) -> Option<FewPlaces> {
        if !self.options.merge || self.terms.constant(offset).is_some() {
            return None;
        }
        let values = self.diagrams.leaves(&mut self.terms, offset).values(&self.terms)?;
        let mut places = FewPlaces::new();
        for (at, inputs) in values {
            if self.diagrams.and(state.care, inputs)? != Diagram::FALSE {
                if n > size || at > size - n {
                    return None;
                }
                places.push((self.diagrams.within(inputs, state.care), at));
            }
        }
        Some(places).filter(|places| !places.is_empty())
    }

    /// Whether no bit of a value is undefined for the inputs that come to where the state stands; `bits` are those that may be.
    pub(crate) fn is_defined_here(&mut self, state: &State, bits: Term) -> bool {
        let zero = self.terms.constant_of(self.terms.width(bits), 0);
        let defined = self.terms.eq(bits, zero);
        self.known_side(state, defined) == Some(true)
    }

    /// The value read at one of these places, and its undefined bits.
    pub(crate) fn load_of_places(
        &mut self,
        state: &State,
        object: &Object,
        places: &FewPlaces,
        n: u64,
    ) -> Option<(Term, Option<(Term, Cause)>)> {
        let nothing = self.terms.constant_of(8 * n as u8, 0);
        let (mut values, mut bits, mut why) = (Vec::new(), Vec::new(), None);
        for &(inputs, at) in places {
            values.push((inputs, self.value_at(object, at, n)));
            let here = self.bits_at(object, at, n);
            why = why.or(here.map(|(_, cause)| cause));
            bits.push((inputs, here.map_or(nothing, |(bits, _)| bits)));
        }
        let value = self.diagrams.choice(&mut self.terms, &values)?;
        let value = self.diagrams.simplified(&mut self.terms, value, state.care);
        let bits = match why {
            None => None,
            Some(cause) => {
                let bits = self.diagrams.choice(&mut self.terms, &bits)?;
                (!self.is_defined_here(state, bits)).then_some((bits, cause))
            }
        };
        Some((value, bits))
    }
}
