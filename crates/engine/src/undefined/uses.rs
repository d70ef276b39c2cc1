//! Uses of undefined bits.
//!
//! Values with shades are copied, stored, passed and returned freely; [`Engine::used`] is for operations that must not depend
//! on them. A certain dependence is a bug at once; else one decision tells the inputs for which it is one from the others.
//! Behind it the value is that of its known bits and terms, so a shade changes no path of a correct program.

use cleave_expr::Term;
use cleave_memory::Shade;
use cleave_never::never;
use cleave_region::BugKind;

use crate::checking::checks::Family;
use crate::checking::fault_texts::size_in_words;
use crate::engine::Engine;
use crate::states::state::{Reg, State};
use crate::stop::Stop;
use crate::undefined::shades::{Cause, Why};
use crate::undefined::shadow::{self, Shadowed};

impl Engine {
    /// A shade; `None` if no bit of it is undefined.
    pub(crate) fn shade_of(&mut self, bits: Term, cause: Cause) -> Option<Shade> {
        let bits = self.settled_term(bits);
        self.shades.of(&self.terms, bits, cause)
    }

    /// True if no bit of a value that is read is undefined in the enumerated models of its bytes, on the path as it was when
    /// the op at hand began. This spares the shades of all values that are computed from it.
    pub(crate) fn is_surely_defined(&mut self, bits: Term) -> bool {
        match &self.settled {
            Some(path) if self.terms.constant(bits).is_none() => path.is_zero_in_rows(&mut self.terms, bits),
            _ => false,
        }
    }

    /// The undefined bits of a register of `w` bits (those of a wide value stand in its first register).
    pub(crate) fn undefined_bits(&mut self, w: u8, r: Reg) -> Term {
        match r.shade() {
            None => self.terms.constant_of(w, 0),
            Some(shade) => {
                let bits = self.shades.get(shade).0;
                self.terms.resize(bits, w)
            }
        }
    }

    /// A register of `w` bits (at most 64) with its shadow.
    pub(crate) fn shadowed(&mut self, w: u8, r: Reg) -> Shadowed {
        Shadowed { value: self.term(w, r), bits: self.undefined_bits(w, r) }
    }

    /// The cause to name for a value that is made of these registers: that of a certainly undefined one, if there is such.
    pub(crate) fn cause_of(&self, from: &[Reg]) -> Option<Cause> {
        let shades = from.iter().filter_map(|r| r.shade()).map(|shade| self.shades.get(shade));
        let mut first = None;
        for (bits, cause) in shades {
            if self.terms.constant(bits).is_some() {
                return Some(cause);
            }
            first.get_or_insert(cause);
        }
        first
    }

    /// `r`, whose undefined bits are these because of one of the registers that it was made `from`.
    pub(crate) fn tinted(&mut self, r: Reg, bits: Term, from: &[Reg]) -> Reg {
        match self.cause_of(from) {
            Some(cause) => r.with_shade(self.shade_of(bits, cause)),
            None => r.with_shade(None),
        }
    }

    /// `r` of `w` bits, all of them undefined if one bit of the registers that it was made `from` is.
    pub(crate) fn smeared(&mut self, w: u8, r: Reg, from: &[Reg]) -> Reg {
        if from.iter().all(|r| r.shade().is_none()) {
            return self.derived(r, from);
        }
        let shadows: Vec<Term> =
            from.iter().filter_map(|r| r.shade()).map(|shade| self.shades.get(shade).0).collect();
        let bits = shadow::smeared(&mut self.terms, w, &shadows);
        self.tinted(r, bits, from)
    }

    /// `r` of `w` bits is undefined altogether where `cond` (one bit) holds.
    pub(crate) fn undefined_where(&mut self, w: u8, r: Reg, cond: Term, cause: Cause) -> Reg {
        let here = shadow::all_where(&mut self.terms, w, cond);
        match r.shade() {
            None => r.with_shade(self.shade_of(here, cause)),
            Some(shade) => {
                let (bits, old) = self.shades.get(shade);
                let both = self.terms.or(bits, here);
                r.with_shade(self.shade_of(both, old))
            }
        }
    }

    /// The direction of a branch on a one-bit register.
    pub(crate) fn branch(&mut self, state: &mut State, c: Reg) -> Result<bool, Stop> {
        self.used(state, c, "the branch")?;
        self.decides(state, c);
        match c.term() {
            None => Ok(c.value & 1 != 0),
            Some(t) => {
                self.hear_branch(state, t);
                self.decide_branch(state, t)
            }
        }
    }

