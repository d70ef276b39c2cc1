//! Accesses to the arrays inside of structures, for the family of checks `subobject`: in front of a load or store through
//! a member that is an array, an op that looks at the offset in it.
//!
//! The pointer's provenance is the chain of `getelementptr`s that computed it in the function. So the checks cover accesses such
//! as `s->name[i]`, and those through a pointer to the member in the same function. An array that is the last member of its
//! structure may continue behind it (flexible arrays, and the older ways to write them), so it has no bound here; the object has
//! one.

use std::ffi::CStr;

use llvm_sys::LLVMOpcode;
use llvm_sys::LLVMTypeKind::{LLVMArrayTypeKind, LLVMStructTypeKind};
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::llvm::modules::values::{self, kind_of, operand, type_of};
use crate::llvm::translation::translator::Translator;
use crate::register_code::code::*;

/// A step of a `getelementptr`.
enum Step {
    /// By this number of bytes.
    Fixed(i64),
    /// By an index times a size in bytes.
    Variable(LLVMValueRef, u64),
    /// To a member at an offset in bytes, which is an array of `size` bytes that has a bound.
    Array { offset: i64, size: u64, of: LLVMTypeRef },
}

/// Distance of a pointer from the start of the object or member that is examined.
#[derive(Default)]
pub(crate) struct Distance {
    fixed: i64,
    variable: Vec<(LLVMValueRef, u64)>,
}

/// The room that an access must stay in.
pub(crate) struct Bound {
    /// The op that looks.
    pub(crate) what: Builtin,
    /// Bytes.
    pub(crate) size: u64,
    /// Whose room it is, for people.
    pub(crate) of: String,
}

fn is_element_pointer(v: LLVMValueRef) -> bool {
    // SAFETY: see the module's head; a constant expression has an opcode.
    unsafe {
        !LLVMIsAGetElementPtrInst(v).is_null()
            || !LLVMIsAConstantExpr(v).is_null() && LLVMGetConstOpcode(v) == LLVMOpcode::LLVMGetElementPtr
    }
}

fn name_of(of: LLVMTypeRef) -> String {
    // SAFETY: a structure; its name ends in a zero.
    let name = unsafe {
        let name = LLVMGetStructName(of);
        if name.is_null() { return "a structure".into() } else { CStr::from_ptr(name) }
    };
    let name = name.to_string_lossy();
    match name.split_once('.') {
        Some((kind, name)) => {
            format!("`{kind} {}`", name.trim_end_matches(|c: char| c == '.' || c.is_ascii_digit()))
        }
        None => format!("`{name}`"),
    }
}

impl Translator<'_, '_> {
    /// In front of an access to a value of this type.
    pub(crate) fn check_members(&mut self, pointer: LLVMValueRef, ty: LLVMTypeRef) -> Option<()> {
        self.check_section_member(pointer, ty)?;
        if !self.loader.members {
            return Some(());
        }
        let n = self.bytes_of(ty)?;
        let (mut at, mut from) = (pointer, Distance::default());
        while is_element_pointer(at) {
            let steps = self.steps(at)?;
            // Back from a member to the structure that it is in: that is no access to the member.
            if let [Step::Fixed(..0)] = steps[..] {
                break;
            }
            for step in steps.into_iter().rev() {
                match step {
                    Step::Fixed(offset) => from.fixed = from.fixed.wrapping_add(offset),
                    Step::Variable(index, scale) => from.variable.push((index, scale)),
                    Step::Array { offset, size, of } => {
                        self.check_bound(&from, n, &Bound { what: Builtin::Member, size, of: name_of(of) })?;
                        from.fixed = from.fixed.wrapping_add(offset);
                    }
                }
            }
            at = operand(at, 0);
        }
        Some(())
    }

