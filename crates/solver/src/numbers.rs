//! Questions about floating-point numbers: proofs and witnesses by boxes, witnesses by a search that follows distances.
//!
//! A box bounds each word that the conditions are about. Where intervals show that a condition cannot hold anywhere in it,
//! the box is done; else its middle is tried, and it is cut in two. The search starts at the witness at hand and moves one
//! word at a time, to where the operands of the comparisons that fail are nearer to each other, counted in numbers
//! between them (Fu, Su, XSat, CAV 2016). Both count their steps, not their time, so that they find the same on every
//! machine.

use cleave_expr::{
    BinaryOp, Bound, Boxes, ByteId, ByteSet, Float, FloatOp, Interval, Leaf, Node, Term, Terms, Witness,
    at_place, last_place, mask, place_of, sign_extend,
};

use crate::answer::LayerAnswer;
use crate::backend::Conflict;
use crate::patch::preferred;
use crate::path::PathCondition;
use crate::solver::Solver;
use crate::words;

/// More words than this make too many boxes.
const MOST_LEAVES: usize = 6;
/// So many boxes are looked at, ...
const MOST_BOXES: usize = 4000;
/// ... and so many parts of conditions over them, ...
const MOST_PARTS: usize = 400_000;
/// ... and that again, up to so many times, where what is done by then says that they are enough for the rest.
const MOST_ROUNDS: usize = 32;
/// So many points are evaluated in a search.
const MOST_POINTS: usize = 3000;
/// How deep bounds of integers are looked for.
const DEPTH: u32 = 8;
/// What a condition that is far from holding, in no order, counts as.
const FAR: u64 = 64 << 8;

impl Solver {
    /// The slice's conditions, if numbers are among them.
    fn number_conditions(&self, terms: &Terms) -> Option<Vec<Term>> {
        let all = self.slice.relations.iter().chain(&self.slice.asked);
        let conds: Vec<Term> = all.map(|r| r.term).collect();
        conds.iter().any(|&c| terms.has_floats(c)).then_some(conds)
    }

    /// The witness at hand with values for the bytes that the question narrows by itself.
    fn narrowed_witness(&self, terms: &mut Terms, near: &Witness) -> Option<Witness> {
        let narrowed = &self.slice.narrowed;
        if narrowed.iter().any(|(_, set)| set.is_empty()) {
            return None;
        }
        let outside = narrowed.iter().filter(|(id, set)| !set.contains(near.get(*id)));
        Some(terms.patched(near, outside.map(|(id, set)| (*id, preferred(set, near.get(*id))))))
    }

    /// Boxes that cover all values: a witness in one of them, or a proof that there is none.
    pub(crate) fn by_boxes(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
    ) -> Option<LayerAnswer> {
        let conds = self.number_conditions(terms)?;
        let near = &self.narrowed_witness(terms, near)?;
        let boxes = Boxes::of(terms, &conds)?;
        if boxes.leaves.is_empty() || boxes.leaves.len() > MOST_LEAVES {
            return None;
        }
        let mut blamed = vec![false; conds.len()];
        let mut first = Vec::with_capacity(boxes.leaves.len());
        for leaf in &boxes.leaves {
            first.push(self.leaf_bound(terms, pc, &conds, *leaf, &mut blamed));
        }
        let mut todo = vec![(first, 0usize)];
        let mut rounds = Rounds::new(MOST_BOXES.min(MOST_PARTS / boxes.len().max(1)));
        while let Some((bounds, depth)) = todo.pop() {
            if bounds.iter().any(|b| matches!(b, Bound::Number(i) if i.is_empty() && !i.nan)) {
                rounds.done(depth);
                continue;
            }
            if !rounds.take() || self.is_stopped() {
                return None;
            }
            let answers = boxes.decide(terms, &bounds);
            if answers.last() == Some(&Some(false)) {
                blamed[answers.len() - 1] = true;
                rounds.done(depth);
                continue;
            }
            if let Some(w) = self.point(terms, pc, &boxes, &bounds, near) {
                self.recent.keep_model(&w);
                return Some(LayerAnswer::Sat(w));
            }
            let (lower, upper) = halves(terms, &boxes, &bounds, depth)?;
            todo.push((upper, depth + 1));
            todo.push((lower, depth + 1));
        }
        let conditions = conds.iter().zip(blamed).filter(|(_, blamed)| *blamed).map(|(c, _)| *c).collect();
        let domains = self.slice.domains(pc);
        let domains = domains.into_iter().filter(|(_, set)| *set != ByteSet::FULL).collect();
        let conflict = Conflict { conditions, domains };
        self.recent.keep_core(&conflict);
        Some(LayerAnswer::Unsat(conflict))
    }

