//! Evaluation of terms in all rows of a table, with cached value vectors: a term whose operands are cached
//! costs one evaluation of a node for 64 rows at a time. The solver's lists of models call it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::domains::byteset::LANES;
use crate::evaluation::column::Column;
use crate::evaluation::lane_eval::asked;
use crate::evaluation::lanes::{Value, holding, of_kind};
use crate::evaluation::limit::Limit;
use crate::evaluation::rows::Table;
use crate::policy::{paths, vectors};
use crate::store::term::{Node, Term};
use crate::store::terms::Terms;

/// The place of an operand's values.
#[derive(Clone, Copy)]
enum Source<'a, V> {
    Constant(V),
    /// In this slot, because it is computed in the same pass.
    Missing(usize),
    Column(&'a Column),
}

/// The evaluation of a term in a block of rows.
struct Step<'a, V> {
    sources: [Option<Source<'a, V>>; 3],
    /// The slot for its values.
    slot: usize,
}

impl Terms {
    /// The rows in which a condition (one bit) holds, a bit for each, the first in the lowest bit of the first word; and the work
    /// done. `None` if the condition depends on other bytes or on unused bits of these, if it needs more work than `most` (a unit
    /// is a term in 64 rows), or if the limit says stop; value vectors that were computed until then are kept.
    pub fn rows_with<'a>(
        &self,
        cond: Term,
        table: &mut Table,
        most: impl Into<Limit<'a>>,
    ) -> Option<(Vec<u64>, usize)> {
        let limit = most.into();
        let blocks = table.blocks();
        let missing = self.missing(cond, table, Limit { most: limit.most / blocks.max(1), ..limit })?;
        self.count(((missing.len() + 1) * blocks) as u64, missing.len() as u64);
        for &t in &missing {
            if limit.is_over() {
                return None;
            }
            let column = match self.node(t) {
                Node::Byte(id) => table.byte(id)?,
                _ => self.column(t, table)?,
            };
            table.keep(t, column);
        }
        Some((table.columns.get(&cond)?.column.holds(), missing.len() * blocks))
    }

    /// As [`Terms::rows_with`] for several conditions and only for rows of `left`, for tables of many rows: no value vectors are
    /// kept. A floating-point operation that computes a number counts as many terms.
    pub fn rows_of<'a>(
        &self,
        conds: &[Term],
        table: &Table,
        left: &[u64],
        most: impl Into<Limit<'a>>,
    ) -> Option<(Vec<u64>, usize)> {
        let limit = most.into();
        let blocks = left.iter().filter(|block| **block != 0).count();
        let below = self.below(conds, limit.most / blocks.max(1))?;
        let work = self.work_of(&below) * blocks;
        if work > limit.most || self.hides_some(table, &below) {
            return None;
        }
        self.count(work as u64, below.len() as u64);
        let (holds, _) = self.rows_holding(&below, conds, (table, left), limit)?;
        Some((holds, work))
    }

    /// As [`Terms::rows_of`], one condition after the other: a block of 64 rows in which a condition never holds costs nothing
    /// for the conditions behind it. The work depends only on the rows, and on the conditions and their order.
    pub fn rows_in_turn(
        &self,
        conds: &[Term],
        table: &Table,
        left: &[u64],
        most: usize,
    ) -> Option<(Vec<u64>, usize)> {
        let below = self.in_turn(conds, paths::FILTERED_TERMS)?;
        if self.hides_some(table, &below) {
            return None;
        }
        let found = self.rows_holding(&below, conds, (table, left), Limit::from(most));
        let work = found.as_ref().map_or(most, |(_, work)| *work);
        self.count(work as u64, below.len() as u64);
        found
    }

    /// Conditions and all terms below them, operands first, those of the first condition before those of the next; `None` if
    /// there are more than `most`.
    fn in_turn(&self, conds: &[Term], most: usize) -> Option<Vec<(Term, [u32; 3])>> {
        let mut places: FxHashMap<Term, u32> = FxHashMap::default();
        let mut below = Vec::new();
        let mut open: Vec<Term> = conds.iter().rev().copied().collect();
        while let Some(&t) = open.last() {
            let before = open.len();
            if !places.contains_key(&t) {
                open.extend(self.children(t).filter(|child| !places.contains_key(child)));
            }
            if open.len() > before {
                continue;
            }
            open.pop();
            if places.contains_key(&t) {
                continue;
            }
            if below.len() == most {
                return None;
            }
            let mut operands = [0; 3];
            for (operand, child) in operands.iter_mut().zip(self.children(t)) {
                *operand = *places.get(&child)?;
            }
            places.insert(t, below.len() as u32);
            below.push((t, operands));
        }
        Some(below)
    }

    /// The rows of `left` in which all conditions hold, and the work done; `below` are the conditions and all terms below them.
    fn rows_holding(
        &self,
        below: &[(Term, [u32; 3])],
        conds: &[Term],
        (table, left): (&Table, &[u64]),
        limit: Limit<'_>,
    ) -> Option<(Vec<u64>, usize)> {
        let width = self.widest(below.iter().map(|(node, _)| *node));
        of_kind!(width, V => {
            let mut columns = V::room(below.len());
            let found = self.rows_holding_of::<V>(below, conds, (table, left), limit, &mut columns);
            V::give_back(columns);
            found
        })
    }

    /// `columns` may hold anything: values are written before they are read.
    fn rows_holding_of<V: Value>(
        &self,
        below: &[(Term, [u32; 3])],
        conds: &[Term],
        (table, left): (&Table, &[u64]),
        limit: Limit<'_>,
        columns: &mut [[V; LANES]],
    ) -> Option<(Vec<u64>, usize)> {
        let asked = asked(below, conds);
        // The block, from 1, for which each column was computed: most are the same in the next block.
        let mut made_for = vec![0; below.len()];
        let mut holds = Vec::with_capacity(left.len());
        let mut work = 0;
        for (block, &left) in left.iter().enumerate() {
            if work > limit.most || limit.is_over() {
                return None;
            }
            let mut alive = left;
            for (place, (node, operands)) in below.iter().enumerate() {
                if alive == 0 {
                    break;
                }
                work += self.work_of_one(*node);
                let (before, rest) = columns.split_at_mut(place);
                let Some(out) = rest.first_mut() else { break };
                let since = made_for[place];
                let stale = match self.node(*node) {
                    Node::Byte(id) => {
                        let last = *out;
                        table.fill(id, block, out)?;
                        since == 0 || *out != last
                    }
                    _ => self.eval_anew((*node, *operands), (before, &made_for), since, out),
                };
                if stale {
                    made_for[place] = block + 1;
                }
                if asked[place] {
                    alive &= holding(out);
                }
            }
            holds.push(alive);
        }
        (work <= limit.most).then_some((holds, work))
    }

    /// True if the evaluation of conditions in 64 rows is more work than `most`.
    pub fn are_larger(&self, conds: &[Term], most: usize) -> bool {
        self.below(conds, most).is_none_or(|below| self.work_of(&below) > most)
    }

    /// The work of evaluating terms in 64 rows.
    fn work_of(&self, below: &[(Term, [u32; 3])]) -> usize {
        below.iter().map(|(t, _)| self.work_of_one(*t)).sum()
    }

    fn work_of_one(&self, t: Term) -> usize {
        match self.node(t) {
            Node::Float(op, ..) if op.calculates() => paths::FLOAT_FUEL,
            _ => 1,
        }
    }

    /// The rows in which a condition holds, as [`Terms::rows_with`] without a limit of work.
    pub fn rows_where(&self, cond: Term, table: &mut Table) -> Option<Vec<u64>> {
        self.make(cond, table)?;
        Some(table.columns.get(&cond)?.column.holds())
    }

    /// The value of a term in all rows whose bit is set, at least one; `None` if it has several values, or depends on other
    /// bytes.
    pub fn only_value(&self, t: Term, table: &mut Table, rows: &[u64]) -> Option<u128> {
        self.make(t, table)?;
        table.columns.get(&t)?.column.only(rows)
    }

    /// The value vector of a term; `None` if it depends on other bytes.
    pub(crate) fn column_of<'a>(&self, t: Term, table: &'a mut Table) -> Option<&'a Column> {
        self.make(t, table)?;
        table.columns.get(&t).map(|entry| &entry.column)
    }

    /// The values of a term in all rows.
    #[cfg(test)]
    pub(crate) fn values_of_rows(&self, t: Term, table: &mut Table) -> Option<Vec<u128>> {
        self.make(t, table)?;
        let column = &table.columns.get(&t)?.column;
        let (mut values, mut lanes) = (Vec::with_capacity(table.len()), [0u128; LANES]);
        for block in 0..table.blocks() {
            column.read(block, &mut lanes);
            values.extend_from_slice(&lanes[..LANES.min(table.len() - block * LANES)]);
        }
        Some(values)
    }

    /// Computes the value vector of a term; `None` if it depends on other bytes.
    fn make(&self, top: Term, table: &mut Table) -> Option<()> {
        let missing = self.missing(top, table, Limit::from(usize::MAX))?;
        self.count(((missing.len() + 1) * table.blocks()) as u64, missing.len() as u64);
        if missing.len() * table.blocks() > vectors::MANY_BLOCKS {
            return self.make_many(&missing, table);
        }
        for &t in &missing {
            let column = match self.node(t) {
                Node::Byte(id) => table.byte(id)?,
                _ => self.column(t, table)?,
            };
            table.keep(t, column);
        }
        Some(())
    }

    /// Computes the value vectors of many terms block by block, operands first. The table keeps the last one, which is the
    /// result, and those that are operands of other terms, up to `vectors::KEPT_BYTES`: the next term may need them.
    fn make_many(&self, missing: &[Term], table: &mut Table) -> Option<()> {
        let width = self.widest(missing.iter().flat_map(|t| self.children(*t).chain([*t])));
        let columns = of_kind!(width, V => self.many_columns::<V>(missing, table)?);
        for (t, column) in columns {
            table.keep(t, column);
        }
        Some(())
    }

    /// The subset of these terms that are operands of terms outside of them, conditions excluded. `of` is in the order of
    /// creation.
    fn used_by_others(&self, of: &[Term]) -> FxHashSet<Term> {
        let Some(first) = of.first().map(|t| t.index()) else { return FxHashSet::default() };
        let mut inside = vec![false; self.nodes.len() - first];
        for t in of {
            inside[t.index() - first] = true;
        }
        let is_inside = |t: &Term| t.index() >= first && inside[t.index() - first];
        let nodes = self.nodes[first..].iter().zip(&self.infos[first..]).zip(&inside);
        let others = nodes.filter(|((_, info), inside)| !**inside && info.width > 1);
        others.flat_map(|((node, _), _)| node.operands()).filter(is_inside).collect()
    }

    fn many_columns<V: Value>(&self, missing: &[Term], table: &Table) -> Option<Vec<(Term, Column)>> {
        let mut room = vectors::KEPT_BYTES;
        let mut kept: Vec<(usize, Column)> = Vec::new();
        let used = self.used_by_others(missing);
        for (place, t) in missing.iter().enumerate().rev() {
            if !kept.is_empty() && !used.contains(t) {
                continue;
            }
            let width = self.width(*t);
            // A value takes a whole number of bytes that is a power of two.
            room = room.saturating_sub(usize::from(width).next_power_of_two().max(8) / 8 * table.len());
            if room == 0 && !kept.is_empty() {
                break;
            }
            kept.push((place, Column::with_room(width, table.len())));
        }
        let steps = self.steps(missing, table)?;
        let mut values = vec![[V::ZERO; LANES]; steps.iter().map(|step| step.slot + 1).max().unwrap_or(0)];
        let (mut read, mut out) = ([[V::ZERO; LANES]; 3], [V::ZERO; LANES]);
        for block in 0..table.blocks() {
            let rows = LANES.min(table.len() - block * LANES);
            // They are in falling order of their places.
            let mut to_keep = kept.iter_mut().rev().peekable();
            for (place, (&t, step)) in missing.iter().zip(&steps).enumerate() {
                if let Node::Byte(id) = self.node(t) {
                    table.fill(id, block, &mut out)?;
                } else {
                    for (read, source) in read.iter_mut().zip(&step.sources) {
                        match source {
                            Some(Source::Constant(v)) => read.fill(*v),
                            Some(Source::Column(column)) => column.read(block, read),
                            Some(Source::Missing(_)) | None => (),
                        }
                    }
                    let operand = |i: usize| match step.sources[i] {
                        Some(Source::Missing(slot)) => &values[slot],
                        _ => &read[i],
                    };
                    self.eval_columns(t, 0, [operand(0), operand(1), operand(2)], &mut out);
                }
                values[step.slot] = out;
                if let Some((_, column)) = to_keep.next_if(|(kept, _)| *kept == place) {
                    column.append(&out[..rows]);
                }
            }
        }
        Some(kept.into_iter().map(|(place, column)| (missing[place], column)).collect())
    }

    /// The sources of the operands of each of these terms, and the slot for its own values: slots whose values are no longer
    /// needed are reused. So the slots fit the processor's cache, and hundreds of thousands of terms take little memory.
    fn steps<'a, V: Value>(&self, missing: &[Term], table: &'a Table) -> Option<Vec<Step<'a, V>>> {
        let places: FxHashMap<Term, usize> = missing.iter().enumerate().map(|(i, t)| (*t, i)).collect();
        let mut last_use: Vec<usize> = (0..missing.len()).collect();
        for (place, t) in missing.iter().enumerate() {
            self.children(*t).filter_map(|child| places.get(&child)).for_each(|used| last_use[*used] = place);
        }
        let (mut steps, mut free): (Vec<Step<'a, V>>, Vec<usize>) =
            (Vec::with_capacity(missing.len()), Vec::new());
        let mut slots = 0;
        for (place, &t) in missing.iter().enumerate() {
            let mut sources = [None; 3];
            for (source, child) in sources.iter_mut().zip(self.children(t)) {
                *source = Some(match (self.constant(child), places.get(&child)) {
                    (Some(v), _) => Source::Constant(V::from_wide(v)),
                    (None, Some(before)) => Source::Missing(steps.get(*before)?.slot),
                    (None, None) => Source::Column(&table.columns.get(&child)?.column),
                });
            }
            // The values are stored after all operands have been read.
            for before in self.children(t).filter_map(|child| places.get(&child)) {
                if last_use[*before] == place {
                    free.push(steps[*before].slot);
                    last_use[*before] = usize::MAX;
                }
            }
            let slot = free.pop().unwrap_or(slots);
            slots = slots.max(slot + 1);
            if last_use[place] == place {
                free.push(slot);
            }
            steps.push(Step { sources, slot });
        }
        Some(steps)
    }

    /// True if one of these terms uses bits of a byte that the table's rows do not determine.
    fn hides_some(&self, table: &Table, terms: &[(Term, [u32; 3])]) -> bool {
        terms.iter().any(|(t, _)| self.children(*t).any(|child| self.hides(table, *t, child)))
    }

    /// True if a term uses bits of its operand, a byte, that the table's rows do not determine.
    fn hides(&self, table: &Table, t: Term, operand: Term) -> bool {
        let Node::Byte(id) = self.node(operand) else { return false };
        table.seen_of(id).is_some_and(|seen| self.seen_by(t) & !seen != 0)
    }

    /// True if these conditions distinguish values for which one row stands.
    pub fn are_hidden(&self, conds: &[Term], table: &Table) -> bool {
        let mut known = FxHashSet::default();
        let mut open = conds.to_vec();
        while let Some(t) = open.pop() {
            if table.columns.contains_key(&t) || !known.insert(t) {
                continue;
            }
            if self.children(t).any(|child| self.hides(table, t, child)) {
                return true;
            }
            open.extend(self.children(t));
        }
        false
    }

    /// The terms below this one, and itself, whose value vectors the table does not have, operands first; `None` if there are
    /// more than the limit, or if one of them uses bits that the rows do not determine.
    fn missing(&self, top: Term, table: &mut Table, limit: Limit<'_>) -> Option<Vec<Term>> {
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
            if let Some(column) = table.inherited(t) {
                table.keep(t, column);
                continue;
            }
            if missing.len() == limit.most || (missing.len().is_multiple_of(vectors::LOOK) && limit.is_over())
            {
                return None;
            }
            if t != top && self.constant(t).is_some() {
                continue;
            }
            if self.children(t).any(|child| self.hides(table, t, child)) {
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
        let (mut operands, mut constants) = ([None; 3], [0; 3]);
        for ((operand, constant), child) in operands.iter_mut().zip(&mut constants).zip(self.children(t)) {
            match self.constant(child) {
                Some(v) => *constant = v,
                None => *operand = Some(&table.columns.get(&child)?.column),
            }
        }
        let width = self.widest(self.children(t).chain([t]));
        of_kind!(width, V => {
            let mut values = constants.map(|v| [V::from_wide(v); LANES]);
            Some(Column::of(self.width(t), table.len(), |block, out| {
                for (value, operand) in values.iter_mut().zip(operands) {
                    operand.inspect(|o| o.read(block, value));
                }
                self.eval_columns(t, 0, [&values[0], &values[1], &values[2]], out);
            }))
        })
    }

    /// A quick, incomplete test that the rows determine a term: true if the term or all its operands are constants or have value
    /// vectors, or if it is a byte of the rows.
    pub fn is_of_rows(&self, t: Term, table: &Table) -> bool {
        let has = |t: Term| self.constant(t).is_some() || table.columns.contains_key(&t);
        match self.node(t) {
            Node::Byte(id) => table.bytes().contains(&id),
            _ => has(t) || self.children(t).all(has),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::byteset::ByteSet;
    use crate::store::term::BinaryOp;

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
    fn in_turn_the_same_rows_are_left_and_the_work_is_that_of_the_conditions_in_their_order() {
        let mut works = Vec::new();
        for first in [false, true] {
            let mut terms = Terms::default();
            if first {
                // These terms are made first, so that the others have other indices.
                let b = terms.byte(0, 1);
                let y = terms.zext(b, 32);
                let seven = terms.constant_of(32, 7);
                terms.binary(BinaryOp::Mul, y, seven);
            }
            let all = conditions(&mut terms);
            let bytes = [terms.byte_id(0, 0), terms.byte_id(0, 1)];
            let rows: Vec<u8> = (0..2 * 1000).map(|i: usize| (i * 37 % 251) as u8).collect();
            let table = Table::new(&bytes, rows);
            let left = vec![u64::MAX; table.blocks() - 1];
            for conds in [vec![all[0]], vec![all[1], all[0]], vec![all[2], all[0], all[1], all[2]]] {
                let (found, work) = terms.rows_in_turn(&conds, &table, &left, 1 << 20).unwrap();
                let (expected, most) = terms.rows_of(&conds, &table, &left, 1 << 20).unwrap();
                assert_eq!(found, expected);
                assert!(work <= most);
                assert_eq!(terms.rows_in_turn(&conds, &table, &left, work - 1), None);
                assert!(terms.rows_in_turn(&conds, &table, &left, work).is_some());
                works.push(work);
            }
        }
        assert_eq!(works[..3], works[3..]);
        // If no row is left, the next condition costs nothing.
        let mut terms = Terms::default();
        let all = conditions(&mut terms);
        let bytes = [terms.byte_id(0, 0), terms.byte_id(0, 1)];
        let table = Table::new(&bytes, vec![1; 2 * 6400]);
        let byte = terms.byte(0, 0);
        let two = terms.constant_of(8, 2);
        let never = terms.eq(byte, two);
        let (left, work) = terms.rows_in_turn(&[never, all[0]], &table, &[u64::MAX; 100], 300).unwrap();
        assert_eq!((left, work), (vec![0; 100], 300));
    }

    #[test]
    fn of_terms_that_are_made_at_once_each_is_what_it_is_alone() {
        for seed in 0..60u32 {
            let mut x = seed;
            let mut dice = |most: usize| {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (x >> 8) as usize % most
            };
            let mut terms = Terms::default();
            let bytes = [terms.byte_id(0, 0), terms.byte_id(0, 1)];
            let mut all: Vec<Term> = [0, 1].map(|i| terms.byte(0, i)).map(|b| terms.zext(b, 32)).to_vec();
            let entries: Vec<u64> = (0..200).map(|i| i * i * 77_777 % 100_003).collect();
            let entries = terms.intern_table(32, &entries);
            for _ in 0..150 {
                // Mostly of the latest terms, sometimes of old ones, sometimes the same twice.
                let mut one = || {
                    all[if dice(4) == 0 { dice(all.len()) } else { all.len() - 1 - dice(all.len().min(6)) }]
                };
                let [a, b, c] = [one(), one(), one()];
                let new = match dice(7) {
                    0 => terms.add(a, b),
                    1 => terms.mul(a, b),
                    2 => terms.binary(BinaryOp::Xor, a, a).max(b),
                    3 => {
                        let less = terms.ult(a, b);
                        terms.ite(less, c, a)
                    }
                    4 => {
                        let index = terms.extract(a, dice(20) as u32, 9);
                        terms.table(entries, index)
                    }
                    5 => terms.float(crate::FloatOp::Add(crate::Rounding::Nearest), 32, &[a, b]),
                    _ => {
                        let (low, high) = (terms.extract(a, 0, 11), terms.extract(b, 11, 21));
                        terms.concat(low, high)
                    }
                };
                all.push(new);
            }
            let top = all[all.len() - 1];
            let rows: Vec<u8> = (0..2 * (1 + dice(150))).map(|i| (i * 37 % 251) as u8).collect();
            let mut table = Table::new(&bytes, rows);
            // Some value vectors are cached already.
            for _ in 0..dice(3) {
                let known = all[dice(all.len() / 2)];
                terms.make(known, &mut table).unwrap();
            }
            let Some(missing) = terms.missing(top, &mut table, Limit::from(usize::MAX)) else {
                panic!("{seed}")
            };
            let made = terms.many_columns::<u64>(&missing, &table).unwrap();
            let near = terms.witness(&[]);
            for (t, column) in made {
                table.keep(t, column);
                let values = terms.values_of_rows(t, &mut table).unwrap();
                for (row, value) in values.into_iter().enumerate() {
                    let witness = terms.patched(&near, bytes.into_iter().zip(table.row(row).iter().copied()));
                    assert_eq!(value, terms.eval_wide(t, &witness), "{seed} {row} {}", terms.text(t, 5));
                }
            }
        }
    }

    #[test]
    fn an_operation_on_numbers_is_as_much_work_as_many_others() {
        let mut terms = Terms::default();
        let byte = terms.byte(0, 0);
        let word = terms.zext(byte, 64);
        let op = crate::FloatOp::Sqrt(crate::Rounding::Nearest);
        let root = terms.float(op, 64, &[word]);
        let limit = terms.constant_of(64, 1 << 60);
        let conds = [terms.ult(root, limit)];
        let table = Table::new(&[terms.byte_id(0, 0)], (0..=u8::MAX).collect());
        let (left, least) = ([u64::MAX; 4], 4 * paths::FLOAT_FUEL);
        assert_eq!(terms.rows_of(&conds, &table, &left, least), None);
        assert_eq!(terms.rows_in_turn(&conds, &table, &left, least), None);
        let (_, work) = terms.rows_of(&conds, &table, &left, 2 * least).unwrap();
        assert!((least..2 * least).contains(&work));
        assert!(terms.rows_in_turn(&conds, &table, &left, work).is_some());
        assert!(
            terms.are_larger(&conds, paths::FLOAT_FUEL) && !terms.are_larger(&conds, 2 * paths::FLOAT_FUEL)
        );
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
        // The vectors of shared terms are cached.
        assert!(terms.rows_with(all[2], &mut table, 100).is_some());
        let mut alone = Table::new(&bytes, vec![1, 2, 3, 4]);
        assert!(terms.rows_with(all[2], &mut alone, 100).is_some());
        assert!(table.size() - size < alone.size());
        let other = terms.byte(0, 2);
        let zero = terms.constant_of(8, 0);
        let other = terms.ne(other, zero);
        assert_eq!(terms.rows_with(other, &mut table, 100), None);
    }

    #[test]
    fn of_many_terms_those_that_others_are_made_of_are_kept_and_all_are_what_they_are_alone() {
        for width in [32, 48, 100] {
            let mut terms = Terms::default();
            let [mut x, mut y] = [0, 1].map(|i| {
                let byte = terms.byte(0, i);
                terms.zext(byte, width)
            });
            let factor = terms.constant_of(width, 0x1f35_a00d);
            let shift = terms.constant_of(width, 7);
            let first = terms.binary(BinaryOp::Mul, x, factor);
            for _ in 0..2000 {
                let product = terms.binary(BinaryOp::Mul, x, factor);
                x = terms.binary(BinaryOp::Add, product, y);
                let high = terms.binary(BinaryOp::LShr, x, shift);
                y = terms.binary(BinaryOp::Xor, y, high);
            }
            let conds = [terms.ult(x, y), terms.extract(y, 3, 1), terms.extract(x, 9, 1)];
            // `y` is an operand of a term that is not evaluated yet.
            terms.binary(BinaryOp::Xor, y, factor);
            let bytes = [terms.byte_id(0, 0), terms.byte_id(0, 1)];
            let rows: Vec<u8> = (0..2 * 3205).map(|i: usize| (i * 37 % 251) as u8).collect();
            let mut table = Table::new(&bytes, rows);
            let near = terms.witness(&[]);
            for (i, cond) in conds.into_iter().enumerate() {
                let found = terms.rows_where(cond, &mut table).unwrap();
                assert!(table.columns.contains_key(&cond) && !table.columns.contains_key(&first));
                assert!(
                    table.columns.contains_key(&y) && table.size() <= 3 * vectors::KEPT_BYTES,
                    "{}",
                    table.size()
                );
                for place in (i..table.len()).step_by(64) {
                    let values = bytes.into_iter().zip(table.row(place).iter().copied());
                    let witness = terms.patched(&near, values);
                    let bit = found[place / LANES] >> (place % LANES) & 1 != 0;
                    assert_eq!(bit, terms.holds(cond, &witness), "{width} {place}");
                }
            }
        }
    }

    #[test]
    fn a_row_that_stands_for_several_values_tells_nothing_of_the_bits_that_it_does_not_have() {
        let mut terms = Terms::default();
        let byte = terms.byte(0, 0);
        let id = terms.byte_id(0, 0);
        let seven = terms.constant_of(3, 7);
        let low = terms.extract(byte, 0, 3);
        let low = terms.eq(low, seven);
        let middle = terms.extract(byte, 2, 3);
        let middle = terms.eq(middle, seven);
        let limit = terms.constant_of(8, 15);
        let whole = terms.eq(byte, limit);
        let mut table = Table::seen(vec![id], vec![7, 8], vec![7]);
        for round in 0..2 {
            assert_eq!(terms.rows_with(low, &mut table, 100).unwrap().0, [1], "{round}");
            assert_eq!(terms.rows_with(middle, &mut table, 100), None);
            assert_eq!(terms.rows_with(whole, &mut table, 100), None);
            assert_eq!(terms.rows_of(&[low], &table, &[3], 100).unwrap().0, [1]);
            assert_eq!(terms.rows_of(&[low, middle], &table, &[3], 100), None);
            assert_eq!(terms.rows_of(&[whole], &table, &[3], 100), None);
            // A part of the table has the same used bits.
            table = table.part([0, 1].into_iter());
        }
        let mut set = ByteSet::EMPTY;
        [0x17, 0x38, 0x20].into_iter().for_each(|v| set.insert(v));
        assert!(table.allows(0, 0, &set) && table.allows(1, 0, &set));
        let near = terms.witness(&[0x20]);
        assert_eq!(table.values(0, &[(id, set)], &near), Some(vec![(id, 0x17)]));
        assert_eq!(table.values(1, &[(id, set)], &near), Some(vec![(id, 0x20)]));
        set = ByteSet::EMPTY;
        set.insert(0x20);
        assert!(!table.allows(0, 0, &set) && table.values(0, &[(id, set)], &near).is_none());
    }
}
