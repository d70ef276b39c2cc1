//! Affine arithmetic over a box: the linear forms of the parts of conditions; see [`crate::prune::linear`]. `Boxes::refuted` uses them.
//!
//! Each part that is a finite number everywhere in the box has a form. An operation's form is that of the exact
//! operation plus the rounding error. A comparison uses both operands before rounding: rounding is monotone,
//! so `a + h < a` cannot hold if `h >= 0`, for any rounding error.

use cleave_float::{Float, Rounding};

use crate::domains::interval::{Interval, at_place, last_place, place_of};
use crate::float::float_op::{FloatOp, kind};
use crate::policy::floats;
use crate::prune::linear::{Form, Range, power_of_two};
use crate::prune::parts::{Part, Step};
use crate::store::term::{Node, Term};
use crate::store::terms::Terms;

/// Least magnitude for which forms are calculated. Forms use doubles: if all numbers of a part are smaller, or some are greater
/// than its inverse, results could be subnormal or overflow, and their bounds would not be rounded outwards. Such a part has no
/// form.
const SMALLEST: f64 = f64::from_bits((1023 - 500) << 52);

/// The reals of an interval, if it has no NaN, all its numbers are finite and forms can be calculated with them. The largest
/// number counts as infinite, because a result that overflows may become it.
pub(crate) fn reals(k: Float, i: Interval) -> Option<Range> {
    let last = last_place(k) - 1;
    if i.nan || i.is_empty() || i.lo <= -last || i.hi >= last {
        return None;
    }
    let real = |mode: Rounding, place| f64::from_bits(mode.convert(k, Float::F64, at_place(k, place)) as u64);
    let range = Range { lo: real(Rounding::Down, i.lo), hi: real(Rounding::Up, i.hi) };
    let most = range.most();
    (most == 0.0 || (SMALLEST..=1.0 / SMALLEST).contains(&most)).then_some(range)
}

/// The numbers of an interval that lie in a range.
fn within(k: Float, i: Interval, range: Range) -> Interval {
    let place = |mode: Rounding, x: f64| place_of(k, mode.convert(Float::F64, k, x.to_bits().into()));
    let mut narrow = i;
    if range.lo.is_finite() {
        narrow.lo = narrow.lo.max(place(Rounding::Up, range.lo));
    }
    if range.hi.is_finite() {
        narrow.hi = narrow.hi.min(place(Rounding::Down, range.hi));
    }
    narrow
}

/// The rounding error of a format: relative to the number, and absolute for subnormal products and quotients.
pub(crate) fn rounding_of(k: Float, mode: Rounding) -> (f64, f64) {
    let (half, least) = match k {
        Float::F32 => (2f64.powi(-24), 2f64.powi(-149)),
        Float::F64 => (2f64.powi(-53), f64::from_bits(1)),
        // The least number of the format is less than any `double`.
        Float::X80 => (2f64.powi(-64), f64::from_bits(1)),
    };
    (if mode == Rounding::Nearest { half } else { 2.0 * half }, least)
}

/// True if a number of the interval may be subnormal, or the least normal number, to which a subnormal one may have been rounded.
fn may_be_subnormal(k: Float, i: Interval) -> bool {
    let normal = match k {
        Float::F32 => 1i128 << 23,
        Float::F64 => 1 << 52,
        Float::X80 => 1 << 63,
    };
    i.lo <= normal && i.hi >= -normal
}

/// An operation's result before it is rounded.
struct Exact {
    form: Form,
    mode: Rounding,
    /// It is a sum: a subnormal sum is exact.
    sum: bool,
    /// It is exact unless the result is subnormal: a factor is a power of two.
    scaled: bool,
}

/// The forms of a part.
struct Kept {
    form: Form,
    /// The form of the exact result before rounding, and the rounding mode.
    exact: Option<(Form, Rounding)>,
    /// The exact result is a sum.
    sum: bool,
}

/// The forms of the parts of a box; parts are added in order.
pub(crate) struct Forms<'a> {
    parts: &'a [Part],
    /// The range of each symbol: first the symbols of the words of the input, then those of the parts.
    symbols: Vec<Range>,
    words: usize,
    kept: Vec<Option<Kept>>,
    /// For each part: true if it is known to be a number that is not negative.
    not_negative: Vec<bool>,
    /// Forms that are not negative if all conditions hold.
    facts: Vec<Form>,
}

