//! Linear forms over reals that lie between bounds. `forms` uses them for the relations between floating-point terms in a box,
//! which the terms' own bounds lose.
//!
//! A form represents a value at each point of the box as a sum of symbols, each times some real of a range, and of one more real
//! of a range (affine arithmetic: Stolfi and de Figueiredo, 1997). All calculations use `f64`, rounded outwards; exact results
//! stay exact, so that terms that cancel leave no remainder.

use crate::policy::floats;

/// The reals from `lo` to `hi`; an infinite end is no bound.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Range {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

/// True for a normal power of two of either sign: multiplication by it is exact.
pub(crate) fn power_of_two(x: f64) -> bool {
    x.is_normal() && x.to_bits() & ((1 << 52) - 1) == 0
}

/// `a + b`, rounded down.
fn sum_down(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if sum.is_nan() || sum == f64::NEG_INFINITY {
        return f64::NEG_INFINITY;
    }
    if sum == f64::INFINITY {
        return if a == f64::INFINITY || b == f64::INFINITY { sum } else { f64::MAX };
    }
    // The rounding error of the sum (Knuth's two-sum).
    let second = sum - a;
    let off = (a - (sum - second)) + (b - second);
    if off >= 0.0 { sum } else { sum.next_down() }
}

/// `a * b`, rounded down; zero times anything is zero.
fn product_down(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let product = a * b;
    if product.is_nan() {
        return f64::NEG_INFINITY;
    }
    // A smaller product may have been rounded to the least normal number.
    let exact = product.abs() > f64::MIN_POSITIVE && (power_of_two(a) || power_of_two(b));
    if exact || a.is_infinite() || b.is_infinite() { product } else { product.next_down() }
}

fn sum_up(a: f64, b: f64) -> f64 {
    -sum_down(-a, -b)
}

fn product_up(a: f64, b: f64) -> f64 {
    -product_down(-a, b)
}

impl Range {
    pub(crate) const ZERO: Range = Range { lo: 0.0, hi: 0.0 };

    pub(crate) fn of(x: f64) -> Range {
        Range { lo: x, hi: x }
    }

    /// From `-by` to `by`.
    pub(crate) fn about_zero(by: f64) -> Range {
        Range { lo: -by, hi: by }
    }

    /// From `1 - by` to `1 + by`.
    pub(crate) fn about_one(by: f64) -> Range {
        Range { lo: sum_down(1.0, -by), hi: sum_up(1.0, by) }
    }

    /// Its only real; `None` if it has several.
    pub(crate) fn only(self) -> Option<f64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    pub(crate) fn has_zero(self) -> bool {
        self.lo <= 0.0 && 0.0 <= self.hi
    }

