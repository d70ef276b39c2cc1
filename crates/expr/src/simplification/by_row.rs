//! Table-encoded terms: a term over a few bytes becomes an entry of a constant table, at the number of the row that the test is.
//! The engine calls it, through the solver, for paths whose models are enumerated. The form depends on the rows and the term, not
//! on the rows' order.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::evaluation::column::Column;
use crate::evaluation::rows::{Numbers, Table};
use crate::evaluation::semantics::mask64;
use crate::policy::paths;
use crate::store::term::{ByteId, Term};
use crate::store::terms::Terms;

/// Number of bits of the numbers below `n`, at least one.
fn bits_below(n: usize) -> u8 {
    (usize::BITS - n.saturating_sub(1).leading_zeros()).max(1) as u8
}

impl Terms {
    /// A term that equals `t` in the table's rows whose bit is set in `rows` (at least one) and contains none of the terms below
    /// `t`: an entry of a constant table. The index is the number of the bytes' values among those of the rows. In other rows and
    /// tests the term takes only values that `t` has in these rows. `None` if `t` depends on other bytes, there are more rows for
    /// each step of `t` than `rows_of_a_step`, or the tables that number the rows would be too large. The form is a function of
    /// the rows and `t` and does not depend on their order.
    pub fn by_row(
        &mut self,
        t: Term,
        table: &mut Table,
        rows: &[u64],
        rows_of_a_step: usize,
    ) -> Option<Term> {
        let bytes = self.bytes_of(t);
        if !table.numbers.contains_key(&bytes) {
            let numbers = self.find_numbers(table, &bytes).map(Rc::new);
            table.numbers.insert(bytes.clone(), numbers);
        }
        let numbers = table.numbers.get(&bytes)?.clone()?;
        if numbers.count() > rows_of_a_step.saturating_mul(self.depth(t).max(1).into()) {
            return None;
        }
        let rows = numbers.rows(rows);
        if rows.is_empty() {
            return None;
        }
        let (width, number) = (self.width(t), numbers.number);
        let column = self.column_of(t, table)?.at(&rows);
        Some(match column {
            Column::Bytes(all) => self.at_number(width, &all, number),
            Column::Halves(all) => self.at_number(width, &all, number),
            Column::Words(all) => self.at_number(width, &all, number),
            Column::Longs(all) => self.at_number(width, &all, number),
            Column::Wide(all) => {
                let part = |low: u8, width: u8| -> Vec<u64> {
                    all.iter().map(|v| (v >> low) as u64 & mask64(width)).collect()
                };
                let (low, high) = (part(0, 64), part(64, width - 64));
                let (low, high) =
                    (self.at_number(64, &low, number), self.at_number(width - 64, &high, number));
                self.concat(high, low)
            }
        })
    }

    /// The entry of a new constant table at index `number`.
    fn at_number<T: Copy + Ord + Into<u64>>(&mut self, width: u8, entries: &[T], number: Term) -> Term {
        let entries = self.intern_bounded_table(width, entries);
        self.table(entries, number)
    }

