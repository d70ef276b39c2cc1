//! Boxes never refute conditions that hold at a point in them, and at once refute conditions that no rounding can make true.

use cleave_expr::{
    Bound, Boxes, Contracted, Float, FloatOp, Interval, Look, Rounding, Term, Terms, Witness, at_place,
    last_place, place_of,
};

use crate::common::{Dice, KINDS, MODES, asked};

/// Number of random boxes; the environment variable `CLEAVE_FLOAT_BOXES` overrides it.
fn cases() -> u64 {
    asked("CLEAVE_FLOAT_BOXES", 20_000)
}

impl Dice {
    /// A random number of places up to `most`, of random magnitude.
    fn places(&mut self, most: i128) -> i128 {
        let bits = 128 - most.leading_zeros();
        let any = (i128::from(self.next() >> 1) << 40 | i128::from(self.next() >> 24)) & most;
        any >> self.below(u64::from(bits) + 1)
    }
}

/// The place of a random power of two of either sign: near one, near the least normal number, or any.
fn power(dice: &mut Dice, k: Float) -> i128 {
    let (normal, bias) = match k {
        Float::F32 => (1i128 << 23, 127),
        Float::F64 => (1 << 52, 1023),
        Float::X80 => (1 << 63, 16383),
    };
    let exponent = match dice.below(3) {
        0 => bias - 4 + dice.below(8),
        1 => 1 + dice.below(4),
        _ => 1 + dice.below(2 * bias - 1),
    };
    let place = normal * i128::from(exponent);
    if dice.below(2) == 0 { place } else { -place }
}

/// A random query: words with values, and conditions that hold for these values.
struct Bench {
    terms: Terms,
    dice: Dice,
    kind: Float,
    words: Vec<Term>,
    values: Vec<u128>,
    witness: Witness,
    mode: Option<Rounding>,
}

impl Bench {
    fn new(seed: u64) -> Bench {
        let (mut terms, mut dice) = (Terms::new(), Dice(seed));
        let kind = KINDS[dice.below(3) as usize];
        let mut words = Vec::new();
        let mut values: Vec<u128> = Vec::new();
        let mut patch = Vec::new();
        let style = dice.below(7);
        for object in 0..1 + dice.below(3) as u32 {
            let word = word(&mut terms, object, kind);
            let last = last_place(kind);
            let small = |dice: &mut Dice| {
                let v = i128::from(dice.below(1 << 12)) - if dice.below(2) == 0 { 0 } else { 1 << 11 };
                let v = Rounding::Nearest.from_int(true, 128, kind, v as u128);
                let by =
                    Rounding::Nearest.from_int(true, 128, kind, [8, 10, 1, 1 << 11][dice.below(4) as usize]);
                FloatOp::Div(Rounding::Nearest).value(kind.bits(), kind.bits(), [v, by, by])
            };
            let value = match (style, values.last()) {
                (0, Some(&before)) => {
                    let place = place_of(kind, before) + dice.places(1 << 60) % 9 - 4;
                    at_place(kind, place.clamp(-last, last))
                }
                // A number near zero.
                (1, _) => at_place(kind, i128::from(dice.below(9)) - 4),
                (3, _) => {
                    let place = power(&mut dice, kind) + i128::from(dice.below(5)) - 2;
                    at_place(kind, place.clamp(-last, last))
                }
                (2, _) => at_place(kind, dice.places(last) * if dice.below(2) == 0 { 1 } else { -1 }),
                (4, _) if dice.below(2) == 0 => {
                    let no_number = at_place(kind, last) | 1;
                    [0, 1 << (kind.bits() - 1), at_place(kind, last), at_place(kind, -last), no_number]
                        [dice.below(5) as usize]
                }
                _ => small(&mut dice),
            };
            for (i, byte) in value.to_le_bytes().into_iter().enumerate() {
                patch.push((terms.byte_id(object, i as u32), byte));
            }
            words.push(word);
            values.push(value);
        }
        let none = terms.witness(&[]);
        let witness = terms.patched(&none, patch);
        let mode = (dice.below(3) > 0).then(|| MODES[dice.below(4) as usize]);
        Bench { terms, dice, kind, words, values, witness, mode }
    }

