//! Source lines of a module as it was compiled: sets of lines that are executed together. The passes that prepare a module remove
//! instructions, a store to a variable for example, and with them the only trace of a line.

use std::ffi::{c_char, c_uint};

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMDISubprogramGetLine, LLVMGetSubprogram};
use llvm_sys::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::llvm::modules::module::Module;
use crate::llvm::modules::places::{SharedNames, calling_place, may_be_inlined_library};
use crate::llvm::modules::values::{blocks_of, copied, instructions_of, is_mark, name_of, opcode};

/// Files by the texts of their names and folders.
type Known = FxHashMap<(*const c_char, *const c_char), u32>;

/// A line: the index of its file's name, and its number from 1.
type Line = (u32, u32);

/// The lines of each basic block of the program, without those of the C library, cut behind its calls.
#[derive(Default)]
pub(crate) struct Lines {
    /// Files that share a name.
    names: SharedNames,
    files: Vec<String>,
    blocks: FxHashMap<LLVMBasicBlockRef, Vec<Vec<Line>>>,
}

/// Returns true if an instruction is a call from which control need not come back: a new piece begins behind it.
pub(crate) fn ends_piece(i: LLVMValueRef) -> bool {
    if opcode(i) != LLVMOpcode::LLVMCall || is_mark(i) {
        return false;
    }
    // SAFETY: the opcode says what it is; the cast gives null for a value of another kind.
    unsafe {
        let callee = LLVMGetCalledValue(i);
        LLVMIsAInlineAsm(callee).is_null() && !name_of(callee).starts_with("llvm.")
    }
}

impl Lines {
    /// The lines of a module that no pass has changed, without those of the functions of the C library.
    pub(crate) fn of(module: &Module, library: Vec<LLVMValueRef>) -> Lines {
        let library: FxHashSet<LLVMValueRef> = library.into_iter().collect();
        let all = module.functions();
        let names = SharedNames::of(all.iter().copied());
        let (mut lines, mut known) = (Lines { names, ..Lines::default() }, FxHashMap::default());
        for f in all.into_iter().filter(|f| !library.contains(f)) {
            lines.add(f, &mut known);
        }
        lines
    }

    /// The files that share a name.
    pub(crate) fn names(&self) -> &SharedNames {
        &self.names
    }

    fn add(&mut self, f: LLVMValueRef, known: &mut Known) {
        // SAFETY: what is not there is null.
        let head = unsafe {
            let subprogram = LLVMGetSubprogram(f);
            if subprogram.is_null() { 0 } else { LLVMDISubprogramGetLine(subprogram) }
        };
        let file = self.file(known, f);
        for (n, block) in blocks_of(f).into_iter().enumerate() {
            let mut pieces = vec![Vec::new()];
            // The line of the definition is that of the entry.
            pieces[0].extend(file.filter(|_| n == 0 && head > 0).map(|file| (file, head)));
            for i in instructions_of(block) {
                // SAFETY: `i` is an instruction; what is not known is 0.
                let line = unsafe { LLVMGetDebugLocLine(i) };
                let file = self.file(known, i);
                let (file, line) = self.outside(i, file, line);
                if let (Some(file), Some(piece)) = (file.filter(|_| line > 0), pieces.last_mut())
                    && !piece.contains(&(file, line))
                {
                    piece.push((file, line));
                }
                if ends_piece(i) {
                    pieces.push(Vec::new());
                }
            }
            self.blocks.insert(block, pieces);
        }
    }

    /// The file of an instruction or a function. A name and a folder are the same texts wherever the file is the same.
    fn file(&mut self, known: &mut Known, at: LLVMValueRef) -> Option<u32> {
        let (mut len, mut ignored): (c_uint, c_uint) = (0, 0);
        // SAFETY: it is an instruction or a function of the module.
        let (text, folder) = unsafe {
            let text = LLVMGetDebugLocFilename(at, &mut len);
            let is_shared = !text.is_null() && !self.names.is_empty();
            (text, if is_shared { LLVMGetDebugLocDirectory(at, &mut ignored) } else { std::ptr::null() })
        };
        if text.is_null() {
            return None;
        }
        Some(*known.entry((text, folder)).or_insert_with(|| {
            // SAFETY: the text is as long as LLVM says.
            let name = unsafe { copied(text, len as usize) }.unwrap_or_default();
            let name = self.names.shown_at(at, name);
            self.files.push(name);
            (self.files.len() - 1) as u32
        }))
    }

    /// The place of the call for code that was inlined out of a header of the C++ library.
    fn outside(&mut self, i: LLVMValueRef, file: Option<u32>, line: u32) -> (Option<u32>, u32) {
        let is_header = file.is_some_and(|file| may_be_inlined_library(&self.files[file as usize]));
        let Some((name, line)) = is_header.then(|| calling_place(i, &self.names)).flatten() else {
            return (file, line);
        };
        let known = self.files.iter().position(|file| *file == name);
        let file = known.unwrap_or_else(|| {
            self.files.push(name);
            self.files.len() - 1
        });
        (Some(file as u32), line)
    }

    /// The pieces of a block in their order, each with its lines; none of the C library's.
    pub(crate) fn of_block(&self, block: LLVMBasicBlockRef) -> Vec<Vec<(String, u32)>> {
        let named = |&(file, line): &Line| (self.files[file as usize].clone(), line);
        let pieces = self.blocks.get(&block).map(Vec::as_slice).unwrap_or_default();
        pieces.iter().map(|piece| piece.iter().map(named).collect()).collect()
    }
}
