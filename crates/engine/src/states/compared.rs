//! Words with which a state's functions compare its input: [`Comparisons`].

use std::collections::BTreeMap;

use cleave_expr::{Node, Terms};
use cleave_memory::{AddressSpace, Byte, Object};
use cleave_program::code::{FuncId, Function, Op, Operand, Pc, Program};

use crate::states::frame::Frame;
use crate::states::state::State;

/// The longest word, in bytes.
const LONGEST: usize = 64;
/// A comparison may call others, `strcasecmp` for one `tolower`: functions of the stack that are looked at.
const CALLS: usize = 3;
/// Ops that hand a value on between a read and its comparison, or between that and its branch.
const STEPS: u32 = 3;

/// A comparison of a part of the input with a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Address of the word.
    pub address: u64,
    /// The word: constant data up to its NUL.
    pub word: Vec<u8>,
    /// The input object, and the offset of its byte that comes first.
    pub input: (u32, u32),
    /// Number of the comparison on its path.
    pub number: u32,
}

/// Where a branch reads the two bytes that it compares: the operand that has the address, and the offset.
type Reads = [(Operand, i32); 2];

/// Finds the comparisons that states decide.
#[derive(Clone, Debug, Default)]
pub struct Comparisons {
    /// By branch.
    reads: BTreeMap<(FuncId, Pc), Option<Reads>>,
}

impl Comparisons {
    /// The comparison that a state decides: of a byte of an input with one of constant data, or of what the innermost call was given
    /// that has both, which is a comparison with a word, most likely.
    pub fn of(&mut self, state: &State, program: &Program, terms: &Terms) -> Option<Comparison> {
        let Frame { func, pc, .. } = state.frame;
        let function = &program.functions[func as usize];
        let reads = *self.reads.entry((func, pc)).or_insert_with(|| reads_of(function, pc));
        let here = reads.and_then(|reads| state.compared_here(function, terms, reads));
        let in_call = |frame| state.compared_in(frame, program, terms);
        here.or_else(|| state.frames().take(CALLS).find_map(in_call))
    }
}

/// Where a branch reads what it compares, if these are two bytes from memory.
fn reads_of(function: &Function, pc: Pc) -> Option<Reads> {
    let (a, b) = match *function.code.get(pc as usize)? {
        Op::CmpBranch { a, b, .. } => (a, b),
        Op::Branch { cond, .. } => made_of(function, cond, STEPS, &|op| match *op {
            Op::Cmp { a, b, .. } => Some((a, b)),
            _ => None,
        })?,
        _ => return None,
    };
    let read = |value| {
        made_of(function, value, STEPS, &|op| match *op {
            Op::Load { w: 8, addr, off, .. } => Some((addr, off)),
            _ => None,
        })
    };
    Some([read(a)?, read(b)?])
}

/// Looks for the op that makes a value, behind at most `steps` others that hand it on, and returns the answer of `is` for it.
fn made_of<T>(function: &Function, value: Operand, steps: u32, is: &dyn Fn(&Op) -> Option<T>) -> Option<T> {
    let reg = value.as_reg()?;
    function.code.iter().find_map(|op| match *op {
        Op::Load { dst, .. } | Op::Cmp { dst, .. } if dst == reg => is(op),
        Op::Move { dst, a } | Op::Zext { dst, a, .. } | Op::Sext { dst, a, .. }
            if dst == reg && steps > 0 =>
        {
            made_of(function, a, steps - 1, is)
        }
        _ => None,
    })
}

impl State {
    /// The comparison of two bytes that were read from memory: an optimiser puts a call's comparisons into its caller.
    fn compared_here(&self, function: &Function, terms: &Terms, reads: Reads) -> Option<Comparison> {
        let address = |(addr, off): (Operand, i32)| {
            let base = self.get(&function.constants, addr);
            base.is_known().then(|| base.value.wrapping_add_signed(off.into()))
        };
        let [one, other] = [address(reads[0])?, address(reads[1])?];
        let comparison = |address: u64, place: u64| {
            let (object, at) = input(&self.memory, terms, place)?;
            // The bytes before may have been equal, and known to be.
            let before = text_before(&self.memory, address);
            let address = address - before;
            let input = (object, at.checked_sub(before as u32)?);
            // Each byte is a decision, most likely.
            let number = self.depth.wrapping_sub(before as u32);
            Some(Comparison { address, word: word(&self.memory, address)?, input, number })
        };
        comparison(one, other).or_else(|| comparison(other, one))
    }

    fn compared_in(&self, frame: &Frame, program: &Program, terms: &Terms) -> Option<Comparison> {
        let given = program.functions[frame.func as usize].params as usize;
        let pointers = || frame.regs.iter().take(given).filter(|reg| reg.is_known()).map(|reg| reg.value);
        let (address, word) = pointers().find_map(|at| Some((at, word(&self.memory, at)?)))?;
        let input = pointers().find_map(|at| input(&self.memory, terms, at))?;
        Some(Comparison { address, word, input, number: frame.id })
    }
}

/// Number of bytes of its text that lie before an address.
fn text_before(memory: &AddressSpace, address: u64) -> u64 {
    let Some((object, at)) = held(memory, address) else { return 0 };
    let is_text = |&n: &u64| object.known(at - n, 1).is_some_and(|byte| byte != 0);
    (1..=at.min(LONGEST as u64 - 1)).take_while(is_text).last().unwrap_or(0)
}

/// The text that begins at an address, if it is constant and has more than one byte.
fn word(memory: &AddressSpace, address: u64) -> Option<Vec<u8>> {
    let (object, at) = held(memory, address)?;
    if !object.constant {
        return None;
    }
    let known = (at..object.size).map_while(|i| object.known(i, 1)).map(|byte| byte as u8);
    let word: Vec<u8> = known.take(LONGEST).take_while(|&byte| byte != 0).collect();
    (word.len() > 1).then_some(word)
}

/// The input object of which a byte lies at an address as it is, and the byte's offset.
fn input(memory: &AddressSpace, terms: &Terms, address: u64) -> Option<(u32, u32)> {
    let (object, at) = held(memory, address)?;
    match object.get(at) {
        Byte::Symbolic(term) if !object.constant => match terms.node(term) {
            Node::Byte(id) => Some(terms.byte_position(id)),
            _ => None,
        },
        _ => None,
    }
}

/// The object that has the byte at an address, and its offset. A pointer may point in front of its object.
fn held(memory: &AddressSpace, address: u64) -> Option<(&Object, u64)> {
    let object = memory.object(address)?;
    let at = address.checked_sub(object.base).filter(|&at| at < object.size)?;
    Some((object, at))
}
