//! The inline assembly that coreutils has.

use std::ffi::c_char;

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::function::{Home, Translator};
use super::instructions::{binary, compare};
use super::types::Scalar;
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
            ["pause"] | ["pause;"] | ["rep;", "nop"] | ["rep", "nop"] | ["nop"] | ["nop;"]
                if homes.is_empty() =>
            {
                Some(())
            }
            _ if code.contains("cpuid") => self.cpuid(i, &constraints, &homes),
            // Nobody asks for the states of the processor whom cpuid did not tell that he may.
            _ if code.contains("xgetbv") => {
                let zero = self.constant(0);
                for (s, dst) in homes {
                    self.copy(s, dst, zero);
                }
                Some(())
            }
            ["mul" | "mulq", _] if homes.len() == 2 && homes.iter().all(|(s, _)| s.width == 64) => {
                // (high, low) = a * b; the constraints say which register is which result.
                let (a, b) = (self.one(self.argument(i, 0))?, self.one(self.argument(i, 1))?);
                let high_first = constraints.find("{dx}")? < constraints.find("{ax}")?;
                let (x, y, p, k) = (self.fresh(2), self.fresh(2), self.fresh(2), 64);
                self.push(Op::WideExt { signed: false, from: k, w: 128, dst: x, a });
                self.push(Op::WideExt { signed: false, from: k, w: 128, dst: y, a: b });
                let (x, y) = (Operand::reg(x), Operand::reg(y));
                self.push(Op::WideBin { op: BinOp::Mul, lazy: false, w: 128, dst: p, a: x, b: y });
                let (first, second) = (homes[0].1, homes[1].1);
                let (high, low) = if high_first { (first, second) } else { (second, first) };
                self.push(Op::WideTrunc { from: 128, w: 64, dst: low, a: Operand::reg(p) });
                let shift = self.scalar_constant(128, 64);
                self.push(Op::WideBin {
                    op: BinOp::LShr,
                    lazy: false,
                    w: 128,
                    dst: p,
                    a: Operand::reg(p),
                    b: shift,
                });
                self.push(Op::WideTrunc { from: 128, w: 64, dst: high, a: Operand::reg(p) });
                Some(())
            }
            // Sums and differences of two words: (high, low) and a carry between them.
            ["addq", "$5,${1:q}", "adcq", "$3,${0:q}"] => self.two_words(i, &homes, BinOp::Add),
            ["subq", "$5,${1:q}", "sbbq", "$3,${0:q}"] => self.two_words(i, &homes, BinOp::Sub),
            // The place of the highest or lowest set bit. Of zero it is undefined.
            ["bsr" | "bsrq", ..] if homes.len() == 1 && homes[0].0.width == 64 => {
                let (a, from_top) = (self.one(self.argument(i, 0))?, self.fresh(1));
                self.push(Op::Unary { op: UnOp::Ctlz, strict: false, w: 64, dst: from_top, a });
                let (top, b) = (self.constant(63), Operand::reg(from_top));
                self.push(Op::Sub { w: 64, dst: homes[0].1, a: top, b });
                Some(())
            }
            ["bsf" | "bsfq", ..] if homes.len() == 1 && homes[0].0.width == 64 => {
                let a = self.one(self.argument(i, 0))?;
                self.push(Op::Unary { op: UnOp::Cttz, strict: false, w: 64, dst: homes[0].1, a });
                Some(())
            }
            _ => {
                self.unsupported(&format!("the inline assembly `{}`", words.join(" ")));
                Some(())
            }
        }
    }

    /// The results that are wanted of `cpuid`, by the registers of its outputs; ebx may come in any register, as code
    /// that is independent of its position keeps it.
    fn cpuid(&mut self, i: LLVMValueRef, constraints: &str, homes: &[(Scalar, Reg)]) -> Option<()> {
        let outputs = constraints.split(',').filter(|c| c.starts_with('='));
        let inputs = constraints.split(',').filter(|c| !c.starts_with(['=', '~'])).count() as u32;
        let leaf = if inputs > 0 { self.one(self.argument(i, 0))? } else { return None };
        let subleaf = if inputs > 1 { self.one(self.argument(i, 1))? } else { self.constant(0) };
        for (output, &(_, dst)) in outputs.zip(homes) {
            let which = match output {
                "={ax}" => 0,
                "={cx}" => 2,
                "={dx}" => 3,
                _ => 1,
            };
            let which = self.constant(which);
            let args = self.args(&[leaf, subleaf, which]);
            self.push(Op::Builtin { what: Builtin::Cpuid, dst, args, n: 0 });
        }
        Some(())
    }

    /// (ah, al) and (bh, bl) added or subtracted; the arguments are ah, bh, al, bl.
    fn two_words(&mut self, i: LLVMValueRef, homes: &[(Scalar, Reg)], op: BinOp) -> Option<()> {
        let &[(_, high), (_, low)] = homes else { return None };
        let mut words = [self.constant(0); 4];
        for (k, word) in (0..).zip(&mut words) {
            *word = self.one(self.argument(i, k))?;
        }
        let [ah, bh, al, bl] = words;
        let (sum, carry, both) = (self.fresh(1), self.fresh(1), self.fresh(1));
        let word = Scalar { width: 64, ..homes[0].0 };
        self.push(binary(op, word, sum, al, bl));
        // A sum wraps where it is below an operand, a difference where the first is below the second.
        let (a, b) = if op == BinOp::Add { (Operand::reg(sum), al) } else { (al, bl) };
        self.push(compare(Pred::Ult, word, carry, a, b));
        self.push(Op::Zext { from: 1, w: 64, dst: carry, a: Operand::reg(carry) });
        self.push(binary(op, word, both, ah, bh));
        self.push(binary(op, word, high, Operand::reg(both), Operand::reg(carry)));
        self.push(Op::Move { dst: low, a: Operand::reg(sum) });
        Some(())
    }
}
