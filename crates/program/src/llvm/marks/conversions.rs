//! Marks conversions of unsigned integers that native code makes of two halves.
//!
//! Without an instruction for it, clang's code for `(double)u` with 64 bits puts the halves of `u` into the significands of two
//! numbers, subtracts from each the excess that it put there, and adds the two differences. A difference of equal numbers is -0
//! if rounding is down: so is `(double)0ul`. If the back end sees that the sign is clear, it takes the instruction for signed
//! integers, which gives +0. So a conversion is marked if the back end does not know its operand well enough. In functions that
//! were compiled without optimisation the back end looks no further than the basic block; in others it knows, between blocks, the
//! number of upper bits that are zero. Vectors have such code for 32 bits, too.
//!
//! The passes tell more of an operand than the back end knows, so the marks are made before them.

use std::ffi::CStr;

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};
use rustc_hash::FxHashMap;

use crate::llvm::modules::values::{
    blocks_of, copied, instructions_of, kind_of, name_of, opcode, operand, type_of,
};
use crate::register_code::known_bits::Bits;

/// The mark of such a conversion.
const HALVES: &CStr = c"cleave.halves";
/// Depth to which the back end looks at operands.
const DEEPEST: u32 = 6;

fn halves_kind(context: LLVMContextRef) -> u32 {
    // SAFETY: the name is as long as we say.
    unsafe { LLVMGetMDKindIDInContext(context, HALVES.as_ptr().cast(), HALVES.count_bytes() as u32) }
}

/// Returns true if native code makes a conversion of two halves.
pub(crate) fn is_of_halves(i: LLVMValueRef) -> bool {
    // SAFETY: `i` is an instruction; what is not there is null.
    unsafe { !LLVMGetMetadata(i, halves_kind(LLVMGetTypeContext(LLVMTypeOf(i)))).is_null() }
}

/// Marks the conversions of a module that no pass has changed.
pub(crate) fn note_halves(context: LLVMContextRef, module: LLVMModuleRef) {
    // SAFETY: see the module's head.
    unsafe {
        let mark = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0));
        let mut f = LLVMGetFirstFunction(module);
        while !f.is_null() {
            for i in of_halves(f) {
                LLVMSetMetadata(i, halves_kind(context), mark);
            }
            f = LLVMGetNextFunction(f);
        }
    }
}

fn of_halves(f: LLVMValueRef) -> Vec<LLVMValueRef> {
    let candidate = |&i: &LLVMValueRef| is_candidate(i) && !has_instruction(f, i);
    let all: Vec<_> = blocks_of(f).into_iter().flat_map(instructions_of).filter(candidate).collect();
    if all.is_empty() {
        return all;
    }
    let mut known = Known::of(f);
    let signed = |i: &LLVMValueRef| !known.at_conversion(*i).is_non_negative();
    all.into_iter().filter(signed).collect()
}

/// The lanes of a type, 0 for a scalar, and the type of one.
fn lanes(ty: LLVMTypeRef) -> (u32, LLVMTypeRef) {
    match kind_of(ty) {
        // SAFETY: it is a vector.
        LLVMTypeKind::LLVMVectorTypeKind => unsafe { (LLVMGetVectorSize(ty), LLVMGetElementType(ty)) },
        _ => (0, ty),
    }
}

/// The width of an integer, or of each lane; nothing of another type or a wider one.
fn width_of(ty: LLVMTypeRef) -> Option<u32> {
    let (_, ty) = lanes(ty);
    if kind_of(ty) != LLVMTypeKind::LLVMIntegerTypeKind {
        return None;
    }
    // SAFETY: it is an integer.
    let width = unsafe { LLVMGetIntTypeWidth(ty) };
    (width <= 128).then_some(width)
}

/// The width of a conversion's operand and the lanes of its result where code without an instruction for it is of halves.
fn shape(i: LLVMValueRef) -> Option<(u32, u32)> {
    let constrained = match opcode(i) {
        LLVMOpcode::LLVMUIToFP => false,
        LLVMOpcode::LLVMCall if lanes(type_of(i)).0 > 1 => {
            if !callee(i)?.starts_with("llvm.experimental.constrained.uitofp.") {
                return None;
            }
            true
        }
        _ => return None,
    };
    let ((lanes, to), width) = (lanes(type_of(i)), width_of(type_of(operand(i, 0)))?);
    let vector = lanes > 1;
    let of_halves = match (kind_of(to), width) {
        // With exceptions, each integer is looked at.
        (LLVMTypeKind::LLVMDoubleTypeKind, 64) => !constrained,
        (LLVMTypeKind::LLVMDoubleTypeKind | LLVMTypeKind::LLVMFloatTypeKind, 32) => vector,
        _ => false,
    };
    of_halves.then_some((width, lanes))
}