    /// In front of an access of this type that names a variable of a section whose bounds the program knows: that it stays in the variable.
    fn check_section_member(&mut self, pointer: LLVMValueRef, ty: LLVMTypeRef) -> Option<()> {
        if self.loader.members_of_sections.is_empty() {
            return Some(());
        }
        let Some((variable, from)) = self.distance_from_global(pointer) else { return Some(()) };
        let Some(&size) = self.loader.members_of_sections.get(&variable) else { return Some(()) };
        let bound = Bound { what: Builtin::SectionMember, size, of: values::name_of(variable) };
        let n = self.bytes_of(ty)?;
        self.check_bound(&from, n, &bound)
    }

    /// Number of bytes that an access of a value of this type takes. Bit-fields of 24 bits take three, in an array of three
    /// bytes.
    fn bytes_of(&self, ty: LLVMTypeRef) -> Option<u64> {
        let ends = self.flat(ty)?.into_iter().map(|s| (s.offset + u64::from(s.width)).div_ceil(8));
        Some(ends.max().unwrap_or(0))
    }

    /// The global that a pointer is computed from in this function, and how far it is from its start.
    fn distance_from_global(&mut self, pointer: LLVMValueRef) -> Option<(LLVMValueRef, Distance)> {
        let (mut at, mut from) = (pointer, Distance::default());
        while is_element_pointer(at) {
            for step in self.steps(at)? {
                match step {
                    Step::Fixed(offset) | Step::Array { offset, .. } => {
                        from.fixed = from.fixed.wrapping_add(offset)
                    }
                    Step::Variable(index, scale) => from.variable.push((index, scale)),
                }
            }
            at = operand(at, 0);
        }
        // SAFETY: the cast gives null for a value of another kind.
        (!unsafe { LLVMIsAGlobalVariable(at) }.is_null()).then_some((at, from))
    }

    fn steps(&mut self, pointer: LLVMValueRef) -> Option<Vec<Step>> {
        let layout = &self.loader.layout;
        let mut steps = Vec::new();
        // SAFETY: as in `Loader::gep_offset`, which computes the address of the same chain.
        unsafe {
            let mut ty = LLVMGetGEPSourceElementType(pointer);
            for i in 1..LLVMGetNumOperands(pointer) as u32 {
                let index = operand(pointer, i);
                if kind_of(type_of(index)) == llvm_sys::LLVMTypeKind::LLVMVectorTypeKind {
                    return None;
                }
                if i > 1 && kind_of(ty) == LLVMStructTypeKind {
                    let (of, field) = (ty, LLVMConstIntGetZExtValue(index) as u32);
                    let offset = layout.field(of, field) as i64;
                    ty = LLVMStructGetTypeAtIndex(of, field);
                    let bounded = kind_of(ty) == LLVMArrayTypeKind
                        && LLVMGetArrayLength2(ty) > 1
                        && field + 1 < LLVMCountStructElementTypes(of);
                    steps.push(match bounded {
                        true => Step::Array { offset, size: layout.size(ty), of },
                        false => Step::Fixed(offset),
                    });
                    continue;
                }
                if i > 1 {
                    ty = LLVMGetElementType(ty);
                }
                let scale = layout.size(ty);
                steps.push(match LLVMIsAConstantInt(index).is_null() {
                    true => Step::Variable(index, scale),
                    false => Step::Fixed(LLVMConstIntGetSExtValue(index).wrapping_mul(scale as i64)),
                });
            }
        }
        Some(steps)
    }

    /// An op that checks if an access of `n` bytes, at this distance from the start of an object or member, stays in it, unless
    /// that is certain.
    fn check_bound(&mut self, from: &Distance, n: u64, bound: &Bound) -> Option<()> {
        let size = bound.size;
        let inside = u64::try_from(from.fixed).is_ok_and(|offset| offset.saturating_add(n) <= size);
        if from.variable.is_empty() && inside {
            return Some(());
        }
        let dst = self.fresh(1);
        let zero = self.constant(0);
        self.added_up(dst, zero, from.fixed, &from.variable)?;
        let name = self.loader.string(&bound.of);
        let list = [self.constant(n), self.constant(size), self.constant(name.into())];
        let args = self.args(&[Operand::reg(dst), list[0], list[1], list[2]]);
        self.push(Op::Builtin { what: bound.what, dst: NO_REG, args, n: 0 });
        Some(())
    }
}
