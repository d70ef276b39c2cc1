//! Formats of `printf` and its like, as far as checks read them: string arguments, and addresses that are written. Called when
//! a function of the C library begins to read its variable arguments.

use cleave_memory::{Byte, Object, Shadow};
use cleave_program::layout::Target;
use cleave_region::BugKind;

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::states::state::{Reg, State};
use crate::stop::Stop;
use crate::undefined::shades::Why;

/// Bytes of an int, which has half of an integer register, and of a long double with and without its unused bytes.
pub(crate) const HALF: u64 = 4;
const LEAST_LONG_DOUBLE: u64 = 10;

/// Functions of the C library whose last named argument is a format.
const FORMATTED: [&str; 6] = ["printf", "fprintf", "dprintf", "sprintf", "snprintf", "asprintf"];

/// A conversion of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Conversion {
    /// Its letter.
    letter: u8,
    /// The number of its argument.
    argument: usize,
    /// Maximum number of characters that are written of a string; `None` if an argument gives it.
    most: Option<u64>,
}

/// The conversions of a format, and the number of characters that stand for themselves. `None` if it is not understood:
/// arguments by number, or a conversion that is cut off.
fn conversions(format: &[u8]) -> Option<(Vec<Conversion>, u64)> {
    let (mut all, mut plain, mut argument) = (Vec::new(), 0, 0);
    let mut rest = format.iter().copied().peekable();
    while let Some(c) = rest.next() {
        if c != b'%' {
            plain += 1;
            continue;
        }
        let (mut most, mut precise, mut unknown, mut wide) = (u64::MAX, false, false, false);
        let letter = loop {
            match rest.next()? {
                b'$' => return None,
                b'*' => {
                    argument += 1;
                    unknown |= precise;
                }
                b'.' => (precise, most) = (true, 0),
                c @ b'0'..=b'9' if precise => {
                    most = most.saturating_mul(10).saturating_add(u64::from(c - b'0'))
                }
                b'l' => wide = true,
                b'0'..=b'9' | b'#' | b'-' | b' ' | b'+' | b'\'' | b'h' | b'L' | b'q' | b'j' | b'z' | b't' => {
                }
                letter => break letter,
            }
        };
        if letter == b'%' {
            plain += 1;
            continue;
        }
        // A string of wide characters is converted when it is written; `S` tells it from other strings.
        let letter = if wide && letter == b's' { b'S' } else { letter };
        all.push(Conversion { letter, argument, most: (!unknown).then_some(most) });
        argument += 1;
    }
    Some((all, plain))
}

impl Engine {
    /// Checks the format if the running function, which begins to read its variable arguments, is `printf` or its like.
    pub(crate) fn formatted(&mut self, state: &mut State) -> Result<(), Stop> {
        let function = &self.program.functions[state.frame.func as usize];
        let (name, params) = (function.name.clone(), function.params as usize);
        if !function.library || !FORMATTED.contains(&name.as_str()) {
            return Ok(());
        }
        let Some(format) = params.checked_sub(1).and_then(|last| state.frame.regs.get(last)) else {
            return Ok(());
        };
        let text = if format.term().is_none() { self.known_text(state, format.value) } else { Vec::new() };
        let Some((all, plain)) = conversions(&text) else { return Ok(()) };
        let given = state.frame.varargs.clone();
        // A pointer of 32 bits is an argument of as many.
        let narrow = 8 * self.program.target.pointer_bytes();
        let is_pointer = |bits: u64, low: Reg| bits == 64 || bits == narrow && low.term().is_none();
        let given: Vec<(Conversion, Reg)> = all
            .into_iter()
            .filter_map(|c| Some((c, given.as_deref()?.get(c.argument)?)))
            .filter(|(_, v)| is_pointer(v.bits.into(), v.low) && !v.float && v.byval.is_none())
            .map(|(c, v)| (c, v.low))
            .collect();
        if matches!(name.as_str(), "sprintf" | "snprintf") && self.options.checks.has(Family::Overlap) {
            let (dst, most) = (state.frame.regs[0], (params == 3).then(|| state.frame.regs[1]));
            for &(conversion, from) in given.iter().filter(|(c, _)| c.letter == b's') {
                self.written_over(state, &name, (dst, most), (conversion, from), plain)?;
            }
        }
        if given.iter().any(|&(c, r)| c.letter == b'p' && self.object_start(state, r).is_some()) {
            self.depends_on_addresses(state);
        }
        Ok(())
    }

