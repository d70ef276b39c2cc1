//! One function: registers for its values, code for its blocks, moves for its phis.

use std::ffi::c_uint;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{
    LLVMDIFileGetFilename, LLVMDIScopeGetFile, LLVMDISubprogramGetLine, LLVMGetSubprogram,
};
use llvm_sys::prelude::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::debug::{FunctionInfo, NO_NODE};
use crate::llvm::marks::exit_status::is_status_mark;
use crate::llvm::marks::lines;
use crate::llvm::modules::loops;
use crate::llvm::modules::types::Scalar;
use crate::llvm::modules::values::*;
use crate::llvm::rewrites::unoptimised;
use crate::llvm::translation::loader::Loader;
use crate::llvm::translation::translator::{Home, LOCAL, Translator};
use crate::register_code::code::*;

/// Translates a function that has a body. For a debugger there are notes, too.
pub(crate) fn translate(loader: &mut Loader<'_>, f: LLVMValueRef) -> (Function, Option<FunctionInfo>) {
    let blocks = blocks_of(f);
    let block_ids = blocks.iter().enumerate().map(|(i, &b)| (b, i as u32)).collect();
    let mut t = Translator {
        out: Function { defined_at: u32::MAX, ..Function::default() },
        homes: FxHashMap::default(),
        constants: FxHashMap::default(),
        pending: 0,
        position: u32::MAX,
        block: blocks[0],
        block_ids,
        starts: vec![0; blocks.len()],
        translated: vec![false; blocks.len()],
        stubs: Vec::new(),
        scratch: Vec::new(),
        locals: Vec::new(),
        scopes: crate::llvm::translation::scopes::are_whole(f, &loader.layout),
        unoptimised: unoptimised::is_unoptimised(f),
        landing: None,
        notes: loader.debug.is_some().then(FunctionInfo::default),
        scope: NO_NODE,
        loader,
    };
    t.signature(f);
    t.out.defined_at = t.definition(f);
    t.out.unwinding = t.unwinding(f);
    for &block in &blocks {
        for i in instructions_of(block) {
            t.reserve(i);
        }
    }
    t.copies(f);
    for block in dominators_first(&blocks) {
        t.translate_block(block);
    }
    t.finish()
}

/// Reverse post-order: a value is translated before all values that it dominates; unreachable blocks last.
fn dominators_first(blocks: &[LLVMBasicBlockRef]) -> Vec<LLVMBasicBlockRef> {
    let mut seen: FxHashSet<LLVMBasicBlockRef> = FxHashSet::default();
    let mut done = Vec::with_capacity(blocks.len());
    let mut path = vec![(blocks[0], 0)];
    seen.insert(blocks[0]);
    while let Some((block, next)) = path.last_mut() {
        // SAFETY: every block of a valid module ends in a terminator.
        let successor = unsafe {
            let end = LLVMGetBasicBlockTerminator(*block);
            (*next < LLVMGetNumSuccessors(end)).then(|| LLVMGetSuccessor(end, *next))
        };
        *next += 1;
        match successor {
            Some(s) if seen.insert(s) => path.push((s, 0)),
            Some(_) => {}
            None => {
                done.push(*block);
                path.pop();
            }
        }
    }
    done.reverse();
    done.extend(blocks.iter().filter(|b| !seen.contains(b)));
    done
}

impl Translator<'_, '_> {
    /// Source position of the function's definition, if it has debug information.
    fn definition(&mut self, f: LLVMValueRef) -> u32 {
        // SAFETY: the names are as long as LLVM says, and copied; what is not there is null.
        unsafe {
            let function = LLVMGetSubprogram(f);
            if function.is_null() {
                return u32::MAX;
            }
            let file = LLVMDIScopeGetFile(function);
            let mut len: c_uint = 0;
            let name = if file.is_null() { std::ptr::null() } else { LLVMDIFileGetFilename(file, &mut len) };
            let Some(name) = copied(name, len as usize) else { return u32::MAX };
            self.loader.position(&name, LLVMDISubprogramGetLine(function))
        }
    }

