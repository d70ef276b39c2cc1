//! The facts that follow from the conditions of a long component, found without a pass over all of them.
//!
//! A loop that counts adds a condition on the same word in each round: a path of a hundred thousand decisions has as
//! many conditions. Facts keep the set of values that comparisons with constants leave to a word, and bounds of the
//! difference of two words that are compared. Together with the conditions of other forms they say as much as the
//! component's conditions. The lookup, the bounds of words and the solver's layers for long paths use them. A clone shares everything, and a condition
//! is added in logarithmic time.

use cleave_expr::{BinaryOp, ByteId, Node, Term, Terms, mask};
use rpds::RedBlackTreeMap;

use crate::persistent::List;
use crate::words::comparisons::{Compared, Comparison, comparison};
use crate::words::ranges::{Arc, Ranges};

/// Something that holds on a path.
#[derive(Clone, Copy)]
pub(crate) enum Fact {
    /// A word has one of the values that are left to it.
    Word(Term),
    /// The difference of two words is within its bounds.
    Pair(Pair),
    /// A condition of another form.
    Other(Term),
}

/// Two words, the one with the lesser handle first, as signed or unsigned numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The words.
    pub words: [Term; 2],
    /// True if they are signed numbers.
    pub signed: bool,
}

/// Bounds of the first word of a pair minus the second, both included.
#[derive(Clone, Copy)]
pub struct Apart {
    /// The least difference.
    pub least: i128,
    /// The greatest difference.
    pub most: i128,
}

/// A condition in the terms of facts.
pub(crate) enum Shape {
    /// A word is in an arc; `None` is the empty arc.
    Word(Term, Option<Arc>),
    /// The first word minus the second is between the two numbers.
    Pair(Pair, i128, i128),
    Other,
}

/// `k`, `of + k` or `k - of`, modulo the width.
#[derive(Clone, Copy)]
struct Moved {
    of: Option<Term>,
    k: u64,
    negated: bool,
}

fn moved(terms: &Terms, t: Term) -> Moved {
    if let Some(k) = terms.constant64(t) {
        return Moved { of: None, k, negated: false };
    }
    let (x, k, negated) = match terms.node(t) {
        Node::Binary(BinaryOp::Add, x, k) => (x, k, false),
        Node::Binary(BinaryOp::Sub, k, x) => (x, k, true),
        _ => return Moved { of: Some(t), k: 0, negated: false },
    };
    match terms.constant64(k) {
        Some(k) => Moved { of: Some(x), k, negated },
        None => Moved { of: Some(t), k: 0, negated: false },
    }
}

impl Moved {
    /// The values of `of` that put the whole into an arc.
    fn pulled_back(self, arc: Arc, whole: u64) -> Arc {
        let start = match self.negated {
            true => self.k.wrapping_sub(arc.start).wrapping_sub(arc.span),
            false => arc.start.wrapping_sub(self.k),
        };
        Arc { start: start & whole, span: arc.span }
    }
}

/// The values that a comparison with `k` leaves to the other operand, which is the first if `first`.
fn arc_of(op: BinaryOp, holds: bool, first: bool, k: u64, whole: u64) -> Option<Arc> {
    // The least number and the greatest, in this order.
    let least = if op == BinaryOp::Slt { (whole >> 1) + 1 } else { 0 };
    let most = least.wrapping_sub(1) & whole;
    match (op, holds, first) {
        (BinaryOp::Eq, true, _) => Some(Arc { start: k, span: 0 }),
        (BinaryOp::Eq, false, _) => Arc { start: k, span: 0 }.complement(whole),
        (_, true, true) => (k != least).then(|| Arc::between(least, k.wrapping_sub(1), whole)),
        (_, false, true) => Some(Arc::between(k, most, whole)),
        (_, true, false) => (k != most).then(|| Arc::between(k.wrapping_add(1), most, whole)),
        (_, false, false) => Some(Arc::between(least, k, whole)),
    }
}

