//! Types of LLVM, flattened into scalars, with their registers and offsets.

use llvm_sys::LLVMTypeKind::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;

use crate::register_code::code::Float;

/// A kind of floating-point numbers that no op knows: their operations are of their bits, or calls (`small_floats.rs`,
/// `quad_floats.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Soft {
    /// `_Float16`.
    Half,
    /// `__bf16`.
    BFloat,
    /// `__float128`.
    Quad,
}

/// A scalar of a flattened type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    /// Bits; above 128 there is no register for it.
    pub(crate) width: u32,
    /// Bits in memory: of a pointer those of the target, whose registers have 64.
    pub(crate) stored: u32,
    /// Set for floating-point numbers that ops know.
    pub(crate) float: Option<Float>,
    /// Set for those that none knows.
    pub(crate) soft: Option<Soft>,
    /// Its offset in memory, in bits, from the start of the flattened type.
    pub(crate) offset: u64,
}

impl Scalar {
    /// Number of registers it takes.
    pub(crate) fn registers(self) -> u32 {
        if self.width > 64 { 2 } else { 1 }
    }

    /// Returns true if it is a floating-point number: functions get and give those in other registers.
    pub(crate) fn is_number(self) -> bool {
        self.float.is_some() || self.soft.is_some()
    }

    /// Returns true if `v` is one of its values, as an unsigned number.
    pub(crate) fn holds(self, v: usize) -> bool {
        self.width >= usize::BITS || v >> self.width == 0
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Layout(pub(crate) LLVMTargetDataRef);

impl Layout {
    /// Bits of a pointer in memory.
    pub(crate) fn pointer_bits(self) -> u32 {
        // SAFETY: see the module's head.
        8 * unsafe { LLVMPointerSize(self.0) }
    }

    /// The distance between two elements of an array of the type, in bytes.
    pub(crate) fn size(self, ty: LLVMTypeRef) -> u64 {
        // SAFETY: see the module's head; asked of sized types only.
        unsafe { LLVMABISizeOfType(self.0, ty) }
    }

    pub(crate) fn align(self, ty: LLVMTypeRef) -> u32 {
        // SAFETY: as above.
        unsafe { LLVMABIAlignmentOfType(self.0, ty) }
    }

    pub(crate) fn field(self, ty: LLVMTypeRef, index: u32) -> u64 {
        // SAFETY: the type is a struct with such a field.
        unsafe { LLVMOffsetOfElement(self.0, ty, index) }
    }

    /// The scalars of a type in order; `None` for types that have no registers.
    pub(crate) fn flat(self, ty: LLVMTypeRef) -> Option<Vec<Scalar>> {
        let mut out = Vec::new();
        self.flatten(ty, 0, &mut out)?;
        Some(out)
    }

    fn flatten(self, ty: LLVMTypeRef, offset: u64, out: &mut Vec<Scalar>) -> Option<()> {
        // SAFETY: each question fits the kind of type that it is asked of.
        unsafe {
            let integer = |width| Scalar { width, stored: width, float: None, soft: None, offset };
            let float = |k, width| Scalar { float: Some(k), ..integer(width) };
            let soft = |k, width| Scalar { soft: Some(k), ..integer(width) };
            match LLVMGetTypeKind(ty) {
                LLVMVoidTypeKind => {}
                LLVMIntegerTypeKind => {
                    let width = LLVMGetIntTypeWidth(ty);
                    if width > 128 {
                        return None;
                    }
                    out.push(integer(width));
                }
                LLVMPointerTypeKind => out.push(Scalar { stored: self.pointer_bits(), ..integer(64) }),
                LLVMFloatTypeKind => out.push(float(Float::F32, 32)),
                LLVMDoubleTypeKind => out.push(float(Float::F64, 64)),
                LLVMX86_FP80TypeKind => out.push(float(Float::X80, 80)),
                LLVMHalfTypeKind => out.push(soft(Soft::Half, 16)),
                LLVMBFloatTypeKind => out.push(soft(Soft::BFloat, 16)),
                LLVMFP128TypeKind => out.push(soft(Soft::Quad, 128)),
                LLVMStructTypeKind => {
                    for i in 0..LLVMCountStructElementTypes(ty) {
                        let field = LLVMStructGetTypeAtIndex(ty, i);
                        self.flatten(field, offset + 8 * self.field(ty, i), out)?;
                    }
                }
                LLVMArrayTypeKind => {
                    let element = LLVMGetElementType(ty);
                    let stride = 8 * self.size(element);
                    let n = LLVMGetArrayLength2(ty);
                    if n > 4096 {
                        return None;
                    }
                    for i in 0..n {
                        self.flatten(element, offset + i * stride, out)?;
                    }
                }
                LLVMVectorTypeKind => {
                    let element = LLVMGetElementType(ty);
                    let stride = LLVMSizeOfTypeInBits(self.0, element);
                    for i in 0..LLVMGetVectorSize(ty) as u64 {
                        self.flatten(element, offset + i * stride, out)?;
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }
}

/// Number of registers that the scalars take together.
pub(crate) fn registers(flat: &[Scalar]) -> u32 {
    flat.iter().map(|s| s.registers()).sum()
}