    /// What a word can be by its bytes' sets, and by conditions that compare it with constants: these are blamed.
    fn leaf_bound(
        &self,
        terms: &mut Terms,
        pc: &PathCondition,
        conds: &[Term],
        leaf: Leaf,
        blamed: &mut [bool],
    ) -> Bound {
        let w = terms.width(leaf.term);
        if !leaf.number {
            if w > 64 {
                return Bound::Integer(0, mask(w));
            }
            let (lo, hi) = words::bounds(terms, pc, &self.slice, leaf.term, DEPTH);
            return Bound::Integer(lo.into(), hi.max(lo).into());
        }
        let k = Float::of_bits(w).unwrap_or(Float::X80);
        let mut i = Interval::full(k);
        let nan = terms.is_nan(leaf.term);
        let number = terms.not(nan);
        for (&cond, blamed) in conds.iter().zip(blamed) {
            let before = i;
            if cond == number {
                i.nan = false;
            } else if cond == nan {
                (i.lo, i.hi) = (1, 0);
            } else {
                narrowed(terms, k, leaf.term, cond, &mut i);
            }
            *blamed |= i != before;
        }
        Bound::Number(i)
    }

    /// Whether the middle of a box satisfies all conditions.
    fn point(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        boxes: &Boxes,
        bounds: &[Bound],
        near: &Witness,
    ) -> Option<Witness> {
        let values: Vec<(Term, u128)> = boxes
            .leaves
            .iter()
            .zip(bounds)
            .map(|(leaf, bound)| {
                let value = match bound {
                    Bound::Number(i) => {
                        let k = Float::of_bits(terms.width(leaf.term)).unwrap_or(Float::X80);
                        at_place(k, i.middle(k, true))
                    }
                    Bound::Integer(lo, hi) => lo + (hi - lo) / 2,
                };
                (leaf.term, value)
            })
            .collect();
        let w = self.patcher.assigned(terms, pc, &self.slice, near, &values)?;
        self.slice.holds(terms, &w, u64::MAX).then_some(w)
    }

    /// A witness, found by moving the words of the conditions towards it.
    pub(crate) fn by_search(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
    ) -> Option<LayerAnswer> {
        let conds = self.number_conditions(terms)?;
        let near = &self.narrowed_witness(terms, near)?;
        let boxes = Boxes::of(terms, &conds)?;
        let words = self.variables(terms, pc, &boxes);
        let mut search = Search { solver: self, pc, near, conds: &conds, words: &words, left: MOST_POINTS };
        let w = search.run(terms)?;
        self.recent.keep_model(&w);
        Some(LayerAnswer::Sat(w))
    }

    /// What the search moves: words of bytes as they are, else their bytes.
    fn variables(&self, terms: &mut Terms, pc: &PathCondition, boxes: &Boxes) -> Vec<Variable> {
        let mut taken: Vec<ByteId> = Vec::new();
        let mut all = Vec::new();
        let mut leaves = boxes.leaves.clone();
        leaves.sort_by_key(|leaf| !leaf.number);
        for leaf in leaves {
            let bytes = terms.bytes_of(leaf.term);
            let plain = is_word(terms, leaf.term) && !bytes.iter().any(|b| taken.contains(b));
            if plain {
                let w = terms.width(leaf.term);
                let k = Float::of_bits(w).filter(|_| leaf.number);
                all.push(Variable { word: Word::Whole(leaf.term, k), width: w });
                taken.extend(bytes.iter());
                continue;
            }
            for &id in bytes.iter() {
                if !taken.contains(&id) && self.slice.bytes.binary_search(&id).is_ok() {
                    taken.push(id);
                    let set = self.slice.domain(pc, id);
                    all.push(Variable { word: Word::Byte(id, set), width: 8 });
                }
            }
        }
        all
    }
}

/// How many boxes may still be looked at. What is refuted is a part of the whole: if a round refutes so much that the rest
/// takes few more, they follow.
struct Rounds {
    size: usize,
    /// Boxes left in this round.
    left: usize,
    /// Rounds left after it.
    more: usize,
    /// The parts that are refuted, in all and in this round.
    refuted: f64,
    lately: f64,
}

impl Rounds {
    fn new(size: usize) -> Rounds {
        Rounds { size, left: size, more: MOST_ROUNDS, refuted: 0.0, lately: 0.0 }
    }

    /// A box of this many cuts is refuted.
    fn done(&mut self, depth: usize) {
        let part = 0.5f64.powi(depth as i32);
        self.refuted += part;
        self.lately += part;
    }

    /// Whether one more may be looked at.
    fn take(&mut self) -> bool {
        if self.left == 0 {
            if (1.0 - self.refuted) > self.lately * self.more as f64 {
                return false;
            }
            (self.left, self.lately) = (self.size, 0.0);
            self.more -= 1;
        }
        self.left -= 1;
        true
    }
}

