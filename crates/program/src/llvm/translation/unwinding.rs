//! Calls that an exception may leave, and the landing pads at which it goes on.

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::llvm::modules::values::{instructions_of, opcode};
use crate::llvm::rewrites::pads::never_unwinds;
use crate::llvm::translation::translator::Translator;
use crate::register_code::code::*;

/// The landing pad that a block begins with, behind its phis.
fn pad_of(block: LLVMBasicBlockRef) -> Option<LLVMValueRef> {
    let first = instructions_of(block).into_iter().find(|&i| opcode(i) != LLVMOpcode::LLVMPHI);
    first.filter(|&i| opcode(i) == LLVMOpcode::LLVMLandingPad)
}

impl Translator<'_, '_> {
    /// The fate of exceptions that come to a function.
    pub(crate) fn unwinding(&mut self, f: LLVMValueRef) -> Unwinding {
        let never = never_unwinds(f);
        let Some(pads) = self.loader.pads.get(&f) else { return Unwinding { never, ..Unwinding::default() } };
        let (personality, table) = (pads.personality, pads.table);
        let table = self.loader.global_address(table).unwrap_or(0);
        let personality = self.loader.scalar(personality).unwrap_or(0) as u64;
        Unwinding { personality, table, never }
    }

    /// A call that goes on at one block, or lands at another.
    pub(crate) fn invoke(&mut self, i: LLVMValueRef) -> Option<()> {
        // SAFETY: the opcode says what it is.
        let (to, block, f) =
            unsafe { (LLVMGetNormalDest(i), LLVMGetUnwindDest(i), LLVMGetBasicBlockParent(self.block)) };
        let number = self.loader.pads.get(&f)?.number(pad_of(block)?)?;
        let before = self.out.code.len();
        self.call(i)?;
        let to = self.target(to);
        let calls = self.out.code.get(before..).and_then(<[Op]>::last).is_some_and(|op| {
            matches!(op, Op::Call { .. } | Op::CallVar { .. } | Op::CallIndirect { .. } | Op::Builtin { .. })
        });
        if !calls {
            let n = self.segment();
            self.push(Op::Jump { to, n });
            return Some(());
        }
        let (pad, dst) = (self.target(block), self.landing());
        self.push(Op::Lands { to, pad, number, dst });
        Some(())
    }

    fn landing(&mut self) -> Reg {
        if let Some(landing) = self.landing {
            return landing;
        }
        let landing = self.fresh(2);
        self.landing = Some(landing);
        landing
    }

    /// The two values that the exception has brought.
    pub(crate) fn landing_pad(&mut self, i: LLVMValueRef) -> Option<()> {
        let homes = self.homes_of(i)?;
        let [(first, _), (second, _)] = &homes[..] else { return None };
        if (first.width, second.width) != (64, 32) {
            return None;
        }
        let landing = self.landing();
        for ((s, dst), r) in homes.into_iter().zip(landing..) {
            self.copy(s, dst, Operand::reg(r));
        }
        Some(())
    }

    /// The number that a landing pad gets for exceptions of a type: that of the type in the function's table.
    pub(crate) fn number_of_type(&mut self, i: LLVMValueRef) -> Option<()> {
        // SAFETY: the block is a function's.
        let f = unsafe { LLVMGetBasicBlockParent(self.block) };
        let number = self.loader.pads.get(&f)?.number_of_type(self.argument(i, 0))?;
        self.fixed(i, |_| number.into())
    }
}
