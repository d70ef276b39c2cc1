//! KLEE's intrinsics, which `builtins.rs` calls.

use std::rc::Rc;

use cleave_expr::{Term, Witness};
use cleave_memory::{Fault, Object};
use cleave_program::code::Builtin;
use cleave_program::{heap_builtins, system_builtins};
use cleave_region::{BugKind, Message};
use cleave_solver::Answer;

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::memory::pointers::AccessTarget;
use crate::memory::sizes::MAX_INPUT;
use crate::states::state::{Reg, State};
use crate::stop::{Bug, End, Stop};

impl Engine {
    pub(crate) fn intrinsic(
        &mut self,
        state: &mut State,
        witness: &Witness,
        what: Builtin,
        args: &[Reg],
    ) -> Result<Option<Reg>, Stop> {
        let arg = |i: usize| args.get(i).copied().unwrap_or(Reg::ZERO);
        match what {
            Builtin::MakeSymbolic => {
                self.may_be_symbolic(state, args)?;
                self.make_symbolic(state, arg(0), arg(1), arg(2)).map(|()| None)
            }
            Builtin::Assume => {
                self.used(state, arg(0), "an assumption")?;
                self.assumes(state, arg(0)).map(|()| None)
            }
            Builtin::PreferCex => {
                let cond = self.truth(arg(1));
                if self.terms.constant64(cond).is_none() {
                    Rc::make_mut(&mut state.preferences).push(cond);
                }
                Ok(None)
            }
            Builtin::ReportError => Err(self.report_error(state, args)),
            Builtin::GetValue32 | Builtin::GetValueF32 => {
                self.least_value(state, witness, arg(0), 32).map(Some)
            }
            Builtin::GetValue64 | Builtin::GetValueF64 => {
                self.least_value(state, witness, arg(0), 64).map(Some)
            }
            Builtin::IsSymbolic => Ok(Some(Reg::known(arg(0).term().is_some() as u64))),
            Builtin::DefineFixed => {
                let (address, size) = (self.concrete(state, arg(0))?, self.concrete(state, arg(1))?);
                if !state.memory.define(address, size) {
                    let what = format!("an object of {size} bytes at {address:#x}, where there are others");
                    return Err(Stop::unsupported(what));
                }
                Ok(None)
            }
            Builtin::GetObjSize => {
                let address = match self.place(state, arg(0), 0, 0)? {
                    AccessTarget::Within { base, .. } => base,
                    AccessTarget::At(at) => at,
                };
                let object = self.object_of(state, address)?;
                Ok(Some(object.extent.map_or(Reg::known(object.size), Reg::symbolic)))
            }
            Builtin::CheckMemoryAccess => {
                let len = self.concrete(state, arg(1))?;
                match self.place(state, arg(0), 0, len)? {
                    AccessTarget::At(at) if len == 0 => drop(self.object_of(state, at)?),
                    AccessTarget::At(at) => {
                        state.memory.resolve(at, len).map_err(|f| self.pointer_bug(&f))?;
                    }
                    AccessTarget::Within { .. } => {}
                }
                Ok(None)
            }
            Builtin::PrintExpr => {
                self.checked()?;
                let text = self.text_at(state, arg(0)).unwrap_or_default();
                let value = match arg(1).term() {
                    None => arg(1).value.to_string(),
                    Some(t) => self.terms.text(t, 12),
                };
                self.messages.push(Message::new(format!("{text}: {value}")));
                Ok(None)
            }
            Builtin::Warning | Builtin::WarningOnce | Builtin::Merge => {
                self.checked()?;
                self.warning(state, what, arg(0));
                Ok(None)
            }
            Builtin::SilentExit => Err(Stop::End(End::Silent)),
            Builtin::KleeAbort => Err(Stop::bug(BugKind::Abort, "the program calls klee_abort")),
            Builtin::Nothing => Ok(Some(Reg::ZERO)),
            heap_builtins!() | system_builtins!() => {
                Err(Stop::impossible("a builtin that is no intrinsic of KLEE"))
            }
        }
    }

    /// Goes on only if the condition holds. A path on which no input satisfies it is assumed away: here if that is seen without
    /// a query, else when the decision is checked.
    fn assumes(&mut self, state: &State, condition: Reg) -> Result<(), Stop> {
        let cond = self.truth(condition);
        if !self.decide_or(state, cond, true)? && !self.forgets_assumptions {
            return Err(Stop::End(self.assumed_away()));
        }
        self.assumption_holds(cond);
        Ok(())
    }

    /// A message of `klee_warning` or `klee_warning_once`, or the warning that the merge intrinsics merge nothing.
    fn warning(&mut self, state: &State, what: Builtin, text: Reg) {
        let said = self.text_at(state, text).unwrap_or_default();
        match what {
            Builtin::Warning => self.messages.push(Message::new(said)),
            Builtin::WarningOnce => self.say_once(said),
            _ => {
                let place = self.place_text(self.here_in_program(state));
                self.say_once(format!(
                    "klee_open_merge and klee_close_merge merge nothing, each path stays one of its own; called in {place}"
                ));
            }
        }
    }

    /// Goes on only on a path that is known to be feasible.
    fn checked(&self) -> Result<(), Stop> {
        if self.ahead { Err(Stop::Unchecked) } else { Ok(()) }
    }

    /// "Not zero", of a register as wide as its term; a known value counts as 64 bits.
    fn truth(&mut self, r: Reg) -> Term {
        match r.term() {
            None => self.terms.bool(r.value != 0),
            Some(t) => {
                let zero = self.terms.constant_of(self.terms.width(t), 0);
                self.terms.ne(t, zero)
            }
        }
    }

