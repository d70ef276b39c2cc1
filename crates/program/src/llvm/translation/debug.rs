//! Positions in the source, and notes of a translation for debuggers: scopes, variables, and places to stop.

use std::ffi::c_uint;

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMInstructionGetDebugLoc};
use llvm_sys::prelude::*;

use crate::debug::{self, DebugInfo, FunctionInfo, NO_NODE, NodeId, Value, Variable};
use crate::llvm::marks::without_code::{fallen_into, is_silent};
use crate::llvm::modules::module::Module;
use crate::llvm::modules::nodes::{Nodes, inlined_at, of_global, outermost_scope};
use crate::llvm::modules::places::{calling_place, may_be_inlined_library};
use crate::llvm::modules::values::{copied, instructions_of, opcode, operand};
use crate::llvm::translation::loader::Loader;
use crate::llvm::translation::translator::{Home, Translator};
use crate::register_code::code::*;

impl Module {
    /// Describes variables by instructions if `by_instructions`, else by records that only LLVM sees.
    pub(crate) fn show_variables(&self, by_instructions: bool) {
        // SAFETY: see the module's head; the format can be changed back and forth.
        unsafe { LLVMSetIsNewDbgInfoFormat(self.module, i32::from(!by_instructions)) }
    }
}

impl Loader<'_> {
    /// The debug information of the translated module.
    pub(crate) fn debug_info(&mut self, mut functions: Vec<FunctionInfo>) -> DebugInfo {
        let Some(mut nodes) = self.debug.take() else { return DebugInfo::default() };
        // Operands of instructions are printed with numbers, which we do not know.
        self.module.show_variables(false);
        for f in self.all_functions() {
            // SAFETY: see the module's head; what is not there is null.
            let subprogram = unsafe { LLVMGetSubprogram(f) };
            if let Some(notes) = self.function_id(f).and_then(|id| functions.get_mut(id as usize)) {
                notes.subprogram = numbered(&mut nodes, subprogram);
            }
        }
        let mut globals = Vec::new();
        for g in self.all_globals() {
            let Some(&id) = self.global_ids.get(&g) else { continue };
            globals.extend(of_global(g).into_iter().map(|node| (id, nodes.number(node))));
        }
        let units: Vec<NodeId> = self.units().into_iter().map(|unit| nodes.number(unit)).collect();
        DebugInfo { nodes: nodes.read(), units, functions, globals }
    }

    /// The translation units.
    fn units(&self) -> Vec<LLVMMetadataRef> {
        let name = c"llvm.dbg.cu";
        // SAFETY: the list is as long as LLVM says.
        unsafe {
            let mut list = vec![
                std::ptr::null_mut();
                LLVMGetNamedMetadataNumOperands(self.module.module, name.as_ptr()) as usize
            ];
            LLVMGetNamedMetadataOperands(self.module.module, name.as_ptr(), list.as_mut_ptr());
            list.into_iter().map(|value: LLVMValueRef| LLVMValueAsMetadata(value)).collect()
        }
    }
}

fn numbered(nodes: &mut Nodes, node: LLVMMetadataRef) -> NodeId {
    if node.is_null() { NO_NODE } else { nodes.number(node) }
}

/// The parts of an instruction that describes a variable: the value, the description, the expression.
struct Described {
    /// `None` for a list of values, and for a value that was not kept.
    value: Option<LLVMValueRef>,
    variable: LLVMMetadataRef,
    expression: LLVMMetadataRef,
}

/// The operands of `llvm.dbg.declare` or `llvm.dbg.value`.
fn described(call: LLVMValueRef) -> Described {
    // SAFETY: both have three operands, which are metadata; only a node has operands, and a value is one with one.
    unsafe {
        let first = operand(call, 0);
        let mut value = std::ptr::null_mut();
        if !LLVMIsAMDNode(first).is_null() && LLVMGetMDNodeNumOperands(first) == 1 {
            LLVMGetMDNodeOperands(first, &mut value);
        }
        let metadata = |k| LLVMValueAsMetadata(operand(call, k));
        let value = (!value.is_null()).then_some(value);
        Described { value, variable: metadata(1), expression: metadata(2) }
    }
}

impl FunctionInfo {
    /// Ops were put in front of the function's code.
    pub(crate) fn moved_by(&mut self, ops: Pc) {
        self.scopes.splice(0..0, std::iter::repeat_n(NO_NODE, ops as usize));
        for variable in &mut self.variables {
            if let debug::Home::Registers(values) = &mut variable.home {
                values.iter_mut().for_each(|value| value.from += ops);
            }
        }
    }
}

impl Translator<'_, '_> {
    /// Notes a place where a debugger can stop, behind an instruction that became the ops from `before` on. An instruction after
    /// which control goes elsewhere has one already.
    pub(crate) fn stop_behind(&mut self, before: usize) {
        let last = self.out.code.get(before..).and_then(<[Op]>::last);
        if self.notes.is_none() || last.is_none_or(|op| op.flow() != Flow::Next) {
            return;
        }
        // Each place has a number of instructions behind it that no other has.
        self.pending = self.pending.max(1);
        let n = self.segment();
        let to = self.next_op();
        self.push(Op::Jump { to, n });
    }

