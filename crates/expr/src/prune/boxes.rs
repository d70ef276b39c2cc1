//! Interval branch and prune over boxes: evaluates conditions where each word of the input that they use lies between two bounds.
//! The solver's search for floating-point conditions (`solver/src/layers/numbers.rs`) calls it. A refuted box contains no solution.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::domains::bounds::{
    Bounds, hull, less, of_bits, wide_biased, wide_binary_bounds, wide_sign_extended,
};
use crate::domains::interval::{self, Interval};
use crate::domains::slices::{Layout, bits_of};
use crate::evaluation::semantics::{mask, sign_extend};
use crate::float::float_op::{FloatOp, kind};
use crate::policy::floats;
use crate::prune::contract::Contraction;
use crate::prune::forms::{Forms, reals, word_form};
use crate::prune::linear::Range;
use crate::prune::parts::{Bound, Part, Step};
use crate::prune::slopes::Difference;
use crate::store::term::{BinaryOp, Node, Term};
use crate::store::terms::Terms;

/// A word without floating-point operations that conditions use as a number or as an integer; a box bounds each leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The word.
    pub term: Term,
    /// True if it is used as a number. A word that is used as both is two leaves.
    pub number: bool,
}

/// The effect of conditions on a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contracted {
    /// They cannot hold in it.
    Nothing,
    /// They narrow the bounds of some word much.
    Much,
    /// They leave all of it, or nearly all.
    Little,
}

/// True if bounds are narrower than seven eighths of the bounds before.
fn is_much_less(now: Bound, before: Bound) -> bool {
    let width = |bound: Bound| match bound {
        Bound::Number(i) => (i.hi - i.lo + 1).max(0) as u128,
        Bound::Integer(lo, hi) => (hi - lo).saturating_add(1),
    };
    width(now) < width(before) - width(before) / 8
}

/// The abstraction with which a box is evaluated, from the fastest to the most precise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// With intervals alone.
    Intervals,
    /// With linear forms.
    Forms,
    /// With the slopes of the compared terms.
    Slopes,
}

/// A condition that implies an order of two leaves: `lower` is not greater than `upper`.
struct Order {
    lower: usize,
    upper: usize,
    /// `lower` is less than `upper`.
    strict: bool,
    /// The order follows only if neither is NaN.
    numbers: bool,
    cond: usize,
}

/// Conditions taken apart for boxes.
pub struct Boxes {
    parts: Vec<Part>,
    /// The words that a box bounds, in the order of its bounds.
    pub leaves: Vec<Leaf>,
    conds: Vec<usize>,
    /// Comparisons (by part) whose truth value follows from the conditions, each with that value and the index of its condition.
    facts: FxHashMap<usize, (bool, usize)>,
    orders: Vec<Order>,
    /// For each leaf, another leaf that is a lower bound of it.
    lower: Vec<Option<usize>>,
}

impl Boxes {
    /// Takes conditions apart; `None` if they have more than `floats::PARTS` parts.
    pub fn of(terms: &Terms, conds: &[Term]) -> Option<Boxes> {
        let mut boxes = Boxes {
            parts: Vec::new(),
            leaves: Vec::new(),
            conds: Vec::new(),
            facts: FxHashMap::default(),
            orders: Vec::new(),
            lower: Vec::new(),
        };
        let mut places = FxHashMap::default();
        for &cond in conds {
            let place = boxes.add(terms, &mut places, (cond, false))?;
            boxes.conds.push(place);
        }
        boxes.join_bits(terms);
        boxes.find_facts(terms);
        Some(boxes)
    }

