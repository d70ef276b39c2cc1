//! The tables that share one limit of memory, see `table_limit.rs`. The store of terms has one of it.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use crate::evaluation::rows::Table;
use crate::evaluation::share::Share;
use crate::policy::vectors;

/// The memory of all tables of a store.
pub(crate) struct TableMemory {
    held: Rc<Cell<usize>>,
    most: Cell<usize>,
    /// Vectors are dropped once more bytes than these are held: a little more than were left last time.
    due: Cell<usize>,
    tables: RefCell<Vec<Weak<RefCell<Table>>>>,
    /// Length of `tables` at which entries of dropped tables are removed.
    purge: Cell<usize>,
}

impl Default for TableMemory {
    fn default() -> Self {
        TableMemory {
            held: Rc::default(),
            most: Cell::new(vectors::TABLES),
            due: Cell::new(vectors::TABLES),
            tables: RefCell::default(),
            purge: Cell::new(vectors::LEAST_PURGED),
        }
    }
}

impl TableMemory {
    /// Puts a table under the limit.
    pub(crate) fn add(&self, mut table: Table) -> Rc<RefCell<Table>> {
        table.share().move_to(&self.held);
        let table = Rc::new(RefCell::new(table));
        let mut tables = self.tables.borrow_mut();
        if tables.len() >= self.purge.get() {
            tables.retain(|table| table.strong_count() > 0);
            self.purge.set((2 * tables.len()).max(vectors::LEAST_PURGED));
        }
        tables.push(Rc::downgrade(&table));
        table
    }

    /// Sets the limit, in bytes.
    pub(crate) fn limit(&self, most: usize) {
        if self.most.replace(most) != most {
            self.due.set(most);
        }
    }

    /// A share for something that is no table.
    pub(crate) fn share(&self) -> Share {
        Share::of(&self.held)
    }

    /// Bytes held, and the limit.
    pub(crate) fn held_of(&self) -> (usize, usize) {
        (self.held.get(), self.most.get())
    }

    /// If too much is held, drops vectors that were not used since the last call, then all, until a quarter of the memory
    /// is free. A table that is borrowed keeps its own.
    #[inline]
    pub(crate) fn fit(&self) {
        if self.held.get() > self.due.get() {
            self.drop_some();
        }
    }

    fn drop_some(&self) {
        let tables: Vec<_> = self.tables.borrow().iter().filter_map(Weak::upgrade).collect();
        for round in 0..2 {
            for table in &tables {
                let Ok(mut table) = table.try_borrow_mut() else { continue };
                table.forget_unused();
                if round > 0 {
                    table.inherit_nothing();
                }
            }
            if self.held.get() <= self.most.get() / 4 * 3 {
                break;
            }
        }
        self.due.set(self.most.get().max(self.held.get() + self.most.get() / vectors::SLACK));
    }

    /// Number of tables that are watched, some of which may be gone.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.tables.borrow().len()
    }
}
