//! `_Float16` and `__bf16`: numbers of 16 bits, which the processor has no arithmetic for. Native code computes in single
//! precision and rounds after each operation. So do we, before any pass: an operation becomes that of `float`s, and the
//! conversions are computed of the bits without a branch. They round to nearest in every rounding mode, as the compiler's own
//! library does.

use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::LLVMTypeKind::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::llvm::LoadError;
use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::{kind_of, name_of, opcode, operand, type_of};
use crate::llvm::rewrites::writer::{Writer, arguments, lanes_of, wanted, with_lanes_of};

/// A format of IEEE 754: bits of the fraction and of the exponent.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Format {
    fraction: u32,
    exponent: u32,
}

impl Format {
    const HALF: Format = Format { fraction: 10, exponent: 5 };
    const BFLOAT: Format = Format { fraction: 7, exponent: 8 };

    /// The format of a type, or of its lanes.
    fn of(ty: LLVMTypeRef) -> Option<Format> {
        Some(match kind_of(lanes_of(ty).1) {
            LLVMHalfTypeKind => Format::HALF,
            LLVMBFloatTypeKind => Format::BFLOAT,
            LLVMFloatTypeKind => Format { fraction: 23, exponent: 8 },
            LLVMDoubleTypeKind => Format { fraction: 52, exponent: 11 },
            // Without the bit in front of the point.
            LLVMX86_FP80TypeKind => Format { fraction: 63, exponent: 15 },
            LLVMFP128TypeKind => Format { fraction: 112, exponent: 15 },
            _ => return None,
        })
    }

    fn bias(self) -> u128 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The bits of infinity.
    fn infinity(self) -> u128 {
        ((1 << self.exponent) - 1) << self.fraction
    }
}

/// The format of a type of 16 bits.
fn small(ty: LLVMTypeRef) -> Option<Format> {
    Format::of(ty).filter(|&f| f == Format::HALF || f == Format::BFLOAT)
}

fn is_small(v: LLVMValueRef) -> bool {
    small(type_of(v)).is_some()
}

fn name_of_intrinsic(call: LLVMValueRef) -> Option<String> {
    // SAFETY: it is a call; the cast gives null for a value of another kind.
    let function = unsafe { LLVMIsAFunction(LLVMGetCalledValue(call)) };
    (!function.is_null()).then(|| name_of(function)).filter(|name| name.starts_with("llvm."))
}

/// Returns true if an instruction computes with numbers of 16 bits.
fn computes(i: LLVMValueRef) -> bool {
    match opcode(i) {
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem | LLVMFNeg | LLVMFPTrunc | LLVMSIToFP
        | LLVMUIToFP => is_small(i),
        LLVMFCmp | LLVMFPExt | LLVMFPToSI | LLVMFPToUI => is_small(operand(i, 0)),
        LLVMCall => {
            (is_small(i) || arguments(i).into_iter().any(is_small) || is_of_fp16(i))
                && name_of_intrinsic(i).is_some()
        }
        _ => false,
    }
}

/// Returns true if it is `llvm.convert.to.fp16` or `llvm.convert.from.fp16`, whose 16 bits are an integer.
fn is_of_fp16(call: LLVMValueRef) -> bool {
    name_of_intrinsic(call).is_some_and(|name| name.starts_with("llvm.convert."))
}

/// Returns true if a number of 16 bits is changed atomically.
fn modifies(i: LLVMValueRef) -> bool {
    opcode(i) == LLVMAtomicRMW && is_small(i)
}

/// Makes operations of `float`s of all operations on `half` and `bfloat`.
///
/// # Errors
/// [`LoadError::Passes`] where LLVM cannot lower atomic accesses.
pub(crate) fn lower_small_floats(module: &Module) -> Result<(), LoadError> {
    if !wanted(module, modifies).is_empty() {
        module.run_passes("function(lower-atomic)")?;
    }
    let writer = Writer::new(module);
    for i in wanted(module, computes) {
        writer.before(i);
        if let Some(value) = lowered(&writer, i) {
            writer.replace(i, value);
        }
    }
    Ok(())
}