    fn constant(&mut self) -> Term {
        let w = self.kind.bits();
        if self.dice.below(4) == 0 {
            let place = power(&mut self.dice, self.kind);
            return self.terms.constant_of(w, at_place(self.kind, place));
        }
        let v = [2, 4, -2, 1, 10, 39, 100, 3][self.dice.below(8) as usize];
        let v = Rounding::Nearest.from_int(true, 128, self.kind, v as u128);
        let v = self.terms.constant_of(w, v);
        if self.dice.below(3) > 0 {
            return v;
        }
        let one = Rounding::Nearest.from_int(true, 128, self.kind, [1, 10][self.dice.below(2) as usize]);
        let one = self.terms.constant_of(w, one);
        self.terms.float(FloatOp::Div(Rounding::Nearest), w, &[one, v])
    }

    fn number(&mut self, depth: u32) -> Term {
        let w = self.kind.bits();
        if depth == 0 || self.dice.below(6) == 0 {
            let word = self.words[self.dice.below(self.words.len() as u64) as usize];
            return if self.dice.below(4) == 0 { self.constant() } else { word };
        }
        let mode = self.mode.unwrap_or(MODES[self.dice.below(4) as usize]);
        let a = self.number(depth - 1);
        match self.dice.below(20) {
            0..=3 => {
                let b = self.number(depth - 1);
                self.terms.float(FloatOp::Add(mode), w, &[a, b])
            }
            4..=7 => {
                let b = self.number(depth - 1);
                self.terms.float(FloatOp::Sub(mode), w, &[a, b])
            }
            8..=10 => {
                let b = self.number(depth - 1);
                self.terms.float(FloatOp::Mul(mode), w, &[a, b])
            }
            11 => {
                let b = self.number(depth - 1);
                self.terms.float(FloatOp::Div(mode), w, &[a, b])
            }
            12..=14 => {
                let c = self.constant();
                let op = [FloatOp::Mul(mode), FloatOp::Div(mode)][self.dice.below(2) as usize];
                self.terms.float(op, w, &[a, c])
            }
            15 => {
                let op = [
                    FloatOp::Neg,
                    FloatOp::Abs,
                    FloatOp::Sqrt(mode),
                    FloatOp::Floor,
                    FloatOp::Rint(mode),
                    FloatOp::Round,
                ];
                self.terms.float(op[self.dice.below(6) as usize], w, &[a])
            }
            16 => {
                let b = self.number(depth - 1);
                let c = self.number(depth - 1);
                if self.kind == Float::X80 {
                    return b;
                }
                self.terms.float(FloatOp::MulAdd(mode), w, &[a, b, c])
            }
            17 => {
                let other = KINDS[self.dice.below(3) as usize];
                let t = self.terms.float_convert(mode, other, a);
                self.terms.float_convert(mode, self.kind, t)
            }
            18 => {
                let b = self.number(depth - 1);
                let c = self.terms.float(FloatOp::Less, 1, &[a, b]);
                self.terms.ite(c, a, b)
            }
            _ => self.terms.float(FloatOp::Mul(mode), w, &[a, a]),
        }
    }

    /// A constant near the value of a term at the point.
    fn near(&mut self, t: Term) -> Term {
        let value = self.terms.eval_wide(t, &self.witness);
        let last = last_place(self.kind);
        let by = [0, 1, 2, 1 << 10][self.dice.below(4) as usize];
        let place = place_of(self.kind, value) + if self.dice.below(2) == 0 { by } else { -by };
        self.terms.constant_of(self.kind.bits(), at_place(self.kind, place.clamp(-last, last)))
    }