impl<'a> Forms<'a> {
    /// Forms over words with these ranges (`None` for a word that is no finite number). `lower` gives a word that is a lower
    /// bound of each word; the relation has no cycles.
    pub(crate) fn new(parts: &'a [Part], words: &[Option<Range>], lower: &[Option<usize>]) -> Forms<'a> {
        let mut symbols: Vec<Range> = words.iter().map(|r| r.unwrap_or(Range::ZERO)).collect();
        for (word, lower) in lower.iter().enumerate() {
            if let (Some(own), Some(below)) = (words[word], lower.and_then(|word| words[word])) {
                // The symbol stands for the difference from the lower word.
                symbols[word] = own.minus(below).both(Range { lo: 0.0, hi: f64::INFINITY });
            }
        }
        symbols.resize(words.len() + parts.len(), Range::ZERO);
        let kept = Vec::with_capacity(parts.len());
        let not_negative = Vec::with_capacity(parts.len());
        Forms { parts, symbols, words: words.len(), kept, not_negative, facts: Vec::new() }
    }

    /// Adds a part that is no number, or of which nothing is known.
    pub(crate) fn skip(&mut self) {
        self.kept.push(None);
        self.not_negative.push(false);
    }

    /// The form of a part.
    pub(crate) fn form(&self, place: usize) -> Option<&Form> {
        self.kept.get(place)?.as_ref().map(|kept| &kept.form)
    }

    /// Adds a part that is a number in `i`; returns the interval narrowed by its form. `known` is its form, if it is not the form
    /// of an operation.
    pub(crate) fn number(&mut self, terms: &Terms, i: Interval, known: Option<Form>) -> Interval {
        let i = self.number_by_form(terms, i, known);
        self.not_negative.push(!i.nan && i.lo >= 0);
        i
    }

    fn number_by_form(&mut self, terms: &Terms, i: Interval, known: Option<Form>) -> Interval {
        let (t, _, step) = self.parts[self.kept.len()];
        let k = kind(terms.width(t));
        let i = self.quotient(terms, t, i, step);
        let Some(own) = reals(k, i) else {
            self.kept.push(None);
            return i;
        };
        let kept = match (known, step) {
            (Some(form), _) => Some(Kept::plain(form)),
            (None, Step::Known(_)) => Some(Kept::plain(Form::constant(own))),
            (None, Step::Of(places)) => self.operation(terms, (t, i, own), places),
            _ => None,
        };
        let Some(kept) = kept.filter(|kept| !kept.form.is_long()) else {
            let form = self.fresh(own);
            self.kept.push(Some(Kept::plain(form)));
            return i;
        };
        let seen = kept.form.range_with(&self.symbols, &self.facts);
        // Bounds that are tighter than those of the form are facts about it.
        if matches!(terms.node(t), Node::Float(FloatOp::Mul(_), ..)) {
            if own.lo > seen.lo {
                self.learn(kept.form.plus_real(Range::of(own.lo).neg()));
            }
            if own.hi < seen.hi {
                self.learn(kept.form.neg().plus_real(Range::of(own.hi)));
            }
        }
        self.kept.push(Some(kept));
        within(k, i, seen)
    }

    /// Records that the conditions narrow a part to these numbers.
    pub(crate) fn narrowed(&mut self, terms: &Terms, place: usize, i: Interval) {
        self.not_negative[place] |= !i.nan && i.lo >= 0;
        if self.kept[place].is_none()
            && let Some(own) = reals(kind(terms.width(self.parts[place].0)), i)
        {
            let symbol = self.words + place;
            self.symbols[symbol] = own;
            self.kept[place] = Some(Kept::plain(Form::symbol(symbol)));
        }
    }

    /// Bounds a quotient by one if neither operand is negative and the dividend is at most the divisor.
    fn quotient(&self, terms: &Terms, t: Term, i: Interval, step: Step) -> Interval {
        let (Node::Float(FloatOp::Div(_), ..), Step::Of(places)) = (terms.node(t), step) else { return i };
        let k = kind(terms.width(t));
        let one = place_of(k, cleave_float::from_int(false, 8, k, 1));
        let small = i.hi > one
            && self.not_negative[places[0]]
            && self.not_negative[places[1]]
            && self.compare(terms, FloatOp::LessEqual, places) == Some(true);
        if small { Interval { hi: one, ..i } } else { i }
    }

    /// A new symbol for the next part, or for an error term added to it.
    fn fresh(&mut self, range: Range) -> Form {
        let symbol = self.words + self.kept.len();
        self.symbols[symbol] = range;
        Form::symbol(symbol)
    }

    fn learn(&mut self, fact: Form) {
        if self.facts.len() < floats::FACTS && fact.range(&self.symbols).lo < 0.0 {
            self.facts.push(fact);
        }
    }

    fn operation(
        &mut self,
        terms: &Terms,
        (t, i, own): (Term, Interval, Range),
        places: [usize; 3],
    ) -> Option<Kept> {
        let Node::Float(op, a, ..) = terms.node(t) else { return None };
        let k = kind(terms.width(t));
        let plain = |form: Form| Some(Kept::plain(form));
        let first = self.form(places[0])?;
        match op {
            FloatOp::Neg => return plain(first.neg()),
            FloatOp::Abs => {
                let range = first.range(&self.symbols);
                return match (range.lo >= 0.0, range.hi <= 0.0) {
                    (true, _) => plain(first.clone()),
                    (_, true) => plain(first.neg()),
                    _ => None,
                };
            }
            FloatOp::Convert(_) if terms.width(a) < terms.width(t) => return plain(first.clone()),
            FloatOp::Floor => return plain(first.plus_real(Range { lo: -1.0, hi: 0.0 })),
            FloatOp::Ceil => return plain(first.plus_real(Range { lo: 0.0, hi: 1.0 })),
            FloatOp::Round => return plain(first.plus_real(Range::about_zero(0.5))),
            FloatOp::Trunc | FloatOp::Rint(_) => return plain(first.plus_real(Range::about_zero(1.0))),
            _ => {}
        }
        let pure = self.part_of_pure(op, k, places).filter(|_| may_be_subnormal(k, i));
        let by_constant =
            places[..2].iter().any(|&place| self.form(place).is_some_and(|f| f.real().is_some()));
        if pure.is_some() && by_constant {
            return pure;
        }
        match (pure, self.rounded(op, k, (i, own), places)) {
            (Some(pure), Some(other)) => {
                Some(if self.is_better(&pure.form, &other.form) { pure } else { other })
            }
            (pure, other) => pure.or(other),
        }
    }

    /// True if a form of a part is at least as precise as another one: it is narrower, or has one sign and is at most twice as
    /// wide.
    fn is_better(&self, form: &Form, than: &Form) -> bool {
        let [own, other] = [form, than].map(|f| f.range(&self.symbols));
        let width = |range: Range| {
            let signed = range.lo >= 0.0 || range.hi <= 0.0;
            (range.hi - range.lo) * if signed { 0.5 } else { 1.0 }
        };
        width(own) <= width(other)
    }

    /// The form of an operation with its rounding error.
    fn rounded(
        &mut self,
        op: FloatOp,
        k: Float,
        (i, own): (Interval, Range),
        places: [usize; 3],
    ) -> Option<Kept> {
        let exact = self.exact(op, places)?;
        let (by, least) = rounding_of(k, exact.mode);
        let subnormal = !exact.sum && may_be_subnormal(k, i);
        let form = if exact.scaled && !subnormal {
            exact.form.clone()
        } else if exact.form.pure().is_some() && !subnormal {
            exact.form.times(Range::about_one(by))
        } else {
            let by = Range::of(own.most()).times(Range::of(by));
            let by = by.plus(Range::of(if subnormal { least } else { 0.0 })).hi;
            exact.form.plus_real(match exact.mode {
                Rounding::Down => Range { lo: -by, hi: 0.0 },
                Rounding::Up => Range { lo: 0.0, hi: by },
                _ => Range::about_zero(by),
            })
        };
        Some(Kept { form, exact: Some((exact.form, exact.mode)), sum: exact.sum })
    }

    /// The form of an operation before rounding.
    fn exact(&mut self, op: FloatOp, [a, b, c]: [usize; 3]) -> Option<Exact> {
        match op {
            FloatOp::Add(mode) | FloatOp::Sub(mode) => {
                let (f, g) = (self.form(a)?, self.form(b)?);
                let form = if matches!(op, FloatOp::Add(_)) { f.plus(g) } else { f.minus(g) };
                Some(Exact { form, mode, sum: true, scaled: false })
            }
            FloatOp::Mul(mode) => {
                let (form, scaled) = self.product(a, b)?;
                Some(Exact { form, mode, sum: false, scaled })
            }
            FloatOp::MulAdd(mode) => {
                let (product, _) = self.product(a, b)?;
                let form = product.plus(self.form(c)?);
                Some(Exact { form, mode, sum: false, scaled: false })
            }
            FloatOp::Div(mode) => {
                let (f, g) = (self.form(a)?, self.form(b)?);
                let by = g.range(&self.symbols);
                if g.real().is_none() && f.pure().is_none() {
                    return None;
                }
                let scaled = by.only().is_some_and(|x| power_of_two(x.abs()));
                Some(Exact { form: f.times(by.inverse()?), mode, sum: false, scaled })
            }
            FloatOp::Convert(mode) => {
                Some(Exact { form: self.form(a)?.clone(), mode, sum: false, scaled: false })
            }
            _ => None,
        }
    }

    /// The product of two parts; and true if one of them is a power of two.
    fn product(&mut self, a: usize, b: usize) -> Option<(Form, bool)> {
        let (f, g) = (self.form(a)?, self.form(b)?);
        for (f, by) in [(f, g), (g, f)] {
            if let Some(by) = by.real() {
                let scaled = by.only().is_some_and(|x| power_of_two(x.abs()));
                return Some((f.times(by), scaled));
            }
        }
        let (f_range, g_range) = (f.range(&self.symbols), g.range(&self.symbols));
        let pure = [(f, g_range), (g, f_range)];
        let pure = pure.into_iter().find(|(f, _)| f.pure().is_some()).map(|(f, by)| f.times(by));
        let (linear, range) = f.product(g, &self.symbols);
        let affine = linear.plus(&self.fresh(range));
        // A multiple of one symbol keeps the symbol's sign.
        Some((pure.filter(|pure| self.is_better(pure, &affine)).unwrap_or(affine), false))
    }

    /// A multiple of one symbol times a factor of magnitude at most one, for a result that may be subnormal. In every rounding
    /// mode the result lies between zero and the multiple.
    fn part_of_pure(&self, op: FloatOp, k: Float, places: [usize; 3]) -> Option<Kept> {
        let (mode, divides) = match op {
            FloatOp::Mul(mode) => (mode, false),
            FloatOp::Div(mode) => (mode, true),
            _ => return None,
        };
        let of = |pure: usize, other: usize| {
            let (symbol, by) = self.form(pure)?.pure()?;
            let factor = self.form(other)?.range(&self.symbols);
            let factor = if divides { factor.inverse()? } else { factor };
            if factor.most() > 1.0 {
                return None;
            }
            let side = |negative: bool| f64::from(u8::from(negative));
            let side = Range { lo: -side(factor.lo < 0.0), hi: side(factor.hi > 0.0) };
            let exact = Some((Form::pure_of(symbol, by.times(factor)), mode));
            let half = factor.only().is_some_and(|x| x.abs() == 0.5);
            let by = match self.exact_sum(pure).filter(|_| half) {
                // If half of a sum is subnormal, the sum is so small that it is exact.
                Some(sum) => by.times(factor).hull(sum.times(side)),
                None => by.times(factor.times(Range::about_one(rounding_of(k, mode).0)).hull(side)),
            };
            Some(Kept { form: Form::pure_of(symbol, by), exact, sum: false })
        };
        of(places[0], places[1]).or_else(|| of(places[1], places[0]).filter(|_| !divides))
    }

    /// The factor of the only symbol of a sum before the sum is rounded.
    fn exact_sum(&self, place: usize) -> Option<Range> {
        let kept = self.kept.get(place)?.as_ref().filter(|kept| kept.sum)?;
        kept.exact.as_ref()?.0.pure().map(|pure| pure.1)
    }

    /// The form of a part before rounding, for a comparison with a number of its format. A part that is divided by a power of two
    /// has the form of its dividend divided by it, because the other number times the power is a number of the format, too.
    fn unrounded(&self, terms: &Terms, place: usize) -> Option<Form> {
        let (mut place, mut by) = (place, Range::of(1.0));
        while let (t, _, Step::Of(places)) = self.parts[place]
            && let Some((of, factor)) = self.fraction(terms, t, places)
        {
            (place, by) = (of, by.times(Range::of(factor)));
        }
        let kept = self.kept[place].as_ref()?;
        Some(kept.exact.as_ref().map_or(&kept.form, |exact| &exact.0).times(by))
    }

    /// For a product with a power of two of magnitude at most one: the other factor's part, and the power.
    fn fraction(&self, terms: &Terms, t: Term, [a, b, _]: [usize; 3]) -> Option<(usize, f64)> {
        let Node::Float(op, ..) = terms.node(t) else { return None };
        let real = |place: usize| self.form(place)?.real()?.only().filter(|x| power_of_two(*x));
        let (of, factor) = match op {
            FloatOp::Mul(_) => real(b).map(|x| (a, x)).or_else(|| real(a).map(|x| (b, x)))?,
            FloatOp::Div(_) => real(b).map(|x| (a, 1.0 / x))?,
            _ => return None,
        };
        (factor.abs() <= 1.0 && factor.is_normal()).then_some((of, factor))
    }

    /// The answer of a comparison of two parts if it is the same everywhere in the box.
    pub(crate) fn compare(&self, terms: &Terms, op: FloatOp, [a, b, _]: [usize; 3]) -> Option<bool> {
        let (f, g) = (self.form(a)?, self.form(b)?);
        let apart = |f: &Form, g: &Form| g.minus(f).range_with(&self.symbols, &self.facts);
        let rounded = apart(f, g);
        let mut order = rounded;
        let exact = |place: usize| self.kept[place].as_ref().and_then(|kept| kept.exact.as_ref());
        let pairs = [
            self.unrounded(terms, a).map(|f| (f, g.clone())),
            self.unrounded(terms, b).map(|g| (f.clone(), g)),
            // Both parts were rounded in the same mode.
            exact(a).zip(exact(b)).filter(|(f, g)| f.1 == g.1).map(|(f, g)| (f.0.clone(), g.0.clone())),
        ];
        for (f, g) in pairs.into_iter().flatten() {
            let before = apart(&f, &g);
            order = Range { lo: order.lo.max(before.lo), hi: order.hi.min(before.hi) };
        }
        match op {
            FloatOp::Less if order.hi <= 0.0 => Some(false),
            FloatOp::Less if rounded.lo > 0.0 => Some(true),
            FloatOp::LessEqual if order.lo >= 0.0 => Some(true),
            FloatOp::LessEqual if rounded.hi < 0.0 => Some(false),
            FloatOp::Equal if rounded.lo > 0.0 || rounded.hi < 0.0 => Some(false),
            _ => None,
        }
    }

    /// Assumes that a comparison holds, or does not.
    pub(crate) fn assume(&mut self, op: FloatOp, [a, b, _]: [usize; 3], holds: bool) {
        let (Some(f), Some(g)) = (self.form(a), self.form(b)) else { return };
        let apart = g.minus(f);
        match (op, holds) {
            (FloatOp::Less | FloatOp::LessEqual, true) => self.learn(apart),
            (FloatOp::Less | FloatOp::LessEqual, false) => self.learn(apart.neg()),
            (FloatOp::Equal, true) => {
                self.learn(apart.neg());
                self.learn(apart);
            }
            _ => {}
        }
    }
}

impl Kept {
    fn plain(form: Form) -> Kept {
        Kept { form, exact: None, sum: false }
    }
}

/// The form of a word: its symbol plus those of its chain of lower words. `None` if the word has no range.
pub(crate) fn word_form(words: &[Option<Range>], lower: &[Option<usize>], word: usize) -> Option<Form> {
    words[word]?;
    let mut form = Form::symbol(word);
    let mut at = word;
    while let Some(below) = lower[at].filter(|&below| words[below].is_some()) {
        form = form.plus(&Form::symbol(below));
        at = below;
    }
    Some(form)
}
