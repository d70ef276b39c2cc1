//! Enumerated models of bytes with too many combinations: the bytes are kept in groups, and conditions join groups only
//! if they depend on both. [`Models::grouped`] is the entry; the path calls it if the plain listing fails.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::rc::Rc;

use cleave_expr::{ByteId, ByteSet, Term, Terms};
use rustc_hash::FxHashMap;

use crate::models::{Models, Source, all_of, combinations, combined, count};
use crate::policy::listing;

/// Conditions on the same bytes, each with its index.
struct Linked {
    bytes: Rc<[ByteId]>,
    conds: Vec<(usize, Term)>,
}

/// Bytes in groups. The allowed values of a group do not depend on other groups.
struct Groups {
    /// The groups; `None` if a group has become part of one before it.
    all: Vec<Option<Source>>,
    /// The group of each byte.
    of_byte: FxHashMap<ByteId, usize>,
    /// Work left.
    work: usize,
}

/// Conditions that are not applied yet. Those that leave few combinations to the others come first.
struct Queue {
    /// The conditions; `None` if they were applied.
    todo: Vec<Option<Linked>>,
    order: BTreeSet<(Rank, usize)>,
    ranks: Vec<Rank>,
    /// The indices of the conditions on each group.
    of_group: Vec<Vec<usize>>,
}

/// Number of values of the widest byte that is in no group yet, and number of combinations of all groups.
///
/// Conditions on a byte of many values come last: once the other conditions have left few rows, they may hold for all
/// its values. Of the rest, those on the fewest combinations come first.
type Rank = (usize, usize);

impl Queue {
    fn new(groups: &Groups, todo: Vec<Linked>) -> Queue {
        let todo: Vec<Option<Linked>> = todo.into_iter().map(Some).collect();
        let mut of_group = vec![Vec::new(); groups.all.len()];
        let (mut order, mut ranks) = (BTreeSet::new(), Vec::with_capacity(todo.len()));
        for (i, linked) in todo.iter().flatten().enumerate() {
            let met = groups.met(&linked.bytes);
            met.iter().for_each(|place| of_group[*place].push(i));
            let rank = groups.rank(&met);
            order.insert((rank, i));
            ranks.push(rank);
        }
        Queue { todo, order, ranks, of_group }
    }

    /// The next groups, and all conditions on exactly these groups.
    fn next(&mut self, groups: &Groups) -> Option<(Vec<usize>, Vec<Linked>)> {
        let (_, first) = *self.order.first()?;
        let met = groups.met(&self.todo[first].as_ref()?.bytes);
        let mut now = Vec::new();
        // Conditions on no byte are on no group.
        let candidates = met.iter().min_by_key(|place| self.of_group[**place].len());
        for i in candidates.map_or_else(|| vec![first], |place| self.of_group[*place].clone()) {
            let is_next = |linked: &mut Linked| groups.met(&linked.bytes) == met;
            if let Some(linked) = self.todo[i].take_if(is_next) {
                self.order.remove(&(self.ranks[i], i));
                now.push(linked);
            }
        }
        Some((met, now))
    }

    /// Updates the ranks of conditions on groups that were joined or narrowed.
    fn changed(&mut self, groups: &Groups, met: &[usize]) {
        let lists = met.iter().map(|place| std::mem::take(&mut self.of_group[*place]));
        let mut on_them: Vec<usize> = lists.flatten().filter(|i| self.todo[*i].is_some()).collect();
        on_them.sort_unstable();
        on_them.dedup();
        for &i in &on_them {
            let Some(linked) = &self.todo[i] else { continue };
            let rank = groups.rank(&groups.met(&linked.bytes));
            self.order.remove(&(self.ranks[i], i));
            self.order.insert((rank, i));
            self.ranks[i] = rank;
        }
        if let Some(first) = met.first() {
            self.of_group[*first] = on_them;
        }
    }
}

impl Models {
    /// The models of conditions over some bytes, in their order. A byte is omitted if the conditions hold with all its
    /// values in each row; as few bytes are omitted as the limit of rows allows. `None` if that is too much work, or
    /// too many rows are left. The result depends on the arguments alone.
    pub(crate) fn grouped(terms: &mut Terms, bytes: &[(ByteId, ByteSet)], conds: &[Term]) -> Option<Models> {
        Models::grouped_within(terms, bytes, conds, listing::MOST_ROWS)
    }

