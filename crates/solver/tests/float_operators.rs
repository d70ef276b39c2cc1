//! Every operator on floating-point numbers, in every kind and rounding mode, in questions: the answers of back ends
//! agree with [`FloatOp::value`], which is `cleave_float`'s.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use cleave_expr::{Float, FloatOp, Term, Terms, Witness};
use cleave_solver::{Answer, LayerName, PathCondition, Solver, SolverOptions};

/// The operators, each with its name. One that has no line here does not compile.
macro_rules! operators {
    ($($name:ident $(($mode:tt))?),* $(,)?) => {
        const OPERATORS: &[&str] = &[$(stringify!($name)),*];

        fn name(op: FloatOp) -> &'static str {
            match op {
                $(FloatOp::$name $(($mode))? => stringify!($name)),*
            }
        }
    };
}

operators! {
    Add(_), Sub(_), Mul(_), Div(_), Rem, MulAdd(_), Sqrt(_), Rint(_), Floor, Ceil, Trunc, Round, Neg, Abs, Convert(_),
    ToSigned, ToUnsigned, FromSigned(_), FromUnsigned(_), Less, LessEqual, Equal, IsNan,
}

#[test]
fn no_operator_and_no_mode_is_missed() {
    let mut modes: BTreeMap<&str, usize> = BTreeMap::new();
    for op in FloatOp::all() {
        assert!(!shapes(op).is_empty(), "{op:?} fits no widths");
        *modes.entry(name(op)).or_default() += 1;
        assert!(op.rounding().is_none() || modes[name(op)] <= 4);
    }
    for op in OPERATORS {
        let rounds = FloatOp::all().any(|other| name(other) == *op && other.rounding().is_some());
        assert_eq!(modes.get(op), Some(if rounds { &4 } else { &1 }), "{op}");
    }
}

/// The widths of operands and result: all kinds of numbers, and integers of these.
fn shapes(op: FloatOp) -> Vec<(u8, u8)> {
    const WIDTHS: [u8; 8] = [1, 8, 31, 32, 64, 65, 80, 128];
    let n = usize::from(op.operands());
    let all = WIDTHS.into_iter().flat_map(|from| WIDTHS.map(|to| (from, to)));
    all.filter(|&(from, to)| op.fits(&[from; 3][..n], to)).collect()
}

/// Numbers without a pattern (splitmix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// A pattern of a width: of numbers mostly those near one, and those at the ends.
    fn pattern(&mut self, w: u8) -> u128 {
        let any = u128::from(self.next()) << 64 | u128::from(self.next());
        let Some(k) = Float::of_bits(w).filter(|_| self.below(8) > 0) else {
            return (any >> self.below(128)) & mask(w);
        };
        let (fraction, bias) = match k {
            Float::F32 => (23, 127),
            Float::F64 => (52, 1023),
            Float::X80 => (64, 16383),
        };
        let exponent = match self.below(8) {
            0 => self.below(2),
            1 => 2 * bias + self.below(2),
            _ => bias + self.below(2 * 23) - 23,
        };
        let mut significand = match self.below(3) {
            0 => any >> self.below(128),
            1 => u128::MAX << self.below(64),
            _ => u128::from(self.below(4)),
        } & mask(fraction);
        if k == Float::X80 && exponent > 0 {
            significand |= 1 << 63;
        }
        u128::from(self.below(2)) << (w - 1) | u128::from(exponent) << fraction | significand
    }

    /// `n` different places below `w`.
    fn places(&mut self, n: u64, w: u8) -> Vec<u8> {
        let mut places = BTreeSet::new();
        while places.len() < n.min(w.into()) as usize {
            places.insert(self.below(w.into()) as u8);
        }
        places.into_iter().collect()
    }
}

fn mask(w: u8) -> u128 {
    u128::MAX >> (128 - w)
}

/// An operand of which few bits are an input, the lowest of one byte.
struct Operand {
    width: u8,
    rest: u128,
    free: Vec<u8>,
}

impl Operand {
    fn value(&self, byte: u8) -> u128 {
        let set = |v, (i, place): (usize, &u8)| v | u128::from(byte >> i & 1) << place;
        self.free.iter().enumerate().fold(self.rest, set)
    }

    fn term(&self, s: &mut Terms, object: u32) -> Term {
        let byte = s.byte(object, 0);
        let mut t = s.constant_of(self.width, self.rest);
        for (i, &place) in self.free.iter().enumerate() {
            let bit = s.extract(byte, i as u32, 1);
            let wide = s.zext(bit, self.width);
            let by = s.constant_of(self.width, place.into());
            let there = s.binary(cleave_expr::BinaryOp::Shl, wide, by);
            t = s.or(t, there);
        }
        t
    }
}