fn is_candidate(i: LLVMValueRef) -> bool {
    // SAFETY: the opcode says what it is.
    shape(i).is_some() && !(opcode(i) == LLVMOpcode::LLVMUIToFP && unsafe { LLVMGetNNeg(i) } != 0)
}

/// Returns true if the target processor of a function has an instruction for it: AVX-512's.
fn has_instruction(f: LLVMValueRef, i: LLVMValueRef) -> bool {
    let feature = match shape(i) {
        Some((64, 2..)) => "+avx512dq",
        _ => "+avx512f",
    };
    let name = c"target-features";
    // SAFETY: the name is as long as we say; the text is as long as LLVM says, and copied.
    let features = unsafe {
        let len = name.count_bytes() as u32;
        let attribute =
            LLVMGetStringAttributeAtIndex(f, llvm_sys::LLVMAttributeFunctionIndex, name.as_ptr(), len);
        if attribute.is_null() {
            return false;
        }
        let mut len = 0;
        let text = LLVMGetStringAttributeValue(attribute, &mut len);
        copied(text, len as usize).unwrap_or_default()
    };
    features.split(',').any(|f| f == feature)
}

/// Known bits of a function's integers.
struct Known {
    /// True if functions are looked at as wholes.
    optimised: bool,
    /// For values in blocks that come before: only the number of upper bits that are zero.
    before: FxHashMap<LLVMValueRef, Bits>,
    block: LLVMBasicBlockRef,
    conversions: FxHashMap<LLVMValueRef, Bits>,
}

impl Known {
    /// Looks at the blocks in the order of the back end.
    fn of(f: LLVMValueRef) -> Known {
        // SAFETY: the name is as long as we say; what is not there is null.
        let optimised = unsafe {
            let optnone = LLVMGetEnumAttributeKindForName(c"optnone".as_ptr(), 7);
            LLVMGetEnumAttributeAtIndex(f, llvm_sys::LLVMAttributeFunctionIndex, optnone).is_null()
        };
        let mut known = Known {
            optimised,
            before: FxHashMap::default(),
            block: std::ptr::null_mut(),
            conversions: FxHashMap::default(),
        };
        for block in in_order(f) {
            known.block = block;
            let instructions = instructions_of(block);
            for &i in &instructions {
                if is_candidate(i) {
                    let bits = known.bits(operand(i, 0), 0);
                    known.conversions.insert(i, bits);
                }
            }
            if !known.optimised {
                continue;
            }
            let narrow = |i: &LLVMValueRef| {
                width_of(type_of(*i)).is_some_and(|w| w <= 64) && lanes(type_of(*i)).0 == 0
            };
            let made: Vec<_> = instructions
                .into_iter()
                .filter(|&i| narrow(&i) && is_used_elsewhere(i, block))
                .map(|i| (i, known.bits(i, 0).upper_zeros()))
                .collect();
            known.before.extend(made);
        }
        known
    }

    /// Known bits of a conversion's operand; nothing is known in a block that cannot be reached.
    fn at_conversion(&mut self, i: LLVMValueRef) -> Bits {
        self.conversions.get(&i).copied().unwrap_or(Bits::unknown(64))
    }

    fn bits(&self, v: LLVMValueRef, depth: u32) -> Bits {
        let Some(width) = width_of(type_of(v)) else { return Bits::unknown(128) };
        if let Some(bits) = constant(v, width) {
            return bits;
        }
        // SAFETY: a value that is no instruction gives null.
        let here = unsafe { !LLVMIsAInstruction(v).is_null() && LLVMGetInstructionParent(v) == self.block };
        if !here {
            return self.before.get(&v).copied().unwrap_or(Bits::unknown(width));
        }
        if depth >= DEEPEST {
            return Bits::unknown(width);
        }
        let bits = self.result(v, width, depth);
        bits.filter(|b| b.width() == width).unwrap_or(Bits::unknown(width))
    }