fn lowered(w: &Writer<'_>, i: LLVMValueRef) -> Option<LLVMValueRef> {
    let op = opcode(i);
    let float = w.float();
    Some(match op {
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem => {
            let (a, b) = (widened(w, operand(i, 0)), widened(w, operand(i, 1)));
            narrowed(w, w.two(op, a, b), type_of(i))?
        }
        LLVMFNeg => sign_changed(w, operand(i, 0)),
        // SAFETY: the opcode says what it is.
        LLVMFCmp => unsafe {
            let (a, b) = (widened(w, operand(i, 0)), widened(w, operand(i, 1)));
            LLVMBuildFCmp(w.builder, LLVMGetFCmpPredicate(i), a, b, c"".as_ptr())
        },
        LLVMFPTrunc => narrowed(w, operand(i, 0), type_of(i))?,
        LLVMFPExt => extended(w, operand(i, 0), type_of(i)),
        LLVMFPToSI | LLVMFPToUI => w.cast(op, widened(w, operand(i, 0)), lanes_of(type_of(i)).1),
        LLVMSIToFP | LLVMUIToFP => narrowed(w, w.cast(op, operand(i, 0), float), type_of(i))?,
        _ => called(w, i)?,
    })
}

fn called(w: &Writer<'_>, i: LLVMValueRef) -> Option<LLVMValueRef> {
    let full = name_of_intrinsic(i)?;
    let name = full.strip_prefix("llvm.")?;
    let name = name.strip_prefix("experimental.constrained.").unwrap_or(name);
    let all = arguments(i);
    let bits = |v| w.bits(v, 16);
    let numbers = |v| w.cast(LLVMBitCast, v, lanes_of(type_of(i)).1);
    let is = |wanted: &str| name.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'));
    Some(if is("fabs") {
        numbers(w.with(LLVMAnd, bits(all[0]), 0x7fff))
    } else if is("copysign") {
        let sign = w.with(LLVMAnd, bits(all[1]), 0x8000);
        numbers(w.two(LLVMOr, w.with(LLVMAnd, bits(all[0]), 0x7fff), sign))
    } else if is("fptrunc") {
        narrowed(w, all[0], type_of(i))?
    } else if is("fpext") {
        extended(w, all[0], type_of(i))
    } else if is("convert.to.fp16") {
        // SAFETY: the type belongs to the context of its module.
        let half = unsafe { LLVMHalfTypeInContext(LLVMGetTypeContext(type_of(i))) };
        bits(narrowed(w, all[0], half)?)
    } else if is("convert.from.fp16") {
        // SAFETY: as above.
        let half = unsafe { LLVMHalfTypeInContext(LLVMGetTypeContext(type_of(i))) };
        extended(w, w.cast(LLVMBitCast, all[0], half), type_of(i))
    } else if is("fmuladd") {
        let [a, b, c] = [0, 1, 2].map(|k| widened(w, all[k]));
        let product = widened(w, narrowed(w, w.two(LLVMFMul, a, b), type_of(i))?);
        narrowed(w, w.two(LLVMFAdd, product, c), type_of(i))?
    } else if is("is.fpclass") || name.starts_with("vector.") {
        return None; // the first is of bits (`intrinsics.rs`)
    } else {
        let mut all: Vec<_> = all.into_iter().map(|a| if is_small(a) { widened(w, a) } else { a }).collect();
        let result = if is_small(i) { with_lanes_of(type_of(i), w.float()) } else { type_of(i) };
        let made = w.call(&of_floats(&full), result, &mut all);
        if is_small(i) { narrowed(w, made, type_of(i))? } else { made }
    })
}

