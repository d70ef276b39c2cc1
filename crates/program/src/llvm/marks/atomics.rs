//! Marks at accesses that threads of a program make without the C library: atomic and volatile ones. The passes make plain
//! accesses of atomic ones, so `load.rs` puts the marks there before. An access has three: a point in front of it, at which the
//! thread may be interrupted, its beginning, and its end. A program that makes no threads has none, and neither has the C
//! library: its functions have points of their own (runtime/musl/points.c).

use std::ffi::CStr;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::*;
use llvm_sys::target::LLVMStoreSizeOfType;
use llvm_sys::{LLVMAtomicOrdering, LLVMOpcode};
use rustc_hash::FxHashSet;

use crate::atomics::Shared;
use crate::llvm::LoadError;
use crate::llvm::marks::library::compiled_library_functions;
use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::{blocks_of, instructions_of, name_of, opcode, operand, text_of, type_of};
use crate::llvm::rewrites::alias::bitcode_of;
use crate::llvm::rewrites::atomic_functions;

/// The names of the marks; the table of builtins has them too.
const POINT: &CStr = c"cleave_atomic_point";
const BEGINS: &CStr = c"cleave_atomic_begins";
const ENDS: &CStr = c"cleave_atomic_ends";
/// Operation and place of an access; a compare-and-exchange also has the operation of its failure.
struct Found {
    pointer: LLVMValueRef,
    ty: LLVMTypeRef,
    does: u64,
    otherwise: Option<u64>,
}

/// Puts the marks into a module that no pass has changed.
pub(crate) fn mark_atomics(module: &Module) {
    if !module.defines(c"__pthread_create") {
        return;
    }
    mark_all(module);
}

/// A program's own code without the C library, with the marks that the engine puts there: natively, threads stop at them.
/// `None` if there is none to put.
///
/// # Errors
/// [`LoadError`] if LLVM cannot read the module.
pub fn with_points(own: &[u8]) -> Result<Option<Vec<u8>>, LoadError> {
    let module = Module::parse(own)?;
    if !mark_all(&module) {
        return Ok(None);
    }
    module.verified()?;
    Ok(Some(bitcode_of(&module)))
}

/// Puts the marks there, if there are accesses or functions to mark.
fn mark_all(module: &Module) -> bool {
    let library: FxHashSet<LLVMValueRef> = compiled_library_functions(module).into_iter().collect();
    let mut functions = Vec::new();
    // SAFETY: see the module's head; the chain ends in null.
    unsafe {
        let mut f = LLVMGetFirstFunction(module.module);
        while !f.is_null() {
            if LLVMCountBasicBlocks(f) > 0 && !library.contains(&f) {
                functions.push(f);
            }
            f = LLVMGetNextFunction(f);
        }
    }
    let atomic = atomic_functions::mark(module, &functions);
    let all = functions.into_iter().flat_map(blocks_of).flat_map(instructions_of);
    let found: Vec<_> = all.filter_map(|i| Some((i, found(i)?))).collect();
    if !found.is_empty() {
        Marker::new(module).mark(&found);
    }
    atomic || !found.is_empty()
}

fn ordered(ordering: LLVMAtomicOrdering) -> u64 {
    use LLVMAtomicOrdering::*;
    match ordering {
        LLVMAtomicOrderingAcquire => Shared::ACQUIRES | Shared::WEAK,
        LLVMAtomicOrderingRelease => Shared::RELEASES | Shared::WEAK,
        LLVMAtomicOrderingAcquireRelease => Shared::ACQUIRES | Shared::RELEASES | Shared::WEAK,
        LLVMAtomicOrderingSequentiallyConsistent => Shared::ACQUIRES | Shared::RELEASES,
        _ => Shared::WEAK,
    }
}

fn found(i: LLVMValueRef) -> Option<Found> {
    use LLVMAtomicOrdering::*;
    use LLVMOpcode::*;
    let op = opcode(i);
    // SAFETY: the opcode says what it is, and each question fits it.
    unsafe {
        let (pointer, ty, does, otherwise) = match op {
            LLVMLoad | LLVMStore => {
                let (at, ty) = if op == LLVMLoad { (0, type_of(i)) } else { (1, type_of(operand(i, 0))) };
                let does = if op == LLVMLoad { Shared::READS } else { Shared::WRITES };
                let how = match LLVMGetOrdering(i) {
                    LLVMAtomicOrderingNotAtomic if LLVMGetVolatile(i) == 0 => return None,
                    LLVMAtomicOrderingNotAtomic => Shared::VOLATILE,
                    ordering => ordered(ordering),
                };
                (operand(i, at), ty, does | how, None)
            }
            LLVMAtomicRMW => {
                let does = Shared::READS | Shared::WRITES | ordered(LLVMGetOrdering(i));
                (operand(i, 0), type_of(i), does, None)
            }
            LLVMAtomicCmpXchg => {
                let success = ordered(LLVMGetCmpXchgSuccessOrdering(i));
                let failure = ordered(LLVMGetCmpXchgFailureOrdering(i)) & !Shared::RELEASES;
                let does = Shared::READS | Shared::WRITES | success;
                (operand(i, 0), type_of(operand(i, 1)), does, Some(Shared::READS | failure))
            }
            LLVMFence => {
                // LLVM 19 has no door to it but the text.
                let text = text_of(i);
                let ordering = text.split_whitespace().last().unwrap_or_default();
                let ordering = match ordering {
                    "acquire" => LLVMAtomicOrderingAcquire,
                    "release" => LLVMAtomicOrderingRelease,
                    "acq_rel" => LLVMAtomicOrderingAcquireRelease,
                    _ => LLVMAtomicOrderingSequentiallyConsistent,
                };
                // One of a thread with its own signal handlers orders nothing between threads.
                let alone = text.contains("syncscope(\"singlethread\")");
                return (!alone).then(|| Found {
                    pointer: std::ptr::null_mut(),
                    ty: std::ptr::null_mut(),
                    does: ordered(ordering),
                    otherwise: None,
                });
            }
            _ => return None,
        };
        (!is_private(pointer)).then_some(Found { pointer, ty, does, otherwise })
    }
}

