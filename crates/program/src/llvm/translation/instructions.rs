//! Instructions on scalars, and control flow.

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use crate::layout::GUARD;
use crate::llvm::marks::addresses::{becomes_number, compares_pointers, is_whole_number, subtracted};
use crate::llvm::marks::conversions::is_of_halves;
use crate::llvm::marks::without_code::is_alone;
use crate::llvm::modules::types::Scalar;
use crate::llvm::modules::values::text_of;
use crate::llvm::modules::values::{kind_of, opcode, operand, type_of};
use crate::llvm::rewrites::assumptions::is_in_assumption;
use crate::llvm::translation::scalar_ops::{
    binary, binary_op, compare, float_op, float_predicate, lazily, predicate, resize,
};
use crate::llvm::translation::translator::{Home, Translator, spread};
use crate::register_code::code::*;

impl Translator<'_, '_> {
    pub(crate) fn instruction(&mut self, i: LLVMValueRef) {
        if self.try_instruction(i).is_none() {
            let text = text_of(i);
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let short: String = text.chars().take(120).collect();
            self.unsupported(&format!("the instruction `{short}`"));
        }
    }

    /// The pointers whose distance the program itself computes.
    fn subtracts(&self, i: LLVMValueRef) -> Option<(LLVMValueRef, LLVMValueRef)> {
        if self.loader.own { subtracted(i, self.loader.layout.pointer_bits()) } else { None }
    }

    fn distance(&mut self, i: LLVMValueRef, (a, b): (LLVMValueRef, LLVMValueRef)) -> Option<()> {
        let (a, b, dst) = (self.one(a)?, self.one(b)?, self.home(i));
        self.push(Op::PtrSub { dst, a, b });
        self.as_number(dst);
        Some(())
    }

    /// Returns true if the program itself uses the address that a `ptrtoint` gives as a number.
    fn makes_number(&self, i: LLVMValueRef) -> bool {
        self.loader.own && becomes_number(i, self.loader.layout.pointer_bits())
    }

    /// Returns true if the program itself makes a pointer of a number of 64 bits.
    fn makes_pointer(&self, i: LLVMValueRef) -> bool {
        let wide = self.loader.layout.pointer_bits() == 64;
        self.loader.own && wide && is_whole_number(type_of(operand(i, 0)), type_of(i), 64)
    }

    fn try_instruction(&mut self, i: LLVMValueRef) -> Option<()> {
        use LLVMOpcode::*;
        let op = opcode(i);
        if let Some(pointers) = self.subtracts(i) {
            return self.distance(i, pointers);
        }
        if let Some(op) = binary_op(op) {
            let shifts = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
            let lazy = shifts && self.is_lazy(i);
            return self.lanes2(i, |s, dst, a, b| lazily(lazy, binary(op, s, dst, a, b)));
        }
        if let Some(op) = float_op(op) {
            let (homes, xs, ys) = self.lanes(i)?;
            for ((s, dst), ((_, a), (_, b))) in homes.into_iter().zip(xs.into_iter().zip(ys)) {
                self.push(Op::FBin { op, k: s.float?, dst, a, b });
            }
            return Some(());
        }
        match op {
            LLVMICmp => self.integer_compare(i),
            LLVMFCmp => {
                // SAFETY: the opcode says what it is.
                let pred = float_predicate(unsafe { LLVMGetFCmpPredicate(i) });
                let (homes, xs, ys) = self.lanes(i)?;
                for ((_, dst), ((s, a), (_, b))) in homes.into_iter().zip(xs.into_iter().zip(ys)) {
                    self.push(Op::FCmp { pred, k: s.float?, dst, a, b });
                }
                Some(())
            }
            LLVMFNeg => {
                let (homes, xs) = (self.homes_of(i)?, self.scalars(operand(i, 0))?);
                for ((s, dst), (_, a)) in homes.into_iter().zip(xs) {
                    self.push(Op::FUn { op: FUnOp::Neg, k: s.float?, dst, a });
                }
                Some(())
            }
            LLVMTrunc | LLVMZExt | LLVMSExt => {
                let (homes, xs) = (self.homes_of(i)?, self.scalars(operand(i, 0))?);
                for ((to, dst), (from, a)) in homes.into_iter().zip(xs) {
                    self.push(resize(op, from, to, dst, a));
                }
                Some(())
            }
            LLVMFPTrunc | LLVMFPExt | LLVMFPToSI | LLVMFPToUI | LLVMSIToFP | LLVMUIToFP => {
                self.float_cast(i, op)
            }
            LLVMPtrToInt if self.makes_number(i) => {
                let (a, dst) = (self.one(operand(i, 0))?, self.home(i));
                self.push(Op::PtrToInt { dst, a });
                self.as_number(dst);
                Some(())
            }
            LLVMIntToPtr if self.makes_pointer(i) => {
                let (base, dst, index) = (self.one(operand(i, 0))?, self.home(i), self.constant(0));
                self.push(Op::Index { dst, base, index, scale: 1, off: 0 });
                Some(())
            }
            LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast | LLVMAddrSpaceCast => self.same_bits(i),
            LLVMFreeze => {
                let (homes, xs) = (self.homes_of(i)?, self.scalars(operand(i, 0))?);
                for ((s, dst), (_, a)) in homes.into_iter().zip(xs) {
                    self.push(Op::Freeze { w: s.width as u8, dst, a });
                }
                Some(())
            }
            LLVMSelect => self.select(i),
            LLVMGetElementPtr => self.element_pointer(i),
            LLVMLoad | LLVMStore | LLVMAlloca => self.memory_instruction(i, op),
            LLVMExtractValue | LLVMInsertValue | LLVMExtractElement | LLVMInsertElement
            | LLVMShuffleVector => self.part(i, op),
            LLVMCall => self.call(i),
            LLVMInvoke => self.invoke(i),
            LLVMLandingPad => self.landing_pad(i),
            LLVMCallBr => self.asm_goto(i),
            LLVMBr | LLVMSwitch | LLVMIndirectBr | LLVMRet | LLVMUnreachable => self.terminator(i, op),
            LLVMFence => Some(()),
            _ => None,
        }
    }