    /// The rank of some bytes' values among those of the rows, as a term: an entry of one table for the first byte, of another
    /// for that result and the next byte, and so on, in the order of the bytes in the test. Values of no row get the number of
    /// some row.
    fn find_numbers(&mut self, table: &Table, bytes: &[ByteId]) -> Option<Numbers> {
        if table.len() > paths::NUMBERED_ROWS {
            return None;
        }
        let mut bytes = bytes.to_vec();
        bytes.sort_by_key(|id| self.byte_position(*id));
        // The rank of each row's values of the bytes so far; and the same as a term, with its width.
        let mut numbers = vec![0usize; table.len()];
        let mut number: Option<(Term, u8)> = None;
        for id in bytes {
            let at = table.bytes().iter().position(|b| *b == id)?;
            let value = |row: usize| table.row(row).get(at).copied().unwrap_or(0);
            let values: BTreeSet<u8> = (0..table.len()).map(value).collect();
            if values.len() < 2 {
                continue;
            }
            let width = bits_below(values.len());
            let joint_width = number.map_or(0, |(_, width)| width) + width;
            if 1 << joint_width > paths::NUMBERED_ENTRIES {
                return None;
            }
            let mut classes = [0u64; 256];
            for (class, &value) in values.iter().enumerate() {
                classes[usize::from(value)] = class as u64;
            }
            for (row, number) in numbers.iter_mut().enumerate() {
                *number = *number << width | classes[usize::from(value(row))] as usize;
            }
            let there: BTreeSet<usize> = numbers.iter().copied().collect();
            let mut entries = vec![0u64; 1 << joint_width];
            for (i, joint) in there.iter().enumerate() {
                entries[*joint] = i as u64;
            }
            numbers.iter_mut().for_each(|number| *number = entries[*number] as usize);
            let (object, offset) = self.byte_position(id);
            let byte = self.byte(object, offset);
            let classes = self.intern_table(width, &classes);
            let class = self.table(classes, byte);
            let joint = match number {
                None => class,
                Some((before, _)) => self.concat(before, class),
            };
            let width = bits_below(there.len());
            let entries = self.intern_bounded_table(width, &entries);
            number = Some((self.table(entries, joint), width));
        }
        let of_rows = numbers.into_iter().map(|number| number as u32).collect();
        number.map(|(number, _)| Numbers::new(number, of_rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::byteset::LANES;
    use crate::store::term::{BinaryOp, Node};

    /// A generator of pseudo-random numbers below `most`.
    fn dice(seed: u32) -> impl FnMut(u32) -> u32 {
        let mut x = seed;
        move |most| {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (x >> 8) % most
        }
    }

    /// True if `t` consists only of bytes, constants, table entries and their concatenations.
    fn is_shallow(terms: &Terms, t: Term) -> bool {
        match terms.node(t) {
            Node::Byte(_) | Node::Const(_) | Node::WideConst(_) => true,
            Node::Table(_, index) => is_shallow(terms, index),
            Node::Zext(a) | Node::Extract(a, _) => is_shallow(terms, a),
            Node::Binary(BinaryOp::Concat | BinaryOp::Or | BinaryOp::Shl, a, b) => {
                is_shallow(terms, a) && is_shallow(terms, b)
            }
            _ => false,
        }
    }

    #[test]
    fn an_entry_is_what_the_term_is_in_the_rows_that_are_left() {
        let mut refused = 0;
        for seed in 0..400 {
            let mut dice = dice(seed);
            let mut terms = Terms::default();
            let n = 1 + dice(4);
            let bytes: Vec<Term> = (0..n).map(|i| terms.byte(0, i)).collect();
            let ids: Vec<ByteId> = (0..n).map(|i| terms.byte_id(0, i)).collect();
            let mut kind = || {
                let most = if dice(4) == 0 { 256 } else { 12 };
                1 + dice(most)
            };
            let kinds: Vec<u32> = (0..n).map(|_| kind()).collect();
            let rows: BTreeSet<Vec<u8>> = (0..1 + dice(300))
                .map(|_| kinds.iter().map(|k| (dice(*k) * 7 + 3) as u8).collect())
                .collect();
            // Not in the order of their values.
            let mut rows: Vec<Vec<u8>> = rows.into_iter().collect();
            for i in (1..rows.len()).rev() {
                rows.swap(i, dice(i as u32 + 1) as usize);
            }
            let mut table = Table::new(&ids, rows.concat());
            let mut left: Vec<u64> = (0..table.blocks()).map(|_| 0).collect();
            for row in 0..rows.len() {
                if row == 0 || dice(3) > 0 {
                    left[row / LANES] |= 1 << (row % LANES);
                }
            }
            let width = [1, 7, 8, 32, 64, 65, 80, 128][dice(8) as usize];
            let mut t = terms.resize(bytes[0], width);
            for byte in &bytes {
                let byte = terms.resize(*byte, width);
                let op = [BinaryOp::Mul, BinaryOp::Add, BinaryOp::Xor][dice(3) as usize];
                let factor = terms.constant_of(width, 0x1234_5678_9abc_def1_0fed_cba9_8765_4321);
                t = terms.binary(BinaryOp::Mul, t, factor);
                t = terms.binary(op, t, byte);
            }
            // Then with fewer rows left.
            for round in 0..2 {
                for row in (1..rows.len()).filter(|_| round == 1) {
                    if dice(3) == 0 {
                        left[row / LANES] &= !(1 << (row % LANES));
                    }
                }
                let Some(entry) = terms.by_row(t, &mut table, &left, usize::MAX) else {
                    refused += 1;
                    break;
                };
                assert_eq!(terms.width(entry), width);
                assert!(is_shallow(&terms, entry), "{}", terms.text(entry, 9));
                let of_all = terms.values_of_rows(entry, &mut table).expect("of these bytes");
                if width <= 64 {
                    let bounds = of_all.iter().map(|v| *v as u64);
                    assert_eq!(terms.range(entry), (bounds.clone().min().unwrap(), bounds.max().unwrap()));
                }
                let near = terms.witness(&[]);
                let mut values = BTreeSet::new();
                for row in (0..rows.len()).filter(|row| left[row / LANES] >> (row % LANES) & 1 != 0) {
                    let witness = terms.patched(&near, ids.iter().copied().zip(rows[row].iter().copied()));
                    let value = terms.eval_wide(t, &witness);
                    assert_eq!(terms.eval_wide(entry, &witness), value, "seed {seed} row {row}");
                    values.insert(value);
                }
                // Other tests have one of these values.
                for _ in 0..50 {
                    let input: Vec<u8> = (0..n).map(|_| dice(256) as u8).collect();
                    let witness = terms.witness(&input);
                    assert!(values.contains(&terms.eval_wide(entry, &witness)), "seed {seed}");
                }
                // A sum of entries has the same values in the remaining rows as the sum of the terms.
                let (more, same) = (terms.add(entry, entry), terms.add(t, t));
                let [more, same] =
                    [more, same].map(|t| terms.values_of_rows(t, &mut table).expect("of these bytes"));
                let is_left = |row: &usize| left[row / LANES] >> (row % LANES) & 1 != 0;
                for row in (0..rows.len()).filter(is_left) {
                    assert_eq!(more[row], same[row], "seed {seed} row {row}");
                }
            }
        }
        // `by_row` gives `None` if all rows have the same bytes.
        assert!(refused < 40, "{refused}");
    }

    #[test]
    fn of_each_number_a_row_is_taken_that_is_left_also_when_others_are_left() {
        let mut terms = Terms::default();
        let byte = terms.byte(0, 0);
        let numbers = Numbers::new(byte, vec![0, 1, 0, 2, 1]);
        for _ in 0..2 {
            assert_eq!(&*numbers.rows(&[0b11111]), [2, 4, 3]);
            assert_eq!(&*numbers.rows(&[0b00011]), [0, 1, 0]);
            assert_eq!(&*numbers.rows(&[0b11000]), [4, 4, 3]);
            assert!(numbers.rows(&[0]).is_empty() && numbers.rows(&[]).is_empty());
        }
        assert_eq!(numbers.count(), 3);
    }

    #[test]
    fn the_form_of_an_entry_depends_neither_on_the_order_of_rows_nor_on_who_met_a_byte_first() {
        for seed in 0..200 {
            let mut dice = dice(seed);
            let rows: BTreeSet<[u8; 3]> =
                (0..2 + dice(200)).map(|_| [dice(9), dice(30), dice(4)].map(|v| v as u8)).collect();
            let left: BTreeSet<[u8; 3]> = rows.iter().filter(|_| dice(3) > 0).copied().collect();
            if left.is_empty() {
                continue;
            }
            let mut forms = BTreeSet::new();
            for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
                let mut terms = Terms::default();
                let mut rows: Vec<[u8; 3]> = rows.iter().copied().collect();
                if order[0] > 0 {
                    for i in (1..rows.len()).rev() {
                        rows.swap(i, dice(i as u32 + 1) as usize);
                    }
                }
                let ids = order.map(|i| terms.byte_id(0, i as u32));
                let [a, _, c] = [0, 1, 2].map(|i| terms.byte(0, i));
                let flat = rows.iter().flat_map(|row| order.map(|i| row[i])).collect();
                let mut table = Table::new(&ids, flat);
                let mut bits = vec![0; table.blocks()];
                for (place, _) in rows.iter().enumerate().filter(|(_, row)| left.contains(*row)) {
                    bits[place / LANES] |= 1 << (place % LANES);
                }
                let [x, y] = [a, c].map(|byte| terms.zext(byte, 32));
                let product = terms.mul(x, y);
                let more = terms.constant_of(32, 1000 + u128::from(seed));
                let sum = terms.add(product, more);
                let entry = terms.by_row(sum, &mut table, &bits, usize::MAX);
                forms.insert(entry.map(|entry| (terms.hash_of(entry), terms.range(entry))));
            }
            assert_eq!(forms.len(), 1, "seed {seed}");
        }
    }

    #[test]
    fn there_is_none_for_other_bytes_and_too_many_values() {
        let mut terms = Terms::default();
        let [a, b, c] = [0, 1, 2].map(|i| terms.byte(0, i));
        let ids: Vec<ByteId> = (0..2).map(|i| terms.byte_id(0, i)).collect();
        let sum = terms.add(a, c);
        let rows: Vec<u8> = (0..600u32).flat_map(|i| [(i % 250) as u8, (i / 3) as u8]).collect();
        let mut table = Table::new(&ids, rows);
        let left = vec![u64::MAX; table.blocks()];
        assert_eq!(terms.by_row(sum, &mut table, &left, usize::MAX), None);
        let sum = terms.add(a, b);
        assert!(terms.by_row(sum, &mut table, &left, usize::MAX).is_some());
        let ids: Vec<ByteId> = (0..3).map(|i| terms.byte_id(0, i)).collect();
        let rows: Vec<u8> =
            (0..3000u32).flat_map(|i| [(i % 250) as u8, (i * 7 / 3) as u8, (i / 11) as u8]).collect();
        let mut table = Table::new(&ids, rows);
        let left = vec![u64::MAX; table.blocks()];
        // Two of these bytes have fewer combinations of values.
        assert!(terms.by_row(sum, &mut table, &left, usize::MAX).is_some());
        let sum = terms.add(sum, c);
        assert_eq!(terms.by_row(sum, &mut table, &left, usize::MAX), None);
    }
}