/// The name of an intrinsic that is the same of `float`s.
fn of_floats(name: &str) -> String {
    let part = |part: &str| {
        let lane = part.strip_suffix("bf16").or(part.strip_suffix("f16"));
        let vector = |rest: &str| rest.strip_prefix('v').is_some_and(|n| n.parse::<u32>().is_ok());
        match lane {
            Some(rest) if rest.is_empty() || vector(rest) => format!("{rest}f32"),
            _ => part.to_string(),
        }
    };
    name.split('.').map(part).collect::<Vec<_>>().join(".")
}

fn sign_changed(w: &Writer<'_>, v: LLVMValueRef) -> LLVMValueRef {
    w.cast(LLVMBitCast, w.with(LLVMXor, w.bits(v, 16), 0x8000), lanes_of(type_of(v)).1)
}

/// A number of 16 bits as one of another type, or as it is.
fn extended(w: &Writer<'_>, v: LLVMValueRef, ty: LLVMTypeRef) -> LLVMValueRef {
    let (wide, lane) = (widened(w, v), lanes_of(ty).1);
    if kind_of(lane) == LLVMFloatTypeKind { wide } else { w.cast(LLVMFPExt, wide, lane) }
}

/// A number of 16 bits as a `float`. One that is no number keeps its bits.
fn widened(w: &Writer<'_>, v: LLVMValueRef) -> LLVMValueRef {
    let (word, ty) = (w.int(32), small(type_of(v)));
    let x = w.cast(LLVMZExt, w.bits(v, 16), word);
    if ty == Some(Format::BFLOAT) {
        return w.cast(LLVMBitCast, w.with(LLVMShl, x, 16), w.float());
    }
    let magnitude = w.with(LLVMAnd, x, 0x7fff);
    let shifted = w.with(LLVMShl, magnitude, 13);
    // The difference of the biases; that of infinity's exponents is twice as much.
    let normal = w.with(LLVMAdd, shifted, 112 << 23);
    let special = w.with(LLVMAdd, shifted, 224 << 23);
    // A number below the least exponent: its first bit goes to where the exponent ends.
    let name = match lanes_of(type_of(x)).0 {
        0 => "llvm.ctlz.i32".to_string(),
        n => format!("llvm.ctlz.v{n}i32"),
    };
    let never = w.constant(w.int(1), 0);
    let zeros = w.call(&name, type_of(x), &mut [magnitude, never]);
    let first = w.two(LLVMShl, magnitude, w.with(LLVMSub, zeros, 8));
    let exponent = w.with(LLVMShl, w.two(LLVMSub, w.constant(type_of(x), 133), zeros), 23);
    let least = w.two(LLVMAdd, first, exponent);
    let zero = w.is_to(LLVMIntEQ, magnitude, 0);
    let least = w.choose(zero, magnitude, least);
    let finite = w.choose(w.is_to(LLVMIntULT, magnitude, 0x400), least, normal);
    let all = w.choose(w.is_to(LLVMIntUGE, magnitude, 0x7c00), special, finite);
    let sign = w.with(LLVMShl, w.with(LLVMAnd, x, 0x8000), 16);
    w.cast(LLVMBitCast, w.two(LLVMOr, all, sign), w.float())
}

/// The bits of numbers without their sign, and the sign's bit at place 15 of integers of 16 bits; the width of the first.
fn taken_apart(w: &Writer<'_>, v: LLVMValueRef) -> Option<(LLVMValueRef, LLVMValueRef)> {
    let (width, sign) = match kind_of(lanes_of(type_of(v)).1) {
        LLVMFloatTypeKind => (32, 31),
        LLVMDoubleTypeKind => (64, 63),
        LLVMX86_FP80TypeKind => (80, 79),
        LLVMFP128TypeKind => (128, 127),
        _ => return None,
    };
    let x = w.bits(v, width);
    let up = w.cast(LLVMTrunc, w.with(LLVMLShr, x, sign - 15), w.int(16));
    let up = w.with(LLVMAnd, up, 0x8000);
    let magnitude = w.with(LLVMAnd, x, (1 << sign) - 1);
    if width != 80 {
        return Some((magnitude, up));
    }
    // The bit in front of the point goes: a number without it is too small to count.
    let fraction = w.with(LLVMAnd, x, (1 << 63) - 1);
    let exponent = w.with(LLVMShl, w.with(LLVMLShr, magnitude, 64), 63);
    Some((w.two(LLVMOr, exponent, fraction), up))
}

