//! The inline assembly that coreutils has.

use std::ffi::c_char;

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::function::{Home, Translator};
use crate::code::*;

fn text(
    value: LLVMValueRef,
    read: unsafe extern "C" fn(LLVMValueRef, *mut usize) -> *const c_char,
) -> String {
    let mut len = 0;
    // SAFETY: the text is as long as LLVM says, and copied.
    unsafe {
        let p = read(value, &mut len);
        if p.is_null() {
            return String::new();
        }
        String::from_utf8_lossy(std::slice::from_raw_parts(p as *const u8, len)).into_owned()
    }
}

impl Translator<'_, '_> {
    pub(crate) fn inline_asm(&mut self, i: LLVMValueRef, asm: LLVMValueRef) -> Option<()> {
        let code = text(asm, LLVMGetInlineAsmAsmString);
        let constraints = text(asm, LLVMGetInlineAsmConstraintString);
        let words: Vec<&str> = code.split_whitespace().collect();
        let homes = self.homes_of(i)?;
        match words.as_slice() {
            // A barrier: nothing, or a value that is to be what it was.
            [] => {
                let inputs: Vec<&str> =
                    constraints.split(',').filter(|c| !c.starts_with(['=', '~'])).collect();
                if homes.is_empty() {
                    return Some(());
                }
                if homes.len() == 1 && inputs.first() == Some(&"0") {
                    let operands = self.scalars(self.argument(i, 0))?.into_iter().map(|(_, o)| o).collect();
                    self.homes.insert(i, Home::Operands(operands));
                    return Some(());
                }
                None
            }
            ["pause", ..] | ["rep;", "nop", ..] | ["nop", ..] if homes.is_empty() => Some(()),
            // No processor is known: no feature is there.
            _ if code.contains("cpuid") || code.contains("xgetbv") => {
                let zero = self.constant(0);
                for (s, dst) in homes {
                    self.copy(s, dst, zero);
                }
                Some(())
            }
            [m, ..] if m.starts_with("mul") && homes.len() == 2 => {
                // (high, low) = a * b; the constraints say which register is which result.
                let (a, b) = (self.one(self.argument(i, 0))?, self.one(self.argument(i, 1))?);
                let high_first = constraints.find("{dx}")? < constraints.find("{ax}")?;
                let (x, y, p, k) = (self.fresh(2), self.fresh(2), self.fresh(2), 64);
                self.push(Op::WideExt { signed: false, from: k, w: 128, dst: x, a });
                self.push(Op::WideExt { signed: false, from: k, w: 128, dst: y, a: b });
                let (x, y) = (Operand::reg(x), Operand::reg(y));
                self.push(Op::WideBin { op: BinOp::Mul, w: 128, dst: p, a: x, b: y });
                let (first, second) = (homes[0].1, homes[1].1);
                let (high, low) = if high_first { (first, second) } else { (second, first) };
                self.push(Op::WideTrunc { from: 128, w: 64, dst: low, a: Operand::reg(p) });
                let shift = self.scalar_constant(128, 64);
                self.push(Op::WideBin { op: BinOp::LShr, w: 128, dst: p, a: Operand::reg(p), b: shift });
                self.push(Op::WideTrunc { from: 128, w: 64, dst: high, a: Operand::reg(p) });
                Some(())
            }
            _ => {
                self.unsupported(&format!("the inline assembly `{}`", words.join(" ")));
                Some(())
            }
        }
    }
}
