//! Layers for questions about floating-point numbers: interval branch and prune over boxes, for proofs and witnesses,
//! and a local search by distances, for witnesses. The pipeline calls them.
//!
//! A box bounds each word of the conditions. If intervals show that a condition fails everywhere in it, the box is
//! done; else its middle is tried, and the box is cut in two. The search starts at the witness at hand and moves one
//! word at a time, to values that bring the operands of failing comparisons nearer to each other, counted in numbers
//! between them (Fu, Su, XSat, CAV 2016). Both count steps instead of time, so that every machine finds the same.

use cleave_expr::{
    BinaryOp, Bound, Boxes, ByteId, ByteSet, Contracted, Float, FloatOp, Interval, Leaf, Look, Node, Term,
    Terms, Witness, at_place, last_place, mask, place_of, sign_extend,
};
use cleave_path::PathCondition;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::answer::LayerAnswer;
use crate::backends::backend::Conflict;
use crate::layers::patch::preferred;
use crate::layers::words;
use crate::policy::{differences, floats};
use crate::solver::Solver;

impl Solver {
    /// The slice's conditions if floating-point numbers occur in them, and the same on single bits; see [`of_bits`].
    fn number_conditions(&self, terms: &mut Terms) -> Option<(Vec<Term>, Vec<Term>)> {
        let all = self.slice.relations.iter().chain(&self.slice.asked);
        let whole: Vec<Term> = all.map(|r| r.term).collect();
        if !whole.iter().any(|&c| terms.has_floats(c)) {
            return None;
        }
        let mut seen = FxHashMap::default();
        let conds = whole.iter().map(|&c| of_bits(terms, &mut seen, c, floats::DEPTH_OF_BITS)).collect();
        Some((whole, conds))
    }

    /// The witness at hand, changed to the sets that the question gives to single bytes; `None` if a set is empty.
    fn narrowed_witness(&self, terms: &mut Terms, near: &Witness) -> Option<Witness> {
        let narrowed = &self.slice.narrowed;
        if narrowed.iter().any(|(_, set)| set.is_empty()) {
            return None;
        }
        let outside = narrowed.iter().filter(|(id, set)| !set.contains(near.get(*id)));
        Some(terms.patched(near, outside.map(|(id, set)| (*id, preferred(set, near.get(*id))))))
    }

    /// Branch and prune over boxes that cover all values: a witness in one of them, or a proof that there is none.
    pub(crate) fn by_boxes(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
    ) -> Option<LayerAnswer> {
        let (whole, conds) = self.number_conditions(terms)?;
        let near = &self.narrowed_witness(terms, near)?;
        let boxes = Boxes::of(terms, &conds)?;
        if boxes.leaves.is_empty() || boxes.leaves.len() > floats::MOST_WORDS {
            return None;
        }
        let mut blamed = vec![false; conds.len()];
        let mut first = Vec::with_capacity(boxes.leaves.len());
        for leaf in &boxes.leaves {
            first.push(self.leaf_bound(terms, pc, &conds, *leaf, &mut blamed));
        }
        let mut todo = vec![(first, 0usize)];
        let mut rounds = Rounds::new(floats::MOST_BOXES.min(floats::MOST_BOX_PARTS / boxes.len().max(1)));
        let (mut looks, mut dice) = ([Closer::new(Look::Slopes), Closer::new(Look::Forms)], 1);
        let mut contract = Pays::default();
        while let Some((mut bounds, depth)) = todo.pop() {
            boxes.narrow(&mut bounds, &mut blamed);
            if bounds.iter().any(|b| matches!(b, Bound::Number(i) if i.is_empty() && !i.nan)) {
                rounds.done(depth);
                continue;
            }
            if !rounds.take() || self.is_stopped() {
                return None;
            }
            let mut influence = Vec::new();
            if boxes.refuted(terms, &bounds, Look::Intervals, &mut blamed)
                || contract.nothing_left(terms, &boxes, &mut bounds, &mut blamed)
                || looks
                    .iter_mut()
                    .any(|look| look.refute(terms, &boxes, &bounds, (&mut blamed, &mut influence)))
            {
                rounds.done(depth);
                continue;
            }
            if let Some(w) = self.point(terms, pc, &boxes, (&bounds, &mut dice), near) {
                return Some(LayerAnswer::Sat(w));
            }
            let (lower, upper) = halves(terms, &boxes, &bounds, (depth, &influence))?;
            todo.push((upper, depth + 1));
            todo.push((lower, depth + 1));
        }
        let conditions = whole.iter().zip(blamed).filter(|(_, blamed)| *blamed).map(|(c, _)| *c).collect();
        let domains = self.slice.domains(pc);
        let domains = domains.into_iter().filter(|(_, set)| *set != ByteSet::FULL).collect();
        let conflict = Conflict { conditions, domains };
        self.recent.keep_core(&conflict);
        Some(LayerAnswer::Unsat(conflict))
    }

