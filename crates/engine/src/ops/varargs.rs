//! Variable arguments, as x86-64 lays them out; on i386 all stand one behind the other, in words of four bytes. Those in
//! registers stand at the end of their part of the register save area, so that reading one more than there are goes on in the
//! overflow area, and ends there. Shadows tell how wide each scalar is.

use cleave_memory::{Byte, Kind, Shade, Shadow};
use cleave_program::code::ArgClass;
use cleave_program::layout::Target;

use crate::checking::checks::Family;
use crate::checking::formats::HALF;
use crate::engine::Engine;
use crate::states::state::{Reg, State, Variable};
use crate::stop::Stop;
use crate::undefined::shades::{Cause, Why};

/// `va_list` is `{ i32 gp_offset, i32 fp_offset, ptr overflow_arg_area, ptr reg_save_area }`.
const VA_LIST_SIZE: u64 = 24;
/// That of i386 is a pointer to the first argument.
const I386_VA_LIST_SIZE: u64 = 4;
/// Ends of the integer registers in the save area, and of the vector registers behind them, in bytes.
const INTEGERS_END: usize = 48;
const FLOATS_END: usize = 176;
const LONG_DOUBLE: u64 = 16;
/// Functions of the C library that read an argument which may not be passed, and do not use it.
const LENIENT: [&str; 5] = ["fcntl", "ioctl", "syscall", "prctl", "ptrace"];

/// The bytes of an argument, and the shadow that they have.
struct Passed {
    bytes: Vec<Byte>,
    shadows: Option<Vec<Shadow>>,
    width: Option<Width>,
}

/// The width of a scalar argument.
#[derive(Clone, Copy)]
enum Width {
    /// Four of the eight bytes that it takes.
    Half,
    /// More: its first byte is to have this mark.
    More(Shade),
}

impl Passed {
    /// The shadows that tell its width, and their offset: the upper half of an int is not set.
    fn marks(&self) -> Option<(usize, Vec<Shadow>)> {
        match self.width? {
            Width::Half => Some((HALF as usize, vec![Shadow::Fresh; HALF as usize])),
            Width::More(mark) => self.shadows.is_none().then(|| (0, vec![Shadow::Shaded(mark)])),
        }
    }
}

/// A part of the areas while it is filled.
#[derive(Default)]
struct Area {
    bytes: Vec<Byte>,
    /// Offsets of shadows, each with the shadows from there on.
    shadows: Vec<(usize, Vec<Shadow>)>,
}

impl Area {
    /// Adds an argument at the next place of this alignment, with `room` bytes for it.
    fn add(&mut self, passed: Passed, align: usize, room: usize) {
        let start = self.bytes.len().next_multiple_of(align);
        self.bytes.resize(start, Byte::Known(0));
        self.shadows.extend(passed.marks().map(|(at, s)| (start + at, s)));
        self.shadows.extend(passed.shadows.map(|s| (start, s)));
        self.bytes.extend(passed.bytes);
        self.bytes.resize(start + room, Byte::Known(0));
    }
}

/// The areas of all arguments of a call.
#[derive(Default)]
struct Areas {
    integers: Area,
    floats: Area,
    overflow: Area,
}

impl Areas {
    /// Adds an argument; `left` are the registers that the fixed arguments leave.
    fn add(&mut self, v: &Variable, passed: Passed, left: (usize, usize)) {
        let size = passed.bytes.len();
        let slots = size.next_multiple_of(8);
        let Areas { integers, floats, overflow } = self;
        match v.class {
            ArgClass::Integer if integers.bytes.len() + slots <= 8 * left.0 => integers.add(passed, 1, slots),
            ArgClass::Float if floats.bytes.len() + 16 <= 16 * left.1 => floats.add(passed, 1, 16),
            ArgClass::Integer => overflow.add(passed, v.align.max(1) as usize, slots),
            _ => overflow.add(passed, v.align.max(1) as usize, size),
        }
    }
}

