//! Decision-diagram construction: decides conditions on many bytes by assigning the bytes one after the other. The solver calls
//! it for queries, lists of models and values of terms.
//!
//! When some bytes have values, the remaining conditions depend on them only through a few terms: the state of an automaton, a
//! sum so far, a count. Prefixes with equal values of these terms are one prefix state (`Beginnings`). So a lexer's conditions on
//! twelve bytes need a few hundred prefix states instead of 256^12 inputs. The diagram is constructed level by level.

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::BuildHasher;

use crate::abstract_bounds::Outlook;
use crate::enumeration::Tried;
use crate::fields::Fields;
use crate::policy::sweep;
use cleave_expr::{ByteId, ByteSet, LANES, Limit, Node, Table, Term, Terms, Witness, holding};

/// All values of a term, each with an assignment of bytes that gives it.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// The term's values, each once.
    pub values: Vec<u64>,
    bytes: Vec<ByteId>,
    /// A row for each value.
    ways: Vec<u8>,
}

impl Reached {
    /// Size in bytes.
    pub fn size(&self) -> usize {
        size_of_val(&*self.values) + size_of_val(&*self.bytes) + size_of_val(&*self.ways)
    }

    /// The assignment of bytes that gives the value at a place.
    pub fn way(&self, place: usize) -> impl Iterator<Item = (ByteId, u8)> + '_ {
        let n = self.bytes.len();
        let row = self.ways.get(place * n..(place + 1) * n).unwrap_or(&[]);
        self.bytes.iter().copied().zip(row.iter().copied())
    }
}

/// The origin of a prefix state: one of the level before, and the value of the last field, at its place in the byte.
type Step = (u32, u8);

/// All steps of a level: a prefix state and a step to it.
type Steps = Vec<(u32, Step)>;

/// Prefix states: assignments of the first bytes, each represented by the values of the terms that later levels need.
#[derive(Default)]
struct Beginnings {
    /// Places of these terms.
    terms: Vec<u32>,
    /// A row for each prefix state.
    values: Vec<u64>,
    /// The first step to each prefix state.
    from: Vec<Step>,
    index: HashTable<u32>,
}

impl Beginnings {
    fn row(&self, i: usize) -> &[u64] {
        let n = self.terms.len();
        self.values.get(i * n..(i + 1) * n).unwrap_or(&[])
    }

    /// Adds a prefix state, if it is new. Returns its place; `None` if there is no room for it, with `values` in all.
    fn add(&mut self, row: &[u64], from: Step, values: usize) -> Option<u32> {
        let hash = |row: &[u64]| FxBuildHasher.hash_one(row);
        let this = &*self;
        if let Some(&known) = this.index.find(hash(row), |&i| this.row(i as usize) == row) {
            return Some(known);
        }
        if self.from.len() >= sweep::PREFIXES || self.values.len() >= values {
            return None;
        }
        let i = self.from.len() as u32;
        self.values.extend_from_slice(row);
        self.from.push(from);
        let (values, n) = (&self.values, self.terms.len());
        self.index.insert_unique(hash(row), i, |&j| hash(&values[j as usize * n..(j as usize + 1) * n]));
        Some(i)
    }

    /// The prefix states at some places, in rising order. The result has no index: nothing may be added to it.
    fn at(&self, places: &[u32]) -> Beginnings {
        let mut some = Beginnings { terms: self.terms.clone(), ..Beginnings::default() };
        for &place in places {
            some.values.extend_from_slice(self.row(place as usize));
            some.from.extend(self.from.get(place as usize));
        }
        some
    }
}

/// The terms that are evaluated when a field gets its value.
#[derive(Default)]
struct Level {
    /// Places of the terms that have a value from now on, in rising order.
    terms: Vec<u32>,
    /// Places of the terms that later levels need.
    kept: Vec<u32>,
}

