//! Linear forms over reals that lie between bounds: what boxes know of a floating-point term beside its own bounds.
//!
//! A form says that for each point of the box a value is a sum of symbols, each times some real of a range, and of one more real of
//! a range (affine arithmetic: Stolfi and de Figueiredo, 1997). All calculations are of `f64`, rounded outwards; what is exact
//! stays exact, so that terms that cancel leave nothing behind.

/// The reals from one to another; all of them where they are infinite.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Range {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

/// A power of two that is no subnormal number: to multiply by it is exact.
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
    // What was rounded off (Knuth's sum of two).
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
    // The least normal number may be what a smaller product was rounded to.
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

    /// The one real that it has.
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

    /// A real in the middle of it.
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

    /// The squares of its reals.
    pub(crate) fn squared(self) -> Range {
        let most = self.most();
        let least = if self.has_zero() { 0.0 } else { self.lo.abs().min(self.hi.abs()) };
        Range { lo: product_down(least, least), hi: product_up(most, most) }
    }

    /// `1 / x` of its reals; `None` if zero is one of them.
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

    /// The roots of its reals, which are not negative.
    pub(crate) fn root(self) -> Range {
        Range { lo: self.lo.sqrt().next_down().max(0.0), hi: self.hi.sqrt().next_up() }
    }

    /// Both together.
    pub(crate) fn hull(self, other: Range) -> Range {
        Range { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// What is in both, where that is anything.
    pub(crate) fn both(self, other: Range) -> Range {
        let lo = self.lo.max(other.lo);
        Range { lo, hi: self.hi.min(other.hi).max(lo) }
    }
}

/// A sum of symbols, each times a real of its range, and of a real.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Form {
    /// Symbols in their order, and what they are multiplied by.
    terms: Vec<(usize, Range)>,
    rest: Range,
}

/// A form of more symbols than this is not kept.
const MOST_SYMBOLS: usize = 12;

impl Form {
    pub(crate) fn constant(rest: Range) -> Form {
        Form { terms: Vec::new(), rest }
    }

    pub(crate) fn symbol(symbol: usize) -> Form {
        Form { terms: vec![(symbol, Range::of(1.0))], rest: Range::ZERO }
    }

    /// Whether it has so many symbols that it is not worth keeping.
    pub(crate) fn is_long(&self) -> bool {
        self.terms.len() > MOST_SYMBOLS
    }

    /// The symbol that it is a multiple of, and nothing else.
    pub(crate) fn pure(&self) -> Option<(usize, Range)> {
        match self.terms[..] {
            [term] if self.rest == Range::ZERO => Some(term),
            _ => None,
        }
    }

    /// What it is, if it has no symbols.
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

    /// Times a real of a range, another one for each point and symbol.
    pub(crate) fn times(&self, by: Range) -> Form {
        let terms = self.terms.iter().map(|&(s, x)| (s, x.times(by)));
        Form { terms: terms.filter(|t| t.1 != Range::ZERO).collect(), rest: self.rest.times(by) }
    }

    /// Its values where the symbols are within their ranges.
    pub(crate) fn range(&self, symbols: &[Range]) -> Range {
        self.terms.iter().fold(self.rest, |sum, &(s, by)| sum.plus(by.times(symbols[s])))
    }

    /// Its values where the symbols are within their ranges and each of the facts is not negative: a multiple of a fact is taken
    /// away so that a symbol cancels.
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

    /// The product of two, as a form and the range of a real to be added to it, which depends on the symbols.
    pub(crate) fn product(&self, other: &Form, symbols: &[Range]) -> (Form, Range) {
        let ((f, f_terms, f_off), (g, g_terms, g_off)) = (self.centred(symbols), other.centred(symbols));
        // Of (f + a + p) (g + b + q), with a and b of the symbols: a b, p (b + q) and a q are left to the range.
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

    /// A real in the middle; its symbols, what they are multiplied by and how far from their middles they are; and the rest.
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