impl Engine {
    pub(crate) fn va_start(&mut self, state: &mut State, list: Reg) -> Result<(), Stop> {
        self.formatted(state)?;
        let list = self.concrete(state, list)?;
        let function = &self.program.functions[state.frame.func as usize];
        let fixed = function.fixed_registers;
        let mut lenient = LENIENT.contains(&function.name.as_str());
        lenient |= !self.options.checks.has(Family::Format);
        let given = state.frame.varargs.clone();
        let given = given.as_deref().unwrap_or_default();
        // Lanes of a vector stand one behind the other: with them, all is passed in memory.
        let lanes = given.iter().any(|v| v.class == ArgClass::Lane);
        let left = |all: usize, fixed: u8| if lanes { 0 } else { all.saturating_sub(fixed as usize) };
        let left = (left(6, fixed.0), left(8, fixed.1));
        if self.program.target == Target::I386 {
            return self.words_on_stack(state, list, given, lenient);
        }
        let mut areas = Areas::default();
        for v in given {
            let mut passed = self.argument_bytes(state, v)?;
            if !lenient {
                passed.width = self.width_of(state, v);
            }
            areas.add(v, passed, left);
        }
        let Areas { integers, floats, mut overflow } = areas;
        let size = overflow.bytes.len().next_multiple_of(8);
        overflow.bytes.resize(if lenient { size.max(INTEGERS_END) } else { size }, Byte::Known(0));
        let first = (INTEGERS_END - integers.bytes.len(), FLOATS_END - floats.bytes.len());
        let save = match integers.bytes.is_empty() && floats.bytes.is_empty() {
            true => 0,
            false => self.argument_area(state, FLOATS_END as u64)?,
        };
        let rest = self.argument_area(state, overflow.bytes.len() as u64)?;
        for (at, area) in
            [(save + first.0 as u64, integers), (save + first.1 as u64, floats), (rest, overflow)]
        {
            self.fill_area(state, at, area)?;
        }
        for (off, w, value) in
            [(0, 32, first.0 as u64), (4, 32, first.1 as u64), (8, 64, rest), (16, 64, save)]
        {
            let short = state.memory.store_known(list.wrapping_add(off as u64), w as usize / 8, value);
            if short.is_none() {
                self.store(state, Reg::known(value), Reg::known(list), off, w)?;
            }
        }
        Ok(())
    }

    /// The variable arguments of i386: each takes whole words of the stack, and `list` points to the first.
    fn words_on_stack(
        &mut self,
        state: &mut State,
        list: u64,
        given: &[Variable],
        lenient: bool,
    ) -> Result<(), Stop> {
        let mut area = Area::default();
        for v in given {
            let passed = self.argument_bytes(state, v)?;
            let size = passed.bytes.len().next_multiple_of(I386_VA_LIST_SIZE as usize);
            area.add(passed, v.align.max(1) as usize, size);
        }
        if lenient {
            let size = area.bytes.len().max(INTEGERS_END);
            area.bytes.resize(size, Byte::Known(0));
        }
        let at = self.argument_area(state, area.bytes.len() as u64)?;
        self.fill_area(state, at, area)?;
        self.store(state, Reg::known(at), Reg::known(list), 0, 32)
    }

    fn argument_area(&self, state: &mut State, size: u64) -> Result<u64, Stop> {
        let address = state.memory.allocate_stack(size, Kind::Variable);
        address.ok_or_else(|| Stop::unsupported("variable arguments of a gigabyte"))
    }

    fn fill_area(&self, state: &mut State, at: u64, area: Area) -> Result<(), Stop> {
        state.memory.write(at, &area.bytes).map_err(|f| self.pointer_bug(&f))?;
        for (offset, shadows) in area.shadows {
            let at = at + offset as u64;
            state.memory.set_shadows(at, &shadows).map_err(|f| self.pointer_bug(&f))?;
        }
        Ok(())
    }

    fn argument_bytes(&mut self, state: &State, v: &Variable) -> Result<Passed, Stop> {
        if let Some(size) = v.byval {
            let from = self.concrete(state, v.low)?;
            let shadows = self.shadows_at(state, from, size as u64);
            let bytes = state.memory.read(from, size as u64).map_err(|f| self.pointer_bug(&f))?;
            return Ok(Passed { bytes, shadows, width: None });
        }
        let t = match v.low.term() {
            Some(t) => t,
            None => self.terms.constant_of(v.bits, (v.high.value as u128) << 64 | v.low.value as u128),
        };
        let n = v.bits.div_ceil(8);
        let t = self.terms.zext(t, 8 * n);
        let shadows = v.low.handle().map(|s| self.shadows_of(s, n as u64));
        Ok(Passed { bytes: Byte::of_word(&mut self.terms, t).into_vec(), shadows, width: None })
    }

    fn width_of(&mut self, state: &State, v: &Variable) -> Option<Width> {
        let size = match (v.byval, v.class, v.bits) {
            (None, ArgClass::Integer, 32) => return Some(Width::Half),
            (None, ArgClass::Integer, 64) => 2 * HALF,
            (None, _, 80) if v.float => LONG_DOUBLE,
            _ => return None,
        };
        let cause = Cause { why: Why::Argument(size), place: self.here(state) };
        Some(Width::More(self.shades.mark(&mut self.terms, cause)))
    }

    pub(crate) fn va_copy(&mut self, state: &mut State, dst: Reg, src: Reg) -> Result<(), Stop> {
        let (dst, src) = (self.concrete(state, dst)?, self.concrete(state, src)?);
        let size = match self.program.target {
            Target::X86_64 => VA_LIST_SIZE,
            Target::I386 => I386_VA_LIST_SIZE,
        };
        let bytes = state.memory.read(src, size).map_err(|f| self.pointer_bug(&f))?;
        state.memory.write(dst, &bytes).map_err(|f| self.pointer_bug(&f))
    }
}
