//! Comparisons of smooth functions of the input's words over a box, decided by their slopes; `boxes` calls it.
//!
//! Each operand is a real function of the words, calculated without rounding, plus a bound of the rounding error at a point
//! (a running error bound). The difference of both is bounded by monotonicity: if its slope along a word has one sign
//! in the whole box, it is least at one end of that word, and the box becomes flatter. The remaining box is bounded
//! by the value at its middle and the slopes (the mean value form: Moore, 1966). Slopes are bounded by automatic differentiation
//! backwards over ranges, so they hold at each real point of the box, even if it is no floating-point number.

use cleave_float::{Float, Rounding};

use crate::float::float_op::{FloatOp, kind};
use crate::policy::floats;
use crate::prune::forms::{reals, rounding_of};
use crate::prune::linear::Range;
use crate::prune::parts::{Bound, Part, Step};
use crate::store::term::Node;
use crate::store::terms::Terms;

/// The real function by which a part is calculated from others, given by their places.
#[derive(Clone, Copy)]
enum Fun {
    Word,
    Known(Range),
    Same(usize),
    Neg(usize),
    Sum(usize, usize),
    Difference(usize, usize),
    Product(usize, usize),
    Quotient(usize, usize),
    Root(usize),
    SumOfProduct(usize, usize, usize),
}

impl Fun {
    fn operands(self) -> [Option<usize>; 3] {
        match self {
            Fun::Word | Fun::Known(_) => [None; 3],
            Fun::Same(a) | Fun::Neg(a) | Fun::Root(a) => [Some(a), None, None],
            Fun::Sum(a, b) | Fun::Difference(a, b) | Fun::Product(a, b) | Fun::Quotient(a, b) => {
                [Some(a), Some(b), None]
            }
            Fun::SumOfProduct(a, b, c) => [Some(a), Some(b), Some(c)],
        }
    }
}

/// A part of the function: its place among the parts, its calculation, and a bound of its rounding error.
struct Made {
    place: usize,
    fun: Fun,
    error: f64,
}

/// The difference of two parts, as a function of the words in a box.
pub(crate) struct Difference {
    made: Vec<Made>,
    sides: [usize; 2],
    /// The words: the place and the range of each.
    words: Vec<(usize, Range)>,
    /// A bound of the rounding errors of both operands together.
    error: f64,
}

/// True if calculations with reals of a range do not overflow.
fn is_calculable(range: Range) -> bool {
    const MOST: f64 = f64::from_bits((1023 + 500) << 52);
    range.lo >= -MOST && range.hi <= MOST
}

impl Difference {
    /// The difference of two parts, given the bounds of all parts up to them; `None` if it is not smooth, or may be NaN or
    /// infinite.
    pub(crate) fn of(
        terms: &Terms,
        parts: &[Part],
        values: &[Bound],
        sides: [usize; 2],
    ) -> Option<Difference> {
        let last = sides[0].max(sides[1]);
        let mut needed = vec![false; last + 1];
        for side in sides {
            needed[side] = true;
        }
        let (mut made, mut words) = (Vec::new(), Vec::new());
        for place in (0..=last).rev() {
            if !needed[place] {
                continue;
            }
            let own = real_values(terms, parts, values, place)?;
            let fun = fun_of(terms, parts, values, place, own)?;
            if let Fun::Word = fun {
                words.push((place, own));
            }
            for operand in fun.operands().into_iter().flatten() {
                needed[operand] = true;
            }
            made.push(Made { place, fun, error: 0.0 });
        }
        made.reverse();
        let mut difference = Difference { made, sides, words, error: 0.0 };
        difference.find_errors(terms, parts, values)?;
        Some(difference)
    }

    /// Bounds the rounding error of each part, from the errors of its operands.
    fn find_errors(&mut self, terms: &Terms, parts: &[Part], values: &[Bound]) -> Option<()> {
        let mut errors = vec![Range::ZERO; values.len()];
        let exact = self.ranges(&self.words.clone())?;
        for made in &mut self.made {
            let place = made.place;
            let most = |place: usize| Some(Range::of(real_values(terms, parts, values, place)?.most()));
            let of = |place: usize| errors[place];
            // One factor is taken as calculated, the other as it would be without rounding.
            let product = |a: usize, b: usize| {
                Some(of(a).times(most(b)?).plus(of(b).times(Range::of(exact[a].most()))))
            };
            let moved = match made.fun {
                Fun::Word | Fun::Known(_) => Range::ZERO,
                Fun::Same(a) | Fun::Neg(a) => of(a),
                Fun::Sum(a, b) | Fun::Difference(a, b) => of(a).plus(of(b)),
                Fun::Product(a, b) => product(a, b)?,
                Fun::SumOfProduct(a, b, c) => product(a, b)?.plus(of(c)),
                Fun::Quotient(a, b) => {
                    let divisor = real_values(terms, parts, values, b)?.inverse()?;
                    let by = Range::of(exact[place].most()).times(of(b)).plus(of(a));
                    by.times(Range::of(divisor.most()))
                }
                Fun::Root(a) => of(a).times(exact[place].inverse()?),
            };
            made.error = moved.plus(rounded_off(terms, parts, place, most(place)?)).hi;
            if !is_calculable(Range::about_zero(made.error)) {
                return None;
            }
            errors[place] = Range::of(made.error);
        }
        self.error = errors[self.sides[0]].plus(errors[self.sides[1]]).hi;
        Some(())
    }

