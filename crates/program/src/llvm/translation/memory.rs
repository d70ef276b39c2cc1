//! Loads, stores, stack objects, and casts that keep a value's bits.

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use crate::llvm::modules::types::Scalar;
use crate::llvm::modules::values::{kind_of, opcode, operand, type_of};
use crate::llvm::translation::scalar_ops::resize;
use crate::llvm::translation::translator::{Home, Translator};
use crate::register_code::code::*;

fn load(s: Scalar, dst: Reg, addr: Operand, off: i32) -> Op {
    let w = s.stored as u8;
    if w > 64 { Op::WideLoad { w, dst, addr, off } } else { Op::Load { w, dst, addr, off } }
}

fn store(s: Scalar, val: Operand, addr: Operand, off: i32) -> Op {
    let w = s.stored as u8;
    if w > 64 { Op::WideStore { w, val, addr, off } } else { Op::Store { w, val, addr, off } }
}

impl Translator<'_, '_> {
    fn load_scalar(&mut self, s: Scalar, dst: Reg, addr: Operand, off: i32) {
        self.push(load(s, dst, addr, off));
        if s.stored < s.width {
            let (from, w) = (s.stored as u8, s.width as u8);
            self.push(Op::Zext { from, w, dst, a: Operand::reg(dst) });
        }
    }

    fn store_scalar(&mut self, s: Scalar, val: Operand, addr: Operand, off: i32) {
        let val = self.as_stored(s, val);
        self.push(store(s, val, addr, off));
    }

    /// A scalar as it is in memory.
    pub(crate) fn as_stored(&mut self, s: Scalar, val: Operand) -> Operand {
        if s.stored == s.width {
            return val;
        }
        let dst = self.fresh(1);
        self.push(Op::Trunc { w: s.stored as u8, dst, a: val });
        Operand::reg(dst)
    }

    /// A pointer of the target from the low bits of a number: where pointers have 32 bits.
    fn narrow_pointer(&mut self, i: LLVMValueRef) -> Option<()> {
        let (values, homes) = (self.scalars(operand(i, 0))?, self.homes_of(i)?);
        for ((f, a), (t, dst)) in values.into_iter().zip(homes) {
            let mut low = a;
            if f.width > t.stored {
                let cut = self.fresh(1);
                self.push(resize(LLVMOpcode::LLVMTrunc, f, Scalar { width: t.stored, ..t }, cut, a));
                low = Operand::reg(cut);
            }
            self.push(Op::Zext { from: f.width.min(t.stored) as u8, w: t.width as u8, dst, a: low });
        }
        Some(())
    }

    pub(crate) fn scope(&mut self, i: LLVMValueRef, begins: bool) -> Option<()> {
        if self.unoptimised {
            // They are ours: as an instruction of the program it does not count.
            self.pending = self.pending.saturating_sub(1);
        }
        if self.scopes {
            let at = self.one(operand(i, 1))?;
            self.push(Op::Scope { begins, lazy: !self.unoptimised, at });
        }
        Some(())
    }

    pub(crate) fn memory_instruction(&mut self, i: LLVMValueRef, op: LLVMOpcode) -> Option<()> {
        match op {
            LLVMOpcode::LLVMLoad => {
                let (addr, off) = self.address(operand(i, 0))?;
                if is_bit_vector(type_of(i)) {
                    return self.load_bits(i, addr, off);
                }
                self.check_members(operand(i, 0), type_of(i))?;
                let homes = self.homes_of(i)?;
                in_bytes(homes.iter().map(|(s, _)| s))?;
                plain_memory(operand(i, 0))?;
                for (s, dst) in homes {
                    let off = off.checked_add(i32::try_from(s.offset / 8).ok()?)?;
                    self.load_scalar(s, dst, addr, off);
                }
                Some(())
            }
            LLVMOpcode::LLVMStore => {
                let (addr, off) = self.address(operand(i, 1))?;
                let value = operand(i, 0);
                if is_bit_vector(type_of(value)) {
                    return self.store_bits(value, addr, off);
                }
                self.check_members(operand(i, 1), type_of(value))?;
                let scalars = self.scalars(value)?;
                in_bytes(scalars.iter().map(|(s, _)| s))?;
                plain_memory(operand(i, 1))?;
                for (s, a) in scalars {
                    let off = off.checked_add(i32::try_from(s.offset / 8).ok()?)?;
                    self.store_scalar(s, a, addr, off);
                }
                Some(())
            }
            _ => self.alloca(i),
        }
    }

    fn alloca(&mut self, i: LLVMValueRef) -> Option<()> {
        // SAFETY: the opcode says what it is.
        let (ty, align) = unsafe { (LLVMGetAllocatedType(i), LLVMGetAlignment(i)) };
        let element = self.loader.layout.size(ty);
        let (s, count) = *self.scalars(operand(i, 0))?.first()?;
        let dst = self.home(i);
        let size = match count.as_constant() {
            Some(k) => {
                let n = self.out.constants[k as usize];
                self.constant(n.checked_mul(element)?)
            }
            None => {
                let (wide, bytes) = (self.fresh(1), self.fresh(1));
                self.push(Op::Zext { from: s.width as u8, w: 64, dst: wide, a: count });
                let element = self.constant(element);
                self.push(Op::Mul { w: 64, dst: bytes, a: Operand::reg(wide), b: element });
                Operand::reg(bytes)
            }
        };
        self.push(Op::Alloca { dst, size, align });
        Some(())
    }