    #[allow(clippy::type_complexity)]
    fn lanes(
        &mut self,
        i: LLVMValueRef,
    ) -> Option<(Vec<(Scalar, Reg)>, Vec<(Scalar, Operand)>, Vec<(Scalar, Operand)>)> {
        Some((self.homes_of(i)?, self.scalars(operand(i, 0))?, self.scalars(operand(i, 1))?))
    }

    fn lanes2(&mut self, i: LLVMValueRef, make: impl Fn(Scalar, Reg, Operand, Operand) -> Op) -> Option<()> {
        let (homes, xs, ys) = self.lanes(i)?;
        for ((s, dst), ((_, a), (_, b))) in homes.into_iter().zip(xs.into_iter().zip(ys)) {
            self.push(make(s, dst, a, b));
        }
        Some(())
    }

    fn integer_compare(&mut self, i: LLVMValueRef) -> Option<()> {
        if self.is_fused(i) {
            return Some(());
        }
        // SAFETY: the opcode says what it is.
        let pred = predicate(unsafe { LLVMGetICmpPredicate(i) });
        if self.loader.own && compares_pointers(i) {
            let (a, b, dst) = (self.one(operand(i, 0))?, self.one(operand(i, 1))?, self.home(i));
            self.push(Op::PtrCmp { pred, dst, a, b });
            return Some(());
        }
        let (homes, xs, ys) = self.lanes(i)?;
        for ((_, dst), ((s, a), (_, b))) in homes.into_iter().zip(xs.into_iter().zip(ys)) {
            self.push(compare(pred, s, dst, a, b));
        }
        Some(())
    }

    /// A comparison whose one use is the branch at the end of its block.
    fn is_fused(&mut self, i: LLVMValueRef) -> bool {
        // SAFETY: see the module's head.
        unsafe {
            let first = LLVMGetFirstUse(i);
            if first.is_null() || !LLVMGetNextUse(first).is_null() {
                return false;
            }
            let user = LLVMGetUser(first);
            let branch = opcode(user) == LLVMOpcode::LLVMBr && LLVMGetInstructionParent(user) == self.block;
            let narrow = match self.flat(type_of(operand(i, 0))).as_deref() {
                Some([s]) => s.width <= 64,
                _ => false,
            };
            branch && narrow
        }
    }

    fn float_cast(&mut self, i: LLVMValueRef, op: LLVMOpcode) -> Option<()> {
        use LLVMOpcode::*;
        let (homes, xs) = (self.homes_of(i)?, self.scalars(operand(i, 0))?);
        for ((to, dst), (from, a)) in homes.into_iter().zip(xs) {
            self.push(match op {
                LLVMFPTrunc | LLVMFPExt => Op::FToF { from: from.float?, to: to.float?, dst, a },
                LLVMFPToSI | LLVMFPToUI => {
                    Op::FToInt { signed: op == LLVMFPToSI, from: from.float?, w: to.width as u8, dst, a }
                }
                _ => {
                    let (signed, halves) = (op == LLVMSIToFP, is_of_halves(i));
                    Op::IntToF { signed, halves, w: from.width as u8, to: to.float?, dst, a }
                }
            });
        }
        Some(())
    }

    fn select(&mut self, i: LLVMValueRef) -> Option<()> {
        let homes = self.homes_of(i)?;
        let conds = self.scalars(operand(i, 0))?;
        let (xs, ys) = (self.scalars(operand(i, 1))?, self.scalars(operand(i, 2))?);
        for (k, ((s, dst), ((_, a), (_, b)))) in homes.into_iter().zip(xs.into_iter().zip(ys)).enumerate() {
            let cond = conds.get(k).or(conds.first())?.1;
            let w = s.width as u8;
            self.push(if w > 64 {
                Op::WideSelect { w, dst, cond, a, b }
            } else {
                Op::Select { w, dst, cond, a, b }
            });
        }
        Some(())
    }

