//! The processor as a program finds it: one that has what every x86-64 has and nothing beyond, which rounds to nearest.

use crate::engine::Engine;
use crate::state::{Reg, State};
use crate::stop::Stop;

/// The registers that `cpuid` leaves, in the order eax, ebx, ecx, edx.
type Leaf = [u32; 4];

/// Leaf 0: one more leaf, and a vendor of whom no program knows anything.
const VENDOR: Leaf = [1, word(*b"Clea"), word(*b"elle"), word(*b"veMo")];
/// Leaf 1: floating point, time stamp counter, cmpxchg8b, cmov, MMX, fxsave, SSE, SSE2: what a compiler takes for granted.
const FEATURES: Leaf = [0xf00, 0, 0, 1 | 1 << 4 | 1 << 8 | 1 << 15 | 1 << 23 | 1 << 24 | 1 << 25 | 1 << 26];
/// The first leaf of the other kind, and its last.
const EXTENDED: u32 = 0x8000_0000;
/// Leaf `EXTENDED + 1`: system calls, no-execute, 64 bits.
const EXTENDED_FEATURES: Leaf = [0, 0, 0, 1 << 11 | 1 << 20 | 1 << 29];

const fn word(text: [u8; 4]) -> u32 {
    u32::from_le_bytes(text)
}

fn cpuid(leaf: u32) -> Leaf {
    match leaf {
        0 => VENDOR,
        1 => FEATURES,
        EXTENDED => [EXTENDED + 1, 0, 0, 0],
        0x8000_0001 => EXTENDED_FEATURES,
        _ => [0; 4],
    }
}

impl Engine {
    /// One of the four results of `cpuid`. Natively they are those of the machine.
    pub(crate) fn processor(
        &mut self,
        state: &mut State,
        leaf: Reg,
        _subleaf: Reg,
        which: Reg,
    ) -> Result<Reg, Stop> {
        let leaf = self.concrete(state, leaf)? as u32;
        state.kernel.make_up("cpuid knows no extension of x86-64");
        let value = cpuid(leaf).get(which.value as usize).copied().unwrap_or(0);
        Ok(Reg::known(value.into()))
    }

    /// `fesetround`: only the mode there is can be set. Floating point is not computed in others.
    pub(crate) fn set_rounding(&mut self, state: &mut State, mode: Reg) -> Result<Reg, Stop> {
        let mode = self.concrete(state, mode)? as u32;
        if mode == 0 {
            return Ok(Reg::ZERO);
        }
        state.kernel.make_up("fesetround of another mode than to nearest fails");
        Ok(Reg::known(1))
    }
}