/// A query, divided into levels: one for each field of the bytes.
struct Levels<'a> {
    below: &'a [(Term, [u32; 3])],
    fields: Fields,
    /// For each place: true if the term is a condition.
    asked: Vec<bool>,
    /// The level from which on the term at a place has a value.
    known: Vec<u32>,
    /// The levels; the first has the terms that have a value before all bytes.
    levels: Vec<Level>,
}

impl<'a> Levels<'a> {
    /// Divides a query into levels. The value of `to_the_end` is kept to the last level.
    fn new(
        terms: &Terms,
        below: &'a [(Term, [u32; 3])],
        conds: &[Term],
        fields: Fields,
        to_the_end: Option<Term>,
    ) -> Levels<'a> {
        let conds: FxHashSet<Term> = conds.iter().copied().collect();
        let mut levels_of: FxHashMap<ByteId, Vec<(u8, u32)>> = FxHashMap::default();
        for (field, level) in fields.fields.iter().zip(1..) {
            levels_of.entry(field.byte).or_default().push((field.mask, level));
        }
        let count = fields.fields.len();
        let mut known = vec![0u32; below.len()];
        let mut needed = vec![0u32; below.len()];
        let mut levels: Vec<Level> = Vec::new();
        levels.resize_with(count + 1, Level::default);
        for (place, (node, operands)) in below.iter().enumerate() {
            let operands = &operands[..terms.children(*node).len()];
            let of_part = |part: Term, bits: u8| {
                let Node::Byte(id) = terms.node(part) else { return None };
                let all = levels_of.get(&id).filter(|all| all.len() > 1)?;
                all.iter().find(|(mask, _)| mask & bits != 0).map(|(_, level)| *level)
            };
            let level = match terms.node(*node) {
                Node::Byte(id) => match levels_of.get(&id).map(Vec::as_slice) {
                    Some(&[(_, level)]) => level,
                    Some(several) => {
                        // Only its fields get values; each of their levels fills the byte in.
                        several
                            .iter()
                            .for_each(|(_, level)| levels[*level as usize].terms.push(place as u32));
                        continue;
                    }
                    None => 0,
                },
                Node::Extract(x, _) => match of_part(x, terms.seen_by(*node)) {
                    Some(level) => level,
                    None => operands.iter().map(|&o| known[o as usize]).max().unwrap_or(0),
                },
                _ => operands.iter().map(|&o| known[o as usize]).max().unwrap_or(0),
            };
            known[place] = level;
            levels[level as usize].terms.push(place as u32);
            for &operand in operands {
                needed[operand as usize] = needed[operand as usize].max(level);
            }
            if Some(*node) == to_the_end {
                needed[place] = count as u32 + 1;
            }
        }
        for (place, (&known, &needed)) in known.iter().zip(&needed).enumerate() {
            // Terms that are known before all bytes are available at all levels.
            for level in known.max(1)..if known == 0 { 0 } else { needed } {
                levels[level as usize].kept.push(place as u32);
            }
        }
        let asked = below.iter().map(|(node, _)| conds.contains(node)).collect();
        Levels { below, fields, asked, known, levels }
    }
}

/// As [`Terms::try_all`] with all values of `bytes`; `conds` may depend on no other bytes. The bytes are assigned one after
/// the other, and prefixes with the same prefix state count once.
pub fn sweep<'a>(
    terms: &mut Terms,
    conds: &[Term],
    bytes: &[(ByteId, ByteSet)],
    near: &Witness,
    most: impl Into<Limit<'a>>,
) -> Tried {
    let limit = most.into();
    let Some(below) = narrow(terms, conds, limit.most) else { return Tried::TooMuch };
    let order = order_of_bytes(terms, conds, bytes);
    let levels = Levels::new(terms, &below, conds, Fields::new(terms, &below, &order, near), None);
    Sweep::new(terms, &levels, near, limit).run()
}

