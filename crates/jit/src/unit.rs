//! A compiled function, and a run of it.

use std::cell::Cell;

use cleave_memory::{AddressSpace, Reg};
use cleave_program::code::{Function, Pc};

use crate::context::{Context, NOT_ENTERED, Windows};
use crate::shape::Shape;
use crate::translation::Home;

/// Compiled code: it gets the context and the number of the entrance, and returns the place where it left.
pub(crate) type Code = unsafe extern "C" fn(*mut Context, u32) -> u32;

/// The state that runs, as far as compiled code reads and changes it.
pub struct Running<'a> {
    /// The registers of the running function.
    pub registers: &'a mut [Reg],
    /// The address space.
    pub memory: &'a mut AddressSpace,
    /// The bytes of all coverage slots: 0 where a mark is to be passed.
    pub marks: &'a [Cell<u8>],
    /// Instructions of the path.
    pub instructions: u64,
    /// The number of instructions at which the path stops at a jump.
    pub limit: u64,
}

/// The end of a run of compiled code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// It left in front of this op, after so many instructions of the path.
    At(Pc, u64),
    /// It was not entered: there is no entrance, a register is not known, or the limit is near.
    NotEntered,
}

/// A compiled function.
pub struct Unit {
    code: Code,
    /// The number of the entrance at an op; [`u32::MAX`] for none.
    entrances: Vec<u32>,
    shape: Shape,
    homes: Vec<Home>,
    /// Times that it was not entered because of a register.
    pub(crate) failed: u32,
    /// Homes of registers that were not known at an entrance.
    pub(crate) better: Vec<Home>,
    pub(crate) entered: u64,
    pub(crate) gained: u64,
}

impl Unit {
    /// A unit whose code takes a context and the number of an entrance of `shape`.
    pub(crate) fn new(code: Code, function: &Function, shape: Shape, homes: Vec<Home>) -> Unit {
        let mut entrances = vec![u32::MAX; function.code.len()];
        for (i, entrance) in shape.entrances.iter().enumerate() {
            entrances[entrance.at as usize] = i as u32;
        }
        let better = homes.clone();
        Unit { code, entrances, shape, homes, failed: 0, better, entered: 0, gained: 0 }
    }

    /// Runs from an op on. `windows` are those of the address space, or of none.
    pub(crate) fn run(&mut self, at: Pc, windows: &mut Windows, running: Running<'_>) -> Left {
        let Running { registers, memory, marks, instructions, limit } = running;
        let entrance = self.entrances[at as usize];
        let stop = limit.saturating_sub(self.shape.margin);
        if entrance == u32::MAX || instructions >= stop || registers.len() != self.homes.len() {
            return Left::NotEntered;
        }
        windows.refresh();
        let mut context = Context {
            instructions,
            stop,
            registers: registers.as_mut_ptr(),
            marks: marks.as_ptr().cast(),
            windows: windows.entries.as_mut_ptr(),
            value: 0,
            memory,
            kept: windows,
        };
        // SAFETY: the code was made for this function, whose frame has these registers, and for this entrance. All pointers of the
        // context are valid and exclusive for the call. A window points to bytes of `memory`, because whatever moves or frees
        // them counts as a change, and changed windows were dropped above and are dropped by the functions of the context.
        let left = unsafe { (self.code)(&raw mut context, entrance) };
        if left == NOT_ENTERED {
            self.fails(entrance, registers);
            return Left::NotEntered;
        }
        self.entered += 1;
        self.gained += context.instructions - instructions;
        Left::At(left, context.instructions)
    }

    /// Notes the registers that were not known at an entrance.
    #[cold]
    fn fails(&mut self, entrance: u32, registers: &[Reg]) {
        self.failed += 1;
        let lives = &self.shape.entrances[entrance as usize].lives;
        for r in self.shape.touched.iter().filter(|&r| !registers[r as usize].is_known()) {
            let home = &mut self.better[r as usize];
            *home = match (lives.contains(r), self.homes[r as usize]) {
                (true, _) | (_, Home::Memory) => Home::Memory,
                (false, _) if *home == Home::Memory => Home::Memory,
                (false, _) => Home::Written,
            };
        }
    }
}