    /// An offset of at least [`GUARD`] bytes may leave the slots of an object and land in another one's: an op then keeps
    /// which one the pointer was made from. Smaller ones land in a guard at most.
    fn element_pointer(&mut self, i: LLVMValueRef) -> Option<()> {
        if kind_of(type_of(i)) == LLVMTypeKind::LLVMVectorTypeKind {
            return None;
        }
        let (offset, variable) = self.loader.gep_offset(i)?;
        let (base, first) = self.address(operand(i, 0))?;
        let offset = offset.wrapping_add(first as i64);
        if variable.is_empty()
            && offset.unsigned_abs() < GUARD
            && let Ok(offset) = i32::try_from(offset)
        {
            self.homes.insert(i, Home::Offset(base, offset));
            return Some(());
        }
        let dst = self.home(i);
        self.added_up(dst, base, offset, &variable)
    }

    fn terminator(&mut self, i: LLVMValueRef, op: LLVMOpcode) -> Option<()> {
        use LLVMOpcode::*;
        match op {
            LLVMBr => self.branch(i),
            LLVMSwitch => self.switch(i),
            LLVMIndirectBr => {
                let val = self.one(operand(i, 0))?;
                // SAFETY: the opcode says what it is.
                let targets = unsafe {
                    (0..LLVMGetNumSuccessors(i)).map(|k| LLVMGetSuccessor(i, k)).collect::<Vec<_>>()
                };
                let first = *targets.first()?;
                let cases = self.block_cases(targets);
                let default = self.target(first);
                let table = self.out.switches.len() as u32;
                self.out.switches.push(SwitchTable { cases, default });
                let n = self.segment();
                self.push(Op::IndirectBranch { val, table, n });
                Some(())
            }
            LLVMRet => {
                // SAFETY: the opcode says what it is.
                let list = if unsafe { LLVMGetNumOperands(i) } == 0 {
                    Vec::new()
                } else {
                    spread(&self.scalars(operand(i, 0))?)
                };
                let vals = self.args(&list);
                let n = self.segment();
                self.push(Op::Ret { vals, n });
                Some(())
            }
            _ => {
                let n = self.segment();
                self.push(Op::Unreachable { n });
                Some(())
            }
        }
    }

    fn branch(&mut self, i: LLVMValueRef) -> Option<()> {
        // SAFETY: the opcode says what it is.
        let (conditional, targets) = unsafe {
            let n = LLVMGetNumSuccessors(i);
            (LLVMIsConditional(i) != 0, (0..n).map(|k| LLVMGetSuccessor(i, k)).collect::<Vec<_>>())
        };
        if !conditional {
            if targets[0] == self.block && is_alone(i) && is_in_assumption(i) {
                self.builtin(i, Builtin::Rejects, &[]);
            }
            let to = self.target(targets[0]);
            let n = self.segment();
            self.push(Op::Jump { to, n });
            return Some(());
        }
        // SAFETY: a conditional branch has a condition.
        let c = unsafe { LLVMGetCondition(i) };
        // SAFETY: a value that is no instruction gives null.
        let compares = unsafe { !LLVMIsAICmpInst(c).is_null() && LLVMGetInstructionParent(c) == self.block };
        if compares && self.is_fused(c) {
            // SAFETY: it is a comparison.
            let pred = predicate(unsafe { LLVMGetICmpPredicate(c) });
            let (s, a) = *self.scalars(operand(c, 0))?.first()?;
            let b = self.one(operand(c, 1))?;
            let (then, other) = (self.target(targets[0]), self.target(targets[1]));
            let n = self.segment();
            self.push(match self.loader.own && compares_pointers(c) {
                true => Op::PtrBranch { pred, a, b, then, other, n },
                false => Op::CmpBranch { pred, w: s.width as u8, a, b, then, other, n },
            });
            return Some(());
        }
        let cond = self.one(c)?;
        let (then, other) = (self.target(targets[0]), self.target(targets[1]));
        let n = self.segment();
        self.push(Op::Branch { cond, then, other, n });
        Some(())
    }

    fn switch(&mut self, i: LLVMValueRef) -> Option<()> {
        let (s, val) = *self.scalars(operand(i, 0))?.first()?;
        if s.width > 64 {
            return None;
        }
        // SAFETY: operands are the value, the default, and pairs of value and target.
        let n = unsafe { LLVMGetNumOperands(i) } as u32;
        // SAFETY: as above.
        let block = |k| unsafe { LLVMValueAsBasicBlock(operand(i, k)) };
        let default = self.target(block(1));
        let mut cases = Vec::new();
        for k in (2..n).step_by(2) {
            let value = self.loader.scalar(operand(i, k))? as u64;
            let pc = self.target(block(k + 1));
            cases.push((value, pc));
        }
        let table = self.out.switches.len() as u32;
        self.out.switches.push(SwitchTable { cases, default });
        let n = self.segment();
        self.push(Op::Switch { w: s.width as u8, val, table, n });
        Some(())
    }
}