    /// Bounds of a word by its bytes' sets and by conditions that compare it with constants. These are marked in
    /// `blamed`.
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
            let (lo, hi) = words::bounds(terms, pc, &self.slice, leaf.term, differences::DEPTH);
            return Bound::Integer(lo.into(), hi.max(lo).into());
        }
        let k = Float::of_bits(w).unwrap_or(Float::X80);
        let mut i = Interval::full(k);
        let nan = terms.is_nan(leaf.term);
        let number = terms.not(nan);
        for (&cond, blamed) in conds.iter().zip(blamed) {
            let before = i;
            for part in conjuncts(terms, cond) {
                if part == number {
                    i.nan = false;
                } else if part == nan {
                    (i.lo, i.hi) = (1, 0);
                } else {
                    narrowed(terms, k, leaf.term, part, &mut i);
                }
            }
            *blamed |= i != before;
        }
        Bound::Number(i)
    }

    /// A witness at the middle of a box or at a random point in it, if one of them satisfies all conditions.
    fn point(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        boxes: &Boxes,
        (bounds, dice): (&[Bound], &mut u64),
        near: &Witness,
    ) -> Option<Witness> {
        for random in [false, true] {
            let values: Vec<(Term, u128)> = boxes
                .leaves
                .iter()
                .zip(bounds)
                .map(|(leaf, bound)| {
                    let value = match bound {
                        Bound::Number(i) => {
                            let k = Float::of_bits(terms.width(leaf.term)).unwrap_or(Float::X80);
                            at_place(k, if random { random_place(*i, k, dice) } else { i.middle(k, true) })
                        }
                        Bound::Integer(lo, hi) if random => {
                            *dice = mixed(*dice);
                            lo + u128::from(*dice) % (hi - lo).saturating_add(1)
                        }
                        Bound::Integer(lo, hi) => lo + (hi - lo) / 2,
                    };
                    (leaf.term, value)
                })
                .collect();
            if let Some(w) = self.patcher.assigned(terms, pc, &self.slice, near, &values)
                && self.slice.holds(terms, &w, u64::MAX)
            {
                return Some(w);
            }
        }
        None
    }

    /// A witness, found by moving the words of the conditions towards it.
    pub(crate) fn by_search(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
    ) -> Option<LayerAnswer> {
        let (_, conds) = self.number_conditions(terms)?;
        let near = &self.narrowed_witness(terms, near)?;
        let boxes = Boxes::of(terms, &conds)?;
        let words = self.variables(terms, pc, &boxes, &conds);
        let left =
            (floats::POINT_PARTS / boxes.len().max(1)).clamp(floats::LEAST_POINTS, floats::MOST_POINTS);
        let mut search = Search { solver: self, pc, near, conds: &conds, words: &words, left };
        let w = search.run(terms)?;
        Some(LayerAnswer::Sat(w))
    }

    /// The variables of the search: words that are plain bytes in a row; of other words, their bytes.
    fn variables(
        &self,
        terms: &mut Terms,
        pc: &PathCondition,
        boxes: &Boxes,
        conds: &[Term],
    ) -> Vec<Variable> {
        let mut taken: Vec<ByteId> = Vec::new();
        let mut all = Vec::new();
        let mut leaves = boxes.leaves.clone();
        leaves.sort_by_key(|leaf| !leaf.number);
        for leaf in leaves {
            let bytes = terms.bytes_of(leaf.term);
            let plain = is_word(terms, leaf.term) && !bytes.iter().any(|b| taken.contains(b));
            if plain {
                let w = terms.width(leaf.term);
                let bound = self.leaf_bound(terms, pc, conds, leaf, &mut vec![false; conds.len()]);
                let number = match bound {
                    Bound::Number(i) if !i.is_empty() => Float::of_bits(w).map(|k| (k, i)),
                    _ => None,
                };
                all.push(Variable { word: Word::Whole(leaf.term, number), width: w });
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

/// Success rate of a costly step: it is tried on some boxes, and on more while it helps with one in [`floats::AFFINE_PAYS`].
#[derive(Default)]
struct Pays {
    done: usize,
    helped: usize,
}

impl Pays {
    fn goes_on(&self, boxes: &Boxes) -> bool {
        let least = (floats::AFFINE_PARTS / boxes.len().max(1))
            .clamp(floats::LEAST_AFFINE_BOXES, floats::AFFINE_BOXES);
        self.done < least || self.helped * floats::AFFINE_PAYS >= self.done
    }

    fn note(&mut self, helped: bool) {
        self.done += 1;
        self.helped += usize::from(helped);
    }

    /// Narrows a box by the conditions. Returns true if nothing is left of it.
    fn nothing_left(
        &mut self,
        terms: &Terms,
        boxes: &Boxes,
        bounds: &mut [Bound],
        blamed: &mut [bool],
    ) -> bool {
        let pays = self.done < floats::MANY_NARROWED || self.helped * floats::NARROWED_PAYS >= self.done;
        if !pays || !self.goes_on(boxes) {
            return false;
        }
        let left = boxes.contract(terms, bounds, blamed);
        self.note(left != Contracted::Little);
        left == Contracted::Nothing
    }
}

/// A closer look at boxes, which takes some ten times as long as intervals.
struct Closer {
    look: Look,
    pays: Pays,
}

impl Closer {
    fn new(look: Look) -> Closer {
        Closer { look, pays: Pays::default() }
    }

    fn refute(
        &mut self,
        terms: &Terms,
        boxes: &Boxes,
        bounds: &[Bound],
        (blamed, influence): (&mut [bool], &mut Vec<f64>),
    ) -> bool {
        if !self.pays.goes_on(boxes) {
            return false;
        }
        let refuted = match self.look {
            Look::Slopes => boxes.refuted_by_slopes(terms, bounds, blamed, influence),
            look => boxes.refuted(terms, bounds, look, blamed),
        };
        self.pays.note(refuted);
        refuted
    }
}

/// The boxes that may still be looked at, in rounds. The refuted boxes are a part of the whole: if a round refutes so
/// much that few more rounds finish the rest, they follow.
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
        Rounds { size, left: size, more: floats::MOST_ROUNDS, refuted: 0.0, lately: 0.0 }
    }

    /// Records that a box made by this many cuts is refuted.
    fn done(&mut self, depth: usize) {
        let part = 0.5f64.powi(depth as i32);
        self.refuted += part;
        self.lately += part;
    }

    /// Returns true if one more box may be looked at.
    fn take(&mut self) -> bool {
        if self.left == 0 {
            if self.more == 0 || (1.0 - self.refuted) > self.lately * self.more as f64 {
                return false;
            }
            (self.left, self.lately) = (self.size, 0.0);
            self.more -= 1;
        }
        self.left -= 1;
        true
    }
}

/// The two halves of a box. It is cut at the word with the most influence on the open conditions; at every fourth
/// depth, at the word whose turn it is. A word with one value passes the turn on; `None` if all have one value.
fn halves(
    terms: &Terms,
    boxes: &Boxes,
    bounds: &[Bound],
    (depth, influence): (usize, &[f64]),
) -> Option<(Vec<Bound>, Vec<Bound>)> {
    let n = bounds.len();
    let most = influence.iter().copied().fold(0.0, f64::max);
    let first = match influence.iter().position(|&x| x == most && most > 0.0) {
        Some(word) if depth % 4 != 3 => word,
        _ => depth % n,
    };
    for turn in 0..n {
        let i = (first + turn) % n;
        let (lower, upper) = match bounds[i] {
            Bound::Number(x) if x.lo < x.hi => {
                let k = Float::of_bits(terms.width(boxes.leaves[i].term)).unwrap_or(Float::X80);
                // Every fourth cut of a word halves the places, else numbers near zero would take too many cuts.
                let middle = x.middle(k, depth / n % 4 != 3);
                let (below, above) = (Interval { hi: middle, ..x }, Interval { lo: middle + 1, ..x });
                // NaN stays in one half only.
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

/// Rewrites a condition that tests an `int`, as C makes one of comparisons (`((int)a & (int)b) != 0`), to one on single
/// bits (`a & b`), which shows its comparisons of numbers.
fn of_bits(terms: &mut Terms, seen: &mut Seen, cond: Term, depth: u32) -> Term {
    if depth == 0 {
        return cond;
    }
    match terms.node(cond) {
        Node::Not(x) => {
            let x = of_bits(terms, seen, x, depth - 1);
            terms.not(x)
        }
        Node::Binary(BinaryOp::Eq, t, n) if let Some(n @ (0 | 1)) = terms.constant(n) => {
            match truth(terms, seen, t, depth - 1) {
                Some(t) if n == 0 => terms.not(t),
                Some(t) => t,
                None => cond,
            }
        }
        Node::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, ..) => {
            truth(terms, seen, cond, depth - 1).unwrap_or(cond)
        }
        _ => cond,
    }
}

/// The bits that terms stand for, as far as they were looked up.
type Seen = FxHashMap<Term, Option<Term>>;

/// The bit that a term stands for, if its form shows that it is 0 or 1.
fn truth(terms: &mut Terms, seen: &mut Seen, t: Term, depth: u32) -> Option<Term> {
    if depth == 0 {
        return None;
    }
    if let Some(&found) = seen.get(&t) {
        return found;
    }
    let found = match terms.node(t) {
        Node::Zext(x) if terms.width(x) == 1 => Some(of_bits(terms, seen, x, depth - 1)),
        Node::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor), a, b) => {
            let (a, b) = (truth(terms, seen, a, depth - 1), truth(terms, seen, b, depth - 1));
            a.zip(b).map(|(a, b)| terms.binary(op, a, b))
        }
        _ if terms.width(t) == 1 => Some(of_bits(terms, seen, t, depth - 1)),
        _ => None,
    };
    seen.insert(t, found);
    found
}

/// The conjuncts of a condition: all hold exactly if the condition does.
fn conjuncts(terms: &mut Terms, cond: Term) -> Vec<Term> {
    let (mut todo, mut parts, mut seen) = (vec![(cond, true)], Vec::new(), FxHashSet::default());
    while let Some((t, holds)) = todo.pop() {
        if !seen.insert((t, holds)) {
            continue;
        }
        match terms.node(t) {
            Node::Not(x) => todo.push((x, !holds)),
            Node::Binary(BinaryOp::And, a, b) if holds => todo.extend([(b, true), (a, true)]),
            Node::Binary(BinaryOp::Or, a, b) if !holds => todo.extend([(b, false), (a, false)]),
            _ => parts.push(if holds { t } else { terms.not(t) }),
        }
    }
    parts
}

/// Narrows an interval by a condition that compares the word with a constant. NaN stays if the comparison must fail.
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

/// Returns true if a term is bytes in a row and nothing else.
fn is_word(terms: &Terms, t: Term) -> bool {
    match terms.node(t) {
        Node::Byte(_) => true,
        Node::Binary(BinaryOp::Concat, a, b) => matches!(terms.node(a), Node::Byte(_)) && is_word(terms, b),
        _ => false,
    }
}

/// A part of the input that the search moves.
#[derive(Clone, Copy)]
enum Word {
    /// A word of bytes: a number of a format within an interval, or an integer.
    Whole(Term, Option<(Float, Interval)>),
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
        let (mut at, mut dice) = (self.near.clone(), 1u64);
        let mut cost = self.cost(terms, &at);
        let starts = self.left / floats::DESCENTS;
        loop {
            while cost > 0 && self.descend(terms, &mut at, &mut cost) {}
            if cost == 0 {
                return self.solver.slice.holds(terms, &at, u64::MAX).then_some(at);
            }
            if self.left == 0 || self.solver.is_stopped() {
                return None;
            }
            (at, cost) = self.start(terms, starts.clamp(1, self.left), &mut dice);
        }
    }

    /// A new start, the same on every machine: the nearest of some random points. Each point counts even if no word
    /// could be moved, so that the search ends.
    fn start(&mut self, terms: &mut Terms, points: usize, dice: &mut u64) -> (Witness, u64) {
        let mut best = (self.near.clone(), u64::MAX);
        for _ in 0..points {
            self.left -= 1;
            let mut at = self.near.clone();
            for variable in self.words {
                let to = self.elsewhere(terms, &at, variable, dice);
                if let Some(w) = self.moved(terms, &at, variable, to) {
                    at = w;
                }
            }
            let cost = self.cost(terms, &at);
            if cost < best.1 {
                best = (at, cost);
            }
            if cost == 0 || self.solver.is_stopped() {
                break;
            }
        }
        best
    }

    /// A random move of a word: to any number, into its interval, to an end of the interval, or near another word.
    fn elsewhere(&self, terms: &mut Terms, at: &Witness, variable: &Variable, dice: &mut u64) -> Move {
        *dice = mixed(*dice);
        let by = mixed(*dice ^ 0x5555);
        let Word::Whole(_, Some((k, i))) = variable.word else { return Move::To(*dice, by) };
        match by % 5 {
            0 => Move::To(*dice, by),
            1 => {
                let same = |v: &&Variable| matches!(v.word, Word::Whole(_, Some((other, _))) if other == k);
                let others: Vec<&Variable> = self.words.iter().filter(same).collect();
                let Word::Whole(t, _) = others[*dice as usize % others.len()].word else {
                    return Move::To(*dice, by);
                };
                Move::Place(place_of(k, terms.eval_wide(t, at)) + i128::from(by >> 32 & 15) - 8)
            }
            2 => Move::Place(if *dice & 1 == 0 { i.lo } else { i.hi }),
            _ => Move::Place(random_place(i, k, dice)),
        }
    }

    /// Moves each word to the best place that is one move away and better. Returns true if the cost fell.
    fn descend(&mut self, terms: &mut Terms, at: &mut Witness, cost: &mut u64) -> bool {
        let before = *cost;
        for variable in self.words {
            let mut best: Option<Witness> = None;
            for step in 0..2 * u32::from(variable.width) {
                if self.left == 0 || self.solver.is_stopped() || *cost == 0 {
                    break;
                }
                let Some(w) = self.moved(terms, at, variable, Move::By(step)) else { continue };
                self.left -= 1;
                let now = self.cost(terms, &w);
                if now < *cost {
                    (best, *cost) = (Some(w), now);
                }
            }
            if let Some(w) = best {
                *at = w;
            }
        }
        *cost < before
    }

    fn moved(&mut self, terms: &mut Terms, at: &Witness, variable: &Variable, by: Move) -> Option<Witness> {
        match variable.word {
            Word::Byte(id, set) => {
                let values = set.len();
                let kth = match by {
                    Move::By(step) => step * 16 % values.max(1) + step / 16,
                    Move::To(dice, _) => (dice % u64::from(values.max(1))) as u32,
                    Move::Place(_) => return None,
                };
                let value = set.iter().nth(kth as usize).filter(|v| *v != at.get(id))?;
                Some(terms.patched(at, [(id, value)]))
            }
            Word::Whole(t, kind) => {
                let now = terms.eval_wide(t, at);
                let value = match kind {
                    Some((k, _)) => {
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

    /// The distance of the conditions from holding; 0 if they hold.
    fn cost(&self, terms: &mut Terms, w: &Witness) -> u64 {
        let mut known = FxHashMap::default();
        self.conds.iter().map(|&c| distance(terms, c, true, w, 64, &mut known)).sum()
    }
}

/// A move of a word.
#[derive(Clone, Copy)]
enum Move {
    /// By a power of two, up or down.
    By(u32),
    /// To a place computed from two random numbers.
    To(u64, u64),
    /// To a place.
    Place(i128),
}

impl Move {
    fn of(self, place: i128, last: i128) -> Option<i128> {
        let to = match self {
            Move::By(step) if step % 2 == 0 => place.checked_add(1 << (step / 2))?,
            Move::By(step) => place.checked_sub(1 << (step / 2))?,
            Move::Place(place) => place,
            // All magnitudes are equally likely.
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

/// A random place in an interval: the interval is halved by value some times, then any remaining place is drawn.
fn random_place(mut i: Interval, k: Float, dice: &mut u64) -> i128 {
    *dice = mixed(*dice);
    let halves = *dice;
    for turn in 0..floats::HALVINGS {
        if i.lo >= i.hi {
            break;
        }
        let middle = i.middle(k, true);
        if halves >> turn & 1 == 0 {
            i.hi = middle;
        } else {
            i.lo = middle + 1;
        }
    }
    *dice = mixed(*dice);
    i.lo + (i128::from(*dice >> 1) << 32 | i128::from(halves >> 32)).rem_euclid((i.hi - i.lo).max(0) + 1)
}

fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// A distance on a logarithmic scale: 256 for each doubling.
fn scaled(apart: u128) -> u64 {
    if apart == 0 {
        return 0;
    }
    let bits = 128 - apart.leading_zeros();
    let fraction = (apart << (128 - bits) >> 119) as u64 & 0xff;
    u64::from(bits) << 8 | fraction
}

/// The distance of a condition from the value `want`. `known` caches the distances of its parts, which may occur many
/// times.
fn distance(
    terms: &mut Terms,
    t: Term,
    want: bool,
    w: &Witness,
    depth: u32,
    known: &mut FxHashMap<(Term, bool), u64>,
) -> u64 {
    if let Some(&far) = known.get(&(t, want)) {
        return far;
    }
    let far = distance_anew(terms, t, want, w, depth, known);
    known.insert((t, want), far);
    far
}

fn distance_anew(
    terms: &mut Terms,
    t: Term,
    want: bool,
    w: &Witness,
    depth: u32,
    known: &mut FxHashMap<(Term, bool), u64>,
) -> u64 {
    if terms.holds(t, w) == want {
        return 0;
    }
    if depth == 0 {
        return floats::FAR;
    }
    let node = terms.node(t);
    let mut below = |t: Term, want: bool| distance(terms, t, want, w, depth - 1, known);
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
            let Some(k) = Float::of_bits(terms.width(a)) else { return floats::FAR };
            let [x, y] = [a, b].map(|t| Interval::of_bits(k, terms.eval_wide(t, w)));
            if x.nan || y.nan || op == FloatOp::IsNan {
                return floats::FAR;
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
        _ => floats::FAR,
    }
}
