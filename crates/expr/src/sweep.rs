//! Conditions on many bytes, decided by giving the bytes their values one after the other.
//!
//! When some bytes have values, the other conditions see these only through a few terms: the state of an automaton, a sum so far, a
//! count. Beginnings in which these terms are equal are one. So a lexer's conditions on twelve bytes are a few
//! hundred beginnings, where there are 256^12 inputs. It is the construction of a decision diagram, level by level.

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::BuildHasher;

use crate::byteset::{ByteSet, LANES};
use crate::term::{ByteId, Node, Term};
use crate::terms::Terms;
use crate::trying::Tried;
use crate::witness::Witness;

/// At most this many beginnings are kept; of more, some are forgotten, and what is left can only show that all
/// conditions hold together.
const BEGINNINGS: usize = 1 << 17;
/// At most this many values of terms are kept for them.
const VALUES: usize = 1 << 22;

/// All values of a term, each with values of bytes that lead to it.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// The term's values, each once.
    pub values: Vec<u64>,
    bytes: Vec<ByteId>,
    /// A row for each value.
    ways: Vec<u8>,
}

impl Reached {
    /// The values of bytes that lead to the value at a place.
    pub fn way(&self, place: usize) -> impl Iterator<Item = (ByteId, u8)> + '_ {
        let n = self.bytes.len();
        let row = self.ways.get(place * n..(place + 1) * n).unwrap_or(&[]);
        self.bytes.iter().copied().zip(row.iter().copied())
    }
}

/// Where a beginning came from: one of the level before, and the value of the last byte.
type Step = (u32, u8);

/// Beginnings with values for the first bytes: each is the values of those terms that the rest needs.
#[derive(Default)]
struct Beginnings {
    /// Places of these terms.
    terms: Vec<u32>,
    /// A row for each beginning.
    values: Vec<u64>,
    /// How each came about.
    from: Vec<Step>,
    index: HashTable<u32>,
}

impl Beginnings {
    fn row(&self, i: usize) -> &[u64] {
        let n = self.terms.len();
        self.values.get(i * n..(i + 1) * n).unwrap_or(&[])
    }

    /// Adds a beginning; `false` if there is no room for it.
    fn add(&mut self, row: &[u64], from: Step) -> bool {
        let hash = |row: &[u64]| FxBuildHasher.hash_one(row);
        let this = &*self;
        if this.index.find(hash(row), |&i| this.row(i as usize) == row).is_some() {
            return true;
        }
        if self.from.len() >= BEGINNINGS || self.values.len() >= VALUES {
            return false;
        }
        let i = self.from.len() as u32;
        self.values.extend_from_slice(row);
        self.from.push(from);
        let (values, n) = (&self.values, self.terms.len());
        self.index.insert_unique(hash(row), i, |&j| hash(&values[j as usize * n..(j as usize + 1) * n]));
        true
    }
}

/// What is evaluated when a byte gets its value.
#[derive(Default)]
struct Level {
    /// Places of the terms that have a value from now on, in rising order.
    terms: Vec<u32>,
    /// Places of those that later levels need.
    kept: Vec<u32>,
}

/// A question, sorted by levels.
struct Levels<'a> {
    below: &'a [(Term, [u32; 3])],
    /// Whether the term at a place is a condition.
    asked: Vec<bool>,
    /// The first is that of the terms that have a value before all bytes.
    levels: Vec<Level>,
}

