//! Intrinsics that native code turns into calls: powers, by the compiler's own library, and functions of the C library. This pass
//! makes the calls first of all, so that the functions stay in the module.

use llvm_sys::LLVMTypeKind::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::{kind_of, name_of, opcode, type_of};
use crate::llvm::rewrites::writer::{Writer, arguments, lanes_of, wanted};

/// Intrinsics by the names of their functions for `double`.
const MATHEMATICAL: [&str; 18] = [
    "acos", "asin", "atan", "cos", "cosh", "exp", "exp10", "exp2", "ldexp", "log", "log10", "log2", "pow",
    "sin", "sinh", "tan", "tanh", "powi",
];

/// The one whose result is a structure: the number, and what the function writes through a pointer.
const OF_TWO: &str = "frexp";

/// The function that a call of an intrinsic is natively.
fn function_of(call: LLVMValueRef) -> Option<String> {
    if opcode(call) != llvm_sys::LLVMOpcode::LLVMCall {
        return None;
    }
    // SAFETY: it is a call; the cast gives null for a value of another kind.
    let function = unsafe { LLVMIsAFunction(LLVMGetCalledValue(call)) };
    let name = if function.is_null() { return None } else { name_of(function) };
    let name = name.strip_prefix("llvm.")?;
    let name = name.strip_prefix("experimental.constrained.").unwrap_or(name);
    let (base, _) = name.split_once('.')?;
    (base == OF_TWO || MATHEMATICAL.contains(&base)).then_some(())?;
    let number = if base == OF_TWO { type_of(*arguments(call).first()?) } else { lanes_of(type_of(call)).1 };
    let kind = kind_of(number);
    let letters = match kind {
        LLVMFloatTypeKind => ("sf", "f"),
        LLVMDoubleTypeKind => ("df", ""),
        LLVMX86_FP80TypeKind => ("xf", "l"),
        LLVMFP128TypeKind if base == "powi" => ("tf", ""),
        _ => return None,
    };
    Some(if base == "powi" { format!("__powi{}2", letters.0) } else { format!("{base}{}", letters.1) })
}

/// Makes the calls, of each lane of a vector one.
pub(crate) fn lower_library_calls(module: &Module) {
    let writer = Writer::new(module);
    for i in wanted(module, |i| function_of(i).is_some()) {
        let Some(name) = function_of(i) else { continue };
        if name.starts_with(OF_TWO) {
            let value = writer.call_of_two(i, &name, arguments(i)[0], type_of(i));
            writer.replace(i, value);
            continue;
        }
        writer.before(i);
        let (_, lane) = lanes_of(type_of(i));
        // Constrained ones say more than the function takes.
        let operands: Vec<_> =
            arguments(i).into_iter().filter(|&a| kind_of(type_of(a)) != LLVMMetadataTypeKind).collect();
        let value =
            writer.by_lane(type_of(i), &operands, |lanes| writer.call(&name, lane, &mut lanes.to_vec()));
        writer.replace(i, value);
    }
}