/// The two halves of a box: of the word whose turn it is, or the next that has two values.
fn halves(terms: &Terms, boxes: &Boxes, bounds: &[Bound], depth: usize) -> Option<(Vec<Bound>, Vec<Bound>)> {
    let n = bounds.len();
    for turn in 0..n {
        let i = (depth + turn) % n;
        let (lower, upper) = match bounds[i] {
            Bound::Number(x) if x.lo < x.hi => {
                let k = Float::of_bits(terms.width(boxes.leaves[i].term)).unwrap_or(Float::X80);
                // Now and then by places, or what is near zero would take too many cuts.
                let middle = x.middle(k, depth / n % 4 != 3);
                let (below, above) = (Interval { hi: middle, ..x }, Interval { lo: middle + 1, ..x });
                // What is no number is in one of them.
                (Bound::Number(below), Bound::Number(Interval { nan: false, ..above }))
            }
            Bound::Integer(lo, hi) if lo < hi => {
                let middle = lo + (hi - lo) / 2;
                (Bound::Integer(lo, middle), Bound::Integer(middle + 1, hi))
            }
            _ => continue,
        };
        let with = |half: Bound| {
            let mut bounds = bounds.to_vec();
            bounds[i] = half;
            bounds
        };
        return Some((with(lower), with(upper)));
    }
    None
}

/// Narrows an interval by a condition that compares the word with a constant. What is no number stays where a comparison is
/// not to hold.
fn narrowed(terms: &Terms, k: Float, word: Term, cond: Term, i: &mut Interval) {
    let (t, holds) = match terms.node(cond) {
        Node::Not(x) => (x, false),
        _ => (cond, true),
    };
    let (op, a, b) = match terms.node(t) {
        Node::Float(op @ (FloatOp::Less | FloatOp::LessEqual), a, b, _) => (op, a, b),
        Node::Binary(BinaryOp::Eq, a, b) if holds && a == word => {
            if let Some(v) = terms.constant(b) {
                let only = Interval::of_bits(k, v);
                *i = Interval { lo: i.lo.max(only.lo), hi: i.hi.min(only.hi), nan: i.nan && only.nan };
            }
            return;
        }
        _ => return,
    };
    let (constant, first) = match (a == word, b == word) {
        (true, false) => (terms.constant(b), true),
        (false, true) => (terms.constant(a), false),
        _ => return,
    };
    let Some(only) = constant.map(|v| Interval::of_bits(k, v)).filter(|only| !only.is_empty()) else {
        return;
    };
    let strict = (op == FloatOp::Less) == holds;
    let step = i128::from(strict);
    if first == holds {
        i.hi = i.hi.min(only.lo - step);
    } else {
        i.lo = i.lo.max(only.lo + step);
    }
    i.nan &= !holds;
}

/// Whether a term is bytes in a row and nothing else.
fn is_word(terms: &Terms, t: Term) -> bool {
    match terms.node(t) {
        Node::Byte(_) => true,
        Node::Binary(BinaryOp::Concat, a, b) => matches!(terms.node(a), Node::Byte(_)) && is_word(terms, b),
        _ => false,
    }
}

/// What the search moves.
#[derive(Clone, Copy)]
enum Word {
    /// A word of bytes, as a number of a kind or as an integer.
    Whole(Term, Option<Float>),
    Byte(ByteId, ByteSet),
}

struct Variable {
    word: Word,
    width: u8,
}

struct Search<'a> {
    solver: &'a mut Solver,
    pc: &'a PathCondition,
    near: &'a Witness,
    conds: &'a [Term],
    words: &'a [Variable],
    /// Points that may still be evaluated.
    left: usize,
}

