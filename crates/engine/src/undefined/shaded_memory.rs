//! Undefined bits in memory: bytes that nobody has written, and bytes to which undefined bits were copied.

use cleave_expr::{Term, Terms};
use cleave_memory::{Birth, Byte, Kind, Object, Shade, Shadow, Word};

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::memory::pointers::Places;
use crate::states::places::OpPlace;
use crate::states::state::State;
use crate::stop::Stop;
use crate::undefined::shades::{Cause, Shades, Why};

/// The cause of undefined bits in the bytes of an object that nobody has written.
pub(crate) fn birth_of(object: &Object) -> Cause {
    let why = match object.kind {
        Kind::Stack => Why::Stack(object.size, object.extent.is_some()),
        Kind::Variable => Why::NarrowArgument,
        _ => Why::Heap(object.size, object.extent.is_some()),
    };
    Cause { why, place: OpPlace::from_raw(object.birth) }
}

/// The undefined bits of a byte, and their cause.
fn byte_bits(terms: &mut Terms, shades: &Shades, shadow: Shadow, born: Cause) -> (Term, Option<Cause>) {
    match shadow {
        Shadow::Defined => (terms.constant_of(8, 0), None),
        Shadow::Fresh => (terms.constant_of(8, 0xff), Some(born)),
        Shadow::Shaded(shade) => {
            let (bits, cause) = shades.get(shade);
            (bits, (!shade.is_base()).then_some(cause))
        }
    }
}

/// The shadow of a byte that is `after` where `here` holds and `before` elsewhere, in an object with this birth.
pub(crate) fn mixed(
    terms: &mut Terms,
    shades: &mut Shades,
    here: Term,
    after: Shadow,
    before: Shadow,
    born: Cause,
) -> Shadow {
    if after == before {
        return after;
    }
    let (new, new_cause) = byte_bits(terms, shades, after, born);
    let (old, old_cause) = byte_bits(terms, shades, before, born);
    let bits = terms.ite(here, new, old);
    let cause = new_cause.or(old_cause).unwrap_or(born);
    shades.of(terms, bits, cause).map_or(Shadow::Defined, Shadow::Shaded)
}

impl Engine {
    /// The undefined bits of the `n` bytes at an offset of an object as one term, and their cause; `None` if all are defined.
    /// The caller has checked the bounds.
    pub(crate) fn bits_at(&mut self, object: &Object, offset: u64, n: u64) -> Option<(Term, Cause)> {
        if object.is_defined(offset, n) {
            return None;
        }
        let born = birth_of(object);
        let (mut all, mut why): (Option<Term>, Option<Cause>) = (None, None);
        for i in offset..offset + n {
            let (bits, cause) = byte_bits(&mut self.terms, &self.shades, object.shadow(i), born);
            why = why.or(cause);
            all = Some(all.map_or(bits, |low| self.terms.concat(bits, low)));
        }
        Some((all?, why.unwrap_or(born)))
    }

    /// As [`Engine::bits_at`] at a symbolic offset, which is one of these places. `None` if more than `most` places would have
    /// to be told apart.
    pub(crate) fn bits_within(
        &mut self,
        object: &Object,
        offset: Term,
        places: Places,
        n: u64,
        most: u64,
    ) -> Option<Option<(Term, Cause)>> {
        let Places { first, stride, count } = places;
        let last = first + count.saturating_sub(1) * stride;
        if object.is_defined(first, last + n - first) {
            return Some(None);
        }
        let mut why = None;
        let nothing = self.terms.constant_of(8 * n as u8, 0);
        let mut values = Vec::with_capacity(count as usize);
        for i in 0..count {
            let here = self.bits_at(object, first + i * stride, n);
            why = why.or(here.map(|h| h.1));
            values.push(here.map_or(nothing, |h| h.0));
        }
        let constant: Option<Vec<u64>> = values.iter().map(|&t| self.terms.constant64(t)).collect();
        let bits = match constant {
            Some(entries) => self.terms.table_entry(offset, first, stride, 8 * n as u8, &entries),
            None => self.chosen_among(offset, places, values, most)?,
        };
        Some(why.map(|why| (bits, why)))
    }

    /// The shadows of the `n` bytes of a value.
    pub(crate) fn shadows_of(&mut self, shade: Shade, n: u64) -> Vec<Shadow> {
        if shade.is_base() {
            return vec![Shadow::Shaded(shade); n as usize];
        }
        let (bits, cause) = self.shades.get(shade);
        let bits = self.terms.zext(bits, 8 * n as u8);
        let mut byte = |i: u64| {
            let bits = self.terms.extract(bits, 8 * i as u32, 8);
            self.shade_of(bits, cause).map_or(Shadow::Defined, Shadow::Shaded)
        };
        (0..n).map(&mut byte).collect()
    }

    /// Writes bytes, all of them defined but for their shadows.
    pub(crate) fn write_shadowed(
        &mut self,
        state: &mut State,
        address: u64,
        bytes: &[Byte],
        shadows: Option<&[Shadow]>,
    ) -> Result<(), Stop> {
        state.memory.write(address, bytes).map_err(|f| self.pointer_bug(&f))?;
        match shadows {
            Some(shadows) => state.memory.set_shadows(address, shadows).map_err(|f| self.pointer_bug(&f)),
            None => Ok(()),
        }
    }

    /// The shadows of `n` bytes, to be written elsewhere: each has its own cause. `None` if all are defined.
    pub(crate) fn shadows_at(&mut self, state: &State, address: u64, n: u64) -> Option<Vec<Shadow>> {
        let mut shadows = state.memory.shadows(address, n)?;
        let fresh = self.fresh_shadow(state, address);
        for shadow in shadows.iter_mut().filter(|s| **s == Shadow::Fresh) {
            *shadow = fresh;
        }
        Some(shadows)
    }

    /// The shadow of an unwritten byte at an address when it is copied elsewhere: undefined, with its object's birth as the
    /// cause.
    pub(crate) fn fresh_shadow(&mut self, state: &State, address: u64) -> Shadow {
        let Some(born) = state.memory.object(address).map(birth_of) else { return Shadow::Defined };
        let all = self.terms.constant_of(8, 0xff);
        self.shade_of(all, born).map_or(Shadow::Defined, Shadow::Shaded)
    }

    /// The birth of a new object that is made here, and whose bytes nobody has written.
    pub(crate) fn birth(&self, place: OpPlace) -> Birth {
        Birth {
            place: place.to_raw(),
            undefined: self.options.checks.has(Family::Uninitialised),
            allocator: 0,
        }
    }

    pub(crate) fn value_at(&mut self, object: &Object, offset: u64, n: u64) -> Term {
        if n == 1 {
            return Byte::word(&mut self.terms, &[object.get(offset)]);
        }
        if n <= 8
            && let Some(v) = object.known(offset, n as usize)
        {
            return self.terms.constant_of(8 * n as u8, v as u128);
        }
        let bytes: Word = (0..n).map(|i| object.get(offset + i)).collect();
        Byte::word(&mut self.terms, &bytes)
    }
}