/// All values of `bytes` with which `conds` hold, a row for all values that no condition distinguishes. `conds` may depend on
/// no other bytes.
///
/// # Errors
/// The number of rows, if it is more than `rows`; 0 if the search needs too much work.
pub fn solutions<'a>(
    terms: &mut Terms,
    conds: &[Term],
    bytes: &[(ByteId, ByteSet)],
    near: &Witness,
    (most, rows): (impl Into<Limit<'a>>, usize),
) -> Result<Table, u64> {
    let limit = most.into();
    let below = narrow(terms, conds, limit.most).ok_or(0u64)?;
    let order = order_of_bytes(terms, conds, bytes);
    let levels = Levels::new(terms, &below, conds, Fields::new(terms, &below, &order, near), None);
    let found = Sweep::new(terms, &levels, near, limit).solutions(rows)?;
    // The rows have the bytes in the order of the argument.
    let at = |id: ByteId| order.iter().position(|(other, _)| *other == id);
    let places: Vec<usize> = bytes.iter().filter_map(|(id, _)| at(*id)).collect();
    let rows = found.iter().flat_map(|row| places.iter().map(|&place| row[place])).collect();
    let seen = places.iter().map(|&place| levels.fields.bytes[place].2).collect();
    Ok(Table::seen(bytes.iter().map(|(id, _)| *id).collect(), rows, seen))
}

/// All values that `t` has if `conds` hold, each with an assignment of `bytes` that gives it. `t` and `conds` may depend on
/// no other bytes. `None` if that is too much work, or there are more than `values` of them.
pub fn values_of<'a>(
    terms: &mut Terms,
    t: Term,
    conds: &[Term],
    bytes: &[(ByteId, ByteSet)],
    near: &Witness,
    (most, values): (impl Into<Limit<'a>>, usize),
) -> Option<Reached> {
    let all: Vec<Term> = conds.iter().copied().chain([t]).collect();
    let limit = most.into();
    let below = narrow(terms, &all, limit.most)?;
    let order = order_of_bytes(terms, &all, bytes);
    let levels = Levels::new(terms, &below, conds, Fields::new(terms, &below, &order, near), Some(t));
    Sweep::new(terms, &levels, near, limit).all(values)
}

/// These terms and all below them, if there are at most `most` and none has more than 64 bits.
pub(crate) fn narrow(terms: &Terms, tops: &[Term], most: usize) -> Option<Vec<(Term, [u32; 3])>> {
    let below = terms.below(tops, sweep::MOST_TERMS.min(most))?;
    below.iter().all(|(node, _)| terms.width(*node) <= 64).then_some(below)
}

/// The order of the bytes: those of a condition side by side, conditions on few bytes first.
fn order_of_bytes(terms: &mut Terms, conds: &[Term], bytes: &[(ByteId, ByteSet)]) -> Vec<(ByteId, ByteSet)> {
    let listed: FxHashSet<ByteId> = bytes.iter().map(|(id, _)| *id).collect();
    let mut left: Vec<Vec<ByteId>> = Vec::with_capacity(conds.len());
    for &cond in conds {
        left.push(terms.bytes_of(cond).iter().copied().filter(|id| listed.contains(id)).collect());
    }
    let mut placed: FxHashSet<ByteId> = FxHashSet::default();
    let mut order = Vec::with_capacity(bytes.len());
    while order.len() < bytes.len() {
        let open = |ids: &[ByteId]| ids.iter().filter(|id| !placed.contains(id)).count();
        left.retain(|ids| open(ids) > 0);
        let next = left.iter().min_by_key(|ids| (open(ids), ids.first().map(|id| id.0))).cloned();
        let chosen = next.unwrap_or_else(|| bytes.iter().map(|(id, _)| *id).collect());
        for (id, set) in bytes.iter().filter(|(id, _)| chosen.contains(id)) {
            if placed.insert(*id) {
                order.push((*id, *set));
            }
        }
    }
    order
}

/// The state of one construction.
struct Sweep<'a> {
    terms: &'a Terms,
    levels: &'a Levels<'a>,
    near: &'a Witness,
    /// Fuel left, in units of one term under 64 combinations.
    left: usize,
    limit: Limit<'a>,
    columns: Vec<[u64; LANES]>,
    outlook: Outlook<'a>,
    /// For each place: true if the condition has excluded something.
    blamed: Vec<bool>,
    /// True if no prefix state was dropped.
    whole: bool,
    /// Maximum values of terms in the prefix states of a level.
    most_values: usize,
    /// All steps of each level, if solutions are enumerated.
    steps: Option<Vec<Steps>>,
}