    /// The range of each part as a real, for words in these ranges. `None` if some part is not calculable.
    fn ranges(&self, words: &[(usize, Range)]) -> Option<Vec<Range>> {
        let last = self.made.last()?.place;
        let mut ranges = vec![Range::ZERO; last + 1];
        for made in &self.made {
            let of = |place: usize| ranges[place];
            let range = match made.fun {
                Fun::Word => words.iter().find(|word| word.0 == made.place)?.1,
                Fun::Known(range) => range,
                Fun::Same(a) => of(a),
                Fun::Neg(a) => of(a).neg(),
                Fun::Sum(a, b) => of(a).plus(of(b)),
                Fun::Difference(a, b) => of(a).minus(of(b)),
                Fun::Product(a, b) => product(&ranges, a, b),
                Fun::Quotient(a, b) => of(a).times(of(b).inverse()?),
                Fun::Root(a) if of(a).lo > 0.0 => of(a).root(),
                Fun::Root(_) => return None,
                Fun::SumOfProduct(a, b, c) => product(&ranges, a, b).plus(of(c)),
            };
            if !is_calculable(range) {
                return None;
            }
            ranges[made.place] = range;
        }
        Some(ranges)
    }

    /// The range of the difference for words in these ranges, and its slopes along them.
    fn slopes(&self, words: &[(usize, Range)]) -> Option<(Range, Vec<Range>)> {
        let ranges = self.ranges(words)?;
        let mut slopes = vec![Range::ZERO; ranges.len()];
        let [a, b] = self.sides;
        slopes[a] = slopes[a].plus(Range::of(1.0));
        slopes[b] = slopes[b].minus(Range::of(1.0));
        for made in self.made.iter().rev() {
            let own = slopes[made.place];
            if own == Range::ZERO {
                continue;
            }
            if !is_calculable(own) {
                return None;
            }
            let mut add = |place: usize, slope: Range| slopes[place] = slopes[place].plus(slope);
            match made.fun {
                Fun::Word | Fun::Known(_) => {}
                Fun::Same(a) => add(a, own),
                Fun::Neg(a) => add(a, own.neg()),
                Fun::Sum(a, b) => {
                    add(a, own);
                    add(b, own);
                }
                Fun::Difference(a, b) => {
                    add(a, own);
                    add(b, own.neg());
                }
                Fun::Product(a, b) => {
                    add(a, own.times(ranges[b]));
                    add(b, own.times(ranges[a]));
                }
                Fun::Quotient(a, b) => {
                    let slope = own.times(ranges[b].inverse()?);
                    add(a, slope);
                    add(b, slope.times(ranges[made.place]).neg());
                }
                Fun::Root(a) => {
                    let twice = ranges[made.place].times(Range::of(2.0));
                    add(a, own.times(twice.inverse()?));
                }
                Fun::SumOfProduct(a, b, c) => {
                    add(a, own.times(ranges[b]));
                    add(b, own.times(ranges[a]));
                    add(c, own);
                }
            }
        }
        let along = words.iter().map(|&(place, _)| slopes[place]).collect();
        Some((ranges[a].minus(ranges[b]), along))
    }

    /// The lower or the upper bound of the difference in the box.
    fn bound(&self, lower: bool) -> Option<f64> {
        let mut words = self.words.clone();
        for _ in 0..floats::FLATTENINGS {
            let (range, slopes) = self.slopes(&words)?;
            let mut flatter = false;
            for ((_, word), slope) in words.iter_mut().zip(&slopes) {
                let rises = slope.lo >= 0.0;
                if !(rises || slope.hi <= 0.0) || word.only().is_some() {
                    continue;
                }
                *word = if rises == lower { Range::of(word.lo) } else { Range::of(word.hi) };
                flatter = true;
            }
            if !flatter {
                return self.by_mean_value(&words, range, &slopes, lower);
            }
        }
        let (range, slopes) = self.slopes(&words)?;
        self.by_mean_value(&words, range, &slopes, lower)
    }

    /// The better of the range's bound and that of the mean value form.
    fn by_mean_value(
        &self,
        words: &[(usize, Range)],
        range: Range,
        slopes: &[Range],
        lower: bool,
    ) -> Option<f64> {
        let side = |range: Range| if lower { range.lo } else { -range.hi };
        let middles: Vec<_> = words.iter().map(|&(place, word)| (place, Range::of(word.middle()))).collect();
        let ranges = self.ranges(&middles)?;
        let mut by_slopes = ranges[self.sides[0]].minus(ranges[self.sides[1]]);
        for ((&(_, word), &(_, middle)), slope) in words.iter().zip(&middles).zip(slopes) {
            by_slopes = by_slopes.plus(slope.times(word.minus(middle)));
        }
        let best = side(range).max(side(by_slopes));
        Some(if lower { best } else { -best })
    }

