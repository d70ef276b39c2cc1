//! Marks the places where a program uses the addresses of its objects: comparisons and distances of pointers, and pointers that
//! become numbers. Uses that do not depend on the layout of objects are not marked: comparisons with null, casts there and back,
//! and pairs of comparisons that test if two ranges overlap.

use llvm_sys::LLVMTypeKind::{LLVMIntegerTypeKind, LLVMPointerTypeKind};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use crate::llvm::modules::values::{kind_of, operand, type_of};

fn is_instruction(v: LLVMValueRef, wanted: LLVMOpcode) -> bool {
    // SAFETY: a value that is no instruction gives null.
    unsafe { !LLVMIsAInstruction(v).is_null() && LLVMGetInstructionOpcode(v) == wanted }
}

/// The pointer that a number is the address of, as an instruction or a constant expression; pointers have so many `bits`.
pub(crate) fn pointer_of(v: LLVMValueRef, bits: u32) -> Option<LLVMValueRef> {
    // SAFETY: a constant expression has an opcode.
    let constant =
        unsafe { !LLVMIsAConstantExpr(v).is_null() && LLVMGetConstOpcode(v) == LLVMOpcode::LLVMPtrToInt };
    if !constant && !is_instruction(v, LLVMOpcode::LLVMPtrToInt) {
        return None;
    }
    let pointer = operand(v, 0);
    is_whole_number(type_of(v), type_of(pointer), bits).then_some(pointer)
}

/// Returns true if a constant expression computes a number of at most 64 bits with the address of a global, or has its low bits.
pub(crate) fn computes_with_address(v: LLVMValueRef, bits: u32) -> bool {
    use LLVMOpcode::*;
    // SAFETY: a constant expression has an opcode and an operand, and an integer a width.
    let (op, width) = unsafe {
        if LLVMIsAConstantExpr(v).is_null() || kind_of(type_of(v)) != LLVMIntegerTypeKind {
            return false;
        }
        (LLVMGetConstOpcode(v), LLVMGetIntTypeWidth(type_of(v)))
    };
    let made = |n| pointer_of(operand(v, n), bits).is_some() || computes_with_address(operand(v, n), bits);
    match op {
        _ if width > 64 => false,
        LLVMAdd | LLVMSub | LLVMMul | LLVMXor | LLVMShl => made(0) || made(1),
        LLVMTrunc => made(0),
        LLVMPtrToInt => width < bits && kind_of(type_of(operand(v, 0))) == LLVMPointerTypeKind,
        _ => false,
    }
}

/// Returns true if a number and a pointer have the same bits: neither is a vector.
pub(crate) fn is_whole_number(number: LLVMTypeRef, pointer: LLVMTypeRef, bits: u32) -> bool {
    let whole = kind_of(number) == LLVMIntegerTypeKind && kind_of(pointer) == LLVMPointerTypeKind;
    // SAFETY: it is an integer.
    whole && unsafe { LLVMGetIntTypeWidth(number) } == bits
}

/// The two pointers whose distance an instruction computes.
fn distance(i: LLVMValueRef, bits: u32) -> Option<(LLVMValueRef, LLVMValueRef)> {
    if !is_instruction(i, LLVMOpcode::LLVMSub) {
        return None;
    }
    Some((pointer_of(operand(i, 0), bits)?, pointer_of(operand(i, 1), bits)?))
}

/// As [`distance`], unless it is only compared with a size: for ranges in two objects, which do not overlap, that comparison has
/// one outcome in every layout.
pub(crate) fn subtracted(i: LLVMValueRef, bits: u32) -> Option<(LLVMValueRef, LLVMValueRef)> {
    let pointers = distance(i, bits)?;
    (!users(i).all(|user| is_instruction(user, LLVMOpcode::LLVMICmp) && is_unsigned(user)))
        .then_some(pointers)
}

fn is_unsigned(i: LLVMValueRef) -> bool {
    use LLVMIntPredicate::*;
    // SAFETY: it is a comparison.
    let pred = unsafe { LLVMGetICmpPredicate(i) };
    matches!(pred, LLVMIntUGT | LLVMIntUGE | LLVMIntULT | LLVMIntULE)
}

/// Returns true if an instruction compares two pointers and its outcome may depend on the layout of objects.
pub(crate) fn compares_pointers(i: LLVMValueRef) -> bool {
    let null = |v| {
        // SAFETY: a constant or not, it is a value.
        unsafe { LLVMIsNull(v) != 0 }
    };
    let [a, b] = [operand(i, 0), operand(i, 1)];
    kind_of(type_of(a)) == LLVMPointerTypeKind && !null(a) && !null(b) && !is_of_overlap(i)
}

/// Returns true if a comparison is half of a test if two ranges overlap: `a < b.end & b < a.end`. Optimisers put such tests in
/// front of loops. Ranges in two objects never overlap, whatever the layout.
fn is_of_overlap(i: LLVMValueRef) -> bool {
    users(i).any(|user| {
        is_instruction(user, LLVMOpcode::LLVMAnd)
            && (0..2).all(|n| is_instruction(operand(user, n), LLVMOpcode::LLVMICmp))
    }) && is_below(i)
}

fn is_below(i: LLVMValueRef) -> bool {
    // SAFETY: it is a comparison.
    let pred = unsafe { LLVMGetICmpPredicate(i) };
    !matches!(pred, LLVMIntPredicate::LLVMIntEQ | LLVMIntPredicate::LLVMIntNE)
}

/// The users of a value, each as often as it uses it.
fn users(v: LLVMValueRef) -> impl Iterator<Item = LLVMValueRef> {
    let there = |u: LLVMUseRef| (!u.is_null()).then_some(u);
    // SAFETY: the uses of a value are a list that ends with null.
    let first = there(unsafe { LLVMGetFirstUse(v) });
    // SAFETY: as above; `u` is not null.
    let uses = std::iter::successors(first, move |u| there(unsafe { LLVMGetNextUse(*u) }));
    // SAFETY: as above.
    uses.map(|u| unsafe { LLVMGetUser(u) })
}

/// Returns true if the address that a `ptrtoint` gives is used as a number of so many `bits`, other than for a distance, for a
/// comparison with null or as a pointer again.
pub(crate) fn becomes_number(i: LLVMValueRef, bits: u32) -> bool {
    let harmless = |user: LLVMValueRef| {
        distance(user, bits).is_some()
            || is_instruction(user, LLVMOpcode::LLVMIntToPtr)
            // SAFETY: both operands are values.
            || is_instruction(user, LLVMOpcode::LLVMICmp) && unsafe { LLVMIsNull(operand(user, 1)) != 0 }
    };
    let whole = is_whole_number(type_of(i), type_of(operand(i, 0)), bits);
    // SAFETY: every user of an instruction is one.
    let instruction = |user| unsafe { !LLVMIsAInstruction(user).is_null() };
    whole && users(i).any(|user| instruction(user) && !harmless(user))
}
