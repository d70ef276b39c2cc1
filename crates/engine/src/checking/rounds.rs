//! Data that is kept of a path to see that it goes round for ever; `recurrence.rs` looks at it.

use std::rc::Rc;

use cleave_program::code::{FuncId, Pc};

use crate::states::frame::Frame;

/// Instructions of a path before its state is kept for the first time. Most paths of small programs end before; a loop that never
/// ends takes half a millisecond until then.
const FIRST: u64 = 1 << 16;
/// Data that is kept of a path to see that its state comes again.
#[derive(Clone)]
pub(crate) struct Recurrence<S> {
    /// Number of instructions of the path at which the engine looks again.
    pub(crate) due: u64,
    pub(crate) window: Option<Window<S>>,
    pub(crate) seen: Option<Spinning>,
}

/// A part of a path that is compared with the state at its start.
#[derive(Clone)]
pub(crate) struct Window<S> {
    pub(crate) then: Rc<S>,
    /// Number of instructions of the path at which it ends.
    pub(crate) until: u64,
    pub(crate) lowest: Lowest,
}

/// The lowest frame that the path came to in a window, and the op at which a loop of it may begin: the first op of each round
/// comes first in the code.
#[derive(Clone, Copy)]
pub(crate) struct Lowest {
    pub(crate) height: u32,
    pub(crate) func: FuncId,
    pub(crate) head: Pc,
    /// Number of times that the path came there.
    pub(crate) visits: u64,
}

/// A loop that a path is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spinning {
    pub(crate) func: FuncId,
    pub(crate) head: Pc,
    /// Instructions of the path where it was first seen.
    pub(crate) since: u64,
    /// Instructions of a round.
    pub(crate) period: u64,
}

impl<S> Default for Recurrence<S> {
    /// Of a path that is not run.
    fn default() -> Recurrence<S> {
        Recurrence { due: 0, window: None, seen: None }
    }
}

impl<S> Recurrence<S> {
    /// Of a path that has not begun.
    pub(crate) fn new() -> Recurrence<S> {
        Recurrence { due: FIRST, ..Recurrence::default() }
    }
}

impl Lowest {
    pub(crate) fn of(frame: &Frame) -> Lowest {
        Lowest { height: frame.height, func: frame.func, head: frame.pc, visits: 1 }
    }

    /// The path comes to the place of this frame.
    pub(crate) fn comes_to(&mut self, frame: &Frame) {
        if frame.height > self.height {
            return;
        }
        let same = (frame.height, frame.func) == (self.height, self.func);
        if same && frame.pc == self.head {
            self.visits += 1;
        } else if !same || frame.pc < self.head {
            *self = Lowest::of(frame);
        }
    }
}