    /// A vector of bits in memory is packed: it is read as one integer of at most 64 bits and taken apart.
    fn load_bits(&mut self, i: LLVMValueRef, addr: Operand, off: i32) -> Option<()> {
        let homes = self.homes_of(i)?;
        let n = u8::try_from(homes.len()).ok().filter(|&n| n <= 64)?;
        let all = self.fresh(1);
        self.push(Op::Load { w: n, dst: all, addr, off });
        for (k, (_, dst)) in homes.into_iter().enumerate() {
            let by = self.constant(k as u64);
            self.push(Op::LShr { lazy: false, w: n, dst, a: Operand::reg(all), b: by });
            self.push(Op::Trunc { w: 1, dst, a: Operand::reg(dst) });
        }
        Some(())
    }

    fn store_bits(&mut self, value: LLVMValueRef, addr: Operand, off: i32) -> Option<()> {
        let (w, all) = self.packed_bits(value)?;
        self.push(Op::Store { w, val: all, addr, off });
        Some(())
    }

    /// The bits of a vector of bits as one integer, and its width.
    pub(crate) fn packed_bits(&mut self, value: LLVMValueRef) -> Option<(u8, Operand)> {
        let bits = self.scalars(value)?;
        let n = u8::try_from(bits.len()).ok().filter(|&n| n <= 64)?;
        let (all, one) = (self.fresh(1), self.fresh(1));
        let zero = self.constant(0);
        self.push(Op::Move { dst: all, a: zero });
        for (k, (_, a)) in bits.into_iter().enumerate() {
            let by = self.constant(k as u64);
            self.push(Op::Zext { from: 1, w: n, dst: one, a });
            self.push(Op::Shl { lazy: false, w: n, dst: one, a: Operand::reg(one), b: by });
            self.push(Op::Or { w: n, dst: all, a: Operand::reg(all), b: Operand::reg(one) });
        }
        Some((n, Operand::reg(all)))
    }

    /// Casts that keep all bits. Between types of other shape they go through memory.
    pub(crate) fn same_bits(&mut self, i: LLVMValueRef) -> Option<()> {
        if opcode(i) == LLVMOpcode::LLVMIntToPtr && self.loader.layout.pointer_bits() < 64 {
            return self.narrow_pointer(i);
        }
        let source = operand(i, 0);
        let (from, to) = (self.flat(type_of(source))?, self.flat(type_of(i))?);
        let alike = from.len() == to.len() && from.iter().zip(&to).all(|(a, b)| a.width == b.width);
        if alike {
            if let Some(&Home::Offset(base, off)) = self.homes.get(&source) {
                self.homes.insert(i, Home::Offset(base, off));
                return Some(());
            }
            let operands = self.scalars(source)?.into_iter().map(|(_, o)| o).collect();
            self.homes.insert(i, Home::Operands(operands));
            return Some(());
        }
        if matches!(opcode(i), LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMIntToPtr) {
            // Integers and pointers of another width, one or a vector of them.
            let (values, homes) = (self.scalars(source)?, self.homes_of(i)?);
            for ((f, a), (t, dst)) in values.into_iter().zip(homes) {
                let cast = if t.width < f.width { LLVMOpcode::LLVMTrunc } else { LLVMOpcode::LLVMZExt };
                self.push(resize(cast, f, t, dst, a));
            }
            return Some(());
        }
        if is_bit_vector(type_of(source)) && to.len() == 1 {
            let (w, all) = self.packed_bits(source)?;
            let dst = self.home(i);
            self.push(Op::Zext { from: w, w: to[0].width.min(64) as u8, dst, a: all });
            return Some(());
        }
        self.through_memory(i, source)
    }

    fn through_memory(&mut self, i: LLVMValueRef, source: LLVMValueRef) -> Option<()> {
        let whole = |s: &Scalar| s.width.is_multiple_of(8);
        let (from, to) = (self.scalars(source)?, self.homes_of(i)?);
        let last = *from.iter().map(|(s, _)| s).max_by_key(|s| s.offset)?;
        if is_bit_vector(type_of(i)) && from.len() == 1 && from[0].0.width <= 64 {
            let (n, a) = (from[0].0.width as u8, from[0].1);
            for (k, (_, dst)) in to.into_iter().enumerate() {
                let by = self.constant(k as u64);
                self.push(Op::LShr { lazy: false, w: n, dst, a, b: by });
                self.push(Op::Trunc { w: 1, dst, a: Operand::reg(dst) });
            }
            return Some(());
        }
        if !from.iter().all(|(s, _)| whole(s)) || !to.iter().all(|(s, _)| whole(s)) {
            return None;
        }
        let size = self.constant((last.offset + last.width as u64).div_ceil(8));
        let slot = self.fresh(1);
        self.scratch.push(Op::Alloca { dst: slot, size, align: 16 });
        let addr = Operand::reg(slot);
        for (s, a) in from {
            self.store_scalar(s, a, addr, (s.offset / 8) as i32);
        }
        for (s, dst) in to {
            self.load_scalar(s, dst, addr, (s.offset / 8) as i32);
        }
        Some(())
    }
}

/// Vectors of elements that are no whole bytes are packed in memory; only those of single bits are read.
fn in_bytes<'s>(mut scalars: impl Iterator<Item = &'s Scalar>) -> Option<()> {
    scalars.all(|s| s.offset.is_multiple_of(8)).then_some(())
}

/// An address relative to a segment register is none that we know.
fn plain_memory(pointer: LLVMValueRef) -> Option<()> {
    // SAFETY: the operand of a load or store is a pointer.
    let space = unsafe { LLVMGetPointerAddressSpace(type_of(pointer)) };
    (space < 256).then_some(())
}

pub(crate) fn is_bit_vector(ty: LLVMTypeRef) -> bool {
    // SAFETY: the element type is asked of a vector.
    unsafe {
        kind_of(ty) == LLVMTypeKind::LLVMVectorTypeKind && {
            let element = LLVMGetElementType(ty);
            kind_of(element) == LLVMTypeKind::LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 1
        }
    }
}