    /// Notes the source position of the instruction that comes next.
    pub(crate) fn locate(&mut self, i: LLVMValueRef) {
        // SAFETY: the names are as long as LLVM says, and copied.
        unsafe {
            let line = LLVMGetDebugLocLine(i);
            let mut len: c_uint = 0;
            let name = copied(LLVMGetDebugLocFilename(i, &mut len), len as usize);
            let is_named = name.is_some();
            let Some(name) = name.filter(|_| line != 0) else {
                self.position = if line == 0 && !is_named { u32::MAX } else { self.position };
                return;
            };
            let names = self.loader.lines.names();
            let caller = if may_be_inlined_library(&name) { calling_place(i, names) } else { None };
            let (file, line) = caller.unwrap_or_else(|| (names.shown_at(i, name), line));
            self.position = self.loader.position(&file, line);
        }
        self.note_scope(i);
    }

    /// A block begins: instructions without native code, at its start, have the line of the next one that has code.
    pub(crate) fn locate_block(&mut self, block: LLVMBasicBlockRef) {
        if self.notes.is_none() {
            return;
        }
        let mut next = Some(block);
        while let Some(block) = next.take() {
            let all = instructions_of(block);
            if let Some(&first) = all.iter().find(|&&i| opcode(i) != LLVMOpcode::LLVMPHI && !is_silent(i)) {
                return self.locate(first);
            }
            next = all.last().and_then(|&end| fallen_into(end));
        }
    }

    /// Notes the scope of the instruction that comes next.
    pub(crate) fn note_scope(&mut self, i: LLVMValueRef) {
        if self.notes.is_none() {
            return;
        }
        // SAFETY: `i` is an instruction; what is not known is null.
        let location = unsafe { LLVMInstructionGetDebugLoc(i) };
        let scope = (!location.is_null()).then(|| outermost_scope(location));
        let nodes = self.loader.debug.as_mut();
        self.scope = scope.zip(nodes).map_or(NO_NODE, |(scope, nodes)| numbered(nodes, scope));
    }

    /// Notes where a variable is, from the call of an intrinsic that says so. Variables of functions that were inlined here
    /// are not noted.
    pub(crate) fn note_variable(&mut self, call: LLVMValueRef, name: &str) {
        // SAFETY: `call` is an instruction; what is not known is null.
        let location = unsafe { LLVMInstructionGetDebugLoc(call) };
        if self.notes.is_none() || location.is_null() || !inlined_at(location).is_null() {
            return;
        }
        let known = match name {
            "dbg.declare" => true,
            "dbg.value" => false,
            _ => return,
        };
        let Described { value, variable, expression } = described(call);
        let value = value.and_then(|value| self.known_home(value));
        let Some(nodes) = self.loader.debug.as_mut() else { return };
        let (variable, expression) = (nodes.number(variable), nodes.number(expression));
        if known {
            let home = match value {
                Some((at, offset)) if at.as_reg().is_some() => debug::Home::Memory {
                    address: at.as_reg().unwrap_or_default(),
                    offset: i64::from(offset),
                    expression,
                },
                _ => debug::Home::Unknown,
            };
            self.variable(variable).home = home;
            return;
        }
        let value = value.and_then(|(value, offset)| (offset == 0).then_some(value));
        let value = Value { from: self.out.code.len() as Pc, value, expression };
        match &mut self.variable(variable).home {
            debug::Home::Registers(values) => values.push(value),
            home @ debug::Home::Unknown => *home = debug::Home::Registers(vec![value]),
            // It is in memory all the time.
            debug::Home::Memory { .. } => {}
        }
    }

    /// The note of a variable.
    fn variable(&mut self, node: NodeId) -> &mut Variable {
        let variables = &mut self.notes.get_or_insert_default().variables;
        let known = variables.iter().position(|variable| variable.node == node);
        let at = known.unwrap_or_else(|| {
            variables.push(Variable { node, home: debug::Home::Unknown });
            variables.len() - 1
        });
        &mut variables[at]
    }

    /// Place of a value of one register, if it needs no code: an operand, and a number to add to it.
    fn known_home(&mut self, value: LLVMValueRef) -> Option<(Operand, i32)> {
        let registers = self.loader.registers_of(crate::llvm::modules::values::type_of(value));
        match self.homes.get(&value) {
            _ if registers != Some(1) => None,
            Some(&Home::Registers(r)) => Some((Operand::reg(r), 0)),
            Some(Home::Operands(list)) => list.first().map(|&o| (o, 0)),
            Some(&Home::Offset(base, offset)) => Some((base, offset)),
            // SAFETY: the casts give null for a value of another kind.
            None => unsafe {
                let constant = LLVMIsAConstantInt(value);
                let null = !LLVMIsAConstantPointerNull(value).is_null();
                let number = (!constant.is_null()).then(|| LLVMConstIntGetZExtValue(constant));
                let number = number.or(null.then_some(0))?;
                Some((self.constant(number), 0))
            },
        }
    }
}
