//! Words with which a state's functions compare its input: [`State::compared`].

use cleave_expr::{Node, Terms};
use cleave_memory::{AddressSpace, Byte, Object};
use cleave_program::code::Program;

use crate::states::frame::Frame;
use crate::states::state::State;

/// The longest word, in bytes.
const LONGEST: usize = 64;
/// A comparison may call others, `strcasecmp` for one `tolower`: functions of the stack that are looked at.
const CALLS: usize = 3;

/// A call that has a word and a part of the input as its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Address of the word.
    pub address: u64,
    /// The word: constant data up to its NUL.
    pub word: Vec<u8>,
    /// The input object, and the offset of its byte that comes first.
    pub input: (u32, u32),
    /// Number of the call on its path.
    pub call: u32,
}

impl State {
    /// The innermost call that was given constant data, and bytes of an input as they are: a comparison with a word, most likely.
    pub fn compared(&self, program: &Program, terms: &Terms) -> Option<Comparison> {
        self.frames().take(CALLS).find_map(|frame| self.compared_in(frame, program, terms))
    }

    fn compared_in(&self, frame: &Frame, program: &Program, terms: &Terms) -> Option<Comparison> {
        let given = program.functions[frame.func as usize].params as usize;
        let pointers = || frame.regs.iter().take(given).filter(|reg| reg.is_known()).map(|reg| reg.value);
        let (address, word) = pointers().find_map(|at| Some((at, word(&self.memory, at)?)))?;
        let input = pointers().find_map(|at| input(&self.memory, terms, at))?;
        Some(Comparison { address, word, input, call: frame.id })
    }
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