    /// As [`Models::grouped`], with at most `few` rows unless conditions need more.
    fn grouped_within(
        terms: &mut Terms,
        bytes: &[(ByteId, ByteSet)],
        conds: &[Term],
        few: usize,
    ) -> Option<Models> {
        let work = listing::FUEL.saturating_mul(conds.len().max(listing::LEAST_FUELLED));
        // The order in which other paths met the bytes must not matter.
        let mut bytes = bytes.to_vec();
        bytes.sort_unstable_by_key(|(id, _)| terms.byte_position(*id));
        let all = bytes.iter().map(|(id, set)| Some(Source::Byte(*id, *set))).collect();
        let of_byte = bytes.iter().enumerate().map(|(place, (id, _))| (*id, place)).collect();
        let mut groups = Groups { all, of_byte, work };
        let mut places: FxHashMap<Rc<[ByteId]>, usize> = FxHashMap::default();
        let mut todo: Vec<Linked> = Vec::new();
        for cond in conds.iter().copied().enumerate() {
            let bytes = terms.bytes_of(cond.1);
            let place = *places.entry(bytes.clone()).or_insert(todo.len());
            match todo.get_mut(place) {
                Some(linked) => linked.conds.push(cond),
                None => todo.push(Linked { bytes, conds: vec![cond] }),
            }
        }
        let mut queue = Queue::new(&groups, todo);
        while let Some((met, now)) = queue.next(&groups) {
            if groups.filter(terms, &met, now)? {
                queue.changed(&groups, &met);
            }
        }
        groups.joined(terms, few)
    }
}

impl Groups {
    /// The groups that contain some of these bytes, in rising order.
    fn met(&self, bytes: &[ByteId]) -> Vec<usize> {
        let mut places: Vec<usize> = bytes.iter().filter_map(|id| self.of_byte.get(id).copied()).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    fn sources<'a>(&'a self, places: &'a [usize]) -> impl Iterator<Item = &'a Source> {
        places.iter().filter_map(|place| self.all[*place].as_ref())
    }

    fn rank(&self, places: &[usize]) -> Rank {
        (self.widest(places), self.size(places))
    }

    /// Number of combinations of groups.
    fn size(&self, places: &[usize]) -> usize {
        self.sources(places).fold(1, |n: usize, source| n.saturating_mul(source.len()))
    }

    /// Number of values of the widest byte that is in no group yet.
    fn widest(&self, places: &[usize]) -> usize {
        let len = |source: &Source| match source {
            Source::Byte(_, set) => set.len() as usize,
            Source::Rows(_) => 0,
        };
        self.sources(places).map(len).max().unwrap_or(0)
    }

    /// The combinations in which conditions hold, and true if these are all combinations. `None` if that is too much
    /// work.
    fn holding(&mut self, terms: &Terms, sources: &[Source], conds: &[Term]) -> Option<(Models, bool)> {
        let all = combined(sources)?;
        terms.listed(all.len() * all.bytes().len());
        let (left, done) = terms.rows_in_turn(conds, &all, &all_of(&all), self.work)?;
        self.work = self.work.saturating_sub(done);
        let whole = count(&left) == all.len();
        Some((Models::of(terms, all, sources, &left), whole))
    }

    /// Keeps the combinations of some groups in which conditions hold, and joins the groups. Conditions that hold in
    /// all combinations are skipped; the groups stay apart if all are. Returns true if the groups have changed.
    fn filter(&mut self, terms: &Terms, places: &[usize], linked: Vec<Linked>) -> Option<bool> {
        let mut conds: Vec<(usize, Term)> = Vec::new();
        for linked in linked {
            if places.len() > 1 && self.always(terms, places, &linked) {
                continue;
            }
            conds.extend(linked.conds);
        }
        if conds.is_empty() {
            return Some(false);
        }
        conds.sort_unstable_by_key(|(number, _)| *number);
        let conds: Vec<Term> = conds.into_iter().map(|(_, cond)| cond).collect();
        let sources: Vec<Source> = self.sources(places).cloned().collect();
        let (models, _) = self.holding(terms, &sources, &conds)?;
        let first = *places.first()?;
        for id in models.table().borrow().bytes() {
            self.of_byte.insert(*id, first);
        }
        places.iter().for_each(|place| self.all[*place] = None);
        self.all[first] = Some(Source::Rows(models));
        Some(true)
    }

    /// Returns true if conditions hold in all combinations of some groups. Returns false also if that is too much work.
    fn always(&mut self, terms: &Terms, places: &[usize], linked: &Linked) -> bool {
        let sources: Vec<Source> =
            self.sources(places).filter_map(|source| source.of_bytes(&linked.bytes)).collect();
        let conds: Vec<Term> = linked.conds.iter().map(|(_, cond)| *cond).collect();
        self.holding(terms, &sources, &conds).is_some_and(|(_, whole)| whole)
    }

    /// The rows of all groups that conditions have narrowed, combined with the bytes of the fewest values while there
    /// are at most `few` rows.
    fn joined(self, terms: &Terms, few: usize) -> Option<Models> {
        let (mut rows, mut bytes): (Vec<Source>, Vec<Source>) =
            self.all.into_iter().flatten().partition(|source| matches!(source, Source::Rows(_)));
        bytes.sort_by_key(|source| Reverse(source.len()));
        combinations(&rows, listing::MOST_ROWS)?;
        while let Some(byte) = bytes.pop() {
            let some = !rows.is_empty();
            rows.push(byte);
            if some && combinations(&rows, few).is_none() {
                rows.pop();
                break;
            }
        }
        if let [Source::Rows(models)] = &rows[..] {
            return Some(models.clone());
        }
        let all = combined(&rows)?;
        let left = all_of(&all);
        Some(Models::of(terms, all, &rows, &left))
    }
}

#[cfg(test)]
mod tests {
    use cleave_expr::BinaryOp;

