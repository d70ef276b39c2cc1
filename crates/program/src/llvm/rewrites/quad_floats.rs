//! `__float128`: the compiler's own library computes with it, and the back end makes the calls. So do we, before any pass. Signs
//! and comparisons are of the bits, without a branch.

use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::{kind_of, name_of, opcode, operand, type_of};
use crate::llvm::rewrites::writer::{Writer, arguments, wanted};
use crate::llvm::translation::scalar_ops::float_predicate;
use crate::register_code::code::FPred;

/// The sign, and the bits of infinity.
const SIGN: u128 = 1 << 127;
const INFINITY: u128 = 0x7fff << 112;

fn is_quad(v: LLVMValueRef) -> bool {
    kind_of(type_of(v)) == LLVMFP128TypeKind
}

fn computes(i: LLVMValueRef) -> bool {
    match opcode(i) {
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFNeg | LLVMFPExt | LLVMSIToFP | LLVMUIToFP => {
            is_quad(i)
        }
        LLVMFCmp | LLVMFPTrunc | LLVMFPToSI | LLVMFPToUI => is_quad(operand(i, 0)),
        LLVMCall => is_quad(i),
        _ => false,
    }
}

/// Makes calls of the compiler's library of operations on `__float128`. An operation that it has not stays as it is.
pub(crate) fn lower_quad_floats(module: &Module) {
    let writer = Writer::new(module);
    for i in wanted(module, computes) {
        writer.before(i);
        if let Some(value) = lowered(&writer, i) {
            writer.replace(i, value);
        }
    }
}

fn lowered(w: &Writer<'_>, i: LLVMValueRef) -> Option<LLVMValueRef> {
    let a = operand(i, 0);
    Some(match opcode(i) {
        LLVMFAdd => w.call("__addtf3", type_of(i), &mut [a, operand(i, 1)]),
        LLVMFSub => w.call("__subtf3", type_of(i), &mut [a, operand(i, 1)]),
        LLVMFMul => w.call("__multf3", type_of(i), &mut [a, operand(i, 1)]),
        LLVMFDiv => w.call("__divtf3", type_of(i), &mut [a, operand(i, 1)]),
        LLVMFNeg => w.cast(LLVMBitCast, w.with(LLVMXor, w.bits(a, 128), SIGN), type_of(i)),
        // SAFETY: the opcode says what it is.
        LLVMFCmp => compared(w, float_predicate(unsafe { LLVMGetFCmpPredicate(i) }), a, operand(i, 1)),
        LLVMFPExt => w.call(&format!("__extend{}tf2", mode(a)?), type_of(i), &mut [a]),
        LLVMFPTrunc => w.call(&format!("__trunctf{}2", mode(i)?), type_of(i), &mut [a]),
        op @ (LLVMFPToSI | LLVMFPToUI) => to_integer(w, i, a, op == LLVMFPToSI)?,
        op @ (LLVMSIToFP | LLVMUIToFP) => from_integer(w, i, a, op == LLVMSIToFP)?,
        _ => called(w, i)?,
    })
}

fn called(w: &Writer<'_>, i: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: it is a call; the cast gives null for a value of another kind.
    let function = unsafe { LLVMIsAFunction(LLVMGetCalledValue(i)) };
    let name = if function.is_null() { return None } else { name_of(function) };
    let all = arguments(i);
    let magnitude = |v| w.with(LLVMAnd, w.bits(v, 128), SIGN - 1);
    Some(match name.as_str() {
        "llvm.fabs.f128" => w.cast(LLVMBitCast, magnitude(all[0]), type_of(i)),
        "llvm.copysign.f128" => {
            let sign = w.with(LLVMAnd, w.bits(all[1], 128), SIGN);
            w.cast(LLVMBitCast, w.two(LLVMOr, magnitude(all[0]), sign), type_of(i))
        }
        "llvm.fmuladd.f128" => {
            let product = w.call("__multf3", type_of(i), &mut [all[0], all[1]]);
            w.call("__addtf3", type_of(i), &mut [product, all[2]])
        }
        _ => return None,
    })
}

