//! Variable arguments, as x86-64 lays them out. All go into the overflow area; the register save area is said
//! to be used up.

use cleave_memory::{Byte, Shadow};

use crate::engine::Engine;
use crate::state::{Reg, State};
use crate::stop::Stop;

/// `va_list` is `{ i32 gp_offset, i32 fp_offset, ptr overflow_arg_area, ptr reg_save_area }`.
const VA_LIST_SIZE: u64 = 24;
/// The offsets at which the registers are used up.
const NO_MORE_INTEGERS: u64 = 48;
const NO_MORE_FLOATS: u64 = 304;

impl Engine {
    pub(crate) fn va_start(&mut self, state: &mut State, list: Reg) -> Result<(), Stop> {
        let list = self.concrete(state, list)?;
        let mut area: Vec<Byte> = Vec::new();
        let mut shadows: Vec<(usize, Vec<Shadow>)> = Vec::new();
        for v in state.frame.varargs.clone().iter().flat_map(|v| v.iter()) {
            let align = v.align.max(1) as usize;
            area.resize(area.len().next_multiple_of(align), Byte::Known(0));
            if let Some(size) = v.byval {
                let from = self.concrete(state, v.low)?;
                shadows.extend(self.shadows_at(state, from, size as u64).map(|s| (area.len(), s)));
                area.extend(state.memory.read(from, size as u64).map_err(|f| self.pointer_bug(&f))?);
            } else {
                let t = match v.low.term() {
                    Some(t) => t,
                    None => {
                        self.terms.constant_of(v.bits, (v.high.value as u128) << 64 | v.low.value as u128)
                    }
                };
                let n = v.bits.div_ceil(8);
                let t = self.terms.zext(t, 8 * n);
                shadows.extend(v.low.shade().map(|s| (area.len(), self.shadows_of(s, n as u64))));
                area.extend(Byte::of_word(&mut self.terms, t));
            }
        }
        area.resize(area.len().next_multiple_of(8), Byte::Known(0));
        // A function may read arguments that nobody gave and not use them, as musl's fcntl and syscall do: up to
        // six come out of saved registers on a real machine.
        area.resize(area.len().max(NO_MORE_INTEGERS as usize), Byte::Known(0));
        let address = state.memory.allocate_stack(area.len() as u64).unwrap_or(0);
        state.memory.write(address, &area).map_err(|f| self.pointer_bug(&f))?;
        for (at, shadows) in shadows {
            let at = address + at as u64;
            state.memory.set_shadows(at, &shadows).map_err(|f| self.pointer_bug(&f))?;
        }
        for (off, w, value) in
            [(0, 32, NO_MORE_INTEGERS), (4, 32, NO_MORE_FLOATS), (8, 64, address), (16, 64, 0)]
        {
            self.store(state, Reg::known(value), Reg::known(list), off, w)?;
        }
        Ok(())
    }

    pub(crate) fn va_copy(&mut self, state: &mut State, dst: Reg, src: Reg) -> Result<(), Stop> {
        let (dst, src) = (self.concrete(state, dst)?, self.concrete(state, src)?);
        let bytes = state.memory.read(src, VA_LIST_SIZE).map_err(|f| self.pointer_bug(&f))?;
        state.memory.write(dst, &bytes).map_err(|f| self.pointer_bug(&f))
    }
}