/// A question about a result.
#[derive(Clone, Copy, Debug)]
enum Asked {
    Is(u128),
    IsNot(u128),
    Below(u128),
    Above(u128),
    LessThan(u128),
}

impl Asked {
    fn holds(self, w: u8, result: u128) -> bool {
        match self {
            Asked::Is(v) => result == v,
            Asked::IsNot(v) => result != v,
            Asked::Below(v) => result < v,
            Asked::Above(v) => result > v,
            Asked::LessThan(v) => FloatOp::Less.value(w, 1, [result, v, 0]) == 1,
        }
    }

    fn term(self, s: &mut Terms, w: u8, t: Term) -> Term {
        let (Asked::Is(v) | Asked::IsNot(v) | Asked::Below(v) | Asked::Above(v) | Asked::LessThan(v)) = self;
        let v = s.constant_of(w, v);
        match self {
            Asked::Is(_) => s.eq(t, v),
            Asked::IsNot(_) => {
                let same = s.eq(t, v);
                s.not(same)
            }
            Asked::Below(_) => s.ult(t, v),
            Asked::Above(_) => s.ult(v, t),
            Asked::LessThan(_) => s.float(FloatOp::Less, 1, &[t, v]),
        }
    }

    /// Some questions about a result of `w` bits that can be `v`.
    fn some(dice: &mut Dice, w: u8, v: u128) -> Vec<Asked> {
        let near = v ^ 1 << dice.below(w.into());
        let mut all = vec![Asked::Is(v), Asked::Is(near), Asked::IsNot(v), Asked::Below(v), Asked::Above(v)];
        if Float::of_bits(w).is_some() {
            all.push(Asked::LessThan(v));
        }
        all
    }
}

fn solver(back_end: &str, limit: Duration) -> Solver {
    let disabled = LayerName::ALL.into_iter().filter(|l| *l != LayerName::Sat).collect();
    let tiers = back_end.parse().unwrap();
    Solver::new(SolverOptions { disabled, timeout: limit, tiers, ..SolverOptions::default() }).unwrap()
}

fn back_ends() -> &'static [&'static str] {
    if cfg!(feature = "bitwuzla") { &["bitwuzla", "bit-blaster"] } else { &["bit-blaster"] }
}

/// Returns true if the operator has a circuit for all operands; the others have one for some operands, or none.
fn has_circuit(op: FloatOp, from: u8) -> bool {
    match op {
        FloatOp::Rem => from == 32,
        FloatOp::MulAdd(_) => from != 80,
        _ => true,
    }
}

/// Number of random questions for each operator; `CLEAVE_FLOAT_OPERATORS` in the environment asks for more.
fn rounds() -> u64 {
    std::env::var("CLEAVE_FLOAT_OPERATORS").ok().and_then(|v| v.parse().ok()).unwrap_or(1)
}

/// Runs `judge` for each operator, in each mode, of each kind, with each back end; it says how many questions had an answer.
fn each(mut judge: impl FnMut(&mut Dice, FloatOp, (u8, u8), &str) -> [usize; 2]) {
    let mut dice = Dice(1);
    let mut total = [0; 2];
    for round in 0..rounds() {
        for op in FloatOp::all() {
            for (from, to) in shapes(op) {
                for back_end in back_ends() {
                    let [answered, asked] = judge(&mut dice, op, (from, to), back_end);
                    total = [total[0] + answered, total[1] + asked];
                    if answered < asked && has_circuit(op, from) {
                        println!("round {round}: {op:?} {from} {to} {back_end}: {answered} of {asked}");
                    }
                }
            }
        }
    }
    println!("{} of {} questions had an answer", total[0], total[1]);
    assert!(total[0] * 10 > total[1] * 8, "too few questions had an answer to be a test");
}

/// A question has no answer only where there is no circuit, or no time.
fn must_be_excused(op: FloatOp, from: u8, why: &str) {
    let late = why.contains("no answer within") || why.contains("the time limit came");
    assert!(late || !has_circuit(op, from), "{op:?} {from}: {why}");
}

