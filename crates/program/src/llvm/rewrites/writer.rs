//! Writes instructions in front of another one that they replace. All of it works on one value or on a vector of them: types are
//! those of a lane, constants stand in every lane.

use std::ffi::CString;

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};

use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::{blocks_of, instructions_of, kind_of, operand, type_of};

/// A place in a module, in front of the instruction that is replaced.
pub(crate) struct Writer<'m> {
    module: &'m Module,
    pub(crate) builder: LLVMBuilderRef,
}

/// All instructions of a module's functions that are wanted.
pub(crate) fn wanted(module: &Module, is: impl Fn(LLVMValueRef) -> bool) -> Vec<LLVMValueRef> {
    let mut all = Vec::new();
    // SAFETY: see the module's head; the chain ends in null.
    unsafe {
        let mut f = LLVMGetFirstFunction(module.module);
        while !f.is_null() {
            all.extend(blocks_of(f).into_iter().flat_map(instructions_of).filter(|&i| is(i)));
            f = LLVMGetNextFunction(f);
        }
    }
    all
}

/// The lanes of a type, 0 for one value, and the type of a lane.
pub(crate) fn lanes_of(ty: LLVMTypeRef) -> (u32, LLVMTypeRef) {
    match kind_of(ty) {
        // SAFETY: it is a vector.
        LLVMTypeKind::LLVMVectorTypeKind => unsafe { (LLVMGetVectorSize(ty), LLVMGetElementType(ty)) },
        _ => (0, ty),
    }
}

/// A type with another one in its lanes.
pub(crate) fn with_lanes_of(ty: LLVMTypeRef, lane: LLVMTypeRef) -> LLVMTypeRef {
    match lanes_of(ty).0 {
        0 => lane,
        // SAFETY: a lane of a vector is a number.
        n => unsafe { LLVMVectorType(lane, n) },
    }
}