/// Returns true if a pointer is to a local variable whose address does not escape.
fn is_private(pointer: LLVMValueRef) -> bool {
    // SAFETY: an operand of an instruction is a value; the chain of uses ends in null; users of instructions are
    // instructions.
    unsafe {
        if LLVMIsAAllocaInst(pointer).is_null() {
            return false;
        }
        let mut next = LLVMGetFirstUse(pointer);
        while !next.is_null() {
            let user = LLVMGetUser(next);
            let stays = match opcode(user) {
                LLVMOpcode::LLVMLoad => true,
                LLVMOpcode::LLVMStore => operand(user, 0) != pointer,
                LLVMOpcode::LLVMCall => name_of(LLVMGetCalledValue(user)).starts_with("llvm."),
                LLVMOpcode::LLVMAtomicRMW => operand(user, 1) != pointer,
                _ => false,
            };
            if !stays {
                return false;
            }
            next = LLVMGetNextUse(next);
        }
        true
    }
}

struct Marker<'m> {
    module: &'m Module,
    builder: LLVMBuilderRef,
    word: LLVMTypeRef,
    pointer: LLVMTypeRef,
    mark: LLVMTypeRef,
}

impl Marker<'_> {
    fn new(module: &Module) -> Marker<'_> {
        // SAFETY: the types belong to the module's context; the builder is disposed of.
        unsafe {
            let context = module.context;
            let (word, pointer) = (LLVMInt64TypeInContext(context), LLVMPointerTypeInContext(context, 0));
            let mut parameters = [pointer, word, word];
            let mark = LLVMFunctionType(LLVMVoidTypeInContext(context), parameters.as_mut_ptr(), 3, 0);
            Marker { module, builder: LLVMCreateBuilderInContext(context), word, pointer, mark }
        }
    }

    fn mark(&self, found: &[(LLVMValueRef, Found)]) {
        for (i, access) in found {
            // SAFETY: an access is followed by another instruction, as it ends no block.
            let behind = unsafe { LLVMGetNextInstruction(*i) };
            // SAFETY: constants of a type of the context; a fence has no place.
            let (at, size, does) = unsafe {
                let fence = access.pointer.is_null();
                let at = if fence { LLVMConstNull(self.pointer) } else { access.pointer };
                let size = if fence { 0 } else { LLVMStoreSizeOfType(self.module.layout(), access.ty) };
                (at, LLVMConstInt(self.word, size, 0), LLVMConstInt(self.word, access.does, 0))
            };
            if !access.pointer.is_null() {
                self.put(POINT, *i, *i, [at, size, does]);
                self.put(BEGINS, *i, *i, [at, size, does]);
            }
            // SAFETY: the builder stands where it was put; a compare-and-exchange gives a value and a bit.
            let does = unsafe {
                LLVMPositionBuilderBefore(self.builder, behind);
                match access.otherwise {
                    None => does,
                    Some(otherwise) => {
                        let swapped = LLVMBuildExtractValue(self.builder, *i, 1, c"".as_ptr());
                        let otherwise = LLVMConstInt(self.word, otherwise, 0);
                        LLVMBuildSelect(self.builder, swapped, does, otherwise, c"".as_ptr())
                    }
                }
            };
            self.put(ENDS, behind, *i, [at, size, does]);
        }
    }

    /// A call of a mark, in front of an instruction and with the line of another.
    fn put(&self, name: &CStr, before: LLVMValueRef, like: LLVMValueRef, mut arguments: [LLVMValueRef; 3]) {
        // SAFETY: the name is NUL-terminated, and the arguments are of the types that the mark has. Pointers of other
        // address spaces are none of a C program's threads.
        unsafe {
            let known = LLVMGetNamedFunction(self.module.module, name.as_ptr());
            let function = if known.is_null() {
                LLVMAddFunction(self.module.module, name.as_ptr(), self.mark)
            } else {
                known
            };
            LLVMPositionBuilderBefore(self.builder, before);
            let call =
                LLVMBuildCall2(self.builder, self.mark, function, arguments.as_mut_ptr(), 3, c"".as_ptr());
            LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(like));
        }
    }
}

impl Drop for Marker<'_> {
    fn drop(&mut self) {
        // SAFETY: it was made by us and is used no more.
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}