    /// A comparison, or its negation, that holds at the point; often its operands are close.
    fn condition(&mut self, depth: u32) -> Term {
        let a = self.number(depth);
        let b = if self.dice.below(3) == 0 { self.near(a) } else { self.number(depth) };
        let (a, b) = if self.dice.below(2) == 0 { (a, b) } else { (b, a) };
        let op = [FloatOp::Less, FloatOp::LessEqual, FloatOp::LessEqual, FloatOp::Equal]
            [self.dice.below(4) as usize];
        let t = self.terms.float(op, 1, &[a, b]);
        if self.terms.holds(t, &self.witness) { t } else { self.terms.not(t) }
    }

    /// True if the value of a word is within bounds.
    fn has(&self, word: Term, bound: Bound) -> bool {
        let at = self.words.iter().position(|&w| w == word).expect("a word");
        let value = Interval::of_bits(self.kind, self.values[at]);
        match bound {
            Bound::Number(i) if value.nan => i.nan,
            Bound::Number(i) => i.lo <= value.lo && value.lo <= i.hi,
            Bound::Integer(..) => false,
        }
    }

    /// A box around the values of some words.
    fn bounds(&mut self, boxes: &Boxes) -> Vec<Bound> {
        let last = last_place(self.kind);
        let bound = |leaf: &cleave_expr::Leaf| {
            let at = self.words.iter().position(|&w| w == leaf.term).expect("a word");
            let no_number = Interval::of_bits(self.kind, self.values[at]).nan;
            let at = place_of(self.kind, self.values[at]).clamp(-last, last);
            let by = [0, 16, 1 << 20, last / 4096, last][self.dice.below(5) as usize];
            let (below, above) = (self.dice.places(by), self.dice.places(by));
            let nan = no_number || self.dice.below(8) == 0;
            Bound::Number(Interval { lo: (at - below).max(-last), hi: (at + above).min(last), nan })
        };
        boxes.leaves.iter().map(bound).collect()
    }
}

fn word(terms: &mut Terms, object: u32, k: Float) -> Term {
    let bytes: Vec<Term> = (0..u32::from(k.bits() / 8)).map(|i| terms.byte(object, i)).collect();
    bytes.into_iter().reduce(|low, b| terms.concat(b, low)).unwrap()
}

#[test]
fn what_holds_at_a_point_is_not_refuted_in_boxes_around_it() {
    let seed = asked("CLEAVE_FLOAT_SEED", 1);
    for case in 0..cases() {
        let mut bench = Bench::new(seed << 32 | case);
        let mut conds = Vec::new();
        for _ in 0..bench.dice.below(3) {
            conds.push(bench.condition(0));
        }
        for _ in 0..1 + bench.dice.below(3) {
            conds.push(bench.condition(3));
        }
        // Some conditions are combined, as by `&&` and `||` in C.
        if conds.len() > 1 && bench.dice.below(4) == 0 {
            let (a, b) = (conds.pop().unwrap(), conds.pop().unwrap());
            let other = bench.condition(2);
            let not = bench.terms.not(other);
            let either = bench.terms.or(a, not);
            let both = bench.terms.and(either, b);
            conds.push(both);
        }
        conds.retain(|&c| bench.terms.constant(c).is_none());
        let Some(boxes) = Boxes::of(&bench.terms, &conds) else { continue };
        if boxes.leaves.iter().any(|leaf| !leaf.number || !bench.words.contains(&leaf.term)) {
            continue;
        }
        for _ in 0..4 {
            let mut bounds = bench.bounds(&boxes);
            let mut blamed = vec![false; conds.len()];
            if bench.dice.below(2) == 0 {
                boxes.narrow(&mut bounds, &mut blamed);
            }
            let text: Vec<String> = conds.iter().map(|&c| bench.terms.text(c, 12)).collect();
            let mut less = bounds.clone();
            let contracted = boxes.contract(&bench.terms, &mut less, &mut blamed);
            let inside = boxes.leaves.iter().zip(&less).all(|(leaf, bound)| bench.has(leaf.term, *bound));
            assert!(
                contracted != Contracted::Nothing && inside,
                "case {case}: {text:#?} in {bounds:?}, then {less:?} at {:x?}",
                bench.values
            );
            if bench.dice.below(2) == 0 {
                bounds = less;
            }
            for look in [Look::Intervals, Look::Forms, Look::Slopes] {
                let refuted = boxes.refuted(&bench.terms, &bounds, look, &mut blamed);
                let text: Vec<String> = conds.iter().map(|&c| bench.terms.text(c, 12)).collect();
                assert!(!refuted, "case {case}, {look:?}: {text:#?} in {bounds:?} at {:x?}", bench.values);
            }
        }
    }
}

