//! Landing pads of exceptions. A personality (`__gxx_personality_v0`, and those of other languages) is code of a library, which reads a
//! table of its function that the compiler's back end writes: for each place of a call where the landing pad is and what it is for. This
//! pass writes that table as a constant of the module, with the number of a landing pad in the place of an address. So the personalities
//! of libraries work as they are, and the engine knows nothing of clauses and types.

use std::ffi::CString;

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMLinkage, LLVMOpcode, LLVMTypeKind};
use rustc_hash::FxHashMap;

use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::{blocks_of, instructions_of, kind_of, name_of, opcode, operand, type_of};
use crate::llvm::rewrites::writer::{Writer, wanted};

/// The landing pads of a function.
pub(crate) struct Pads {
    /// The function that reads the table.
    pub(crate) personality: LLVMValueRef,
    /// The table, a constant.
    pub(crate) table: LLVMValueRef,
    numbers: FxHashMap<LLVMValueRef, u32>,
    types: Vec<LLVMValueRef>,
}

impl Pads {
    /// The number of a landing pad, from 1.
    pub(crate) fn number(&self, pad: LLVMValueRef) -> Option<u32> {
        self.numbers.get(&pad).copied()
    }

    /// The number of a type, from 1.
    pub(crate) fn number_of_type(&self, ty: LLVMValueRef) -> Option<u32> {
        self.types.iter().position(|&known| known == ty).and_then(|i| u32::try_from(i + 1).ok())
    }
}

/// Returns true if a function promises that no exception leaves it.
pub(crate) fn never_unwinds(f: LLVMValueRef) -> bool {
    let name = c"nounwind";
    // SAFETY: it is a function; what is not there is null.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(name.as_ptr(), name.count_bytes());
        !LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind).is_null()
    }
}

/// Makes calls of `_Unwind_Resume` of `resume`, as native code has it.
pub(crate) fn lower_resumes(module: &Module) {
    let writer = Writer::new(module);
    for i in wanted(module, |i| opcode(i) == LLVMOpcode::LLVMResume) {
        let value = operand(i, 0);
        // SAFETY: the opcode says what it is; each question fits the kind of type that it is asked of.
        unsafe {
            let ty = type_of(value);
            let has_pointer = kind_of(ty) == LLVMTypeKind::LLVMStructTypeKind
                && LLVMCountStructElementTypes(ty) > 0
                && kind_of(LLVMStructGetTypeAtIndex(ty, 0)) == LLVMTypeKind::LLVMPointerTypeKind;
            if !has_pointer {
                continue; // it stays, and is unsupported
            }
            writer.before(i);
            let exception = LLVMBuildExtractValue(writer.builder, value, 0, c"".as_ptr());
            writer.call("_Unwind_Resume", LLVMVoidTypeInContext(module.context), &mut [exception]);
            LLVMBuildUnreachable(writer.builder);
            LLVMInstructionEraseFromParent(i);
        }
    }
}

/// The landing pads of all functions that have some. Their tables become constants of the module.
pub(crate) fn pads_of(module: &Module) -> FxHashMap<LLVMValueRef, Pads> {
    module.functions().into_iter().filter_map(|f| Some((f, Rows::of(f)?.written(module, f)))).collect()
}

/// A clause of a landing pad.
enum Clause {
    /// It takes exceptions of the type of this number.
    Catch(usize),
    /// It takes all exceptions but those of the types in the list of this number.
    Filter(usize),
}

/// The table of a function, before it is written.
struct Rows {
    pads: Vec<(LLVMValueRef, Vec<Clause>, bool)>,
    types: Vec<LLVMValueRef>,
    filters: Vec<Vec<usize>>,
}

