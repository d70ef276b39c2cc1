//! Numbers that a program prints: the text of some waits until the path has ended (runtime/musl/numbers.c).

use cleave_float::Rounding;
use cleave_linux::Schedules;
use cleave_program::code::NO_REG;

use crate::engine::Engine;
use crate::library::guest::Called;
use crate::states::state::{Reg, State};
use crate::stop::Stop;

/// Functions of the C library that return the result of `vfprintf`, and do nothing else with it.
const WRAPPERS: [&str; 11] = [
    "printf",
    "fprintf",
    "vprintf",
    "dprintf",
    "vdprintf",
    "__printf_chk",
    "__fprintf_chk",
    "__vprintf_chk",
    "__vfprintf_chk",
    "__dprintf_chk",
    "__vdprintf_chk",
];

/// Maximum width or precision of a number whose text waits, in characters: the text must stay small beside a state, which takes
/// some hundred kilobytes.
const WIDEST: u64 = 1 << 16;

impl Engine {
    /// `cleave_number_waits(mantissa, exponent, width, precision, fd)`: true if a number that `vfprintf` is about to print
    /// needs no text now. It depends on the input, the text goes out of the model, and the program does not use its length.
    pub(crate) fn number_waits(&mut self, state: &mut State, args: &[Reg]) -> Result<bool, Stop> {
        let &[mantissa, exponent, width, precision, fd] = args else { return Ok(false) };
        let number = [(mantissa, 64), (exponent, 16)];
        if number.iter().all(|(part, _)| part.term().is_none() && part.shade().is_none()) {
            return Ok(false);
        }
        let narrow = |r: Reg| r.term().is_none() && (r.value as i32) <= WIDEST as i32;
        let env = &self.options.env;
        let plain = env.max_fail == 0 && env.short_io == 0 && env.schedules == Schedules::Fixed;
        let rounds = state.rounding == Rounding::Nearest;
        if !plain || !rounds || !narrow(width) || !narrow(precision) || self.length_is_used(state) {
            return Ok(false);
        }
        let fd = self.concrete(state, fd)?;
        if !state.kernel.is_output(fd) {
            return Ok(false);
        }
        let mut known = true;
        for (part, bits) in number {
            self.used_low(state, part, bits, "a number that is printed")?;
            if let Some(t) = part.term() {
                let left = self.value(state, t);
                known &= self.terms.constant64(left).is_some();
            }
        }
        if !known {
            number.iter().for_each(|&(part, _)| self.decides(state, part));
        }
        Ok(!known)
    }

    /// True if the program uses the result of the C library's function that has called `vfprintf`.
    fn length_is_used(&self, state: &State) -> bool {
        let function = |func: u32| &self.program.functions[func as usize];
        let mut frames = state.frames().skip_while(|f| function(f.func).name != "vfprintf").peekable();
        while let Some(frame) = frames.next() {
            if frame.dst == NO_REG {
                return false;
            }
            let hands_on = frames.peek().map(|caller| function(caller.func));
            if !hands_on.is_some_and(|f| f.library && WRAPPERS.contains(&f.name.as_str())) {
                return true;
            }
        }
        true
    }

    /// `cleave_stream(what, stream, fd, a, b, c)`: see `linux/src/streams`.
    pub(crate) fn stream_call(&mut self, state: &mut State, args: &[Reg]) -> Result<Reg, Stop> {
        let mut call = [0; 6];
        for (to, &arg) in call.iter_mut().zip(args) {
            *to = self.concrete(state, arg)?;
        }
        match self.kernel_call(state, |kernel, guest| kernel.stream_call(guest, call))? {
            Called::Done(result) => Ok(Reg::known(result)),
            Called::Waits(_) | Called::Executes(_) => {
                Err(Stop::impossible("a note of the C library that waits"))
            }
        }
    }
}