    /// The largest magnitude.
    pub(crate) fn most(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// A real near its middle.
    pub(crate) fn middle(self) -> f64 {
        let middle = self.lo / 2.0 + self.hi / 2.0;
        if middle.is_finite() { middle.clamp(self.lo, self.hi.max(self.lo)) } else { 0.0 }
    }

    pub(crate) fn neg(self) -> Range {
        Range { lo: -self.hi, hi: -self.lo }
    }

    pub(crate) fn plus(self, other: Range) -> Range {
        Range { lo: sum_down(self.lo, other.lo), hi: sum_up(self.hi, other.hi) }
    }

    pub(crate) fn minus(self, other: Range) -> Range {
        self.plus(other.neg())
    }

    pub(crate) fn times(self, other: Range) -> Range {
        let corners = [(self.lo, other.lo), (self.lo, other.hi), (self.hi, other.lo), (self.hi, other.hi)];
        let lo = corners.iter().map(|&(a, b)| product_down(a, b)).fold(f64::INFINITY, f64::min);
        let hi = corners.iter().map(|&(a, b)| product_up(a, b)).fold(f64::NEG_INFINITY, f64::max);
        Range { lo, hi }
    }

    /// The range of the squares of its reals.
    pub(crate) fn squared(self) -> Range {
        let most = self.most();
        let least = if self.has_zero() { 0.0 } else { self.lo.abs().min(self.hi.abs()) };
        Range { lo: product_down(least, least), hi: product_up(most, most) }
    }

    /// The range of `1 / x` for its reals `x`; `None` if zero is one of them.
    pub(crate) fn inverse(self) -> Option<Range> {
        if self.has_zero() {
            return None;
        }
        let down = |x: f64| {
            let y = 1.0 / x;
            if power_of_two(x) && y.is_normal() { y } else { y.next_down() }
        };
        Some(Range { lo: down(self.hi), hi: -down(-self.lo) })
    }

    /// The range of the square roots of its reals, which must not be negative.
    pub(crate) fn root(self) -> Range {
        Range { lo: self.lo.sqrt().next_down().max(0.0), hi: self.hi.sqrt().next_up() }
    }

    /// The least range that contains both.
    pub(crate) fn hull(self, other: Range) -> Range {
        Range { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The intersection; a single real if it is empty.
    pub(crate) fn both(self, other: Range) -> Range {
        let lo = self.lo.max(other.lo);
        Range { lo, hi: self.hi.min(other.hi).max(lo) }
    }
}

/// A sum of symbols, each times a real of its range, and of a real.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Form {
    /// Symbols in rising order, with their factors.
    terms: Vec<(usize, Range)>,
    rest: Range,
}

impl Form {
    pub(crate) fn constant(rest: Range) -> Form {
        Form { terms: Vec::new(), rest }
    }

    pub(crate) fn symbol(symbol: usize) -> Form {
        Form { terms: vec![(symbol, Range::of(1.0))], rest: Range::ZERO }
    }

    /// True if it has more than `floats::SYMBOLS` symbols.
    pub(crate) fn is_long(&self) -> bool {
        self.terms.len() > floats::SYMBOLS
    }

    /// The symbol and the factor of a form that is a multiple of one symbol.
    pub(crate) fn pure(&self) -> Option<(usize, Range)> {
        match self.terms[..] {
            [term] if self.rest == Range::ZERO => Some(term),
            _ => None,
        }
    }

    /// Its range, if it has no symbols.
    pub(crate) fn real(&self) -> Option<Range> {
        self.terms.is_empty().then_some(self.rest)
    }

    pub(crate) fn pure_of(symbol: usize, by: Range) -> Form {
        Form { terms: vec![(symbol, by)], rest: Range::ZERO }
    }

    pub(crate) fn neg(&self) -> Form {
        let terms = self.terms.iter().map(|&(s, by)| (s, by.neg())).collect();
        Form { terms, rest: self.rest.neg() }
    }

    pub(crate) fn plus(&self, other: &Form) -> Form {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let term = match (a.peek(), b.peek()) {
                (Some(&&(s, x)), Some(&&(t, y))) if s == t => {
                    a.next();
                    b.next();
                    (s, x.plus(y))
                }
                (Some(&&(s, x)), Some(&&(t, _))) if s < t => {
                    a.next();
                    (s, x)
                }
                (_, Some(&&term)) => {
                    b.next();
                    term
                }
                (Some(&&term), None) => {
                    a.next();
                    term
                }
                (None, None) => break,
            };
            if term.1 != Range::ZERO {
                terms.push(term);
            }
        }
        Form { terms, rest: self.rest.plus(other.rest) }
    }

    pub(crate) fn minus(&self, other: &Form) -> Form {
        self.plus(&other.neg())
    }

    pub(crate) fn plus_real(&self, by: Range) -> Form {
        Form { terms: self.terms.clone(), rest: self.rest.plus(by) }
    }

    /// The form times a real of a range, which may differ for each point and symbol.
    pub(crate) fn times(&self, by: Range) -> Form {
        let terms = self.terms.iter().map(|&(s, x)| (s, x.times(by)));
        Form { terms: terms.filter(|t| t.1 != Range::ZERO).collect(), rest: self.rest.times(by) }
    }

    /// Its range for symbols within their ranges.
    pub(crate) fn range(&self, symbols: &[Range]) -> Range {
        self.terms.iter().fold(self.rest, |sum, &(s, by)| sum.plus(by.times(symbols[s])))
    }

    /// Its range for symbols within their ranges if no fact is negative: a multiple of a fact is subtracted so that a symbol
    /// cancels.
    pub(crate) fn range_with(&self, symbols: &[Range], facts: &[Form]) -> Range {
        let mut range = self.range(symbols);
        for fact in facts {
            for &(symbol, by) in &fact.terms {
                let Some(own) = self.terms.iter().find(|t| t.0 == symbol) else { continue };
                let times = own.1.middle() / by.middle();
                if !times.is_finite() || times == 0.0 {
                    continue;
                }
                let rest = self.plus(&fact.times(Range::of(-times))).range(symbols);
                if times > 0.0 {
                    range.lo = range.lo.max(rest.lo);
                } else {
                    range.hi = range.hi.min(rest.hi);
                }
            }
        }
        range
    }

    /// The product of two forms, as a form and the range of a real to add to it, which depends on the symbols.
    pub(crate) fn product(&self, other: &Form, symbols: &[Range]) -> (Form, Range) {
        let ((f, f_terms, f_off), (g, g_terms, g_off)) = (self.centred(symbols), other.centred(symbols));
        // In (f + a + p) (g + b + q), with a and b linear in the symbols, the range covers a b, p (b + q) and a q.
        let part = |terms: &[(usize, Range, Range)]| {
            terms.iter().fold(Range::ZERO, |sum, &(_, by, from)| sum.plus(by.times(from)))
        };
        let (a, b) = (part(&f_terms), part(&g_terms));
        let mut both = Range::ZERO;
        for &(s, x, from) in &f_terms {
            for &(t, y, other_from) in &g_terms {
                let by = x.times(y);
                both = both.plus(by.times(if s == t { from.squared() } else { from.times(other_from) }));
            }
        }
        let both = both.both(a.times(b));
        let off = f_off.times(b.plus(g_off)).plus(a.times(g_off));
        let (f, g) = (Range::of(f), Range::of(g));
        let linear = other.times(f).plus(&self.times(g)).plus_real(f.times(g).neg());
        (linear, both.plus(off))
    }

    /// The form around its middle: a real in the middle; the symbols with their factors and deviations from their middles; the
    /// rest.
    fn centred(&self, symbols: &[Range]) -> (f64, Vec<(usize, Range, Range)>, Range) {
        let mut at_middles = self.rest;
        let mut terms = Vec::with_capacity(self.terms.len());
        for &(s, by) in &self.terms {
            let middle = Range::of(symbols[s].middle());
            at_middles = at_middles.plus(by.times(middle));
            terms.push((s, by, symbols[s].minus(middle)));
        }
        let middle = at_middles.middle();
        (middle, terms, at_middles.minus(Range::of(middle)))
    }
}
