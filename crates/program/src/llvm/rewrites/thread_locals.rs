//! Thread-local variables that instructions name directly, as rustc and older compilers do: each use gets the address that the running
//! thread has, by the intrinsic that clang writes. Uses by expressions of constants become instructions first.

use llvm_sys::LLVMOpcode::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::{name_of, opcode, operand, type_of};
use crate::llvm::rewrites::writer::{Writer, wanted};

/// The intrinsic, of pointers of the one address space that there is.
const INTRINSIC: &str = "llvm.threadlocal.address.p0";
/// Nesting of expressions of constants that is looked into; compilers write two or three.
const DEEPEST: u32 = 32;

fn is_thread_local(value: LLVMValueRef) -> bool {
    // SAFETY: the cast gives null for a value of another kind.
    unsafe { !LLVMIsAGlobalVariable(value).is_null() && LLVMIsThreadLocal(value) != 0 }
}

fn is_expression(value: LLVMValueRef) -> bool {
    // SAFETY: the cast gives null for a value of another kind.
    unsafe { !LLVMIsAConstantExpr(value).is_null() }
}

fn operands(value: LLVMValueRef) -> u32 {
    // SAFETY: it is an instruction or an expression.
    unsafe { LLVMGetNumOperands(value).max(0) as u32 }
}

/// Returns true if the value of a constant depends on the thread.
fn depends(value: LLVMValueRef, deep: u32) -> bool {
    let inside = || (0..operands(value)).any(|k| depends(operand(value, k), deep + 1));
    is_thread_local(value) || deep < DEEPEST && is_expression(value) && inside()
}

fn asks(i: LLVMValueRef) -> bool {
    // SAFETY: the instruction is a call.
    name_of(unsafe { LLVMGetCalledValue(i) }) == INTRINSIC
}

fn names_one(i: LLVMValueRef) -> bool {
    (opcode(i) != LLVMCall || !asks(i)) && (0..operands(i)).any(|k| depends(operand(i, k), 0))
}

/// Makes direct uses of thread-local variables those of the running thread's.
pub(crate) fn lower_thread_locals(module: &Module) {
    let writer = Writer::new(module);
    for i in wanted(module, names_one) {
        for k in (0..operands(i)).filter(|&k| depends(operand(i, k), 0)) {
            if opcode(i) == LLVMPHI {
                // SAFETY: a block that a phi names ends with an instruction.
                writer.before(unsafe { LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(i, k)) });
            } else {
                writer.before(i);
            }
            if let Some(value) = of_thread(&writer, operand(i, k)) {
                // SAFETY: the value has the operand's type, and stands in front of its use.
                unsafe { LLVMSetOperand(i, k, value) }
            }
        }
    }
}

/// The value of a constant for the running thread; `None` for an expression that no compiler makes of an address.
fn of_thread(w: &Writer<'_>, value: LLVMValueRef) -> Option<LLVMValueRef> {
    if is_thread_local(value) {
        return Some(w.call(INTRINSIC, type_of(value), &mut [value]));
    }
    if !is_expression(value) {
        return Some(value);
    }
    let mut parts: Vec<LLVMValueRef> =
        (0..operands(value)).map(|k| of_thread(w, operand(value, k))).collect::<Option<_>>()?;
    // SAFETY: an expression has the operands of the instruction of its opcode.
    unsafe {
        let op = LLVMGetConstOpcode(value);
        Some(match op {
            LLVMGetElementPtr => {
                let (base, indices) = parts.split_first_mut()?;
                let ty = LLVMGetGEPSourceElementType(value);
                LLVMBuildGEP2(w.builder, ty, *base, indices.as_mut_ptr(), indices.len() as u32, c"".as_ptr())
            }
            LLVMAdd | LLVMSub | LLVMXor => w.two(op, parts[0], parts[1]),
            LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast | LLVMTrunc | LLVMAddrSpaceCast => {
                w.cast(op, parts[0], type_of(value))
            }
            _ => return None,
        })
    }
}