    use super::*;

    /// A generator of random numbers below a bound.
    fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut x = seed;
        move |below| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x >> 33) % below
        }
    }

    /// A condition on a sum of some bytes, each times a factor, modulo a number: it holds always, often, or seldom.
    fn condition(terms: &mut Terms, bytes: &[Term], below: &mut impl FnMut(u64) -> u64) -> Term {
        let mut sum = terms.constant_of(16, below(50).into());
        for _ in 0..1 + below(3) {
            let byte = terms.zext(bytes[below(bytes.len() as u64) as usize], 16);
            let factor = terms.constant_of(16, (1 + below(30)).into());
            let product = terms.binary(BinaryOp::Mul, byte, factor);
            sum = terms.binary(BinaryOp::Add, sum, product);
        }
        let modulus = 2 + below(40);
        let most = match below(3) {
            0 => modulus,
            1 => modulus - 1,
            _ => 1 + below(modulus),
        };
        let (modulus, most) = (terms.constant_of(16, modulus.into()), terms.constant_of(16, most.into()));
        let rest = terms.binary(BinaryOp::URem, sum, modulus);
        let low = terms.binary(BinaryOp::Ult, rest, most);
        if below(3) > 0 {
            return low;
        }
        // Holds always: no byte has so large a value.
        let large = terms.constant_of(8, 200);
        let small = terms.ult(bytes[below(bytes.len() as u64) as usize], large);
        terms.or(small, low)
    }

    /// Asserts that the rows, each with all values of the omitted bytes, are the inputs that satisfy the conditions.
    /// Returns the number of omitted bytes.
    fn check(seed: u64) -> usize {
        let mut below = numbers(seed);
        let mut terms = Terms::default();
        let bytes: Vec<Term> = (0..5).map(|i| terms.byte(0, i)).collect();
        let ids: Vec<ByteId> = (0..5).map(|i| terms.byte_id(0, i)).collect();
        let mut sets = [ByteSet::EMPTY; 5];
        for set in &mut sets {
            (0..1 + below(6)).for_each(|_| set.insert(below(200) as u8));
        }
        let mut conds: Vec<Term> =
            (0..1 + below(7)).map(|_| condition(&mut terms, &bytes, &mut below)).collect();
        // A path has no conditions on no bytes.
        conds.retain(|cond| terms.constant(*cond).is_none());
        let with: Vec<(ByteId, ByteSet)> = ids.iter().copied().zip(sets).collect();
        let groups = Models::grouped_within(&mut terms, &with, &conds, 1 << below(8)).expect("little work");
        let table = groups.table().borrow();
        let rows: BTreeSet<Vec<u8>> = (0..table.len()).map(|place| table.row(place).to_vec()).collect();
        assert_eq!(rows.len(), table.len(), "each row once");
        let of_table: Vec<usize> =
            table.bytes().iter().map(|id| ids.iter().position(|i| i == id).unwrap()).collect();
        let mut inputs: Vec<Vec<u8>> = vec![Vec::new()];
        for set in &sets {
            let longer =
                |input: &Vec<u8>| set.iter().map(|v| [&input[..], &[v]].concat()).collect::<Vec<_>>();
            inputs = inputs.iter().flat_map(longer).collect();
        }
        for input in inputs {
            let witness = terms.witness(&input);
            let holds = conds.iter().all(|cond| terms.holds(*cond, &witness));
            let row: Vec<u8> = of_table.iter().map(|at| input[*at]).collect();
            assert_eq!(rows.contains(&row), holds, "{input:?} seed {seed}");
        }
        5 - of_table.len()
    }

    #[test]
    fn rows_and_what_is_left_out_are_the_inputs_with_which_the_conditions_hold() {
        let left_out = (0..3000).map(check).filter(|out| *out > 1).count();
        assert!(left_out > 300, "{left_out}");
    }
}
