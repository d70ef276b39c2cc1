//! Addresses that gdb sees for code and stack. Cleave's code has no machine addresses, and its frames lie in no memory. Code and
//! stack each get a part of the address space that no object of a program reaches.

use cleave_program::code::{FuncId, Pc};
use cleave_program::debug::Debuggable;

/// Address of the first op. Stack objects reach it after 66 million allocations, heap objects never.
const CODE_BASE: u64 = 0x7e00_0000_0000;
/// Alignment of a function's first op, in bytes.
const CODE_ALIGN: u64 = 16;
/// End address of the outermost frame; inner frames lie below.
const STACK_TOP: u64 = 0x7fff_0000_0000;
/// Size of a stack word, in bytes.
const WORD: u64 = 8;
/// Number of link words at the end of a frame: the return address and the caller's frame pointer.
const LINKS: u64 = 2;

/// A word of the stack that gdb sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// The address where the caller continues.
    Return,
    /// The caller's frame pointer.
    Pointer,
    /// The word of a variable, by its number in the function. It holds the variable's address.
    Variable(usize),
}

/// The addresses of a program's ops and frames. An op is one byte long.
pub(crate) struct Addresses {
    starts: Vec<u64>,
    sizes: Vec<u64>,
    /// Bytes of a frame.
    frame: u64,
}

impl Addresses {
    pub(crate) fn new(program: &Debuggable) -> Addresses {
        let mut next = CODE_BASE;
        let (mut starts, mut sizes) = (Vec::new(), Vec::new());
        for function in &program.program.functions {
            starts.push(next);
            sizes.push(function.code.len() as u64);
            // The address after the last op does not belong to the next function.
            next = (next + function.code.len() as u64 + 1).next_multiple_of(CODE_ALIGN);
        }
        let most = program.info.functions.iter().map(|f| f.variables.len() as u64).max().unwrap_or(0);
        Addresses { starts, sizes, frame: ((LINKS + most) * WORD).next_power_of_two() }
    }

    /// The address of the first op of a function.
    pub(crate) fn start(&self, func: FuncId) -> u64 {
        self.starts.get(func as usize).copied().unwrap_or(0)
    }

    /// Size of a function's code, in bytes.
    pub(crate) fn size(&self, func: FuncId) -> u64 {
        self.sizes.get(func as usize).copied().unwrap_or(0)
    }

    /// Start address and size in bytes of the code.
    pub(crate) fn code(&self) -> (u64, u64) {
        let end =
            self.starts.last().zip(self.sizes.last()).map_or(CODE_BASE, |(start, size)| start + size + 1);
        (CODE_BASE, end - CODE_BASE)
    }

    /// The address of an op.
    pub(crate) fn op(&self, func: FuncId, pc: Pc) -> u64 {
        self.start(func) + u64::from(pc)
    }

    /// Returns true if the address lies in the code.
    pub(crate) fn is_code(&self, address: u64) -> bool {
        let (start, size) = self.code();
        (start..start + size).contains(&address)
    }

    /// End address of the frame with `height` frames below it: gdb's canonical frame address.
    pub(crate) fn frame_end(&self, height: usize) -> u64 {
        STACK_TOP - height as u64 * self.frame
    }

    /// The stack pointer while the frame at `height` is the innermost one.
    pub(crate) fn stack_pointer(&self, height: usize) -> u64 {
        self.frame_end(height + 1)
    }

    /// The frame pointer of the frame at `height`.
    pub(crate) fn frame_pointer(&self, height: usize) -> u64 {
        self.frame_end(height) - LINKS * WORD
    }

    /// Offset in bytes from the end of a frame to the word of a variable; negative.
    pub(crate) fn variable(number: usize) -> i64 {
        -((LINKS as i64 + number as i64 + 1) * WORD as i64)
    }

    /// The stack word that contains a byte: the height of its frame, its kind, and the byte's index in it.
    pub(crate) fn stack(&self, address: u64) -> Option<(usize, Word, usize)> {
        let below = STACK_TOP.checked_sub(1)?.checked_sub(address)?;
        if address < CODE_BASE + self.code().1 {
            return None;
        }
        let height = (below / self.frame) as usize;
        let word = match below % self.frame / WORD {
            0 => Word::Return,
            1 => Word::Pointer,
            more => Word::Variable((more - LINKS) as usize),
        };
        Some((height, word, (address % WORD) as usize))
    }
}