/// Two numbers between two integers, the first not greater than the second, and a third number between 0 and 1.
fn ordered(terms: &mut Terms, k: Float, (least, most): (i128, i128)) -> ([Term; 3], Vec<Term>) {
    let words = [0, 1, 2].map(|object| word(terms, object, k));
    let mut real = |v: i128| {
        let bits = Rounding::Nearest.from_int(true, 128, k, v as u128);
        terms.constant_of(k.bits(), bits)
    };
    let (least, most, zero, one) = (real(least), real(most), real(0), real(1));
    let [a, b, t] = words;
    let pairs = [(least, a), (a, b), (b, most), (zero, t), (t, one)];
    let conds = pairs.map(|(x, y)| terms.float(FloatOp::LessEqual, 1, &[x, y]));
    (words, conds.into())
}

/// True if the conditions and one more are refuted without splitting the box.
fn refuted(terms: &mut Terms, k: Float, conds: &[Term], more: Term) -> bool {
    let conds = [conds, &[more]].concat();
    let boxes = Boxes::of(terms, &conds).unwrap();
    let full = Interval { nan: false, ..Interval::full(k) };
    let mut bounds = vec![Bound::Number(full); boxes.leaves.len()];
    // The solver's first box is bounded by the comparisons with constants.
    for (leaf, bound) in boxes.leaves.iter().zip(&mut bounds) {
        for &cond in &conds {
            let cleave_expr::Node::Float(_, x, y, _) = terms.node(cond) else { continue };
            let Bound::Number(i) = bound else { continue };
            if let (true, Some(v)) = (y == leaf.term, terms.constant(x)) {
                i.lo = i.lo.max(place_of(k, v));
            }
            if let (true, Some(v)) = (x == leaf.term, terms.constant(y)) {
                i.hi = i.hi.min(place_of(k, v));
            }
        }
    }
    let mut blamed = vec![false; conds.len()];
    boxes.narrow(&mut bounds, &mut blamed);
    assert!(
        !boxes.refuted(terms, &bounds, Look::Intervals, &mut vec![false; conds.len()]),
        "intervals alone say so"
    );
    boxes.refuted(terms, &bounds, Look::Forms, &mut blamed)
}

/// True if `x` and `z` between two numbers each, and one more condition on both, are refuted without splitting the box.
fn refuted_between([of_x, of_z]: [[f32; 2]; 2], more: impl Fn(&mut Terms, Term, Term) -> Term) -> bool {
    let mut s = Terms::new();
    let [x, z] = [0, 1].map(|object| word(&mut s, object, Float::F32));
    let mut conds = Vec::new();
    for (word, [least, most]) in [(x, of_x), (z, of_z)] {
        let [least, most] = [least, most].map(|v| s.constant_of(32, v.to_bits().into()));
        conds.push(s.float(FloatOp::LessEqual, 1, &[least, word]));
        conds.push(s.float(FloatOp::LessEqual, 1, &[word, most]));
    }
    let more = more(&mut s, x, z);
    refuted(&mut s, Float::F32, &conds, more)
}

