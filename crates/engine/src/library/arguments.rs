//! The arguments of system calls, as far as a call tells them apart. Where numbers of the input are alike to it, they are one path.

use cleave_expr::Term;
use cleave_linux::{Alike, Argument};
use cleave_region::BugKind;

use crate::engine::Engine;
use crate::limits::Limit;
use crate::states::state::{Reg, State};
use crate::stop::Stop;

/// The order in which arguments are decided ...
const IN_ORDER: [usize; 6] = [0, 1, 2, 3, 4, 5];
/// ... for `lseek`, whose last one says what the offset means ...
const OF_SEEK: [usize; 6] = [0, 2, 1, 3, 4, 5];
/// ... and for `pread`, whose last one says how much there is.
const OF_PREAD: [usize; 6] = [0, 1, 3, 2, 4, 5];

impl Engine {
    /// The arguments of a system call, and the place that a seek leads to, if it is behind the end of a file and depends on the
    /// input.
    pub(crate) fn call_arguments(
        &mut self,
        state: &mut State,
        nr: u64,
        args: &[Reg],
    ) -> Result<([u64; 6], Option<Term>), Stop> {
        let (mut known, mut place) = ([0; 6], None);
        let order = match nr {
            cleave_linux::nr::LSEEK => OF_SEEK,
            cleave_linux::nr::PREAD64 => OF_PREAD,
            _ => IN_ORDER,
        };
        for i in order {
            let given = args.get(i + 1).copied().unwrap_or(Reg::ZERO);
            self.decides(state, given);
            let used = cleave_linux::argument(nr, i);
            let alike = if given.is_known() { None } else { state.kernel.alike(nr, i, &known) };
            known[i] = match (given.term(), alike) {
                (Some(t), Some(alike)) if used == Argument::Whole => {
                    self.used_low(state, given, 64, "an argument or a size")?;
                    let (value, stands_for) = self.alike_value(state, (nr, i), t, alike)?;
                    if nr == cleave_linux::nr::LSEEK {
                        place = stands_for;
                    }
                    value
                }
                _ => self.argument(state, used, given)?,
            };
        }
        Ok((known, place))
    }

    /// The value of an argument of which some numbers are alike, and its sum with the base if it is one of these.
    fn alike_value(
        &mut self,
        state: &State,
        (nr, i): (u64, usize),
        t: Term,
        Alike { base, from, to }: Alike,
    ) -> Result<(u64, Option<Term>), Stop> {
        let [offset, first, last, greatest] =
            [base, from, to, i64::MAX as u64].map(|n| self.terms.constant_of(64, n.into()));
        let place = self.terms.add(t, offset);
        let place = self.value(state, place);
        let below = self.terms.ult(place, first);
        if self.decide(state, below)? {
            let at = self.concrete_within(state, place, 0, from.saturating_sub(1))?;
            self.decided_by_value(state, Limit::Argument, from);
            return Ok((at.wrapping_sub(base), None));
        }
        let same = self.terms.ule(place, last);
        if self.decide(state, same)? {
            return Ok((from.wrapping_sub(base), Some(place)));
        }
        let negative = self.terms.ult(greatest, place);
        if self.decide(state, negative)? {
            if cleave_linux::TRANSFERS.contains(&nr) && i == 2 {
                let text = format!(
                    "`{}` is given a length that depends on the input, and is negative",
                    cleave_linux::name_of(nr)
                );
                return Err(Stop::bug(BugKind::BadLength, text));
            }
            return Ok((u64::MAX.wrapping_sub(base), None));
        }
        self.concrete_term(state, t).map(|value| (value, None))
    }

    /// The result of a call that is done: the place that a seek led to or asked for, if that is no known number.
    pub(crate) fn result_of_call(
        &mut self,
        state: &mut State,
        args: &[u64; 6],
        result: u64,
        place: Option<Term>,
    ) -> Reg {
        match place {
            Some(place) if cleave_linux::succeeded(result) => {
                state.kernel.seeks_far(args[0], place);
                self.reg(place)
            }
            _ => Reg::known(result),
        }
    }

    /// The value of a system call's argument. Only the bits that the call distinguishes count; these must be defined.
    fn argument(&mut self, state: &State, used: Argument, r: Reg) -> Result<u64, Stop> {
        let looked_at = match used {
            Argument::Whole => 64,
            Argument::Low(bits) => bits,
            Argument::UpTo(_) => 32,
        };
        self.used_low(state, r, looked_at, "an argument or a size")?;
        let Some(t) = r.term() else { return Ok(r.value) };
        let value = self.argument_value(state, used, t)?;
        self.decided_by_value(state, Limit::Argument, self.terms.range(t).1.saturating_add(1));
        Ok(value)
    }

    fn argument_value(&mut self, state: &State, used: Argument, t: Term) -> Result<u64, Stop> {
        match used {
            Argument::Whole => self.concrete_term(state, t),
            Argument::Low(bits) => {
                let low = self.terms.resize(t, bits);
                self.concrete_term(state, low)
            }
            Argument::UpTo(most) => {
                let low = self.terms.resize(t, 32);
                let k = self.terms.constant_of(32, most.into());
                let small = self.terms.ule(low, k);
                if self.decide(state, small)? {
                    self.concrete_within(state, low, 0, most.into())
                } else {
                    Ok(u64::from(most) + 1)
                }
            }
        }
    }
}
