//! Constants: as lists of scalars for registers, and as bytes for globals.

use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind::*;
use llvm_sys::LLVMValueKind::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::LLVMSizeOfTypeInBits;

use crate::llvm::modules::values::text_of;
use crate::llvm::translation::loader::Loader;

impl Loader<'_> {
    /// The scalars of a constant, in the order of its flattened type; `None` if one has no fixed value here.
    pub(crate) fn scalars(&mut self, value: LLVMValueRef) -> Option<Vec<u128>> {
        let mut out = Vec::new();
        self.collect(value, &mut out)?;
        Some(out)
    }

    fn collect(&mut self, value: LLVMValueRef, out: &mut Vec<u128>) -> Option<()> {
        // SAFETY: see the module's head.
        unsafe {
            let ty = LLVMTypeOf(value);
            let parts = match LLVMGetTypeKind(ty) {
                LLVMStructTypeKind => LLVMCountStructElementTypes(ty) as u64,
                LLVMArrayTypeKind => LLVMGetArrayLength2(ty),
                LLVMVectorTypeKind => LLVMGetVectorSize(ty) as u64,
                _ => {
                    out.push(self.scalar(value)?);
                    return Some(());
                }
            };
            if LLVMGetValueKind(value) == LLVMConstantExprValueKind {
                return self.collect_bytes(value, parts, out);
            }
            for i in 0..parts {
                let part = LLVMGetAggregateElement(value, i as u32);
                if part.is_null() {
                    return None;
                }
                self.collect(part, out)?;
            }
        }
        Some(())
    }

    /// For each scalar of a constant, true if it is `undef` or `poison`; empty if none is.
    pub(crate) fn undefined(&self, value: LLVMValueRef) -> Vec<bool> {
        let mut out = Vec::new();
        // SAFETY: see the module's head.
        let kind = unsafe { LLVMGetValueKind(value) };
        if matches!(
            kind,
            LLVMUndefValueValueKind
                | LLVMPoisonValueKind
                | LLVMConstantStructValueKind
                | LLVMConstantArrayValueKind
                | LLVMConstantVectorValueKind
        ) {
            self.collect_undefined(value, &mut out);
        }
        out
    }

    fn collect_undefined(&self, value: LLVMValueRef, out: &mut Vec<bool>) {
        // SAFETY: see the module's head.
        unsafe {
            let ty = LLVMTypeOf(value);
            let undefined = matches!(LLVMGetValueKind(value), LLVMUndefValueValueKind | LLVMPoisonValueKind);
            let parts = match LLVMGetTypeKind(ty) {
                LLVMStructTypeKind => LLVMCountStructElementTypes(ty) as u64,
                LLVMArrayTypeKind => LLVMGetArrayLength2(ty),
                LLVMVectorTypeKind => LLVMGetVectorSize(ty) as u64,
                _ => return out.push(undefined),
            };
            for part in (0..parts).map(|i| LLVMGetAggregateElement(value, i as u32)) {
                if part.is_null() {
                    return;
                }
                self.collect_undefined(part, out);
            }
        }
    }

    /// The lanes of a vector that is another constant's bits.
    fn collect_bytes(&mut self, value: LLVMValueRef, parts: u64, out: &mut Vec<u128>) -> Option<()> {
        // SAFETY: as above; a cast has one operand, of as many bits.
        unsafe {
            let (ty, source) = (LLVMTypeOf(value), LLVMGetOperand(value, 0));
            let cast = LLVMGetConstOpcode(value) == LLVMBitCast;
            if !cast || LLVMGetTypeKind(ty) != LLVMVectorTypeKind {
                return None;
            }
            let lane = LLVMSizeOfTypeInBits(self.layout.0, LLVMGetElementType(ty));
            let whole = LLVMSizeOfTypeInBits(self.layout.0, LLVMTypeOf(source));
            if !lane.is_multiple_of(8) || lane > 128 || whole != lane * parts {
                return None;
            }
            let size = self.layout.size(LLVMTypeOf(source)).max(whole / 8);
            let mut bytes = vec![0; usize::try_from(size).ok()?];
            self.initialise(source, &mut bytes, 0)?;
            for lane in bytes[..whole as usize / 8].chunks(lane as usize / 8) {
                let mut word = [0; 16];
                word[..lane.len()].copy_from_slice(lane);
                out.push(u128::from_le_bytes(word));
            }
        }
        Some(())
    }

    /// The bits of a scalar constant.
    pub(crate) fn scalar(&mut self, value: LLVMValueRef) -> Option<u128> {
        // SAFETY: each question fits the kind of value that it is asked of.
        unsafe {
            let ty = LLVMTypeOf(value);
            match LLVMGetValueKind(value) {
                LLVMConstantIntValueKind => {
                    let width = LLVMGetIntTypeWidth(ty);
                    if width <= 64 {
                        return Some(LLVMConstIntGetZExtValue(value) as u128);
                    }
                    let mut word = [0; 16];
                    let bytes = integer_bytes(&text_of(value), width)?;
                    word.get_mut(..bytes.len())?.copy_from_slice(&bytes);
                    Some(u128::from_le_bytes(word))
                }
                // As an integer of the same bits: a conversion to double would change signalling NaNs.
                LLVMConstantFPValueKind => {
                    let width = LLVMSizeOfTypeInBits(self.layout.0, ty) as u32;
                    let bits = LLVMIntTypeInContext(LLVMGetTypeContext(ty), width);
                    self.scalar(LLVMConstBitCast(value, bits))
                }
                LLVMConstantPointerNullValueKind
                | LLVMUndefValueValueKind
                | LLVMPoisonValueKind
                | LLVMConstantAggregateZeroValueKind
                | LLVMConstantTokenNoneValueKind => Some(0),
                LLVMFunctionValueKind => Some(self.function_address(value) as u128),
                LLVMGlobalVariableValueKind => self.global_address(value).map(u128::from),
                LLVMGlobalAliasValueKind => {
                    let aliasee = LLVMAliasGetAliasee(value);
                    self.scalar(aliasee)
                }
                LLVMBlockAddressValueKind => {
                    Some(self.block_address(LLVMGetBlockAddressBasicBlock(value)) as u128)
                }
                LLVMConstantExprValueKind => self.expression(value),
                _ => None,
            }
        }
    }

    fn expression(&mut self, value: LLVMValueRef) -> Option<u128> {
        // SAFETY: as above; operands exist as the opcode has them.
        unsafe {
            let (operand, pointers) = (|i| LLVMGetOperand(value, i), self.layout.pointer_bits());
            let width = |ty| match LLVMGetTypeKind(ty) {
                LLVMIntegerTypeKind => LLVMGetIntTypeWidth(ty),
                _ => pointers,
            };
            let own = width(LLVMTypeOf(value));
            let mask = if own >= 128 { u128::MAX } else { (1 << own) - 1 };
            let v = match LLVMGetConstOpcode(value) {
                LLVMGetElementPtr => {
                    let base = self.scalar(operand(0))? as u64;
                    let (mut offset, variable) = self.gep_offset(value)?;
                    // Indices that are expressions, such as another symbol's address.
                    for (index, scale) in variable {
                        let index = self.signed(index)?;
                        offset = offset.wrapping_add(index.wrapping_mul(scale as i64));
                    }
                    base.wrapping_add(offset as u64) as u128
                }
                LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast | LLVMTrunc | LLVMAddrSpaceCast | LLVMZExt => {
                    self.scalar(operand(0))?
                }
                LLVMAdd => self.scalar(operand(0))?.wrapping_add(self.scalar(operand(1))?),
                LLVMSub => self.scalar(operand(0))?.wrapping_sub(self.scalar(operand(1))?),
                LLVMMul => self.scalar(operand(0))?.wrapping_mul(self.scalar(operand(1))?),
                LLVMXor => self.scalar(operand(0))? ^ self.scalar(operand(1))?,
                LLVMShl => {
                    let by = u32::try_from(self.scalar(operand(1))?).ok().filter(|&by| by < own)?;
                    self.scalar(operand(0))? << by
                }
                _ => return None,
            };
            Some(v & mask)
        }
    }

    /// The value of an integer constant of at most 64 bits, with its sign.
    fn signed(&mut self, value: LLVMValueRef) -> Option<i64> {
        let v = self.scalar(value)? as u64;
        // SAFETY: the kind of a type tells which questions fit.
        let width = unsafe {
            let ty = LLVMTypeOf(value);
            if LLVMGetTypeKind(ty) == LLVMIntegerTypeKind { LLVMGetIntTypeWidth(ty) } else { 64 }
        };
        (1..=64).contains(&width).then(|| ((v << (64 - width)) as i64) >> (64 - width))
    }

    /// The fixed part of a GEP's offset in bytes, and the indices that are not constant, with their scales.
    pub(crate) fn gep_offset(&mut self, gep: LLVMValueRef) -> Option<(i64, Vec<(LLVMValueRef, u64)>)> {
        // SAFETY: as above; the source element type tells what each index steps into.
        unsafe {
            let mut ty = LLVMGetGEPSourceElementType(gep);
            let mut offset = 0i64;
            let mut variable = Vec::new();
            for i in 1..LLVMGetNumOperands(gep) as u32 {
                let index = LLVMGetOperand(gep, i);
                if LLVMGetTypeKind(LLVMTypeOf(index)) == LLVMVectorTypeKind {
                    return None;
                }
                if i > 1 && LLVMGetTypeKind(ty) == LLVMStructTypeKind {
                    let field = LLVMConstIntGetZExtValue(index) as u32;
                    offset = offset.wrapping_add(self.layout.field(ty, field) as i64);
                    ty = LLVMStructGetTypeAtIndex(ty, field);
                    continue;
                }
                if i > 1 {
                    ty = LLVMGetElementType(ty);
                }
                let scale = self.layout.size(ty);
                if LLVMIsAConstantInt(index).is_null() {
                    variable.push((index, scale));
                } else {
                    offset = offset.wrapping_add(LLVMConstIntGetSExtValue(index).wrapping_mul(scale as i64));
                }
            }
            Some((offset, variable))
        }
    }

    /// Writes an initial value into a global's bytes; `None` where a part of it has no value here.
    pub(crate) fn initialise(&mut self, value: LLVMValueRef, bytes: &mut [u8], at: usize) -> Option<()> {
        // SAFETY: as above.
        unsafe {
            match LLVMGetValueKind(value) {
                LLVMUndefValueValueKind
                | LLVMPoisonValueKind
                | LLVMConstantAggregateZeroValueKind
                | LLVMConstantPointerNullValueKind => return Some(()),
                _ => {}
            }
            let ty = LLVMTypeOf(value);
            let kind = LLVMGetTypeKind(ty);
            if kind == LLVMArrayTypeKind && LLVMIsConstantString(value) != 0 {
                let mut len = 0;
                let text = LLVMGetAsString(value, &mut len);
                let text = std::slice::from_raw_parts(text as *const u8, len);
                bytes[at..at + len].copy_from_slice(text);
                return Some(());
            }
            let (parts, element) = match kind {
                LLVMStructTypeKind => (LLVMCountStructElementTypes(ty) as u64, None),
                LLVMArrayTypeKind => (LLVMGetArrayLength2(ty), Some(LLVMGetElementType(ty))),
                LLVMVectorTypeKind => (LLVMGetVectorSize(ty) as u64, Some(LLVMGetElementType(ty))),
                _ => {
                    let size = self.layout.size(ty) as usize;
                    if size > 16 {
                        if LLVMGetValueKind(value) != LLVMConstantIntValueKind {
                            return None;
                        }
                        let whole = integer_bytes(&text_of(value), LLVMGetIntTypeWidth(ty))?;
                        bytes.get_mut(at..at + whole.len())?.copy_from_slice(&whole);
                        return Some(());
                    }
                    let v = self.scalar(value)?;
                    let size = size.min(16).min(bytes.len() - at);
                    bytes[at..at + size].copy_from_slice(&v.to_le_bytes()[..size]);
                    return Some(());
                }
            };
            let stride = match element {
                Some(e) if kind == LLVMVectorTypeKind => {
                    let bits = LLVMSizeOfTypeInBits(self.layout.0, e);
                    if !bits.is_multiple_of(8) {
                        return self.initialise_packed(value, parts, bits, bytes.get_mut(at..)?);
                    }
                    bits as usize / 8
                }
                Some(e) => self.layout.size(e) as usize,
                None => 0,
            };
            for i in 0..parts {
                let part = LLVMGetAggregateElement(value, i as u32);
                if part.is_null() {
                    return None;
                }
                let place = match element {
                    Some(_) => i as usize * stride,
                    None => self.layout.field(ty, i as u32) as usize,
                };
                self.initialise(part, bytes, at + place)?;
            }
        }
        Some(())
    }

    /// A vector of elements that are no whole bytes has them side by side.
    fn initialise_packed(
        &mut self,
        value: LLVMValueRef,
        parts: u64,
        bits: u64,
        bytes: &mut [u8],
    ) -> Option<()> {
        for i in 0..parts {
            // SAFETY: the vector has so many elements; one that is not there is null.
            let part = unsafe { LLVMGetAggregateElement(value, i as u32) };
            let v = if part.is_null() { None } else { self.scalar(part) }?;
            for bit in (0..bits).filter(|bit| v >> bit & 1 != 0) {
                let place = i * bits + bit;
                *bytes.get_mut(place as usize / 8)? |= 1 << (place % 8);
            }
        }
        Some(())
    }
}

