//! The processor that a program finds: it has the features that every x86-64 has and no others, and a rounding mode.

use cleave_float::Rounding;
use cleave_program::code::Builtin;

use crate::engine::Engine;
use crate::states::state::{Reg, State};
use crate::stop::Stop;

/// The registers that `cpuid` leaves, in the order eax, ebx, ecx, edx.
type Leaf = [u32; 4];

/// Leaf 0: one more leaf, and a vendor that no program knows.
const VENDOR: Leaf = [1, word(*b"Clea"), word(*b"elle"), word(*b"veMo")];
/// Leaf 1: floating point, time stamp counter, cmpxchg8b, cmov, MMX, fxsave, SSE, SSE2: compilers rely on these.
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

/// Position of the rounding mode in the x87's control word, in bits.
const X87_MODE: u32 = 10;

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

    /// The rounding mode, set or read, and the flags of exceptions, none of which is kept.
    pub(crate) fn float_environment(
        &mut self,
        state: &mut State,
        what: Builtin,
        mode: Reg,
    ) -> Result<Reg, Stop> {
        Ok(match what {
            // The mode's bits stand where the x87 has them. musl has checked that it is a mode.
            Builtin::SetRounding => {
                let mode = self.concrete(state, mode)?;
                state.rounding = Rounding::from_bits(mode >> X87_MODE);
                Reg::ZERO
            }
            Builtin::GetRounding => Reg::known(state.rounding.to_bits() << X87_MODE),
            Builtin::FltRounds => Reg::known(flt_rounds(state.rounding)),
            _ => {
                // Only the program's own calls are noted: the C library asks to put the flags back.
                if !self.program.functions[state.frame.func as usize].library {
                    state.kernel.make_up("fetestexcept knows of no exception (0)");
                }
                Reg::ZERO
            }
        })
    }
}

/// `FLT_ROUNDS`: the mode by C's number.
fn flt_rounds(mode: Rounding) -> u64 {
    match mode {
        Rounding::Zero => 0,
        Rounding::Nearest => 1,
        Rounding::Up => 2,
        Rounding::Down => 3,
    }
}