    /// The answer of a comparison of the two operands if it is the same at every number of the box.
    pub(crate) fn decided(&self, op: FloatOp) -> Option<bool> {
        let middles: Vec<_> =
            self.words.iter().map(|&(place, word)| (place, Range::of(word.middle()))).collect();
        let ranges = self.ranges(&middles)?;
        let middle = ranges[self.sides[0]].minus(ranges[self.sides[1]]);
        if middle.lo >= self.error {
            let least = self.bound(true)?;
            return match op {
                FloatOp::Less if least >= self.error => Some(false),
                FloatOp::LessEqual | FloatOp::Equal if least > self.error => Some(false),
                _ => None,
            };
        }
        if middle.hi <= -self.error {
            let most = self.bound(false)?;
            return match op {
                FloatOp::LessEqual if most <= -self.error => Some(true),
                FloatOp::Less if most < -self.error => Some(true),
                FloatOp::Equal if most < -self.error => Some(false),
                _ => None,
            };
        }
        None
    }

    /// A bound of the change of the difference along each word, with the word's place; 0 if it is monotone along the word.
    pub(crate) fn influence(&self) -> Vec<(usize, f64)> {
        let Some((_, slopes)) = self.slopes(&self.words) else { return Vec::new() };
        let change = |(&(place, word), slope): (&(usize, Range), &Range)| {
            let one_sign = slope.lo >= 0.0 || slope.hi <= 0.0;
            let width = word.hi - word.lo;
            (place, if one_sign { 0.0 } else { slope.most() * width })
        };
        self.words.iter().zip(&slopes).map(change).collect()
    }
}

fn product(ranges: &[Range], a: usize, b: usize) -> Range {
    if a == b { ranges[a].squared() } else { ranges[a].times(ranges[b]) }
}

/// The range of a part as a real, if it is a finite number.
fn real_values(terms: &Terms, parts: &[Part], values: &[Bound], place: usize) -> Option<Range> {
    match values[place] {
        Bound::Number(i) => reals(kind(terms.width(parts[place].0)), i),
        Bound::Integer(..) => None,
    }
}

/// The function that calculates a part; `None` if it is not smooth.
fn fun_of(terms: &Terms, parts: &[Part], values: &[Bound], place: usize, own: Range) -> Option<Fun> {
    let (t, _, step) = parts[place];
    let [a, b, c] = match step {
        Step::Leaf(_) => return Some(Fun::Word),
        Step::Known(_) => return Some(Fun::Known(own)),
        Step::Of(places) => places,
        Step::Bits(..) | Step::Any => return None,
    };
    let op = match terms.node(t) {
        Node::Float(op, ..) => op,
        Node::Ite(..) => {
            return match values[a] {
                Bound::Integer(1, _) => Some(Fun::Same(b)),
                Bound::Integer(_, 0) => Some(Fun::Same(c)),
                _ => None,
            };
        }
        _ => return None,
    };
    Some(match op {
        FloatOp::Add(_) => Fun::Sum(a, b),
        FloatOp::Sub(_) => Fun::Difference(a, b),
        FloatOp::Mul(_) => Fun::Product(a, b),
        FloatOp::Div(_) => Fun::Quotient(a, b),
        FloatOp::MulAdd(_) => Fun::SumOfProduct(a, b, c),
        FloatOp::Sqrt(_) => Fun::Root(a),
        FloatOp::Convert(_) => Fun::Same(a),
        FloatOp::Neg => Fun::Neg(a),
        FloatOp::Abs => match real_values(terms, parts, values, a)? {
            range if range.lo >= 0.0 => Fun::Same(a),
            range if range.hi <= 0.0 => Fun::Neg(a),
            _ => return None,
        },
        _ => return None,
    })
}

/// A bound of the rounding error of one operation whose result has at most this magnitude.
fn rounded_off(terms: &Terms, parts: &[Part], place: usize, most: Range) -> Range {
    let t = parts[place].0;
    let Node::Float(op, a, ..) = terms.node(t) else { return Range::ZERO };
    let k: Float = kind(terms.width(t));
    let by = |mode: Rounding, sum: bool| {
        let (by, least) = rounding_of(k, mode);
        most.times(Range::of(by)).plus(Range::of(if sum { 0.0 } else { least }))
    };
    match op {
        FloatOp::Add(mode) | FloatOp::Sub(mode) => by(mode, true),
        FloatOp::Convert(_) if terms.width(a) <= terms.width(t) => Range::ZERO,
        FloatOp::Mul(mode)
        | FloatOp::Div(mode)
        | FloatOp::MulAdd(mode)
        | FloatOp::Sqrt(mode)
        | FloatOp::Convert(mode) => by(mode, false),
        _ => Range::ZERO,
    }
}