/// A number as one of 16 bits, rounded to nearest and ties to even; one that is no number is quiet and keeps what fits.
fn narrowed(w: &Writer<'_>, v: LLVMValueRef, ty: LLVMTypeRef) -> Option<LLVMValueRef> {
    let (from, to) = (Format::of(type_of(v))?, small(ty)?);
    if from == to {
        return Some(v);
    }
    let (x, sign) = taken_apart(w, v)?;
    let delta = from.fraction - to.fraction;
    let odd = |x, by: LLVMValueRef| w.with(LLVMAnd, w.two(LLVMLShr, x, by), 1);
    let by = w.constant(type_of(x), delta.into());
    let biases = from.bias() - to.bias();
    // The addend carries into the exponent if it has to, up to infinity.
    let rebased = w.with(LLVMSub, x, biases << from.fraction);
    let up = w.two(LLVMAdd, w.with(LLVMAdd, rebased, (1 << (delta - 1)) - 1), odd(x, by));
    let rounded = w.two(LLVMLShr, up, by);
    let over = w.is_to(LLVMIntUGT, rounded, to.infinity());
    let infinite = w.constant(type_of(x), to.infinity());
    let mut all = w.choose(over, infinite, rounded);
    if biases > 0 {
        // Below the least exponent of the result the whole significand is shifted, at most until nothing is left.
        let significand = w.with(LLVMOr, w.with(LLVMAnd, x, (1 << from.fraction) - 1), 1 << from.fraction);
        let exponent = w.with(LLVMLShr, x, from.fraction.into());
        let wanted = w.two(LLVMSub, w.constant(type_of(x), biases + 1 + u128::from(delta)), exponent);
        let (least, most) = (u128::from(delta) + 1, u128::from(from.fraction) + 2);
        let short = w.is_to(LLVMIntULT, wanted, least);
        let by = w.choose(short, w.constant(type_of(x), least), wanted);
        let far = w.is_to(LLVMIntUGT, by, most);
        let by = w.choose(far, w.constant(type_of(x), most), by);
        let one = w.constant(type_of(x), 1);
        let half = w.with(LLVMSub, w.two(LLVMShl, one, w.with(LLVMSub, by, 1)), 1);
        let up = w.two(LLVMAdd, w.two(LLVMAdd, significand, half), odd(significand, by));
        let below = w.is_to(LLVMIntULT, x, (biases + 1) << from.fraction);
        all = w.choose(below, w.two(LLVMLShr, up, by), all);
    }
    let quiet = to.infinity() | 1 << (to.fraction - 1);
    let payload = w.with(LLVMAnd, w.two(LLVMLShr, x, by), (1 << (to.fraction - 1)) - 1);
    let no_number = w.is_to(LLVMIntUGT, x, from.infinity());
    let all = w.choose(no_number, w.with(LLVMOr, payload, quiet), all);
    let low = w.two(LLVMOr, w.cast(LLVMTrunc, all, w.int(16)), sign);
    Some(w.cast(LLVMOpcode::LLVMBitCast, low, lanes_of(ty).1))
}

#[cfg(test)]
mod tests {
    use super::of_floats;

    #[test]
    fn the_intrinsic_of_floats_has_their_type_in_its_name() {
        for (name, expected) in [
            ("llvm.sqrt.f16", "llvm.sqrt.f32"),
            ("llvm.fma.v4bf16", "llvm.fma.v4f32"),
            ("llvm.lrint.i64.f16", "llvm.lrint.i64.f32"),
            ("llvm.experimental.constrained.fadd.f16", "llvm.experimental.constrained.fadd.f32"),
        ] {
            assert_eq!(of_floats(name), expected);
        }
    }
}