impl<'a> Levels<'a> {
    /// `to_the_end` is needed behind the last byte, too.
    fn new(
        terms: &Terms,
        below: &'a [(Term, [u32; 3])],
        conds: &[Term],
        order: &[(ByteId, ByteSet)],
        to_the_end: Option<Term>,
    ) -> Levels<'a> {
        let level_of: FxHashMap<ByteId, u32> =
            order.iter().zip(1..).map(|((id, _), level)| (*id, level)).collect();
        let conds: FxHashSet<Term> = conds.iter().copied().collect();
        let mut known = vec![0u32; below.len()];
        let mut needed = vec![0u32; below.len()];
        let mut levels: Vec<Level> = Vec::new();
        levels.resize_with(order.len() + 1, Level::default);
        for (place, (node, operands)) in below.iter().enumerate() {
            let operands = &operands[..terms.children(*node).len()];
            let level = match terms.node(*node) {
                Node::Byte(id) => level_of.get(&id).copied().unwrap_or(0),
                _ => operands.iter().map(|&o| known[o as usize]).max().unwrap_or(0),
            };
            known[place] = level;
            levels[level as usize].terms.push(place as u32);
            for &operand in operands {
                needed[operand as usize] = needed[operand as usize].max(level);
            }
            if Some(*node) == to_the_end {
                needed[place] = order.len() as u32 + 1;
            }
        }
        for (place, (&known, &needed)) in known.iter().zip(&needed).enumerate() {
            // What is known before all bytes is at hand everywhere.
            for level in known.max(1)..if known == 0 { 0 } else { needed } {
                levels[level as usize].kept.push(place as u32);
            }
        }
        let asked = below.iter().map(|(node, _)| conds.contains(node)).collect();
        Levels { below, asked, levels }
    }
}

impl Terms {
    /// As [`Terms::try_all`] with all values of `bytes`, on which all of `conds` depend and on no others: one byte after the
    /// other, where beginnings that are the same to the rest count once.
    pub fn sweep(
        &mut self,
        conds: &[Term],
        bytes: &[(ByteId, ByteSet)],
        near: &Witness,
        most: usize,
    ) -> Tried {
        let Some(below) = self.narrow(conds, most) else { return Tried::TooMuch };
        let order = self.order_of_bytes(conds, bytes);
        let levels = Levels::new(self, &below, conds, &order, None);
        Sweep::new(self, &levels, &order, near, most).run()
    }

    /// All values that `t` has where `conds` hold, each with values of `bytes` that lead to it. `t` and all of `conds` depend on
    /// no other bytes. `None` if that is too much work, or there are more than `values` of them.
    pub fn values_of(
        &mut self,
        t: Term,
        conds: &[Term],
        bytes: &[(ByteId, ByteSet)],
        near: &Witness,
        (most, values): (usize, usize),
    ) -> Option<Reached> {
        let all: Vec<Term> = conds.iter().copied().chain([t]).collect();
        let below = self.narrow(&all, most)?;
        let order = self.order_of_bytes(&all, bytes);
        let levels = Levels::new(self, &below, conds, &order, Some(t));
        Sweep::new(self, &levels, &order, near, most).all(values)
    }

    /// These terms and all below them, if they are few and none has more than 64 bits.
    fn narrow(&self, tops: &[Term], most: usize) -> Option<Vec<(Term, [u32; 3])>> {
        const MOST_TERMS: usize = 1 << 14;
        let below = self.below(tops, MOST_TERMS.min(most))?;
        below.iter().all(|(node, _)| self.width(*node) <= 64).then_some(below)
    }