impl Search<'_> {
    fn run(&mut self, terms: &mut Terms) -> Option<Witness> {
        if self.words.is_empty() {
            return None;
        }
        let mut start = self.near.clone();
        let mut dice = 1u64;
        loop {
            let mut at = start.clone();
            let mut cost = self.cost(terms, &at);
            while cost > 0 {
                let Some((w, less)) = self.better(terms, &at, cost) else { break };
                (at, cost) = (w, less);
            }
            if cost == 0 {
                return self.solver.slice.holds(terms, &at, u64::MAX).then_some(at);
            }
            if self.left == 0 || self.solver.is_stopped() {
                return None;
            }
            // A round counts even if no word could be moved in it: the search ends.
            self.left -= 1;
            // Somewhere else, the same on every machine.
            start = self.near.clone();
            for variable in self.words {
                dice = mixed(dice);
                let by = mixed(dice ^ 0x5555);
                if let Some(w) = self.moved(terms, &start, variable, Move::To(dice, by)) {
                    start = w;
                }
            }
        }
    }

    /// The best point one move away that is better, of the words' in turn.
    fn better(&mut self, terms: &mut Terms, at: &Witness, cost: u64) -> Option<(Witness, u64)> {
        let mut best: Option<(Witness, u64)> = None;
        for variable in self.words {
            for step in 0..2 * u32::from(variable.width) {
                if self.left == 0 || self.solver.is_stopped() {
                    return best;
                }
                let Some(w) = self.moved(terms, at, variable, Move::By(step)) else { continue };
                self.left -= 1;
                let now = self.cost(terms, &w);
                if now < best.as_ref().map_or(cost, |b| b.1) {
                    best = Some((w, now));
                }
                if now == 0 {
                    return best;
                }
            }
        }
        best
    }

    fn moved(&mut self, terms: &mut Terms, at: &Witness, variable: &Variable, by: Move) -> Option<Witness> {
        match variable.word {
            Word::Byte(id, set) => {
                let values = set.len();
                let kth = match by {
                    Move::By(step) => step * 16 % values.max(1) + step / 16,
                    Move::To(dice, _) => (dice % u64::from(values.max(1))) as u32,
                };
                let value = set.iter().nth(kth as usize).filter(|v| *v != at.get(id))?;
                Some(terms.patched(at, [(id, value)]))
            }
            Word::Whole(t, kind) => {
                let now = terms.eval_wide(t, at);
                let value = match kind {
                    Some(k) => {
                        let place = by.of(place_of(k, now), last_place(k))?;
                        at_place(k, place)
                    }
                    None => {
                        by.of(sign_extend(now, variable.width), (mask(variable.width) >> 1) as i128)? as u128
                            & mask(variable.width)
                    }
                };
                let solver = &mut *self.solver;
                solver.patcher.assigned(terms, self.pc, &solver.slice, at, &[(t, value)])
            }
        }
    }

    /// How far the conditions are from holding; 0 where they hold.
    fn cost(&self, terms: &mut Terms, w: &Witness) -> u64 {
        self.conds.iter().map(|&c| distance(terms, c, true, w, 64)).sum()
    }
}

/// A move of a word.
#[derive(Clone, Copy)]
enum Move {
    /// By a power of two, up or down.
    By(u32),
    /// To somewhere, of two random numbers.
    To(u64, u64),
}

impl Move {
    fn of(self, place: i128, last: i128) -> Option<i128> {
        let to = match self {
            Move::By(step) if step % 2 == 0 => place.checked_add(1 << (step / 2))?,
            Move::By(step) => place.checked_sub(1 << (step / 2))?,
            // All sizes are as likely.
            Move::To(dice, by) => {
                let bits = 128 - last.leading_zeros();
                let size = (i128::from(dice >> 1) << 40 | i128::from(by >> 24)) & last;
                let size = size >> (by % u64::from(bits));
                if dice & 1 == 0 { size } else { -size }
            }
        };
        (-last..=last).contains(&to).then_some(to)
    }
}

fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// A distance in a scale in which each doubling counts as much: 256 for each.
fn scaled(apart: u128) -> u64 {
    if apart == 0 {
        return 0;
    }
    let bits = 128 - apart.leading_zeros();
    let fraction = (apart << (128 - bits) >> 119) as u64 & 0xff;
    u64::from(bits) << 8 | fraction
}

/// How far a condition is from being what is wanted.
fn distance(terms: &mut Terms, t: Term, want: bool, w: &Witness, depth: u32) -> u64 {
    if terms.holds(t, w) == want {
        return 0;
    }
    if depth == 0 {
        return FAR;
    }
    let node = terms.node(t);
    let mut below = |t: Term, want: bool| distance(terms, t, want, w, depth - 1);
    match node {
        Node::Not(x) => below(x, !want),
        Node::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
            let (x, y) = (below(a, want), below(b, want));
            if want == (op == BinaryOp::And) { x + y } else { x.min(y) }
        }
        Node::Ite(c, a, b) => {
            let yes = below(c, true) + below(a, want);
            let no = below(c, false) + below(b, want);
            yes.min(no)
        }
        Node::Float(op, a, b, _) => {
            let Some(k) = Float::of_bits(terms.width(a)) else { return FAR };
            let [x, y] = [a, b].map(|t| Interval::of_bits(k, terms.eval_wide(t, w)));
            if x.nan || y.nan || op == FloatOp::IsNan {
                return FAR;
            }
            scaled((x.lo - y.lo).unsigned_abs()).max(1)
        }
        Node::Binary(op, a, b) if op.is_comparison() => {
            let width = terms.width(a);
            let [x, y] = [a, b].map(|t| terms.eval_wide(t, w));
            if op == BinaryOp::Slt {
                let apart = sign_extend(x, width).abs_diff(sign_extend(y, width));
                return scaled(apart).max(1);
            }
            scaled(x.abs_diff(y)).max(1)
        }
        _ => FAR,
    }
}
