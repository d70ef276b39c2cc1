//! What terms are for each of a list of rows of byte values, kept: a term that is made of those that were looked at before
//! costs one evaluation of a node for 64 rows at a time.

use rustc_hash::FxHashSet;

use crate::byteset::LANES;
use crate::column::Column;
use crate::rows::Table;
use crate::term::{Node, Term};
use crate::terms::Terms;

impl Terms {
    /// In which rows a condition (one bit) holds: a bit for each, the first in the lowest bit of the first word. `None` where it
    /// depends on other bytes, too, or that would be more work than `most`: a unit is a term in 64 rows. Also the work that was done.
    pub fn rows_with(&self, cond: Term, table: &mut Table, most: usize) -> Option<(Vec<u64>, usize)> {
        let blocks = table.blocks();
        let missing = self.missing(cond, table, most / blocks.max(1))?;
        for &t in &missing {
            let column = match self.node(t) {
                Node::Byte(id) => table.byte(id)?,
                _ => self.column(t, table)?,
            };
            table.keep(t, column);
        }
        let column = &table.columns.get(&cond)?.column;
        let mut lanes = [0; LANES];
        let bits = |block| {
            column.read(block, &mut lanes);
            lanes.iter().rev().fold(0, |set, x| set << 1 | (x & 1))
        };
        Some(((0..blocks).map(bits).collect(), missing.len() * blocks))
    }

    /// The terms below this one whose values the table does not have, operands first; `None` if there are more than `most`.
    fn missing(&self, top: Term, table: &mut Table, most: usize) -> Option<Vec<Term>> {
        let mut missing = Vec::new();
        let mut seen = FxHashSet::default();
        let mut open = vec![top];
        while let Some(t) = open.pop() {
            if let Some(entry) = table.columns.get_mut(&t) {
                entry.used = true;
                continue;
            }
            if !seen.insert(t) {
                continue;
            }
            if missing.len() == most {
                return None;
            }
            missing.push(t);
            open.extend(self.children(t));
        }
        // A term is made after its operands.
        missing.sort_unstable();
        Some(missing)
    }

    fn column(&self, t: Term, table: &Table) -> Option<Column> {
        let mut operands = [None; 3];
        for (operand, child) in operands.iter_mut().zip(self.children(t)) {
            *operand = Some(&table.columns.get(&child)?.column);
        }
        let (blocks, width) = (table.blocks(), self.width(t));
        if width <= 64 && operands.iter().flatten().all(|column| !column.is_wide()) {
            let mut values = [[0; LANES]; 3];
            return Some(Column::narrow(width, blocks, |block, out| {
                for (value, operand) in values.iter_mut().zip(operands) {
                    operand.inspect(|o| o.read(block, value));
                }
                self.eval_columns(t, 0, [&values[0], &values[1], &values[2]], out);
            }));
        }
        let mut values = [[0; LANES]; 3];
        Some(Column::of_wide(width, blocks, |block, out| {
            for (value, operand) in values.iter_mut().zip(operands) {
                operand.inspect(|o| o.read_wide(block, value));
            }
            self.eval_wide_columns(t, 0, [&values[0], &values[1], &values[2]], out);
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::BinaryOp;

    /// Narrow and wide terms over two bytes, and conditions on them.
    fn conditions(terms: &mut Terms) -> Vec<Term> {
        let [a, b] = [0, 1].map(|i| terms.byte(0, i));
        let (x, y) = (terms.zext(a, 32), terms.zext(b, 32));
        let seven = terms.constant_of(32, 7);
        let product = terms.binary(BinaryOp::Mul, x, seven);
        let sum = terms.binary(BinaryOp::Add, product, y);
        let wide = terms.zext(sum, 100);
        let shift = terms.constant_of(100, 70);
        let high = terms.binary(BinaryOp::Shl, wide, shift);
        let limit = terms.constant_of(100, 900 << 70);
        let odd = terms.extract(sum, 0, 1);
        vec![terms.ult(high, limit), odd, terms.ult(y, product)]
    }

    #[test]
    fn a_condition_holds_in_the_rows_in_which_it_holds_for_a_witness() {
        let mut terms = Terms::default();
        let all = conditions(&mut terms);
        let bytes = [terms.byte_id(0, 0), terms.byte_id(0, 1)];
        let near = terms.witness(&[]);
        for count in [1, 63, 64, 65, 200] {
            let rows: Vec<u8> = (0..2 * count).map(|i: usize| (i * 37 % 251) as u8).collect();
            let mut table = Table::new(&bytes, rows);
            let half = table.part((0..count).step_by(2));
            assert_eq!(table.len(), count);
            for table in [&mut table, &mut { half }] {
                for &cond in &all {
                    let (found, _) = terms.rows_with(cond, table, 1000).unwrap();
                    for place in 0..table.len() {
                        let values = bytes.into_iter().zip(table.row(place).iter().copied());
                        let witness = terms.patched(&near, values);
                        let bit = found[place / LANES] >> (place % LANES) & 1 != 0;
                        assert_eq!(bit, terms.holds(cond, &witness), "{count} {place}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_kept_is_not_evaluated_again_and_other_bytes_and_too_much_work_are_refused() {
        let mut terms = Terms::default();
        let all = conditions(&mut terms);
        let bytes = [terms.byte_id(0, 0), terms.byte_id(0, 1)];
        let mut table = Table::new(&bytes, vec![1, 2, 3, 4]);
        assert_eq!(terms.rows_with(all[0], &mut table, 3), None);
        assert!(terms.rows_with(all[0], &mut table, 100).is_some());
        let size = table.size();
        assert!(terms.rows_with(all[0], &mut table, 0).is_some());
        assert_eq!(table.size(), size);
        // What another condition shares with it is there.
        assert!(terms.rows_with(all[2], &mut table, 100).is_some());
        let mut alone = Table::new(&bytes, vec![1, 2, 3, 4]);
        assert!(terms.rows_with(all[2], &mut alone, 100).is_some());
        assert!(table.size() - size < alone.size());
        let other = terms.byte(0, 2);
        let zero = terms.constant_of(8, 0);
        let other = terms.ne(other, zero);
        assert_eq!(terms.rows_with(other, &mut table, 100), None);
    }
}