// SAFETY, for all of this: the builder stands in front of an instruction; operands are of the types that an instruction wants,
// as whoever calls has made them so; constants belong to the module's context.
impl Writer<'_> {
    pub(crate) fn new(module: &Module) -> Writer<'_> {
        // SAFETY: it is disposed of when it is dropped.
        Writer { module, builder: unsafe { LLVMCreateBuilderInContext(module.context) } }
    }

    /// Places the instructions that are written next in front of `i`, with its line.
    pub(crate) fn before(&self, i: LLVMValueRef) {
        // SAFETY: see above.
        unsafe { LLVMPositionBuilderBefore(self.builder, i) }
    }

    /// `value` takes the place of `i`.
    pub(crate) fn replace(&self, i: LLVMValueRef, value: LLVMValueRef) {
        // SAFETY: both are of one type, and `i` has no user any more when it goes.
        unsafe {
            LLVMReplaceAllUsesWith(i, value);
            LLVMInstructionEraseFromParent(i);
        }
    }

    /// An integer type.
    pub(crate) fn int(&self, bits: u32) -> LLVMTypeRef {
        // SAFETY: see above.
        unsafe { LLVMIntTypeInContext(self.module.context, bits) }
    }

    pub(crate) fn float(&self) -> LLVMTypeRef {
        // SAFETY: see above.
        unsafe { LLVMFloatTypeInContext(self.module.context) }
    }

    /// A constant in each lane of integers.
    pub(crate) fn constant(&self, ty: LLVMTypeRef, value: u128) -> LLVMValueRef {
        let (lanes, lane) = lanes_of(ty);
        let words = [value as u64, (value >> 64) as u64];
        // SAFETY: see above; the words are as many as we say.
        unsafe {
            let one = LLVMConstIntOfArbitraryPrecision(lane, 2, words.as_ptr());
            match lanes {
                0 => one,
                n => LLVMConstVector(vec![one; n as usize].as_mut_ptr(), n),
            }
        }
    }

    /// `a op b`, of integers or numbers.
    pub(crate) fn two(&self, op: LLVMOpcode, a: LLVMValueRef, b: LLVMValueRef) -> LLVMValueRef {
        // SAFETY: see above.
        unsafe { LLVMBuildBinOp(self.builder, op, a, b, c"".as_ptr()) }
    }

    /// `a op constant`, of integers.
    pub(crate) fn with(&self, op: LLVMOpcode, a: LLVMValueRef, constant: u128) -> LLVMValueRef {
        self.two(op, a, self.constant(type_of(a), constant))
    }

    pub(crate) fn is(&self, predicate: LLVMIntPredicate, a: LLVMValueRef, b: LLVMValueRef) -> LLVMValueRef {
        // SAFETY: see above.
        unsafe { LLVMBuildICmp(self.builder, predicate, a, b, c"".as_ptr()) }
    }

    /// The comparison `predicate` of an integer with a constant.
    pub(crate) fn is_to(&self, predicate: LLVMIntPredicate, a: LLVMValueRef, constant: u128) -> LLVMValueRef {
        self.is(predicate, a, self.constant(type_of(a), constant))
    }

    pub(crate) fn choose(&self, cond: LLVMValueRef, a: LLVMValueRef, b: LLVMValueRef) -> LLVMValueRef {
        // SAFETY: see above.
        unsafe { LLVMBuildSelect(self.builder, cond, a, b, c"".as_ptr()) }
    }

    /// A conversion to lanes of another type.
    pub(crate) fn cast(&self, op: LLVMOpcode, a: LLVMValueRef, lane: LLVMTypeRef) -> LLVMValueRef {
        // SAFETY: see above.
        unsafe { LLVMBuildCast(self.builder, op, a, with_lanes_of(type_of(a), lane), c"".as_ptr()) }
    }

    /// The bits of numbers, as integers.
    pub(crate) fn bits(&self, a: LLVMValueRef, bits: u32) -> LLVMValueRef {
        self.cast(LLVMOpcode::LLVMBitCast, a, self.int(bits))
    }

    /// A call of the function of this name, which the module may lack.
    pub(crate) fn call(
        &self,
        name: &str,
        result: LLVMTypeRef,
        arguments: &mut [LLVMValueRef],
    ) -> LLVMValueRef {
        let mut types: Vec<LLVMTypeRef> = arguments.iter().map(|&a| type_of(a)).collect();
        let name = CString::new(name).expect("names of functions have no NUL");
        let n = arguments.len() as u32;
        // SAFETY: see above; lists are as long as we say.
        unsafe {
            let ty = LLVMFunctionType(result, types.as_mut_ptr(), n, 0);
            let mut function = LLVMGetNamedFunction(self.module.module, name.as_ptr());
            if function.is_null() {
                function = LLVMAddFunction(self.module.module, name.as_ptr(), ty);
            }
            LLVMBuildCall2(self.builder, ty, function, arguments.as_mut_ptr(), n, c"".as_ptr())
        }
    }

    /// A call of a function that gives one result and writes another through a pointer, which is its last argument: both as a structure
    /// of the type `pair`.
    pub(crate) fn call_of_two(
        &self,
        i: LLVMValueRef,
        name: &str,
        operand: LLVMValueRef,
        pair: LLVMTypeRef,
    ) -> LLVMValueRef {
        // SAFETY: `i` is an instruction in a block of a function; the structure has two fields.
        let (slot, [first, second]) = unsafe {
            let function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
            let fields = [0, 1].map(|k| LLVMStructGetTypeAtIndex(pair, k));
            // Once a call, wherever the call stands.
            self.before(LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
            (LLVMBuildAlloca(self.builder, fields[1], c"".as_ptr()), fields)
        };
        self.before(i);
        let result = self.call(name, first, &mut [operand, slot]);
        // SAFETY: see above.
        unsafe {
            let other = LLVMBuildLoad2(self.builder, second, slot, c"".as_ptr());
            let half = LLVMBuildInsertValue(self.builder, LLVMGetUndef(pair), result, 0, c"".as_ptr());
            LLVMBuildInsertValue(self.builder, half, other, 1, c"".as_ptr())
        }
    }

    /// A value lane by lane: `make` gives that of the result, of the lanes of the operands.
    pub(crate) fn by_lane(
        &self,
        ty: LLVMTypeRef,
        operands: &[LLVMValueRef],
        make: impl Fn(&[LLVMValueRef]) -> LLVMValueRef,
    ) -> LLVMValueRef {
        let (lanes, _) = lanes_of(ty);
        if lanes == 0 {
            return make(operands);
        }
        // SAFETY: see above; each lane is there.
        unsafe {
            let mut whole = LLVMGetPoison(ty);
            for n in 0..lanes {
                let at = LLVMConstInt(self.int(32), n.into(), 0);
                let lane = |&v: &LLVMValueRef| match lanes_of(type_of(v)).0 {
                    0 => v,
                    _ => LLVMBuildExtractElement(self.builder, v, at, c"".as_ptr()),
                };
                let made = make(&operands.iter().map(lane).collect::<Vec<_>>());
                whole = LLVMBuildInsertElement(self.builder, whole, made, at, c"".as_ptr());
            }
            whole
        }
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        // SAFETY: it was made by us and is used no more.
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

/// The arguments of a call.
pub(crate) fn arguments(call: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: it is a call, whose first operands are its arguments.
    (0..unsafe { LLVMGetNumArgOperands(call) }).map(|k| operand(call, k)).collect()
}