#[derive(Clone, Default)]
pub(crate) struct Facts {
    words: RedBlackTreeMap<Term, Ranges>,
    pairs: RedBlackTreeMap<Pair, Apart>,
    /// Facts by the bytes that they depend on.
    of_byte: RedBlackTreeMap<ByteId, List<Fact>>,
    /// Conditions, each with its number in order.
    conditions: RedBlackTreeMap<Term, usize>,
    count: usize,
    /// Terms that have one value.
    values: RedBlackTreeMap<Term, u64>,
    /// Bounds of words from comparisons with constants, see `words/bounds.rs`.
    compared: RedBlackTreeMap<Term, Compared>,
}

/// Recognizes the form that `word != k` takes: some bytes do not all have certain values. Returns the word of these
/// bytes and its other values.
fn hole(terms: &mut Terms, cond: Term) -> Option<(Term, Arc)> {
    let Node::Not(all) = terms.node(cond) else { return None };
    let (mut todo, mut bytes) = (vec![all], Vec::new());
    while let Some(t) = todo.pop() {
        match terms.node(t) {
            Node::Binary(BinaryOp::And, a, b) => todo.extend([a, b]),
            Node::Binary(BinaryOp::Eq, byte, k) => match (terms.node(byte), terms.constant64(k)) {
                (Node::Byte(id), Some(k)) => bytes.push((terms.byte_position(id), byte, k)),
                _ => return None,
            },
            _ => return None,
        }
        if bytes.len() + todo.len() > size_of::<u64>() {
            return None;
        }
    }
    // The order of words in memory: the last byte is the highest.
    bytes.sort_unstable();
    let ((_, mut word, mut value), others) = bytes.split_first().map(|(first, others)| (*first, others))?;
    for (_, byte, k) in others {
        value |= k << terms.width(word);
        word = terms.concat(*byte, word);
    }
    let whole = mask(terms.width(word)) as u64;
    Some((word, Arc { start: value, span: 0 }.complement(whole)?))
}

/// Exceeds the difference of any two words.
const FAR: i128 = 1 << 100;

impl Apart {
    const ANY: Apart = Apart { least: -FAR, most: FAR };
}

/// The least and the greatest number of a width.
fn limits(width: u8, signed: bool) -> (i128, i128) {
    match signed {
        true => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        false => (0, mask(width) as i128),
    }
}

/// The number that the bits of a word, at most 64 wide, stand for.
pub fn number(value: u64, width: u8, signed: bool) -> i128 {
    let value = i128::from(value);
    if signed && value >> (width - 1) != 0 { value - (1 << width) } else { value }
}

impl Facts {
    /// The facts of conditions and of terms that have one value, both in the order of the path.
    pub(crate) fn of(
        terms: &mut Terms,
        conditions: impl IntoIterator<Item = Term>,
        values: impl IntoIterator<Item = (Term, u64)>,
    ) -> Facts {
        let mut facts = Facts::default();
        conditions.into_iter().for_each(|cond| facts.add(terms, cond));
        values.into_iter().for_each(|(t, value)| facts.note_value(t, value));
        facts
    }

    /// Adds a condition.
    pub(crate) fn add(&mut self, terms: &mut Terms, cond: Term) {
        self.count += 1;
        self.conditions.insert_mut(cond, self.count);
        self.compare(terms, cond);
        match self.shape(terms, cond) {
            Shape::Word(word, arc) => self.restrict(terms, word, arc),
            Shape::Pair(pair, least, most) => self.narrow(terms, pair, Apart { least, most }),
            Shape::Other => self.touch(terms, cond, Fact::Other(cond)),
        }
    }

    pub(crate) fn note_value(&mut self, t: Term, value: u64) {
        self.values.insert_mut(t, value);
    }

    /// Returns true if `cond` is one of the conditions, false if `opposite` is. The last one counts if both are.
    pub(crate) fn assumed(&self, cond: Term, opposite: Term) -> Option<bool> {
        match (self.conditions.get(&cond), self.conditions.get(&opposite)) {
            (None, None) => None,
            (on, off) => Some(on > off),
        }
    }

    /// The one value of a term, if it has been learned.
    pub(crate) fn value(&self, t: Term) -> Option<u64> {
        self.values.get(&t).copied()
    }