impl<'a> Sweep<'a> {
    fn new(terms: &'a Terms, levels: &'a Levels<'a>, near: &'a Witness, limit: Limit<'a>) -> Sweep<'a> {
        let n = levels.below.len();
        Sweep {
            terms,
            levels,
            near,
            left: limit.most,
            limit,
            columns: vec![[0; LANES]; n],
            outlook: Outlook::new(terms, levels.below, &levels.known, &levels.fields),
            blamed: vec![false; n],
            whole: true,
            // No level takes more than all tables may.
            most_values: sweep::PREFIX_VALUES.min(terms.tables_held().1 / size_of::<u64>()),
            steps: None,
        }
    }

    fn run(mut self) -> Tried {
        let Some((all, _)) = self.through() else { return Tried::TooMuch };
        match all.last().is_some_and(|last| !last.is_empty()) {
            true => Tried::Holds(self.way(&all, 0)),
            false if self.whole => self.never(),
            false => Tried::TooMuch,
        }
    }

    /// All values of the term that is kept to the end; `None` if there are more than `most`.
    fn all(mut self, most: usize) -> Option<Reached> {
        let (all, last) = self.through()?;
        if !self.whole || last.from.len() > most {
            return None;
        }
        let bytes = self.levels.fields.bytes.iter().map(|byte| byte.0).collect();
        let mut reached = Reached { bytes, ..Reached::default() };
        for i in 0..last.from.len() {
            reached.values.push(last.row(i).first().copied()?);
            reached.ways.extend(self.way(&all, i as u32).iter().map(|(_, value)| *value));
        }
        Some(reached)
    }

    /// Values of all bytes with which all conditions hold, one row for all values that no condition distinguishes.
    fn solutions(mut self, most: usize) -> Result<Vec<Vec<u8>>, u64> {
        self.steps = Some(Vec::new());
        let (all, last) = self.through().ok_or(0u64)?;
        let steps = self.steps.take().unwrap_or_default();
        if !self.whole {
            return Err(0);
        }
        if all.last().is_none_or(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let mut ways = vec![1u64];
        for (steps, level) in steps.iter().zip(&all[1..]) {
            let mut next = vec![0u64; level.len()];
            for (to, (from, _)) in steps {
                next[*to as usize] = next[*to as usize].saturating_add(ways[*from as usize]);
            }
            ways = next;
        }
        let count = ways.iter().fold(0u64, |n, ways| n.saturating_add(*ways));
        if count > most as u64 {
            return Err(count);
        }
        // Rows are built from the last level backwards along all steps.
        let fields = &self.levels.fields;
        let place_of = |id: ByteId| fields.bytes.iter().position(|byte| byte.0 == id);
        let mut rows: Vec<(u32, Vec<u8>)> =
            (0..last.from.len() as u32).map(|at| (at, vec![0; fields.bytes.len()])).collect();
        for (steps, field) in steps.iter().zip(&fields.fields).rev() {
            let Some(place) = place_of(field.byte) else { continue };
            let mut back: FxHashMap<u32, Vec<Step>> = FxHashMap::default();
            steps.iter().for_each(|(to, step)| back.entry(*to).or_default().push(*step));
            let mut before = Vec::with_capacity(rows.len());
            for (at, row) in rows {
                for &(from, value) in back.get(&at).into_iter().flatten() {
                    let mut row = row.clone();
                    row[place] |= value;
                    before.push((from, row));
                }
            }
            rows = before;
        }
        Ok(rows.into_iter().map(|(_, bits)| self.bytes_with(&bits)).collect())
    }

    /// Constructs all levels. Returns the steps to the prefix states, level by level, and the prefix states of the last level.
    /// There are fewer levels if no prefix state is left; `None` if the fuel is used up.
    fn through(&mut self) -> Option<(Vec<Vec<Step>>, Beginnings)> {
        self.left = self.left.saturating_sub(self.levels.levels[0].terms.len());
        if self.evaluate(0, u64::MAX) == 0 {
            return Some((vec![Vec::new()], Beginnings::default()));
        }
        let mut all = vec![vec![(0, 0)]];
        let mut beginnings = Beginnings { from: vec![(0, 0)], ..Beginnings::default() };
        for level in 1..self.levels.levels.len() {
            let (next, steps) = self.next(level, &beginnings)?;
            beginnings = self.pruned(level, next, steps);
            all.push(beginnings.from.clone());
            if beginnings.from.is_empty() {
                break;
            }
        }
        Some((all, beginnings))
    }

    /// The values of all bytes that lead to a prefix state of the last level, in the order of the bytes.
    fn way(&self, all: &[Vec<Step>], mut at: u32) -> Vec<(ByteId, u8)> {
        let fields = &self.levels.fields;
        let mut bits = vec![0; fields.bytes.len()];
        for (from, field) in all[1..].iter().zip(&fields.fields).rev() {
            let (before, value) = from[at as usize];
            if let Some(place) = fields.bytes.iter().position(|byte| byte.0 == field.byte) {
                bits[place] |= value;
            }
            at = before;
        }
        let values = self.bytes_with(&bits);
        fields.bytes.iter().zip(values).map(|(byte, value)| (byte.0, value)).collect()
    }

    /// A value for each byte with these used bits.
    fn bytes_with(&self, bits: &[u8]) -> Vec<u8> {
        let value = |(place, &bits)| self.levels.fields.byte_with(place, bits, self.near).unwrap_or(bits);
        bits.iter().enumerate().map(value).collect()
    }

    /// The prefix states with one field more, and all steps to them; `None` if the fuel is used up.
    fn next(&mut self, level: usize, before: &Beginnings) -> Option<(Beginnings, Steps)> {
        let levels = self.levels;
        let here = &levels.levels[level];
        let field = &levels.fields.fields[level - 1];
        let (id, domain) = (field.byte, &field.values);
        let count = before.from.len();
        let lanes = count * domain.len();
        let cost = here.terms.len() + before.terms.len() + here.kept.len() + sweep::LOOKUP_FUEL;
        let mut blocks = lanes.div_ceil(LANES);
        // Half of the remaining fuel is for the later levels.
        let most = if level + 1 == levels.levels.len() { self.left } else { self.left / 2 } / cost.max(1);
        if most == 0 {
            return None;
        }
        if blocks > most {
            blocks = most;
            self.whole = false;
        }
        self.left -= blocks * cost;
        // The evaluation of terms counts itself.
        self.terms.count((blocks * (cost - here.terms.len())) as u64, 0);
        let mut next = Beginnings { terms: here.kept.clone(), ..Beginnings::default() };
        let mut steps = Steps::new();
        let mut row = Vec::with_capacity(next.terms.len());
        for block in 0..blocks {
            if self.limit.is_over() {
                return None;
            }
            let first = block * LANES;
            let used = (lanes - first).min(LANES);
            // The prefix state and the value of the field of each lane.
            let (mut parents, mut values) = ([0u32; LANES], [0u8; LANES]);
            let (mut value, mut parent) = (first / count, first % count);
            for (p, v) in parents.iter_mut().zip(&mut values).take(used) {
                (*p, *v) = (parent as u32, domain[value]);
                parent += 1;
                if parent == count {
                    (value, parent) = (value + 1, 0);
                }
            }
            self.load(before, &parents[..used]);
            let mut alive = self.evaluate_with(level, u64::MAX >> (LANES - used), Some((id, &values)));
            while alive != 0 {
                let lane = alive.trailing_zeros() as usize;
                alive &= alive - 1;
                row.clear();
                row.extend(next.terms.iter().map(|&place| self.columns[place as usize][lane]));
                let step = (parents[lane], values[lane]);
                let place =
                    if steps.len() < sweep::STEPS { next.add(&row, step, self.most_values) } else { None };
                let Some(place) = place else {
                    self.whole = false;
                    return Some((next, steps));
                };
                if self.steps.is_some() {
                    steps.push((place, step));
                }
            }
        }
        Some((next, steps))
    }

    /// Loads the values of prefix states, a lane for each of these places.
    fn load(&mut self, beginnings: &Beginnings, places: &[u32]) {
        for (i, &term) in beginnings.terms.iter().enumerate() {
            let column = &mut self.columns[term as usize];
            for (c, &place) in column.iter_mut().zip(places) {
                *c = beginnings.row(place as usize)[i];
            }
        }
    }

    /// The prefix states without those for which some condition is false for all values of the other fields.
    fn pruned(&mut self, level: usize, all: Beginnings, mut steps: Steps) -> Beginnings {
        let count = all.from.len() as u32;
        let mut kept: Vec<u32> = Vec::with_capacity(all.from.len());
        let mut at = 0;
        if all.from.len() >= sweep::PRUNED
            && level + 1 < self.levels.levels.len()
            && self.outlook.turn_to(level)
        {
            let before = self.left;
            for (block, first) in (0..count).step_by(LANES).enumerate() {
                let cost = sweep::SPAN_FUEL * self.outlook.size();
                let does_not_pay = block == sweep::PRUNED_BLOCKS && kept.len() * 8 > at as usize * 7;
                if does_not_pay || self.left < before / 2 + cost || self.limit.is_over() {
                    break;
                }
                self.left -= cost;
                at = count.min(first + LANES as u32);
                let places: Vec<u32> = (first..at).collect();
                self.load(&all, &places);
                let alive =
                    self.outlook.alive(&self.columns, &self.levels.asked, places.len(), &mut self.blamed);
                kept.extend(
                    places.into_iter().enumerate().filter(|(lane, _)| alive >> lane & 1 != 0).map(|p| p.1),
                );
            }
        }
        kept.extend(at..count);
        if kept.len() < all.from.len() {
            let mut new = vec![u32::MAX; all.from.len()];
            kept.iter().zip(0..).for_each(|(&old, i)| new[old as usize] = i);
            steps.iter_mut().for_each(|step| step.0 = new[step.0 as usize]);
            steps.retain(|step| step.0 != u32::MAX);
        }
        if let Some(of_levels) = &mut self.steps {
            of_levels.push(steps);
        }
        if kept.len() < all.from.len() { all.at(&kept) } else { all }
    }

    fn evaluate(&mut self, level: usize, alive: u64) -> u64 {
        self.evaluate_with(level, alive, None)
    }

    /// Evaluates the terms of a level. Returns the lanes in which all its conditions hold.
    fn evaluate_with(&mut self, level: usize, mut alive: u64, byte: Option<(ByteId, &[u8; LANES])>) -> u64 {
        let levels = self.levels;
        for &place in &levels.levels[level].terms {
            let place = place as usize;
            let (node, operands) = levels.below[place];
            let (before, rest) = self.columns.split_at_mut(place);
            let Some(out) = rest.first_mut() else { break };
            match (self.terms.node(node), byte) {
                (Node::Byte(id), Some((this, values))) if id == this => {
                    out.iter_mut().zip(values).for_each(|(o, v)| *o = (*v).into());
                }
                (Node::Byte(id), _) => out.fill(self.near.get(id).into()),
                _ => {
                    let operand = |i: u32| before.get(i as usize).unwrap_or(&[0; LANES]);
                    self.terms.eval_columns(node, 0, operands.map(operand), out);
                }
            }
            if levels.asked[place] {
                let holds = holding(out);
                self.blamed[place] |= alive & !holds != 0;
                alive &= holds;
                if alive == 0 {
                    break;
                }
            }
        }
        alive
    }

    fn never(self) -> Tried {
        let because = self.levels.below.iter().zip(&self.blamed).filter(|(_, blamed)| **blamed);
        Tried::Never(because.map(|((node, _), _)| *node).collect())
    }
}