    fn result(&self, i: LLVMValueRef, width: u32, depth: u32) -> Option<Bits> {
        use LLVMOpcode::*;
        let at = |n: u32| self.bits(operand(i, n), depth + 1);
        // SAFETY: the opcode says that the flag is one of it.
        let nsw = || unsafe { LLVMGetNSW(i) != 0 };
        let same = || is_same(operand(i, 0), operand(i, 1));
        Some(match opcode(i) {
            LLVMAnd => at(0).and(at(1)),
            LLVMOr => at(0).or(at(1)),
            LLVMXor | LLVMSub if same() => Bits::constant(width, 0),
            LLVMXor => at(0).xor(at(1)),
            LLVMAdd => at(0).add(at(1), nsw()),
            LLVMSub => at(0).sub(at(1), nsw()),
            LLVMMul => at(0).mul(at(1)),
            LLVMUDiv => at(0).unsigned_quotient(at(1)),
            LLVMURem => at(0).unsigned_remainder(at(1)),
            LLVMSDiv => at(0).signed_quotient(at(1)),
            LLVMSRem => at(0).signed_remainder(at(1)),
            LLVMShl => at(0).shift_left(at(1), nsw()),
            LLVMLShr => at(0).shift_right(at(1)),
            LLVMAShr => at(0).shift_right_signed(at(1)),
            LLVMZExt => at(0).zero_extended(width),
            LLVMSExt => at(0).sign_extended(width),
            LLVMTrunc => at(0).truncated(width),
            LLVMFreeze => at(0),
            LLVMSelect => at(1).either(at(2)),
            LLVMInsertElement => at(0).either(at(1)),
            LLVMExtractElement => at(0),
            LLVMShuffleVector => at(0).either(at(1)),
            LLVMPHI if self.optimised => self.joined(i, width),
            LLVMExtractValue => self.first_of_pair(i, depth)?,
            LLVMCall => self.call(i, width, depth)?,
            _ => return None,
        })
    }

    /// Known bits of a phi's value. All incoming values must come before it.
    fn joined(&self, phi: LLVMValueRef, width: u32) -> Bits {
        // SAFETY: the opcode says what it is.
        let values = unsafe { (0..LLVMCountIncoming(phi)).map(|n| LLVMGetIncomingValue(phi, n)) };
        let of =
            |v| constant(v, width).or_else(|| self.before.get(&v).copied()).unwrap_or(Bits::unknown(width));
        values.map(of).reduce(Bits::either).unwrap_or(Bits::unknown(width))
    }

    /// The sum or product of an intrinsic that also reports overflow.
    fn first_of_pair(&self, i: LLVMValueRef, depth: u32) -> Option<Bits> {
        let pair = operand(i, 0);
        // SAFETY: the instruction has indices; what is asked of the pair fits what it is.
        unsafe {
            if LLVMIsACallInst(pair).is_null()
                || LLVMGetInstructionParent(pair) != self.block
                || LLVMGetNumIndices(i) != 1
                || *LLVMGetIndices(i) != 0
            {
                return None;
            }
        }
        let name = callee(pair)?;
        width_of(type_of(operand(pair, 0)))?;
        let at = |n: u32| self.bits(operand(pair, n), depth + 1);
        Some(match name.strip_prefix("llvm.")?.split_once(".with.overflow.")?.0 {
            "uadd" | "sadd" => at(0).add(at(1), false),
            "usub" | "ssub" => at(0).sub(at(1), false),
            "umul" | "smul" => at(0).mul(at(1)),
            _ => return None,
        })
    }

    fn call(&self, i: LLVMValueRef, width: u32, depth: u32) -> Option<Bits> {
        let name = callee(i)?;
        let at = |n: u32| self.bits(operand(i, n), depth + 1);
        let name = name.strip_prefix("llvm.")?;
        Some(match name.rsplit_once('.')?.0 {
            "ctpop" | "cttz" => Bits::up_to(width, width.into()),
            // In functions that are optimised it is a branch, and its result not looked at.
            "ctlz" if !self.optimised => Bits::up_to(width, width.into()),
            "abs" => at(0).magnitude(),
            "bswap" => at(0).bytes_swapped(),
            "bitreverse" => at(0).bits_reversed(),
            "umin" => at(0).least_unsigned(at(1)),
            "umax" => at(0).greatest_unsigned(at(1)),
            "smin" => at(0).least_signed(at(1)),
            "smax" => at(0).greatest_signed(at(1)),
            "usub.sat" => at(0).difference_or_zero(),
            "fshl" => at(0).funnel_left(at(1), at(2)),
            _ => return None,
        })
    }
}

