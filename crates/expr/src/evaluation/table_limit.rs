//! One limit of memory for all that is computed from enumerated models and can be computed again: value vectors of tables, and
//! the solver's cached lists. `domain`, the path's models and the solver's caches report to it.

use std::cell::RefCell;
use std::rc::Rc;

use crate::evaluation::rows::Table;
use crate::evaluation::share::Share;
use crate::policy::vectors;
use crate::store::terms::Terms;

impl Terms {
    /// The limit of [`Terms::limit_tables`] unless it is set, in bytes.
    pub const TABLE_MEMORY: usize = vectors::TABLES;

    /// Limits the memory of all value vectors and cached lists, in bytes.
    pub fn limit_tables(&self, bytes: usize) {
        self.table_memory.limit(bytes);
    }

    /// A table that counts for the limit, and whose value vectors are dropped if all are too large.
    pub fn shared(&self, table: Table) -> Rc<RefCell<Table>> {
        self.table_memory.add(table)
    }

    /// A share of the limited memory, for lists that their owner drops when [`Terms::tables_are_full`].
    pub fn share(&self) -> Share {
        self.table_memory.share()
    }

    /// Drops value vectors if there are too many. Called after vectors were made, while no table is borrowed.
    #[inline]
    pub fn fit_tables(&self) {
        self.table_memory.fit();
    }

    /// True if more is held than the limit allows, after [`Terms::fit_tables`] by others than value vectors.
    pub fn tables_are_full(&self) -> bool {
        let (held, most) = self.table_memory.held_of();
        held > most
    }

    /// Bytes held by value vectors and cached lists, and their limit.
    pub fn tables_held(&self) -> (usize, usize) {
        self.table_memory.held_of()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::term::{BinaryOp, Term};

    /// Another term on two bytes for each number.
    fn term(terms: &mut Terms, number: u32) -> Term {
        let [a, b] = [0, 1].map(|i| {
            let byte = terms.byte(0, i);
            terms.zext(byte, 32)
        });
        let factor = terms.constant_of(32, u128::from(2 * number + 3));
        let product = terms.binary(BinaryOp::Mul, a, factor);
        terms.binary(BinaryOp::Xor, product, b)
    }

    #[test]
    fn vectors_of_all_tables_stay_within_one_limit_and_are_right_when_computed_again() {
        const LIMIT: usize = 1 << 17;
        let mut terms = Terms::default();
        terms.limit_tables(LIMIT);
        let ids = [terms.byte_id(0, 0), terms.byte_id(0, 1)];
        let rows: Vec<u8> = (0..1000u32).flat_map(|i| [(i % 251) as u8, (i / 3) as u8]).collect();
        let tables: Vec<_> = (0..8).map(|_| terms.shared(Table::new(&ids, rows.clone()))).collect();
        let mut most = 0;
        for number in 0..400u32 {
            let t = term(&mut terms, number % 100);
            for table in &tables {
                let found = terms.values_of_rows(t, &mut table.borrow_mut()).expect("of these bytes");
                terms.fit_tables();
                most = most.max(terms.tables_held().0);
                let row = number as usize;
                let [a, b] = [rows[2 * row], rows[2 * row + 1]].map(u128::from);
                assert_eq!(found[row], (a * u128::from(2 * (number % 100) + 3)) ^ b, "{number}");
            }
        }
        assert!(most > LIMIT / 2 && most <= LIMIT, "{most}");
        drop(tables);
        assert_eq!(terms.tables_held().0, 0);
    }

    #[test]
    fn what_its_owner_keeps_counts_and_is_given_back() {
        let terms = Terms::default();
        terms.limit_tables(1000);
        let (mut one, mut other) = (terms.share(), terms.share());
        one.set(600);
        other.set(300);
        assert!(terms.tables_held().0 == 900 && !terms.tables_are_full());
        other.set(500);
        assert!(terms.tables_are_full());
        drop(one);
        other.set(20);
        assert_eq!(terms.tables_held().0, 20);
    }

    #[test]
    fn tables_that_are_gone_leave_nothing() {
        let mut terms = Terms::default();
        let id = terms.byte_id(0, 0);
        for _ in 0..10_000 {
            terms.shared(Table::new(&[id], vec![1, 2, 3]));
        }
        assert!(terms.table_memory.len() <= vectors::LEAST_PURGED);
        assert_eq!(terms.tables_held().0, 0);
    }
}