#[test]
fn of_a_few_bits_answers_are_those_of_trying_all() {
    each(|dice, op, (from, to), back_end| {
        let n = usize::from(op.operands());
        let few = [8, 5, 3][n - 1];
        let operands: Vec<Operand> = (0..n)
            .map(|_| {
                let free = dice.places(few, from);
                let fixed = free.iter().fold(0, |m, place| m | 1 << place);
                Operand { width: from, rest: dice.pattern(from) & !fixed, free }
            })
            .collect();
        let value = |bytes: [u8; 3]| {
            let mut values = [0; 3];
            operands.iter().zip(bytes).zip(&mut values).for_each(|((o, byte), v)| *v = o.value(byte));
            op.value(from, to, values)
        };
        let most = |i: usize| operands.get(i).map_or(1, |o| 1u16 << o.free.len());
        let mut results = BTreeSet::new();
        for a in 0..most(0) {
            for b in 0..most(1) {
                results.extend((0..most(2)).map(|c| value([a as u8, b as u8, c as u8])));
            }
        }
        let one = *results.iter().nth(dice.below(results.len() as u64) as usize).unwrap();
        let mut s = Terms::new();
        let terms: Vec<Term> = operands.iter().enumerate().map(|(i, o)| o.term(&mut s, i as u32)).collect();
        let t = s.float(op, to, &terms);
        let mut solver = solver(back_end, Duration::from_secs(10));
        let near = s.witness(&[]);
        let (mut answered, mut asked) = (0, 0);
        for question in Asked::some(dice, to, one) {
            let what = format!("{op:?} {from} {to} by {back_end}, {question:x?}");
            let possible = results.iter().any(|&r| question.holds(to, r));
            let term = question.term(&mut s, to, t);
            asked += 1;
            match solver.ask(&mut s, &PathCondition::default(), term, &near) {
                Answer::Sat(w) => {
                    let bytes = [0, 1, 2].map(|object| byte(&mut s, &w, object, 0));
                    assert!(question.holds(to, value(bytes)), "{what}: a wrong model {bytes:?}");
                }
                Answer::Unsat(_) => assert!(!possible, "{what}: there is a model"),
                Answer::Unknown(why) => {
                    must_be_excused(op, from, &why);
                    answered -= 1;
                }
            }
            answered += 1;
            assert_eq!(solver.take_error().map(|e| e.to_string()), None, "{what}");
        }
        [answered as usize, asked]
    });
}

fn byte(s: &mut Terms, w: &Witness, object: u32, i: u32) -> u8 {
    let id = s.byte_id(object, i);
    w.get(id)
}

/// Inputs are whole words, of which one result is known: nobody may say that it cannot be.
#[test]
fn of_whole_words_models_hold_and_what_is_known_to_be_can_be() {
    each(|dice, op, (from, to), back_end| {
        let n = usize::from(op.operands());
        let known: Vec<u128> = (0..n).map(|_| dice.pattern(from)).collect();
        // Some operands are the known ones.
        let fixed = dice.below(if n > 1 { 1 << n } else { 1 });
        let is_fixed = |i: usize| fixed >> i & 1 == 1 && fixed + 1 < 1 << n;
        let mut s = Terms::new();
        let terms: Vec<Term> = (0..n)
            .map(|i| {
                if is_fixed(i) {
                    return s.constant_of(from, known[i]);
                }
                let bytes: Vec<Term> =
                    (0..u32::from(from.div_ceil(8))).map(|j| s.byte(i as u32, j)).collect();
                let word = bytes.into_iter().reduce(|low, b| s.concat(b, low)).unwrap();
                s.extract(word, 0, from)
            })
            .collect();
        let t = s.float(op, to, &terms);
        let value =
            |values: &[u128]| op.value(from, to, std::array::from_fn(|i| *values.get(i).unwrap_or(&0)));
        let one = value(&known);
        let mut solver = solver(back_end, Duration::from_millis(300));
        let near = s.witness(&[]);
        let (mut answered, mut asked) = (0, 0);
        for question in Asked::some(dice, to, one) {
            let what = format!("{op:?} {from} {to} by {back_end}, {question:x?}, {known:x?}, {fixed:b}");
            let term = question.term(&mut s, to, t);
            asked += 1;
            match solver.ask(&mut s, &PathCondition::default(), term, &near) {
                Answer::Sat(w) => {
                    let mut values = known.clone();
                    for i in (0..n).filter(|i| !is_fixed(*i)) {
                        let bytes = (0..u32::from(from.div_ceil(8))).rev();
                        let word = bytes.fold(0, |v, j| v << 8 | u128::from(byte(&mut s, &w, i as u32, j)));
                        values[i] = word & mask(from);
                    }
                    let result = value(&values);
                    assert!(question.holds(to, result), "{what}: {values:x?} gives {result:x}");
                }
                Answer::Unsat(_) => assert!(!question.holds(to, one), "{what}: there is a model"),
                Answer::Unknown(why) => {
                    must_be_excused(op, from, &why);
                    answered -= 1;
                }
            }
            answered += 1;
            assert_eq!(solver.take_error().map(|e| e.to_string()), None, "{what}");
        }
        [answered as usize, asked]
    });
}