impl Rows {
    fn of(f: LLVMValueRef) -> Option<Rows> {
        // SAFETY: see the module's head.
        if unsafe { LLVMHasPersonalityFn(f) } == 0 {
            return None;
        }
        let mut rows = Rows { pads: Vec::new(), types: Vec::new(), filters: Vec::new() };
        for i in blocks_of(f).into_iter().flat_map(instructions_of) {
            match opcode(i) {
                LLVMOpcode::LLVMLandingPad => rows.add_pad(i),
                // A type of which the number is asked may stand in no clause.
                LLVMOpcode::LLVMCall if name_of(operand_of_call(i)).starts_with("llvm.eh.typeid.for") => {
                    rows.number_of(operand(i, 0));
                }
                _ => {}
            }
        }
        (!rows.pads.is_empty() || !rows.types.is_empty()).then_some(rows)
    }

    fn number_of(&mut self, ty: LLVMValueRef) -> usize {
        let known = self.types.iter().position(|&known| known == ty);
        known.unwrap_or_else(|| {
            self.types.push(ty);
            self.types.len() - 1
        }) + 1
    }

    fn add_pad(&mut self, pad: LLVMValueRef) {
        let mut clauses = Vec::new();
        // SAFETY: the opcode says what it is, and it has so many clauses.
        let (count, cleans_up) = unsafe { (LLVMGetNumClauses(pad), LLVMIsCleanup(pad) != 0) };
        for k in 0..count {
            // SAFETY: as above.
            let clause = unsafe { LLVMGetClause(pad, k) };
            if kind_of(type_of(clause)) != LLVMTypeKind::LLVMArrayTypeKind {
                let number = self.number_of(clause);
                clauses.push(Clause::Catch(number));
                continue;
            }
            // SAFETY: the constant is an array of so many elements; one that is not there is null.
            let types: Vec<LLVMValueRef> = unsafe {
                let length = LLVMGetArrayLength2(type_of(clause)) as u32;
                (0..length).map(|n| LLVMGetAggregateElement(clause, n)).filter(|ty| !ty.is_null()).collect()
            };
            let list = types.into_iter().map(|ty| self.number_of(ty)).collect();
            self.filters.push(list);
            clauses.push(Clause::Filter(self.filters.len() - 1));
        }
        self.pads.push((pad, clauses, cleans_up));
    }

    /// The lists of types behind the table, and the place of each.
    fn lists(&self) -> (Vec<u8>, Vec<usize>) {
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        for list in &self.filters {
            places.push(bytes.len());
            list.iter().for_each(|&number| unsigned(&mut bytes, number));
            bytes.push(0);
        }
        (bytes, places)
    }

    /// The records of all clauses, one behind the other, and for each pad the place of its first, from 1; 0 for a mere clean-up.
    fn records(&self, lists: &[usize]) -> (Vec<u8>, Vec<usize>) {
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        for (_, clauses, cleans_up) in &self.pads {
            places.push(if clauses.is_empty() { 0 } else { bytes.len() + 1 });
            for (k, clause) in clauses.iter().enumerate() {
                match *clause {
                    Clause::Catch(number) => signed(&mut bytes, number as i64),
                    Clause::Filter(list) => signed(&mut bytes, -1 - lists[list] as i64),
                }
                let is_last = k + 1 == clauses.len() && !cleans_up;
                bytes.push(u8::from(!is_last)); // how far the next one is
            }
            if *cleans_up && !clauses.is_empty() {
                bytes.extend([0, 0]);
            }
        }
        (bytes, places)
    }

    /// The bytes in front of the types, a multiple of their size.
    fn head(&self, lists: &[usize]) -> Vec<u8> {
        let (records, places) = self.records(lists);
        let mut calls = Vec::new();
        for (n, first) in places.into_iter().enumerate() {
            let n = n as u32;
            // A pad stands for the one address in front of its number.
            [n, 1, n + 1].iter().for_each(|word| calls.extend(word.to_le_bytes()));
            unsigned(&mut calls, first);
        }
        let mut bytes = vec![OMITTED, ADDRESS];
        let before_calls = bytes.len() + 2 * FIXED;
        let used = before_calls + 1 + calls.len() + records.len();
        let whole = used.next_multiple_of(8);
        fixed(&mut bytes, whole - (2 + FIXED) + 8 * self.types.len());
        bytes.push(WORD);
        fixed(&mut bytes, calls.len());
        bytes.extend(calls);
        bytes.extend(records);
        bytes.resize(whole, 0);
        bytes
    }