    /// Puts a value of `w` bits that is wholly undefined into a register, or two.
    pub(crate) fn undefine(&mut self, state: &mut State, w: u8, dst: u32) {
        let mut r = Reg::ZERO;
        if self.options.checks.has(Family::Uninitialised) {
            let all = self.terms.constant_of(w, u128::MAX);
            r = r.with_shade(self.shade_of(all, Cause { why: Why::NoValue, place: self.here(state) }));
        }
        state.frame.regs[dst as usize] = r;
        if w > 64 {
            state.frame.regs[dst as usize + 1] = Reg::ZERO;
        }
    }

    /// Checks that `r` is defined. `what` names the operation that depends on it, as the subject of a sentence.
    #[inline]
    pub(crate) fn used(&mut self, state: &State, r: Reg, what: &str) -> Result<(), Stop> {
        match r.shade() {
            None => Ok(()),
            Some(shade) => self.shade_used(state, shade, what),
        }
    }

    /// As [`Engine::used`], of an operation that looks at the low `n` bits (1 to 64) alone.
    pub(crate) fn used_low(&mut self, state: &State, r: Reg, n: u8, what: &str) -> Result<(), Stop> {
        let Some(shade) = r.shade() else { return Ok(()) };
        let (bits, cause) = self.shades.get(shade);
        let low = self.terms.resize(bits, n);
        match self.shade_of(low, cause) {
            None => Ok(()),
            Some(shade) => self.shade_used(state, shade, what),
        }
    }

    #[cold]
    pub(crate) fn shade_used(&mut self, state: &State, shade: Shade, what: &str) -> Result<(), Stop> {
        let (bits, cause) = self.shades.get(shade);
        let undefined = shadow::any(&mut self.terms, bits);
        if self.decide(state, undefined)? { Err(self.undefined_use(what, cause)) } else { Ok(()) }
    }

    /// The bug that `what` depends on undefined bits.
    pub(crate) fn undefined_use(&self, what: &str, cause: Cause) -> Stop {
        let place = self.place_text(cause.place);
        let kind = match cause.why {
            Why::Overshift(_) => BugKind::Overshift,
            Why::NarrowArgument => BugKind::MissingArgument,
            Why::Scope(_) => BugKind::UseAfterScope,
            _ => BugKind::Uninitialised,
        };
        let from = match cause.why {
            Why::Stack(size, symbolic) => {
                let size = size_in_words(size, symbolic);
                format!("on bytes of a local object of {size} of {place} that were never written")
            }
            Why::Heap(size, symbolic) => {
                let size = size_in_words(size, symbolic);
                format!("on bytes of a heap object of {size}, allocated in {place}, that were never written")
            }
            Why::NarrowArgument | Why::Argument(_) => {
                "on the upper half of an argument that is narrower than what va_arg reads".to_string()
            }
            Why::Scope(size) => format!("on a local object of {size} bytes, whose scope ended in {place}"),
            Why::NoValue => format!("on a variable or result in {place} that was given no value"),
            Why::OtherType(Some(n)) => {
                format!(
                    "on argument {n} of a function, which its call in {place} does not pass, by another type"
                )
            }
            Why::OtherType(None) => {
                format!(
                    "on a result that the function which returns in {place} does not give, called by another type"
                )
            }
            Why::Overshift(w) => format!("on a {w}-bit value shifted by {w} or more in {place}"),
            Why::CountOfZero => {
                format!("on the number of zeros before or behind the first one bit of 0, counted in {place}")
            }
            Why::AbsOfLeast => format!("on the absolute value of the least number, computed in {place}"),
            Why::Base(_) | Why::Address(_) | Why::Distance(_) | Why::Less(_) => {
                never!("a value is undefined because of the object that it was made from");
                "on an address".to_string()
            }
        };
        Stop::bug(kind, format!("{what} depends {from}"))
    }

    /// The value of a register, one path for each it can have. It must be defined.
    pub(crate) fn concrete(&mut self, state: &State, r: Reg) -> Result<u64, Stop> {
        self.used(state, r, "an argument or a size")?;
        match r.term() {
            None => Ok(r.value),
            Some(t) => self.concrete_term(state, t),
        }
    }
}