    /// The bytes, those of a condition side by side: conditions on few bytes first.
    fn order_of_bytes(&mut self, conds: &[Term], bytes: &[(ByteId, ByteSet)]) -> Vec<(ByteId, ByteSet)> {
        let listed: FxHashSet<ByteId> = bytes.iter().map(|(id, _)| *id).collect();
        let mut left: Vec<Vec<ByteId>> = Vec::with_capacity(conds.len());
        for &cond in conds {
            left.push(self.bytes_of(cond).iter().copied().filter(|id| listed.contains(id)).collect());
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
}

impl Terms {
    /// Values of `bytes` with which all of `conds` hold, found by chance among `blocks` times 64: for what a hash or a checksum
    /// makes of its input, which no reasoning turns round. Half of the bytes are as in `near`, where their sets allow that.
    pub fn sample(
        &self,
        conds: &[Term],
        bytes: &[(ByteId, ByteSet)],
        near: &Witness,
        most: usize,
    ) -> Option<Vec<(ByteId, u8)>> {
        let below = self.narrow(conds, most)?;
        let levels = Levels::new(self, &below, conds, bytes, None);
        let sets: Vec<Vec<u8>> = bytes.iter().map(|(_, set)| set.iter().collect()).collect();
        if sets.iter().any(Vec::is_empty) {
            return None;
        }
        let place_of = |id: ByteId| below.iter().position(|(node, _)| self.node(*node) == Node::Byte(id));
        let places: Vec<Option<usize>> = bytes.iter().map(|(id, _)| place_of(*id)).collect();
        let mut columns = vec![[0; LANES]; below.len()];
        let mut chance = 0x9E37_79B9_7F4A_7C15u64;
        let mut values = vec![[0u8; LANES]; bytes.len()];
        for _ in 0..most / below.len().max(1) {
            for (((id, set), place), (choices, lanes)) in
                bytes.iter().zip(&places).zip(sets.iter().zip(&mut values))
            {
                let now = near.get(*id);
                for lane in lanes.iter_mut() {
                    chance ^= chance << 13;
                    chance ^= chance >> 7;
                    chance ^= chance << 17;
                    let stays = chance >> 60 & 1 != 0 && set.contains(now);
                    *lane = if stays { now } else { choices[(chance >> 20) as usize % choices.len()] };
                }
                if let Some(column) = place.and_then(|place| columns.get_mut(place)) {
                    column.iter_mut().zip(lanes).for_each(|(c, v)| *c = (*v).into());
                }
            }
            let mut alive = u64::MAX;
            for (place, (node, operands)) in below.iter().enumerate() {
                let (before, rest) = columns.split_at_mut(place);
                let Some(out) = rest.first_mut() else { break };
                if !matches!(self.node(*node), Node::Byte(_)) {
                    let operand = |i: u32| before.get(i as usize).unwrap_or(&[0; LANES]);
                    self.eval_columns(*node, 0, operands.map(operand), out);
                }
                if levels.asked[place] {
                    alive &= out.iter().rev().fold(0, |set, x| set << 1 | (x & 1));
                    if alive == 0 {
                        break;
                    }
                }
            }
            if alive != 0 {
                let lane = alive.trailing_zeros() as usize;
                return Some(bytes.iter().zip(&values).map(|((id, _), lanes)| (*id, lanes[lane])).collect());
            }
        }
        None
    }
}

/// A sweep at work.
struct Sweep<'a> {
    terms: &'a Terms,
    levels: &'a Levels<'a>,
    order: &'a [(ByteId, ByteSet)],
    near: &'a Witness,
    /// Work left, in units of one term under 64 combinations.
    left: usize,
    columns: Vec<[u64; LANES]>,
    /// Whether the condition at a place has left something out.
    blamed: Vec<bool>,
    /// Whether all beginnings were kept.
    whole: bool,
}

impl<'a> Sweep<'a> {
    fn new(
        terms: &'a Terms,
        levels: &'a Levels<'a>,
        order: &'a [(ByteId, ByteSet)],
        near: &'a Witness,
        most: usize,
    ) -> Sweep<'a> {
        let n = levels.below.len();
        Sweep {
            terms,
            levels,
            order,
            near,
            left: most,
            columns: vec![[0; LANES]; n],
            blamed: vec![false; n],
            whole: true,
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

    /// All values of what is needed to the end, if that are no more than `most`.
    fn all(mut self, most: usize) -> Option<Reached> {
        let (all, last) = self.through()?;
        if !self.whole || last.from.len() > most {
            return None;
        }
        let mut reached =
            Reached { bytes: self.order.iter().map(|(id, _)| *id).collect(), ..Reached::default() };
        for i in 0..last.from.len() {
            reached.values.push(last.row(i).first().copied()?);
            reached.ways.extend(self.way(&all, i as u32).iter().rev().map(|(_, value)| *value));
        }
        Some(reached)
    }

    /// Goes through all bytes: how the beginnings came about, level by level, and those at the end. Fewer levels where none is
    /// left; `None` if there is no work left.
    fn through(&mut self) -> Option<(Vec<Vec<Step>>, Beginnings)> {
        self.left = self.left.saturating_sub(self.levels.levels[0].terms.len());
        if self.evaluate(0, u64::MAX) == 0 {
            return Some((vec![Vec::new()], Beginnings::default()));
        }
        let mut all = vec![vec![(0, 0)]];
        let mut beginnings = Beginnings { from: vec![(0, 0)], ..Beginnings::default() };
        for level in 1..=self.order.len() {
            beginnings = self.next(level, &beginnings)?;
            all.push(beginnings.from.clone());
            if beginnings.from.is_empty() {
                break;
            }
        }
        Some((all, beginnings))
    }

    /// The values of all bytes that lead to an end, the last byte first.
    fn way(&self, all: &[Vec<Step>], mut at: u32) -> Vec<(ByteId, u8)> {
        let mut values = Vec::with_capacity(self.order.len());
        for (from, (id, _)) in all[1..].iter().zip(self.order).rev() {
            let (before, value) = from[at as usize];
            values.push((*id, value));
            at = before;
        }
        values
    }

    /// The beginnings that have one byte more; `None` if there is no work left.
    fn next(&mut self, level: usize, before: &Beginnings) -> Option<Beginnings> {
        let here = &self.levels.levels[level];
        let (id, set) = self.order[level - 1];
        let now = self.near.get(id);
        // Values as they are come first.
        let mut domain: Vec<u8> = set.iter().filter(|&v| v == now).collect();
        domain.extend(set.iter().filter(|&v| v != now));
        let count = before.from.len();
        let lanes = count * domain.len();
        let cost = here.terms.len() + before.terms.len() + here.kept.len();
        let mut blocks = lanes.div_ceil(LANES);
        // Half of what is left is for what comes behind.
        let most = if level == self.order.len() { self.left } else { self.left / 2 } / cost.max(1);
        if most == 0 {
            return None;
        }
        if blocks > most {
            blocks = most;
            self.whole = false;
        }
        self.left -= blocks * cost;
        let mut next = Beginnings { terms: here.kept.clone(), ..Beginnings::default() };
        let mut row = Vec::with_capacity(next.terms.len());
        for block in 0..blocks {
            let first = block * LANES;
            let used = (lanes - first).min(LANES);
            // Which beginning and which value of the byte each lane stands for.
            let (mut parents, mut values) = ([0u32; LANES], [0u8; LANES]);
            let (mut value, mut parent) = (first / count, first % count);
            for (p, v) in parents.iter_mut().zip(&mut values).take(used) {
                (*p, *v) = (parent as u32, domain[value]);
                parent += 1;
                if parent == count {
                    (value, parent) = (value + 1, 0);
                }
            }
            for (i, &place) in before.terms.iter().enumerate() {
                let column = &mut self.columns[place as usize];
                for (c, &p) in column.iter_mut().zip(&parents).take(used) {
                    *c = before.row(p as usize)[i];
                }
            }
            let mut alive = self.evaluate_with(level, u64::MAX >> (LANES - used), Some((id, &values)));
            while alive != 0 {
                let lane = alive.trailing_zeros() as usize;
                alive &= alive - 1;
                row.clear();
                row.extend(next.terms.iter().map(|&place| self.columns[place as usize][lane]));
                if !next.add(&row, (parents[lane], values[lane])) {
                    self.whole = false;
                    return Some(next);
                }
            }
        }
        Some(next)
    }

    fn evaluate(&mut self, level: usize, alive: u64) -> u64 {
        self.evaluate_with(level, alive, None)
    }

    /// Evaluates the terms of a level; which lanes all its conditions leave.
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
                let holds = out.iter().rev().fold(0, |set, x| set << 1 | (x & 1));
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