    /// Adds the table to the module.
    fn written(self, module: &Module, f: LLVMValueRef) -> Pads {
        let (lists, places) = self.lists();
        let head = self.head(&places);
        // SAFETY: constants are of the module's context; lists are as long as we say; names have no NUL.
        let (personality, table) = unsafe {
            let text = |bytes: &[u8]| {
                LLVMConstStringInContext2(module.context, bytes.as_ptr().cast(), bytes.len(), 1)
            };
            let mut parts = vec![text(&head)];
            parts.extend(self.types.iter().rev()); // counted backwards from their end
            parts.push(text(&lists));
            let value = LLVMConstStructInContext(module.context, parts.as_mut_ptr(), parts.len() as u32, 1);
            let name = CString::new(format!("cleave.pads.{}", name_of(f))).unwrap_or_default();
            let table = LLVMAddGlobal(module.module, type_of(value), name.as_ptr());
            LLVMSetInitializer(table, value);
            LLVMSetGlobalConstant(table, 1);
            LLVMSetLinkage(table, LLVMLinkage::LLVMPrivateLinkage);
            LLVMSetAlignment(table, 8);
            (LLVMGetPersonalityFn(f), table)
        };
        let numbers = self.pads.iter().zip(1..).map(|((pad, ..), number)| (*pad, number)).collect();
        Pads { personality, table, numbers, types: self.types }
    }
}

fn operand_of_call(call: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: the caller has looked that it is a call.
    unsafe { LLVMGetCalledValue(call) }
}

/// DWARF's names for how a pointer is written: not at all, as an address, as an unsigned number of 32 bits.
const OMITTED: u8 = 0xff;
const ADDRESS: u8 = 0;
const WORD: u8 = 3;

/// Bytes of a number whose place must be known before it is: 28 bits.
const FIXED: usize = 4;

/// A number in LEB128, of [`FIXED`] bytes.
fn fixed(bytes: &mut Vec<u8>, n: usize) {
    for k in 0..FIXED {
        let more = if k + 1 < FIXED { 0x80 } else { 0 };
        bytes.push((n >> (7 * k)) as u8 & 0x7f | more);
    }
}

/// A number in unsigned LEB128.
fn unsigned(bytes: &mut Vec<u8>, mut n: usize) {
    while n >= 0x80 {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
}

/// A number in signed LEB128.
fn signed(bytes: &mut Vec<u8>, mut n: i64) {
    while !(-0x40..0x40).contains(&n) {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8 & 0x7f);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_leb128() {
        let (mut plain, mut long, mut negative) = (Vec::new(), Vec::new(), Vec::new());
        unsigned(&mut plain, 300);
        fixed(&mut long, 300);
        signed(&mut negative, -129);
        assert_eq!((plain, long, negative), (vec![0xac, 2], vec![0xac, 0x82, 0x80, 0], vec![0xff, 0x7e]));
    }

    #[test]
    fn a_table_has_a_row_for_each_pad() {
        let null = std::ptr::null_mut();
        let rows = Rows {
            pads: vec![(null, Vec::new(), true), (null, vec![Clause::Catch(1), Clause::Filter(0)], true)],
            types: vec![null],
            filters: vec![vec![1]],
        };
        let (lists, places) = rows.lists();
        assert_eq!((lists, &places[..]), (vec![1, 0], &[0][..]));
        let (records, first) = rows.records(&places);
        assert_eq!((records, first), (vec![1, 1, 0x7f, 1, 0, 0], vec![0, 1]));
        let head = rows.head(&places);
        assert_eq!(head.len() % 8, 0);
        // Behind the head and one type the numbers are counted from.
        assert_eq!(head[2] as usize & 0x7f, head.len() - 6 + 8);
    }
}