    /// Collects the comparisons that the conditions decide, and the orders of leaves that follow.
    fn find_facts(&mut self, terms: &Terms) {
        for (cond, &place) in self.conds.iter().enumerate() {
            let (mut todo, mut seen) = (vec![(place, true)], FxHashSet::default());
            while let Some((place, holds)) = todo.pop() {
                if !seen.insert((place, holds)) {
                    continue;
                }
                let (t, _, step) = self.parts[place];
                let Step::Of([a, b, _]) = step else { continue };
                match terms.node(t) {
                    Node::Not(_) => todo.push((a, !holds)),
                    Node::Binary(BinaryOp::And, ..) if holds && terms.width(t) == 1 => {
                        todo.extend([(a, true), (b, true)]);
                    }
                    Node::Binary(BinaryOp::Or, ..) if !holds && terms.width(t) == 1 => {
                        todo.extend([(a, false), (b, false)]);
                    }
                    Node::Float(op, ..) if op.is_comparison() => {
                        self.facts.entry(place).or_insert((holds, cond));
                        if let (Step::Leaf(x), Step::Leaf(y)) = (self.parts[a].2, self.parts[b].2) {
                            let order = |lower, upper| {
                                let strict = (op == FloatOp::Less) == holds;
                                Order { lower, upper, strict, numbers: !holds, cond }
                            };
                            match (op, holds) {
                                (FloatOp::Less | FloatOp::LessEqual, true) => self.orders.push(order(x, y)),
                                (FloatOp::Less | FloatOp::LessEqual, false) => self.orders.push(order(y, x)),
                                _ => {}
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        self.lower = vec![None; self.leaves.len()];
        for order in &self.orders {
            let mut below = Some(order.lower);
            while let Some(leaf) = below.filter(|&leaf| leaf != order.upper) {
                below = self.lower[leaf];
            }
            if below.is_none() && self.lower[order.upper].is_none() {
                self.lower[order.upper] = Some(order.lower);
            }
        }
    }

    /// Narrows a box by the orders of leaves that the conditions imply; the conditions that narrow it are blamed.
    pub fn narrow(&self, bounds: &mut [Bound], blamed: &mut [bool]) {
        for order in self.orders.iter().chain(self.orders.iter().rev()) {
            let (Bound::Number(x), Bound::Number(y)) = (bounds[order.lower], bounds[order.upper]) else {
                continue;
            };
            if order.numbers && (x.nan || y.nan) {
                continue;
            }
            let step = i128::from(order.strict);
            let lower = Interval { hi: x.hi.min(y.hi - step), nan: false, ..x };
            let upper = Interval { lo: y.lo.max(x.lo + step), nan: false, ..y };
            blamed[order.cond] |= lower != x || upper != y;
            (bounds[order.lower], bounds[order.upper]) = (Bound::Number(lower), Bound::Number(upper));
        }
    }

    /// Removes leaves that are bits of a number which is also a leaf: the bounds of the number bound them.
    fn join_bits(&mut self, terms: &Terms) {
        let numbers = self.leaves.iter().enumerate().filter(|(_, leaf)| leaf.number);
        let layouts: Vec<(usize, Layout)> =
            numbers.filter_map(|(i, leaf)| Some((i, Layout::of(terms, leaf.term)?))).collect();
        let bits = |leaf: &Leaf| {
            let of = |(i, layout): &(usize, Layout)| {
                layout.bits(terms, leaf.term).map(|(low, width)| Step::Bits(*i, low, width))
            };
            layouts.iter().find_map(of).filter(|_| !leaf.number)
        };
        let steps: Vec<Option<Step>> = self.leaves.iter().map(bits).collect();
        let mut left = 0;
        let places: Vec<usize> = steps
            .iter()
            .map(|step| {
                let place = left;
                left += usize::from(step.is_none());
                place
            })
            .collect();
        for (_, _, step) in &mut self.parts {
            *step = match *step {
                Step::Leaf(i) => match steps[i] {
                    Some(Step::Bits(number, low, width)) => Step::Bits(places[number], low, width),
                    _ => Step::Leaf(places[i]),
                },
                step => step,
            };
        }
        let mut steps = steps.iter();
        self.leaves.retain(|_| steps.next().is_some_and(Option::is_none));
    }

    /// Adds a part, as a number or not, behind the parts it is made of. Returns its place, or `None` if there are too many parts.
    fn add(
        &mut self,
        terms: &Terms,
        places: &mut FxHashMap<(Term, bool), usize>,
        whole: (Term, bool),
    ) -> Option<usize> {
        let mut todo = vec![whole];
        while let Some(&(t, number)) = todo.last() {
            if places.contains_key(&(t, number)) {
                todo.pop();
                continue;
            }
            if self.parts.len() > floats::PARTS {
                return None;
            }
            let below = below(terms, t, number);
            let before = todo.len();
            for part in below.iter().flatten() {
                if !places.contains_key(part) {
                    todo.push(*part);
                }
            }
            if todo.len() > before {
                continue;
            }
            todo.pop();
            let step = self.step(terms, t, number, below.map(|parts| parts.map(|part| places[&part])));
            places.insert((t, number), self.parts.len());
            self.parts.push((t, number, step));
        }
        places.get(&whole).copied()
    }

    fn step(&mut self, terms: &Terms, t: Term, number: bool, below: [Option<usize>; 3]) -> Step {
        if let Some(v) = terms.constant(t) {
            let k = kind(terms.width(t));
            return Step::Known(if number {
                Bound::Number(Interval::of_bits(k, v))
            } else {
                Bound::Integer(v, v)
            });
        }
        if let Some(first) = below[0] {
            return Step::Of([first, below[1].unwrap_or(first), below[2].unwrap_or(first)]);
        }
        if terms.has_floats(t) {
            return Step::Any;
        }
        self.leaves.push(Leaf { term: t, number });
        Step::Leaf(self.leaves.len() - 1)
    }

    /// Number of parts of the conditions.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// True if there are no conditions.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// True if the conditions cannot hold in a box; the conditions that refute it are blamed. Forms and slopes refute more boxes
    /// and take longer.
    pub fn refuted(&self, terms: &Terms, bounds: &[Bound], look: Look, blamed: &mut [bool]) -> bool {
        self.looked_at(terms, bounds, look, (blamed, &mut Vec::new()))
    }

    /// As [`Boxes::refuted`], with slopes. `influence` receives for each leaf its share of the change of the undecided
    /// comparisons.
    pub fn refuted_by_slopes(
        &self,
        terms: &Terms,
        bounds: &[Bound],
        blamed: &mut [bool],
        influence: &mut Vec<f64>,
    ) -> bool {
        *influence = vec![0.0; self.leaves.len()];
        self.looked_at(terms, bounds, Look::Slopes, (blamed, influence))
    }

    fn looked_at(
        &self,
        terms: &Terms,
        bounds: &[Bound],
        look: Look,
        (blamed, influence): (&mut [bool], &mut Vec<f64>),
    ) -> bool {
        let words: Vec<Option<Range>> = match look {
            Look::Forms => {
                self.leaves.iter().zip(bounds).map(|(leaf, bound)| real_word(terms, leaf, bound)).collect()
            }
            Look::Intervals | Look::Slopes => Vec::new(),
        };
        let mut forms = (look == Look::Forms).then(|| Forms::new(&self.parts, &words, &self.lower));
        let mut values: Vec<Bound> = Vec::with_capacity(self.parts.len());
        let mut conds = self.conds.iter().enumerate().peekable();
        for (place, &(t, number, step)) in self.parts.iter().enumerate() {
            let mut value = self.value(terms, bounds, (t, number, step), &values);
            let mut empty = false;
            if let Some(forms) = &mut forms {
                (value, empty) = self.with_form(terms, forms, (place, value), &words, &mut values);
            }
            if look == Look::Slopes {
                (value, empty) = self.with_slopes(terms, (place, value), &mut values, influence);
            }
            values.push(value);
            let mut refuted = empty;
            while let Some(&(cond, &of_cond)) = conds.peek().filter(|(_, of_cond)| **of_cond <= place) {
                conds.next();
                if matches!(values[of_cond], Bound::Integer(_, 0)) {
                    blamed[cond] = true;
                    refuted = true;
                }
            }
            if refuted {
                if look != Look::Intervals {
                    let facts = self.facts.values().map(|fact| fact.1);
                    facts.chain(self.orders.iter().map(|o| o.cond)).for_each(|cond| blamed[cond] = true);
                }
                return true;
            }
        }
        false
    }

    /// The bounds of a part, computed from those of the parts before it.
    fn value(&self, terms: &Terms, bounds: &[Bound], (t, number, step): Part, values: &[Bound]) -> Bound {
        match step {
            Step::Leaf(i) => bounds[i],
            Step::Bits(i, low, width) => match bounds[i] {
                Bound::Number(n) => {
                    let (lo, hi) = bits_of(kind(terms.width(self.leaves[i].term)), n, low, width);
                    Bound::Integer(lo, hi)
                }
                Bound::Integer(..) => all(terms, t),
            },
            Step::Known(bound) => bound,
            Step::Any if number => Bound::Number(terms.numbers(t)),
            Step::Any => all(terms, t),
            Step::Of(operands) => of(terms, t, number, operands.map(|i| values[i])),
        }
    }

    /// Narrows a box by propagation backwards from the conditions to the words, if the result is much smaller. Then all
    /// conditions are blamed.
    pub fn contract(&self, terms: &Terms, bounds: &mut [Bound], blamed: &mut [bool]) -> Contracted {
        let (mut result, mut values) = (Contracted::Little, Vec::with_capacity(self.parts.len()));
        for _ in 0..floats::CONTRACTIONS {
            values.clear();
            for &part in &self.parts {
                values.push(self.value(terms, bounds, part, &values));
            }
            let mut contraction = Contraction::new(terms, &self.parts, &mut values);
            for &cond in &self.conds {
                contraction.require(cond);
            }
            contraction.run();
            if contraction.empty {
                blamed.fill(true);
                return Contracted::Nothing;
            }
            let leaves = || {
                let leaf = |step| if let Step::Leaf(i) = step { Some(i) } else { None };
                self.parts.iter().zip(&values).filter_map(move |(part, value)| Some((leaf(part.2)?, *value)))
            };
            if !leaves().any(|(i, value)| is_much_less(value, bounds[i])) {
                break;
            }
            leaves().for_each(|(i, value)| bounds[i] = value);
            blamed.fill(true);
            result = Contracted::Much;
        }
        result
    }

    /// The bounds of the next part by slopes, if it is a comparison; and true if the box is refuted.
    fn with_slopes(
        &self,
        terms: &Terms,
        (place, mut value): (usize, Bound),
        values: &mut [Bound],
        influence: &mut [f64],
    ) -> (Bound, bool) {
        let (t, _, step) = self.parts[place];
        let (Node::Float(op, ..), Step::Of(places)) = (terms.node(t), step) else { return (value, false) };
        if !matches!(op, FloatOp::Less | FloatOp::LessEqual | FloatOp::Equal) {
            return (value, false);
        }
        if value == Bound::Integer(0, 1)
            && let Some(difference) = Difference::of(terms, &self.parts, values, [places[0], places[1]])
        {
            if let Some(holds) = difference.decided(op) {
                value = Bound::Integer(holds.into(), holds.into());
            } else if !influence.is_empty() {
                let changes = difference.influence();
                let all: f64 = changes.iter().map(|change| change.1).sum();
                for (place, change) in changes {
                    if let (Step::Leaf(i), true) = (self.parts[place].2, all > 0.0 && all.is_finite()) {
                        influence[i] += change / all;
                    }
                }
            }
        }
        let empty = match self.facts.get(&place) {
            Some(&(holds, _)) => narrow_by(op, holds, places, values),
            None => false,
        };
        (value, empty)
    }

    /// The bounds `value` of the next part narrowed by its affine form; and true if the box is refuted. A comparison that the
    /// conditions decide narrows its two operands for the parts that use them later.
    fn with_form(
        &self,
        terms: &Terms,
        forms: &mut Forms<'_>,
        (place, mut value): (usize, Bound),
        words: &[Option<Range>],
        values: &mut [Bound],
    ) -> (Bound, bool) {
        let (t, _, step) = self.parts[place];
        let mut empty = false;
        match value {
            Bound::Number(i) => {
                let known = match step {
                    Step::Leaf(word) => word_form(words, &self.lower, word),
                    Step::Of([c, a, b]) if matches!(terms.node(t), Node::Ite(..)) => match values[c] {
                        Bound::Integer(1, _) => forms.form(a).cloned(),
                        Bound::Integer(_, 0) => forms.form(b).cloned(),
                        _ => None,
                    },
                    _ => None,
                };
                let i = forms.number(terms, i, known);
                empty = i.is_empty() && !i.nan;
                value = Bound::Number(i);
            }
            Bound::Integer(0, 1) if let (Node::Float(op, ..), Step::Of(places)) = (terms.node(t), step) => {
                if let Some(holds) = forms.compare(terms, op, places) {
                    value = Bound::Integer(holds.into(), holds.into());
                }
                forms.skip();
            }
            Bound::Integer(..) => forms.skip(),
        }
        if let (Step::Of(places), Node::Float(op, ..)) = (step, terms.node(t))
            && let Some(&(holds, _)) = self.facts.get(&place)
        {
            forms.assume(op, places, holds);
            empty |= narrow_by(op, holds, places, values);
            for side in &places[..2] {
                if let Bound::Number(i) = values[*side] {
                    forms.narrowed(terms, *side, i);
                }
            }
        }
        (value, empty)
    }
}

/// Narrows the two operands of a comparison that is known to hold, or not, for the parts that use them later. Returns true if an
/// operand has no value left.
fn narrow_by(op: FloatOp, holds: bool, [a, b, _]: [usize; 3], values: &mut [Bound]) -> bool {
    let (Some(&Bound::Number(x)), Some(&Bound::Number(y))) = (values.get(a), values.get(b)) else {
        return false;
    };
    let numbers = !x.nan && !y.nan;
    let ordered = |x: Interval, y: Interval, step: i128| {
        let lower = Interval { hi: x.hi.min(y.hi - step), nan: false, ..x };
        (lower, Interval { lo: y.lo.max(x.lo + step), nan: false, ..y })
    };
    let strict = i128::from((op == FloatOp::Less) == holds);
    let (x, y) = match (op, holds) {
        (FloatOp::Less | FloatOp::LessEqual, true) => ordered(x, y, strict),
        (FloatOp::Less | FloatOp::LessEqual, false) if numbers => {
            let (y, x) = ordered(y, x, strict);
            (x, y)
        }
        (FloatOp::Equal, true) => {
            let both = Interval { lo: x.lo.max(y.lo), hi: x.hi.min(y.hi), nan: false };
            (both, both)
        }
        _ => return false,
    };
    (values[a], values[b]) = (Bound::Number(x), Bound::Number(y));
    x.is_empty() || y.is_empty()
}

/// The range of reals of a leaf; `None` unless it is a number and finite.
fn real_word(terms: &Terms, leaf: &Leaf, bound: &Bound) -> Option<Range> {
    match bound {
        Bound::Number(i) => reals(kind(terms.width(leaf.term)), *i),
        Bound::Integer(..) => None,
    }
}

fn all(terms: &Terms, t: Term) -> Bound {
    let w = terms.width(t);
    if w > 64 {
        return Bound::Integer(0, mask(w));
    }
    let (lo, hi) = terms.range(t);
    Bound::Integer(lo.into(), hi.into())
}

/// The operands from which a part is bounded, each as a number or not; none if the part is a leaf, or nothing is known of it.
fn below(terms: &Terms, t: Term, number: bool) -> [Option<(Term, bool)>; 3] {
    let w = terms.width(t);
    if terms.constant(t).is_some() {
        return [None; 3];
    }
    match terms.node(t) {
        Node::Float(op, a, b, c) => {
            let gives = !op.is_comparison() && !matches!(op, FloatOp::ToSigned | FloatOp::ToUnsigned);
            if gives != number {
                return [None; 3];
            }
            let takes = !matches!(op, FloatOp::FromSigned(_) | FloatOp::FromUnsigned(_));
            let count = op.operands();
            [(a, 0), (b, 1), (c, 2)].map(|(t, i)| (i < count).then_some((t, takes)))
        }
        Node::Ite(c, a, b) if terms.has_floats(t) || w == 1 => {
            [Some((c, false)), Some((a, number)), Some((b, number))]
        }
        _ if number => [None; 3],
        Node::Not(a) => [Some((a, false)), None, None],
        Node::Binary(op, a, b) if w == 1 || terms.has_floats(t) => match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor if w > 1 => [None; 3],
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem => [None; 3],
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => [None; 3],
            _ => [Some((a, false)), Some((b, false)), None],
        },
        Node::Extract(a, _) if gives_number(terms, a) => [Some((a, true)), None, None],
        Node::Zext(a) | Node::Sext(a) if terms.has_floats(t) => [Some((a, false)), None, None],
        _ => [None; 3],
    }
}

/// True if a term is a floating-point operation whose result is a number of 32 or 64 bits.
fn gives_number(terms: &Terms, t: Term) -> bool {
    let Node::Float(op, ..) = terms.node(t) else { return false };
    let integer = op.is_comparison() || matches!(op, FloatOp::ToSigned | FloatOp::ToUnsigned);
    !integer && matches!(terms.width(t), 32 | 64)
}

/// The bounds of a part, computed from those of its operands.
fn of(terms: &Terms, t: Term, number: bool, [a, b, c]: [Bound; 3]) -> Bound {
    let w = terms.width(t);
    let first = terms.children(t).next();
    let from = first.map_or(w, |x| terms.width(x));
    match (terms.node(t), a, b) {
        (Node::Float(op, ..), Bound::Integer(lo, hi), _) if number => match op {
            FloatOp::FromSigned(_) => {
                let (lo, hi) = signed(from, lo, hi);
                Bound::Number(interval::of_integers(op, from, w, lo, hi))
            }
            _ if from < 128 => Bound::Number(interval::of_integers(op, from, w, lo as i128, hi as i128)),
            _ => Bound::Number(terms.numbers(t)),
        },
        (Node::Float(op, x, y, _), Bound::Number(p), _) => {
            let number_of = |bound: Bound| match bound {
                Bound::Number(i) => i,
                Bound::Integer(..) => Interval::full(kind(from)),
            };
            if op.is_comparison() {
                return match interval::decided(op, p, number_of(b)) {
                    Some(v) => Bound::Integer(v.into(), v.into()),
                    None => Bound::Integer(0, 1),
                };
            }
            if matches!(op, FloatOp::ToSigned | FloatOp::ToUnsigned) {
                return match interval::to_integers(op, from, w, p) {
                    Some((lo, hi)) if (lo < 0) == (hi < 0) => {
                        Bound::Integer(lo as u128 & mask(w), hi as u128 & mask(w))
                    }
                    _ => all(terms, t),
                };
            }
            Bound::Number(interval::over(op, from, w, [p, number_of(b), number_of(c)], x == y))
        }
        (Node::Ite(..), Bound::Integer(lo, hi), _) => match (lo, hi) {
            (1, _) => b,
            (_, 0) => c,
            _ => match (b, c) {
                (Bound::Number(p), Bound::Number(q)) => Bound::Number(p.hull(q)),
                (Bound::Integer(p, q), Bound::Integer(r, s)) => {
                    let (lo, hi) = hull((p, q), (r, s));
                    Bound::Integer(lo, hi)
                }
                _ => all(terms, t),
            },
        },
        (Node::Extract(_, low), Bound::Number(i), _) => {
            let (lo, hi) = bits_of(kind(from), i, low as u8, w);
            Bound::Integer(lo, hi)
        }
        (Node::Not(_), Bound::Integer(lo, hi), _) => Bound::Integer(mask(w) - hi, mask(w) - lo),
        (Node::Zext(_), bound, _) => bound,
        (Node::Sext(_), Bound::Integer(lo, hi), _) => {
            let found = wide_sign_extended(from, w, (lo, hi));
            found.map_or_else(|| all(terms, t), |(lo, hi)| Bound::Integer(lo, hi))
        }
        (Node::Binary(op, _, y), Bound::Integer(al, ah), Bound::Integer(bl, bh)) => {
            let found = integers(op, [from, terms.width(y), w], (al, ah), (bl, bh));
            found.map_or_else(|| all(terms, t), |(lo, hi)| Bound::Integer(lo, hi))
        }
        _ if number => Bound::Number(terms.numbers(t)),
        _ => all(terms, t),
    }
}

/// Signed bounds of the values between two unsigned bounds.
fn signed(w: u8, lo: u128, hi: u128) -> (i128, i128) {
    let half = mask(w) >> 1;
    if (lo <= half) == (hi <= half) {
        (sign_extend(lo, w), sign_extend(hi, w))
    } else {
        (sign_extend(half + 1, w), half as i128)
    }
}

/// The bounds of an operation on integers; `None` if nothing is known.
fn integers(op: BinaryOp, [from, low, w]: [u8; 3], a: Bounds<u128>, b: Bounds<u128>) -> Option<Bounds<u128>> {
    let truth = |known: Option<bool>| known.map_or((0, 1), |v| (v.into(), v.into()));
    Some(match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor if from == 1 => of_bits(op, a, b),
        BinaryOp::Eq if a.0 == a.1 && a == b => (1, 1),
        BinaryOp::Eq => (0, (a.0.max(b.0) <= a.1.min(b.1)).into()),
        BinaryOp::Ult => truth(less(a, b)),
        BinaryOp::Slt => truth(less(wide_biased(from, a), wide_biased(from, b))),
        BinaryOp::Concat if w > 127 => return None,
        _ => return wide_binary_bounds(op, from, low, a, b),
    })
}