    fn signature(&mut self, f: LLVMValueRef) {
        // SAFETY: see the module's head.
        unsafe {
            let ty = LLVMGlobalGetValueType(f);
            self.out.variadic = LLVMIsFunctionVarArg(ty) != 0;
            self.out.results = self.loader.registers_of(LLVMGetReturnType(ty)).unwrap_or(0) as u16;
            for i in 0..LLVMCountParams(f) {
                let param = LLVMGetParam(f, i);
                let r = self.out.registers;
                let registers = self.loader.registers_of(LLVMTypeOf(param)).unwrap_or(1);
                self.out.registers += registers;
                self.out.parameters.push((name_of(param), registers));
                self.homes.insert(param, Home::Registers(r));
                let (integers, floats) = self.machine_registers(f, i);
                let fixed = &mut self.out.fixed_registers;
                *fixed = (fixed.0.saturating_add(integers), fixed.1.saturating_add(floats));
            }
        }
        self.out.params = self.out.registers;
    }

    /// The machine's registers that parameter `k` takes, integer ones and vector ones, if all are left.
    fn machine_registers(&self, f: LLVMValueRef, k: u32) -> (u8, u8) {
        // SAFETY: see the module's head; attribute indices of parameters start at 1.
        let (ty, by_value) = unsafe {
            let name = c"byval";
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr(), name.count_bytes());
            let attribute = LLVMGetEnumAttributeAtIndex(f, k + 1, kind);
            (LLVMTypeOf(LLVMGetParam(f, k)), !attribute.is_null())
        };
        if by_value {
            return (0, 0);
        }
        if kind_of(ty) == LLVMTypeKind::LLVMVectorTypeKind {
            return (0, 1);
        }
        let scalars = self.loader.layout.flat(ty).unwrap_or_default();
        scalars.iter().fold((0, 0), |(integers, floats), s| match s.float {
            Some(Float::X80) => (integers, floats),
            _ if s.is_number() => (integers, floats + 1),
            _ => (integers + s.registers() as u8, floats),
        })
    }

    /// Registers for an instruction's value, before any code: loops use values before they are translated.
    fn reserve(&mut self, i: LLVMValueRef) {
        let n = self.loader.registers_of(type_of(i)).unwrap_or(1);
        if n > 0 {
            let r = self.fresh(n);
            self.homes.insert(i, Home::Registers(r));
        }
    }

    fn translate_block(&mut self, block: LLVMBasicBlockRef) {
        self.block = block;
        let id = self.block_ids[&block] as usize;
        self.starts[id] = self.out.code.len() as Pc;
        self.translated[id] = true;
        let mut pieces = self.loader.lines.of_block(block).into_iter();
        self.piece(pieces.next(), true);
        self.locate_block(block);
        for i in instructions_of(block) {
            if unoptimised::is_ours(i) {
                self.no_value(i);
                continue;
            }
            if is_status_mark(i) {
                self.locate(i);
                self.instruction(i);
                continue;
            }
            if self.notes.is_none() || !crate::llvm::marks::without_code::is_silent(i) {
                self.locate(i);
            }
            self.pending += u32::from(!crate::llvm::modules::values::is_mark(i));
            let before = self.out.code.len();
            if opcode(i) != LLVMOpcode::LLVMPHI {
                self.instruction(i);
            }
            if opcode(i) == LLVMOpcode::LLVMBr {
                self.note_loop(i);
            }
            self.stop_behind(before);
            if lines::ends_piece(i) {
                self.piece(pieces.next(), false);
            }
        }
    }

    /// Notes that a piece of the source begins with the next op, if there is one.
    fn piece(&mut self, lines: Option<Vec<(String, u32)>>, begins_block: bool) {
        let Some(lines) = lines else { return };
        let lines = lines.iter().map(|(file, line)| self.loader.position(file, *line)).collect();
        self.out.pieces.push(Piece { at: self.out.code.len() as Pc, begins_block, lines });
    }

    /// Notes the beginning of the loop that a branch goes back in. The branch's target was translated before.
    fn note_loop(&mut self, branch: LLVMValueRef) {
        let Some((file, line)) = loops::line_of_loop(branch, self.loader.lines.names()) else { return };
        let line = self.loader.position(&file, line);
        // SAFETY: a branch has a successor of each number below that of its successors.
        let count = unsafe { LLVMGetNumSuccessors(branch) };
        for k in 0..count {
            // SAFETY: as above.
            let target = unsafe { LLVMGetSuccessor(branch, k) };
            let id = self.block_ids[&target] as usize;
            if self.translated[id] {
                self.out.loops.push(Loop { head: self.starts[id], line });
            }
        }
    }

    /// A variable that has no value yet.
    fn no_value(&mut self, i: LLVMValueRef) {
        if opcode(i) != LLVMOpcode::LLVMCall || !unoptimised::is_wanted(i) {
            return;
        }
        self.position = self.out.defined_at;
        for (s, dst) in self.homes_of(i).unwrap_or_default() {
            self.push(Op::Undefined { w: s.width as u8, dst });
        }
    }

    fn finish(mut self) -> (Function, Option<FunctionInfo>) {
        self.position = u32::MAX;
        let mut stub_starts = Vec::new();
        for stub in std::mem::take(&mut self.stubs) {
            if self.notes.is_some() {
                (self.position, self.scope) = (stub.position, stub.scope);
            }
            stub_starts.push(self.out.code.len() as Pc);
            self.moves(stub.from, stub.to);
            let n = u16::from(self.notes.is_some());
            self.push(Op::Jump { to: stub.id, n });
        }
        let prologue = self.scratch.len() as Pc;
        let starts: Vec<Pc> = self.starts.iter().chain(&stub_starts).map(|&pc| pc + prologue).collect();
        let locals = self.locals;
        let place = |pc: &mut Pc| {
            *pc = match *pc & !LOCAL {
                local if *pc & LOCAL != 0 => locals[local as usize] + prologue,
                known => starts[known as usize],
            }
        };
        for op in &mut self.out.code {
            match op {
                Op::Jump { to, .. } => place(to),
                Op::Branch { then, other, .. }
                | Op::CmpBranch { then, other, .. }
                | Op::PtrBranch { then, other, .. } => {
                    place(then);
                    place(other);
                }
                Op::Lands { to, pad, .. } => {
                    place(to);
                    place(pad);
                }
                _ => {}
            }
        }
        for table in &mut self.out.switches {
            table.cases.iter_mut().for_each(|(_, pc)| place(pc));
            place(&mut table.default);
        }
        self.out.pieces.iter_mut().for_each(|piece| piece.at += prologue);
        self.out.loops.iter_mut().for_each(|known| known.head += prologue);
        self.out.code.splice(0..0, self.scratch);
        self.out.positions.splice(0..0, std::iter::repeat_n(u32::MAX, prologue as usize));
        if let Some(notes) = &mut self.notes {
            notes.moved_by(prologue);
        }
        (self.out, self.notes)
    }

    /// The parallel assignment of an edge's phis. A value that another move overwrites is saved first.
    fn moves(&mut self, from: LLVMBasicBlockRef, to: LLVMBasicBlockRef) {
        let mut moves: Vec<(Scalar, Reg, Operand)> = Vec::new();
        for phi in instructions_of(to) {
            if opcode(phi) != LLVMOpcode::LLVMPHI {
                break;
            }
            // SAFETY: a phi has an incoming value for each predecessor.
            let value = unsafe {
                (0..LLVMCountIncoming(phi))
                    .find(|&k| LLVMGetIncomingBlock(phi, k) == from)
                    .map(|k| LLVMGetIncomingValue(phi, k))
            };
            let Some(value) = value else { continue };
            match (self.homes_of(phi), self.scalars(value)) {
                (Some(homes), Some(values)) => {
                    moves.extend(homes.into_iter().zip(values).map(|((s, r), (_, o))| (s, r, o)));
                }
                _ => self.unsupported("a phi of a type or constant that is not modelled"),
            }
        }
        moves.retain(|&(_, dst, a)| a.as_reg() != Some(dst));
        let written: Vec<Reg> = moves.iter().flat_map(|&(s, dst, _)| dst..dst + s.registers()).collect();
        let clash = |a: Operand, s: Scalar| {
            a.as_reg().is_some_and(|r| (r..r + s.registers()).any(|r| written.contains(&r)))
        };
        let mut ready = Vec::new();
        for (s, dst, a) in moves {
            if clash(a, s) {
                let temp = self.fresh(s.registers());
                self.copy(s, temp, a);
                ready.push((s, dst, Operand::reg(temp)));
            } else {
                ready.push((s, dst, a));
            }
        }
        for (s, dst, a) in ready {
            self.copy(s, dst, a);
        }
    }
}
