//! Switches on integers of more than 64 bits, which Rust makes of comparisons of short texts: the number of the case is computed
//! without a branch, and a switch goes by it.

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::{opcode, operand, type_of};
use crate::llvm::rewrites::writer::{Writer, wanted};

/// Bits of the widest switch that an op does.
const WIDEST: u32 = 64;
/// Bits of the number of a case.
const NUMBER: u32 = 32;

fn is_wide(i: LLVMValueRef) -> bool {
    // SAFETY: the value of a switch is an integer.
    opcode(i) == LLVMOpcode::LLVMSwitch && unsafe { LLVMGetIntTypeWidth(type_of(operand(i, 0))) } > WIDEST
}

/// Makes wide switches narrow.
pub(crate) fn lower_wide_switches(module: &Module) {
    let writer = Writer::new(module);
    for switch in wanted(module, is_wide) {
        writer.before(switch);
        lower(&writer, switch);
    }
}

fn lower(w: &Writer<'_>, switch: LLVMValueRef) {
    let value = operand(switch, 0);
    // SAFETY: the operands of a switch are the value, the default, and pairs of a value and a target; see also the writer's head.
    unsafe {
        let pairs = (LLVMGetNumOperands(switch) as u32).saturating_sub(2) / 2;
        let number = |n: u32| w.constant(w.int(NUMBER), n.into());
        let case = |n: u32| (operand(switch, 2 * n), LLVMValueAsBasicBlock(operand(switch, 2 * n + 1)));
        let chosen = (1..=pairs).rev().fold(number(0), |chosen, n| {
            let equal = w.is(LLVMIntPredicate::LLVMIntEQ, value, case(n).0);
            w.choose(equal, number(n), chosen)
        });
        let default = LLVMValueAsBasicBlock(operand(switch, 1));
        let narrow = LLVMBuildSwitch(w.builder, chosen, default, pairs);
        (1..=pairs).for_each(|n| LLVMAddCase(narrow, number(n), case(n).1));
        LLVMInstructionEraseFromParent(switch);
    }
}
