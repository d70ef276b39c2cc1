//! Instructions on parts of aggregates and vectors: all values are flattened, so these are moves.

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::llvm::modules::types::Scalar;
use crate::llvm::modules::values::{operand, type_of};
use crate::llvm::translation::translator::Translator;
use crate::register_code::code::*;

impl Translator<'_, '_> {
    pub(crate) fn part(&mut self, i: LLVMValueRef, op: LLVMOpcode) -> Option<()> {
        use LLVMOpcode::*;
        match op {
            LLVMExtractValue => {
                let (first, count) = self.indexed(i)?;
                let parts = self.scalars(operand(i, 0))?;
                self.copy_all(i, parts.get(first..first + count)?.to_vec())
            }
            LLVMInsertValue => {
                let (first, count) = self.indexed(i)?;
                let mut parts = self.scalars(operand(i, 0))?;
                let new = self.scalars(operand(i, 1))?;
                parts.get_mut(first..first + count)?.copy_from_slice(&new);
                self.copy_all(i, parts)
            }
            LLVMExtractElement => self.extract_element(i),
            LLVMInsertElement => self.insert_element(i),
            _ => self.shuffle(i),
        }
    }

    /// The scalars that the indices of an extract or insert select: the first, and how many.
    fn indexed(&mut self, i: LLVMValueRef) -> Option<(usize, usize)> {
        // SAFETY: the opcode says what it is; each index fits the type it steps into.
        unsafe {
            let n = LLVMGetNumIndices(i) as usize;
            let indices = std::slice::from_raw_parts(LLVMGetIndices(i), n).to_vec();
            let mut ty = type_of(operand(i, 0));
            let mut first = 0;
            for index in indices {
                if LLVMGetTypeKind(ty) == llvm_sys::LLVMTypeKind::LLVMStructTypeKind {
                    for k in 0..index {
                        first += self.flat(LLVMStructGetTypeAtIndex(ty, k))?.len();
                    }
                    ty = LLVMStructGetTypeAtIndex(ty, index);
                } else {
                    ty = LLVMGetElementType(ty);
                    first += index as usize * self.flat(ty)?.len();
                }
            }
            Some((first, self.flat(ty)?.len()))
        }
    }

    fn copy_all(&mut self, i: LLVMValueRef, parts: Vec<(Scalar, Operand)>) -> Option<()> {
        for ((s, dst), (_, a)) in self.homes_of(i)?.into_iter().zip(parts) {
            self.copy(s, dst, a);
        }
        Some(())
    }

    fn extract_element(&mut self, i: LLVMValueRef) -> Option<()> {
        let lanes = self.scalars(operand(i, 0))?;
        let (index_type, index) = *self.scalars(operand(i, 1))?.first().filter(|(s, _)| s.width <= 64)?;
        let (s, dst) = *self.homes_of(i)?.first()?;
        if let Some(k) = index.as_constant() {
            let k = self.out.constants[k as usize] as usize;
            let a = lanes.get(k)?.1;
            self.copy(s, dst, a);
            return Some(());
        }
        self.copy(s, dst, lanes.first()?.1);
        let here = self.fresh(1);
        // An index of few bits cannot name more lanes.
        for (k, &(_, b)) in lanes.iter().enumerate().skip(1).take_while(|&(k, _)| index_type.holds(k)) {
            let k = self.constant(k as u64);
            self.push(Op::Cmp { pred: Pred::Eq, w: index_type.width as u8, dst: here, a: index, b: k });
            self.choose(s, dst, Operand::reg(here), b, Operand::reg(dst));
        }
        Some(())
    }

    fn choose(&mut self, s: Scalar, dst: Reg, cond: Operand, a: Operand, b: Operand) {
        let w = s.width as u8;
        self.push(if w > 64 {
            Op::WideSelect { w, dst, cond, a, b }
        } else {
            Op::Select { w, dst, cond, a, b }
        });
    }

    fn insert_element(&mut self, i: LLVMValueRef) -> Option<()> {
        let mut lanes = self.scalars(operand(i, 0))?;
        let new = self.one(operand(i, 1))?;
        let (index_type, index) = *self.scalars(operand(i, 2))?.first().filter(|(s, _)| s.width <= 64)?;
        if let Some(k) = index.as_constant() {
            let k = self.out.constants[k as usize] as usize;
            lanes.get_mut(k)?.1 = new;
            return self.copy_all(i, lanes);
        }
        let here = self.fresh(1);
        for (k, ((s, dst), (_, old))) in self.homes_of(i)?.into_iter().zip(lanes).enumerate() {
            if !index_type.holds(k) {
                self.copy(s, dst, old);
                continue;
            }
            let k = self.constant(k as u64);
            self.push(Op::Cmp { pred: Pred::Eq, w: index_type.width as u8, dst: here, a: index, b: k });
            self.choose(s, dst, Operand::reg(here), new, old);
        }
        Some(())
    }

    fn shuffle(&mut self, i: LLVMValueRef) -> Option<()> {
        let mut both = self.scalars(operand(i, 0))?;
        both.extend(self.scalars(operand(i, 1))?);
        // SAFETY: the opcode says what it is.
        let mask: Vec<i32> =
            unsafe { (0..LLVMGetNumMaskElements(i)).map(|k| LLVMGetMaskValue(i, k)).collect() };
        let element = both.first()?.0;
        let mut parts = Vec::with_capacity(mask.len());
        for k in mask {
            parts.push(match usize::try_from(k) {
                Ok(k) => *both.get(k)?,
                Err(_) => (element, self.undefined(element)),
            });
        }
        self.copy_all(i, parts)
    }
}