fn callee(call: LLVMValueRef) -> Option<String> {
    // SAFETY: the caller has looked that it is a call; the cast gives null for a value of another kind.
    let function = unsafe { LLVMIsAFunction(LLVMGetCalledValue(call)) };
    (!function.is_null()).then(|| name_of(function))
}

/// A constant, or the bits that its lanes have in common.
fn constant(v: LLVMValueRef, width: u32) -> Option<Bits> {
    // SAFETY: each question fits the kind of value that it is asked of; a lane that is not there is null.
    unsafe {
        if LLVMIsConstant(v) == 0 {
            return None;
        }
        if !LLVMIsAConstantInt(v).is_null() {
            return match width {
                ..=64 => Some(Bits::constant(width, LLVMConstIntGetZExtValue(v).into())),
                _ => Some(Bits::unknown(width)),
            };
        }
        if LLVMIsNull(v) != 0 {
            return Some(Bits::constant(width, 0));
        }
        let (lanes, _) = lanes(type_of(v));
        let lane = |n| {
            let lane = LLVMGetAggregateElement(v, n);
            if lane.is_null() || LLVMIsAConstantInt(lane).is_null() || width > 64 {
                return Bits::unknown(width);
            }
            Bits::constant(width, LLVMConstIntGetZExtValue(lane).into())
        };
        Some((0..lanes).map(lane).reduce(Bits::either).unwrap_or(Bits::unknown(width)))
    }
}

/// Returns true if two operands are one value for the back end: the same, or loads of one place that nothing has written in
/// between.
fn is_same(a: LLVMValueRef, b: LLVMValueRef) -> bool {
    if a == b {
        return true;
    }
    // SAFETY: each question fits the kind of value that it is asked of; the chain of a block's instructions ends in null.
    unsafe {
        let plain = |v| {
            !LLVMIsALoadInst(v).is_null()
                && LLVMGetVolatile(v) == 0
                && LLVMGetOrdering(v) == llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
        };
        if !plain(a) || !plain(b) || LLVMGetOperand(a, 0) != LLVMGetOperand(b, 0) || type_of(a) != type_of(b)
        {
            return false;
        }
        use LLVMOpcode::*;
        let writes =
            |i| matches!(opcode(i), LLVMStore | LLVMCall | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence);
        let reaches = |from: LLVMValueRef, to| {
            let mut i = LLVMGetNextInstruction(from);
            while !i.is_null() && i != to && !writes(i) {
                i = LLVMGetNextInstruction(i);
            }
            i == to
        };
        reaches(a, b) || reaches(b, a)
    }
}

fn is_used_elsewhere(i: LLVMValueRef, block: LLVMBasicBlockRef) -> bool {
    // SAFETY: the chain of uses ends in null; users of an instruction's value are instructions.
    unsafe {
        let mut next = LLVMGetFirstUse(i);
        while !next.is_null() {
            let user = LLVMGetUser(next);
            if LLVMGetInstructionParent(user) != block || opcode(user) == LLVMOpcode::LLVMPHI {
                return true;
            }
            next = LLVMGetNextUse(next);
        }
        false
    }
}

/// The blocks that can be reached, in the reverse of the order in which a depth-first search leaves them.
fn in_order(f: LLVMValueRef) -> Vec<LLVMBasicBlockRef> {
    // SAFETY: a block has an end, which has successors.
    let successors = |block| unsafe {
        let end = LLVMGetBasicBlockTerminator(block);
        (0..LLVMGetNumSuccessors(end)).map(|n| LLVMGetSuccessor(end, n)).collect::<Vec<_>>()
    };
    let Some(&entry) = blocks_of(f).first() else { return Vec::new() };
    let mut seen = rustc_hash::FxHashSet::from_iter([entry]);
    let mut waiting = vec![(entry, successors(entry).into_iter())];
    let mut left = Vec::new();
    while let Some((block, next)) = waiting.last_mut() {
        match next.next() {
            Some(s) if seen.insert(s) => waiting.push((s, successors(s).into_iter())),
            Some(_) => {}
            None => {
                left.push(*block);
                waiting.pop();
            }
        }
    }
    left.reverse();
    left
}