/// The value of `i128 -5` as LLVM prints it, in bytes from the lowest; the bits above the width are zero.
fn integer_bytes(text: &str, width: u32) -> Option<Vec<u8>> {
    let digits = text.split_whitespace().last()?;
    let mut bytes = vec![0u8; width.div_ceil(8) as usize];
    let negative = digits.starts_with('-');
    for digit in digits.trim_start_matches('-').chars() {
        let mut carry = digit.to_digit(10)?;
        for byte in &mut bytes {
            let v = u32::from(*byte) * 10 + carry;
            (*byte, carry) = (v as u8, v >> 8);
        }
    }
    if negative {
        let mut carry = true;
        for byte in &mut bytes {
            (*byte, carry) = (!*byte).overflowing_add(carry as u8);
        }
    }
    if let (Some(top), used @ 1..) = (bytes.last_mut(), width % 8) {
        *top &= (1 << used) - 1;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::integer_bytes;

    #[test]
    fn integers_of_any_width_have_their_bytes() {
        assert_eq!(integer_bytes("i128 -5", 128).unwrap(), (-5i128).to_le_bytes());
        assert_eq!(integer_bytes("i72 -1", 72).unwrap(), [0xff; 9]);
        assert_eq!(integer_bytes("i65 -1", 65).unwrap(), [255, 255, 255, 255, 255, 255, 255, 255, 1]);
        // 2^192 + 258
        let big =
            integer_bytes("i200 6277101735386680763835789423207666416102355444464034513154", 200).unwrap();
        assert_eq!((big[0], big[1], big[24], big.len()), (2, 1, 1, 25));
        assert!(big[2..24].iter().all(|&b| b == 0));
    }
}