    /// Bounds of a word from comparisons with constants; `None` if there are none.
    pub(crate) fn compared(&self, word: Term) -> Option<Compared> {
        self.compared.get(&word).copied()
    }

    /// The facts that depend on a byte.
    pub(crate) fn of_byte(&self, id: ByteId) -> impl Iterator<Item = Fact> {
        self.of_byte.get(&id).into_iter().flat_map(|facts| facts.iter().copied())
    }

    /// The values that the facts leave to a word.
    pub(crate) fn ranges(&self, terms: &Terms, word: Term) -> Ranges {
        self.words.get(&word).cloned().unwrap_or_else(|| Ranges::all(mask(terms.width(word)) as u64))
    }

    /// Bounds of the difference of a pair.
    pub(crate) fn apart(&self, pair: Pair) -> Apart {
        self.pairs.get(&pair).copied().unwrap_or(Apart::ANY)
    }

    /// Returns true if the facts refute `cond`.
    pub(crate) fn refutes(&self, terms: &mut Terms, cond: Term) -> bool {
        match self.shape(terms, cond) {
            Shape::Word(word, arc) => {
                let ranges = self.ranges(terms, word);
                let (least, most) = terms.range(word);
                let intervals = arc.into_iter().flat_map(|arc| arc.intervals(ranges.whole()));
                let possible = intervals.map(|(from, to)| (from.max(least), to.min(most)));
                possible.filter(|(from, to)| from <= to).all(|part| ranges.first_in(part).is_none())
            }
            Shape::Pair(pair, least, most) => {
                let apart = self.apart(pair);
                let [x, y] = pair.words.map(|word| self.hull(terms, word, pair.signed));
                let (Some(x), Some(y)) = (x, y) else { return true };
                least.max(apart.least).max(x.0 - y.1) > most.min(apart.most).min(x.1 - y.0)
            }
            Shape::Other => {
                let opposite = terms.not(cond);
                self.conditions.contains_key(&opposite)
            }
        }
    }

    /// The form of a condition under these facts.
    pub(crate) fn shape(&self, terms: &mut Terms, cond: Term) -> Shape {
        let Some(c) = comparison(terms, cond) else {
            return hole(terms, cond).map_or(Shape::Other, |(word, arc)| Shape::Word(word, Some(arc)));
        };
        let (a, b) = (moved(terms, c.a), moved(terms, c.b));
        let whole = mask(terms.width(c.a)) as u64;
        match (a.of, b.of) {
            (Some(x), None) => {
                let arc = arc_of(c.op, c.holds, true, b.k, whole);
                Shape::Word(x, arc.map(|arc| a.pulled_back(arc, whole)))
            }
            (None, Some(y)) => {
                let arc = arc_of(c.op, c.holds, false, a.k, whole);
                Shape::Word(y, arc.map(|arc| b.pulled_back(arc, whole)))
            }
            (Some(x), Some(y)) => self.pair(terms, c, (x, a), (y, b)).unwrap_or(Shape::Other),
            (None, None) => Shape::Other,
        }
    }

    /// The bounds that a comparison of two words gives to their difference; `None` if a sum may leave the width.
    fn pair(
        &self,
        terms: &Terms,
        c: Comparison,
        (x, a): (Term, Moved),
        (y, b): (Term, Moved),
    ) -> Option<Shape> {
        if x == y || a.negated || b.negated || (c.op == BinaryOp::Eq && !c.holds) {
            return None;
        }
        let signed = c.op == BinaryOp::Slt;
        let apart = self.plain(terms, y, b.k, signed)? - self.plain(terms, x, a.k, signed)?;
        let (least, most) = match (c.op, c.holds) {
            (BinaryOp::Eq, _) => (apart, apart),
            (_, true) => (-FAR, apart - 1),
            (_, false) => (apart, FAR),
        };
        Some(match x < y {
            true => Shape::Pair(Pair { words: [x, y], signed }, least, most),
            false => Shape::Pair(Pair { words: [y, x], signed }, -most, -least),
        })
    }