/// The letters that names of the library have for a type.
fn mode(v: LLVMValueRef) -> Option<&'static str> {
    Some(match kind_of(type_of(v)) {
        LLVMFloatTypeKind => "sf",
        LLVMDoubleTypeKind => "df",
        LLVMX86_FP80TypeKind => "xf",
        _ => return None,
    })
}

/// The width that the library has for an integer of this width, and its letters.
fn integer(v: LLVMValueRef) -> Option<(u32, &'static str)> {
    let width = match kind_of(type_of(v)) {
        // SAFETY: it is an integer. A vector of them is none that we know.
        LLVMIntegerTypeKind => unsafe { LLVMGetIntTypeWidth(type_of(v)) },
        _ => return None,
    };
    match width {
        0..=32 => Some((32, "si")),
        33..=64 => Some((64, "di")),
        65..=128 => Some((128, "ti")),
        _ => None,
    }
}

/// Two words as x86-64 passes an integer of 128 bits.
fn words(w: &Writer<'_>, v: LLVMValueRef) -> [LLVMValueRef; 2] {
    [v, w.with(LLVMLShr, v, 64)].map(|part| w.cast(LLVMTrunc, part, w.int(64)))
}

fn to_integer(w: &Writer<'_>, i: LLVMValueRef, a: LLVMValueRef, signed: bool) -> Option<LLVMValueRef> {
    let (width, letters) = integer(i)?;
    let name = format!("__fix{}tf{letters}", if signed { "" } else { "uns" });
    let whole = if width == 128 {
        // SAFETY: the types belong to the context; the call's result has two parts.
        let [low, high] = unsafe {
            let mut parts = [w.int(64), w.int(64)];
            let pair = LLVMStructTypeInContext(LLVMGetTypeContext(type_of(i)), parts.as_mut_ptr(), 2, 0);
            let made = w.call(&name, pair, &mut [a]);
            [0, 1].map(|k| LLVMBuildExtractValue(w.builder, made, k, c"".as_ptr()))
        };
        let [low, high] = [low, high].map(|part| w.cast(LLVMZExt, part, w.int(128)));
        w.two(LLVMOr, low, w.with(LLVMShl, high, 64))
    } else {
        w.call(&name, w.int(width), &mut [a])
    };
    Some(if type_of(whole) == type_of(i) { whole } else { w.cast(LLVMTrunc, whole, type_of(i)) })
}

fn from_integer(w: &Writer<'_>, i: LLVMValueRef, a: LLVMValueRef, signed: bool) -> Option<LLVMValueRef> {
    let (width, letters) = integer(a)?;
    let name = format!("__float{}{letters}tf", if signed { "" } else { "un" });
    let wide = w.int(width);
    let whole = match type_of(a) == wide {
        true => a,
        false => w.cast(if signed { LLVMSExt } else { LLVMZExt }, a, wide),
    };
    Some(match width {
        128 => w.call(&name, type_of(i), &mut words(w, whole)),
        _ => w.call(&name, type_of(i), &mut [whole]),
    })
}

/// A comparison of the bits: as integers that have a sign in front of their magnitude, where both are numbers.
fn compared(w: &Writer<'_>, pred: FPred, a: LLVMValueRef, b: LLVMValueRef) -> LLVMValueRef {
    let [x, y] = [a, b].map(|v| w.bits(v, 128));
    let no_number = |x| w.is_to(LLVMIntUGT, w.with(LLVMAnd, x, SIGN - 1), INFINITY);
    let unordered = w.two(LLVMOr, no_number(x), no_number(y));
    let zeros = w.is_to(LLVMIntEQ, w.with(LLVMShl, w.two(LLVMOr, x, y), 1), 0);
    let equal = w.two(LLVMOr, zeros, w.is(LLVMIntEQ, x, y));
    // For negative numbers the greater magnitude is less.
    let key = |x| {
        let copies = w.with(LLVMLShr, w.with(LLVMAShr, x, 127), 1);
        w.two(LLVMXor, x, copies)
    };
    let less = w.is(LLVMIntSLT, key(x), key(y));
    let bit = |v: bool| w.constant(w.int(1), v.into());
    let unequal = w.choose(less, bit(pred.lt), bit(pred.gt));
    let ordered = w.choose(equal, bit(pred.eq), unequal);
    w.choose(unordered, bit(pred.uno), ordered)
}
