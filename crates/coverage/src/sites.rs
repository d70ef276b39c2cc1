//! The places of the marks of a program, and their numbers.

use cleave_program::code::{FuncId, Function, Op, Pc, Program};
use rustc_hash::FxHashMap;

use crate::marks::MarkId;

/// The index of a place that may have a mark: an engine keeps a byte for each. Each op of a function has four in a row: its
/// false side, its true side, the arrival of control by a call or from one, and one without a mark.
pub type Slot = u32;

/// No slot, and no mark.
pub const NO_SLOT: Slot = u32::MAX;

/// Slots of an op.
const EACH: usize = 4;
/// The one among these for the arrival of control by a call or from one.
const ARRIVAL: usize = 2;

/// A way that control can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Into a function.
    Entry,
    /// Back from the call in front of an op.
    Behind,
    /// Out of the call in front of a landing pad, by an exception.
    Landing,
    /// One side of the branch or switch at `at`.
    Side {
        /// The branch.
        at: Pc,
    },
}

/// A mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its function.
    pub func: FuncId,
    /// The way of control that it stands for.
    pub way: Way,
    /// The op at which control goes on.
    pub to: Pc,
}

/// The marks of a program, and its slots.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    /// The first slot of each function; [`NO_SLOT`] for one without marks.
    first: Vec<Slot>,
    /// The mark of each slot, or [`NO_SLOT`].
    of_slot: Vec<MarkId>,
    /// The slot of each mark.
    slots: Vec<Slot>,
    marks: Vec<Mark>,
    /// Slots of the sides of switches: function, switch and target.
    sides: FxHashMap<(FuncId, Pc, Pc), Slot>,
}

impl Sites {
    /// The marks of a program. They and their numbers are a function of the program.
    pub fn new(program: &Program) -> Sites {
        let mut sites = Sites::default();
        for (func, function) in program.functions.iter().enumerate() {
            if function.library || function.code.is_empty() {
                sites.first.push(NO_SLOT);
            } else {
                sites.first.push(sites.of_slot.len() as Slot);
                sites.add(func as FuncId, function);
            }
        }
        sites
    }

    fn add(&mut self, func: FuncId, function: &Function) {
        let first = self.of_slot.len();
        self.of_slot.resize(first + EACH * function.code.len(), NO_SLOT);
        self.mark(first + ARRIVAL, Mark { func, way: Way::Entry, to: 0 });
        for (i, op) in function.code.iter().enumerate() {
            let (at, slot) = (i as Pc, first + EACH * i);
            match op {
                &Op::Branch { then, other, .. }
                | &Op::CmpBranch { then, other, .. }
                | &Op::PtrBranch { then, other, .. } => {
                    self.mark(slot, Mark { func, way: Way::Side { at }, to: other });
                    self.mark(slot + 1, Mark { func, way: Way::Side { at }, to: then });
                }
                &Op::Lands { pad, .. } => self.mark(slot, Mark { func, way: Way::Landing, to: pad }),
                Op::Switch { .. } | Op::IndirectBranch { .. } => {
                    let mut targets = function.targets(op);
                    if let &Op::IndirectBranch { table, .. } = op {
                        // The default of its table is unused.
                        targets = function.switches[table as usize].cases.iter().map(|c| c.1).collect();
                    }
                    for to in targets {
                        if !self.sides.contains_key(&(func, at, to)) {
                            let slot = self.of_slot.len();
                            self.of_slot.push(NO_SLOT);
                            self.sides.insert((func, at, to), slot as Slot);
                            self.mark(slot, Mark { func, way: Way::Side { at }, to });
                        }
                    }
                }
                _ if may_not_return(op) && i + 1 < function.code.len() => {
                    self.mark(slot + EACH + ARRIVAL, Mark { func, way: Way::Behind, to: at + 1 });
                }
                _ => {}
            }
        }
    }

    fn mark(&mut self, slot: usize, mark: Mark) {
        self.of_slot[slot] = self.marks.len() as MarkId;
        self.slots.push(slot as Slot);
        self.marks.push(mark);
    }

    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.of_slot.len()
    }

    /// The marks, by number.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The first slot of a function; [`NO_SLOT`] if it has none.
    #[inline(always)]
    pub fn first(&self, func: FuncId) -> Slot {
        self.first.get(func as usize).copied().unwrap_or(NO_SLOT)
    }

    /// The slot of a side of a branch of two sides, in a function whose first slot this is.
    #[inline(always)]
    pub const fn of_side(first: Slot, at: Pc, side: bool) -> Slot {
        first + at * EACH as u32 + side as u32
    }

    /// The slot for the arrival of control at an op by a call or from one, in a function whose first slot this is.
    #[inline(always)]
    pub const fn of_arrival(first: Slot, to: Pc) -> Slot {
        first + to * EACH as u32 + ARRIVAL as u32
    }

    /// The one of the four entries for the slots of an op that is for the arrival of control by a call or from one.
    #[inline(always)]
    pub const fn arrival_of<T>(of_op: &[T; EACH]) -> &T {
        &of_op[ARRIVAL]
    }

    /// The slot of a side of a switch or a computed goto.
    pub fn of_switch(&self, func: FuncId, at: Pc, to: Pc) -> Slot {
        self.sides.get(&(func, at, to)).copied().unwrap_or(NO_SLOT)
    }

    /// The mark of a slot.
    pub fn mark_of(&self, slot: Slot) -> Option<MarkId> {
        self.of_slot.get(slot as usize).copied().filter(|&mark| mark != NO_SLOT)
    }

    /// The slot of a mark.
    pub fn slot_of(&self, mark: MarkId) -> Option<Slot> {
        self.slots.get(mark as usize).copied()
    }
}

/// True if control need not come to the op behind it.
pub(crate) fn may_not_return(op: &Op) -> bool {
    matches!(op, Op::Call { .. } | Op::CallVar { .. } | Op::CallIndirect { .. } | Op::Builtin { .. })
}