    /// The number that is added to a word if `k` is added modulo the width. `None` unless it is the same for all values
    /// of the word.
    fn plain(&self, terms: &Terms, word: Term, k: u64, signed: bool) -> Option<i128> {
        if k == 0 {
            return Some(0);
        }
        let width = terms.width(word);
        let ((least, most), (lo, hi)) = (limits(width, signed), self.hull(terms, word, signed)?);
        let k = i128::from(k);
        [k, k - (1 << width)].into_iter().find(|k| lo + k >= least && hi + k <= most)
    }

    /// The least and the greatest number that the facts leave to a word.
    fn hull(&self, terms: &Terms, word: Term, signed: bool) -> Option<(i128, i128)> {
        let (ranges, width) = (self.ranges(terms, word), terms.width(word));
        let (least, most) = terms.range(word);
        let whole = ranges.whole();
        // The two halves, in the order of the numbers.
        let parts = match signed {
            true => [(whole / 2 + 1, whole), (0, whole / 2)],
            false => [(0, whole / 2), (whole / 2 + 1, whole)],
        };
        let within = |(from, to): (u64, u64)| (from.max(least), to.min(most));
        let parts = parts.map(within).into_iter().filter(|(from, to)| from <= to);
        let first = parts.clone().find_map(|part| ranges.first_in(part))?;
        let last = parts.rev().find_map(|part| ranges.last_in(part))?;
        Some((number(first, width, signed), number(last, width, signed)))
    }

    fn restrict(&mut self, terms: &mut Terms, word: Term, arc: Option<Arc>) {
        if let Some(ranges) = self.words.get_mut(&word) {
            return ranges.restrict(arc);
        }
        let mut ranges = Ranges::all(mask(terms.width(word)) as u64);
        ranges.restrict(arc);
        self.words.insert_mut(word, ranges);
        self.touch(terms, word, Fact::Word(word));
    }

    fn narrow(&mut self, terms: &mut Terms, pair: Pair, new: Apart) {
        let known = self.pairs.get(&pair).copied();
        if known.is_none() {
            pair.words.into_iter().for_each(|word| self.touch(terms, word, Fact::Pair(pair)));
        }
        let known = known.unwrap_or(Apart::ANY);
        let apart = Apart { least: known.least.max(new.least), most: known.most.min(new.most) };
        self.pairs.insert_mut(pair, apart);
        let [x, y] = pair.words;
        let hulls = [x, y].map(|word| self.hull(terms, word, pair.signed));
        let [Some(of_x), Some(of_y)] = hulls else { return };
        self.within(terms, x, of_x, (of_y.0 + apart.least, of_y.1 + apart.most));
        self.within(terms, y, of_y, (of_x.0 - apart.most, of_x.1 - apart.least));
    }

    /// Restricts a word, now within `now`, to `new`.
    fn within(&mut self, terms: &mut Terms, word: Term, now: (i128, i128), new: (i128, i128)) {
        if now.0 >= new.0 && now.1 <= new.1 {
            return;
        }
        let (lo, hi) = (now.0.max(new.0), now.1.min(new.1));
        let arc = (lo <= hi).then(|| Arc::between(lo as u64, hi as u64, mask(terms.width(word)) as u64));
        self.restrict(terms, word, arc);
    }

    /// Stores a fact under each byte of a term.
    fn touch(&mut self, terms: &mut Terms, t: Term, fact: Fact) {
        for &id in terms.bytes_of(t).iter() {
            match self.of_byte.get_mut(&id) {
                Some(facts) => facts.push(fact),
                None => {
                    let mut facts = List::default();
                    facts.push(fact);
                    self.of_byte.insert_mut(id, facts);
                }
            }
        }
    }

    /// Updates the bounds of words that a condition compares with constants.
    fn compare(&mut self, terms: &Terms, cond: Term) {
        let Some(Comparison { a, b, .. }) = comparison(terms, cond) else { return };
        let added = match terms.node(a) {
            Node::Binary(BinaryOp::Add, x, _) => Some(x),
            _ => None,
        };
        for word in [Some(a), Some(b), added].into_iter().flatten() {
            let alone = Compared::nothing(terms.width(word));
            let mut all = self.compared(word).unwrap_or(alone);
            let before = all;
            all.add(terms, word, cond);
            if all != before {
                self.compared.insert_mut(word, all);
            }
        }
    }
}