    /// Reports a string argument of `sprintf` that the result overwrites: at least the `plain` characters and all of the string
    /// are written.
    fn written_over(
        &mut self,
        state: &State,
        name: &str,
        (dst, most): (Reg, Option<Reg>),
        (conversion, src): (Conversion, Reg),
        plain: u64,
    ) -> Result<(), Stop> {
        let known = |r: Reg| r.term().is_none() && r.shade().is_none();
        let base = |r: Reg| state.memory.object(r.value).map(|o| o.base);
        let Some(characters) = conversion.most else { return Ok(()) };
        if !known(dst) || !known(src) || base(dst).is_none() || base(dst) != base(src) {
            return Ok(());
        }
        let (to, from) = (dst.value, src.value);
        let needed = if from < to { to - from } else { (from - to).saturating_sub(plain) };
        if needed > characters || most.is_some_and(|n| n.shade().is_some()) {
            return Ok(());
        }
        // Characters beyond the room are not written.
        let room = if from < to { 1 } else { from - to + 1 };
        let far = self.at_least(most, room);
        let overlap = self.reaches(state, from, needed, far);
        match self.decide(state, overlap)? {
            true => Err(self.overlap(state, &format!("`{name}`"), (to, from))),
            false => Ok(()),
        }
    }

    /// The known bytes of a string in memory, without its zero.
    fn known_text(&self, state: &State, address: u64) -> Vec<u8> {
        let Ok((object, start)) = state.memory.resolve(address, 1) else { return Vec::new() };
        let bytes = (start..object.certain).map_while(|i| match object.get(i) {
            Byte::Known(0) | Byte::Symbolic(_) => None,
            Byte::Known(v) => Some(v),
        });
        bytes.collect()
    }

    /// Checks a read of variable arguments. The C library reads each by its type, so that there it must have the width of the
    /// read; elsewhere a part of a structure may be read.
    pub(crate) fn argument_read(
        &self,
        state: &State,
        object: &Object,
        offset: u64,
        n: u64,
    ) -> Result<(), Stop> {
        let wide = self.program.target == Target::X86_64;
        if !wide || !self.program.functions[state.frame.func as usize].library || n < HALF {
            return Ok(());
        }
        let passed = match object.shadow(offset) {
            Shadow::Shaded(shade) => match self.shades.get(shade).1.why {
                Why::Argument(size) => Some(size).filter(|&size| n < size.min(LEAST_LONG_DOUBLE)),
                Why::Base(_) => Some(2 * HALF).filter(|&size| n < size),
                _ => None,
            },
            _ => None,
        };
        let narrow =
            || n > HALF && offset + n <= object.size && object.shadow(offset + HALF) == Shadow::Fresh;
        match passed.or_else(|| narrow().then_some(HALF)) {
            None => Ok(()),
            Some(passed) => Err(Stop::bug(
                BugKind::MissingArgument,
                format!("an argument of {passed} bytes is read as one of {n}: the format does not suit it"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_says_which_arguments_are_strings_and_how_much_is_written_at_least() {
        let read = |format: &str| {
            let (all, plain) = conversions(format.as_bytes())?;
            Some((all.into_iter().map(|c| (c.letter as char, c.argument, c.most)).collect::<Vec<_>>(), plain))
        };
        let all = Some(u64::MAX);
        assert_eq!(read("%s!"), Some((vec![('s', 0, all)], 1)));
        assert_eq!(read("a%%b %-8d%.3s"), Some((vec![('d', 0, all), ('s', 1, Some(3))], 4)));
        assert_eq!(read("%*.*s%ls%p"), Some((vec![('s', 2, None), ('S', 3, all), ('p', 4, all)], 0)));
        assert_eq!((read("%1$s"), read("%")), (None, None));
    }
}
