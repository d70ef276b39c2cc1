//! The bytes that one holder has of a memory with a limit. Tables and the solver's caches have shares.

use std::cell::Cell;
use std::rc::Rc;

/// The bytes that one holder has of a memory with a limit. They are given back when it is dropped.
#[derive(Default)]
pub struct Share {
    all: Rc<Cell<usize>>,
    own: usize,
}

impl Share {
    /// Sets the number of bytes.
    pub fn set(&mut self, bytes: usize) {
        self.all.set((self.all.get() + bytes).saturating_sub(self.own));
        self.own = bytes;
    }

    /// A share of no bytes yet.
    pub(crate) fn of(all: &Rc<Cell<usize>>) -> Share {
        Share { all: all.clone(), own: 0 }
    }

    /// Number of bytes.
    pub fn bytes(&self) -> usize {
        self.own
    }

    /// Moves the share, with its bytes, to another memory.
    pub(crate) fn move_to(&mut self, all: &Rc<Cell<usize>>) {
        let bytes = self.own;
        self.set(0);
        self.all = all.clone();
        self.set(bytes);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.set(0);
    }
}