#[test]
fn what_rounding_among_the_smallest_numbers_changes_is_not_refuted() {
    let scaled = |s: &mut Terms, x: Term, [a, b]: [f32; 2]| {
        let [a, b] = [a, b].map(|v| s.constant_of(32, v.to_bits().into()));
        let op = FloatOp::Mul(Rounding::Nearest);
        let small = s.float(op, 32, &[x, a]);
        s.float(op, 32, &[small, b])
    };
    let power = |n: i32| 2f32.powi(n);
    // A product is rounded up to a subnormal number; a factor below -1 then enlarges the rounding error.
    let (x, z) = (1.5 * power(-100), -1.5 * power(-89));
    assert!(x * power(-49) * -power(60) < z);
    let bounds = [[power(-101), x], [-1.5625 * power(-89), z]];
    assert!(!refuted_between(bounds, |s, x, z| {
        let large = scaled(s, x, [power(-49), -power(60)]);
        s.float(FloatOp::Less, 1, &[large, z])
    }));
    // A product just below the least normal number is rounded up to it.
    let x = 1f32.next_down();
    assert!(x < x * power(-126) * power(126));
    assert!(!refuted_between([[x, 1.0], [0.0, 1.0]], |s, x, _| {
        let back = scaled(s, x, [power(-126), power(126)]);
        s.float(FloatOp::Less, 1, &[x, back])
    }));
}

#[test]
fn what_rounding_cannot_change_is_seen_without_a_cut() {
    for k in KINDS {
        for mode in MODES {
            let mut s = Terms::new();
            let w = k.bits();
            let ([a, b, t], conds) = ordered(&mut s, k, (-1000, 1000));
            let two = s.constant_of(w, Rounding::Nearest.from_int(true, 128, k, 2));
            let apart = s.float(FloatOp::Sub(mode), w, &[b, a]);
            // The middle of two numbers lies between them.
            let half = s.float(FloatOp::Div(mode), w, &[apart, two]);
            let middle = s.float(FloatOp::Add(mode), w, &[a, half]);
            for (x, y) in [(middle, a), (b, middle)] {
                let outside = s.float(FloatOp::Less, 1, &[x, y]);
                assert!(refuted(&mut s, k, &conds, outside), "{k:?} {mode:?} middle");
            }
            // Half of their sum also lies between them.
            let sum = s.float(FloatOp::Add(mode), w, &[a, b]);
            let mean = s.float(FloatOp::Div(mode), w, &[sum, two]);
            for (x, y) in [(mean, a), (b, mean)] {
                let outside = s.float(FloatOp::Less, 1, &[x, y]);
                assert!(refuted(&mut s, k, &conds, outside), "{k:?} {mode:?} mean");
            }
            // A point on the way from the first to the second is not less than the first.
            let way = s.float(FloatOp::Mul(mode), w, &[t, apart]);
            let on_the_way = s.float(FloatOp::Add(mode), w, &[a, way]);
            let outside = s.float(FloatOp::Less, 1, &[on_the_way, a]);
            assert!(refuted(&mut s, k, &conds, outside), "{k:?} {mode:?} way");
            // A summand is not greater than a sum that is not zero.
            let ([a, b, t], mut conds) = ordered(&mut s, k, (0, 1000));
            let (sum, zero) = (s.float(FloatOp::Add(mode), w, &[a, b]), s.constant_of(w, 0));
            conds.push(s.float(FloatOp::Less, 1, &[zero, sum]));
            let share = s.float(FloatOp::Div(mode), w, &[a, sum]);
            let one = s.constant_of(w, Rounding::Nearest.from_int(true, 128, k, 1));
            let more = s.float(FloatOp::Less, 1, &[one, share]);
            assert!(refuted(&mut s, k, &conds, more), "{k:?} {mode:?} share");
            // A parabola has its greatest value in the middle.
            let rest = s.float(FloatOp::Sub(mode), w, &[one, t]);
            let product = s.float(FloatOp::Mul(mode), w, &[t, rest]);
            let three = s.constant_of(w, Rounding::Nearest.from_int(true, 128, k, 3));
            let times = s.float(FloatOp::Mul(mode), w, &[three, product]);
            let greater = s.float(FloatOp::Less, 1, &[one, times]);
            assert!(refuted(&mut s, k, &conds, greater), "{k:?} {mode:?} parabola");
        }
    }
}