    fn make_symbolic(&mut self, state: &mut State, address: Reg, size: Reg, name: Reg) -> Result<(), Stop> {
        let (address, size) = (self.concrete(state, address)?, self.concrete(state, size)?);
        let name = self.text_at(state, name).unwrap_or_else(|| "unnamed".into());
        if size > MAX_INPUT {
            return Err(Stop::unsupported(format!(
                "a symbolic object of {size} bytes (the limit is {MAX_INPUT})"
            )));
        }
        if size == 0 {
            self.object_of(state, address)?;
        } else {
            state.memory.resolve_mut(address, size).map_err(|f| self.not_symbolic(&f))?;
        }
        let bytes = self.new_input(&mut state.inputs, &name, size as u32);
        state.memory.write(address, &bytes).map_err(|f| self.pointer_bug(&f))
    }

    /// Checks the arguments of `klee_make_symbolic`. A name that is no string is refused, as it is read natively too. With
    /// `--check klee`, a call without a name and a part of an object are refused, as in KLEE.
    fn may_be_symbolic(&mut self, state: &State, args: &[Reg]) -> Result<(), Stop> {
        let refused = |why: &str| Err(Stop::bug(BugKind::User, format!("klee_make_symbolic {why}")));
        let strict = self.options.checks.has(Family::Klee);
        let &[address, size, name] = args else {
            let n = args.len();
            return match strict {
                true => refused(&format!("is given {n} arguments, and takes an object, its size and a name")),
                false => Err(Stop::unsupported(
                    "a call of `klee_make_symbolic` with another prototype than its own",
                )),
            };
        };
        if name.term().is_some() {
            return refused("is given a name that depends on the input");
        }
        // KLEE calls an object without a name `unnamed`.
        if self.text_at(state, name).is_none() && name.value != 0 {
            return refused("is given a name that is no string");
        }
        if !strict {
            return Ok(());
        }
        let (address, size) = (self.concrete(state, address)?, self.concrete(state, size)?);
        let object = state.memory.object(address);
        if let Some(o) = object.filter(|o| o.base == address)
            && let Some(extent) = o.extent
        {
            let whole = self.terms.constant_of(64, size.into());
            let whole = self.terms.eq(extent, whole);
            if self.decide(state, whole)? {
                return Ok(());
            }
        }
        match object {
            Some(o) if (o.base, o.size) != (address, size) && address.wrapping_sub(o.base) <= o.size => {
                let what = self.object_name(o);
                refused(&format!("is given {size} bytes of {what}; KLEE takes whole objects"))
            }
            _ => Ok(()),
        }
    }

    /// The stop of a call that makes bytes symbolic that are not there, or are a constant's.
    fn not_symbolic(&self, fault: &Fault) -> Stop {
        match self.pointer_bug(fault) {
            Stop::End(End::Bug(Bug { kind: kind @ BugKind::ReadOnly, message, .. })) => {
                Stop::bug(kind, format!("cannot make readonly object symbolic: {message}"))
            }
            other => other,
        }
    }

    /// The object that an address is in, or just behind. An address just behind is no fault without an access, and an object
    /// may have no bytes at all.
    fn object_of<'a>(&self, state: &'a State, address: u64) -> Result<&'a Object, Stop> {
        match state.memory.object(address) {
            Some(o) if self.missing_variable(o.kind, o.origin).is_some() => {
                Err(self.pointer_bug(&state.memory.fault(address, 1)))
            }
            Some(o) if address.wrapping_sub(o.base) <= o.size => Ok(o),
            _ => Err(self.pointer_bug(&state.memory.fault(address, 0))),
        }
    }

    /// `klee_report_error(file, line, message, suffix)`.
    fn report_error(&mut self, state: &State, args: &[Reg]) -> Stop {
        let text = |s: &Self, i: usize| args.get(i).and_then(|&r| s.text_at(state, r)).unwrap_or_default();
        let (message, suffix) = (text(self, 2), text(self, 3));
        let message = if suffix.is_empty() { message } else { format!("{message} ({suffix})") };
        Stop::End(End::Bug(Bug { kind: BugKind::Reported, message, trace: Vec::new() }))
    }

    /// `klee_get_value_*` gives one value of many without deciding: here the least (unsigned) that the path allows, so that it
    /// is a function of the path. As in KLEE the path is not bound to it. But natively the call gives the value under the test,
    /// so the test gets this value if the rest of the path allows it; if not, the native run may go elsewhere.
    fn least_value(&mut self, state: &mut State, witness: &Witness, r: Reg, w: u8) -> Result<Reg, Stop> {
        let Some(t) = r.term() else { return Ok(r) };
        self.checked()?;
        let (mut lo, mut hi) = (self.terms.range(t).0, self.terms.eval(t, witness));
        while lo < hi {
            let middle = lo + (hi - lo) / 2;
            let k = self.terms.constant_of(w, middle as u128);
            let below = self.terms.ule(t, k);
            match self.solver.ask(&mut self.terms, &state.path, below, witness) {
                Answer::Sat(better) => hi = self.terms.eval(t, &better).min(middle),
                Answer::Unsat(_) => lo = middle + 1,
                Answer::Unknown(why) => {
                    return Err(Stop::unsupported(format!("klee_get_value: the solver gave up ({why})")));
                }
            }
        }
        let value = self.terms.constant_of(w, lo as u128);
        let same = self.terms.eq(t, value);
        if self.terms.constant64(same).is_none() {
            Rc::make_mut(&mut state.preferences).push(same);
        }
        Ok(Reg::known(lo))
    }
}
