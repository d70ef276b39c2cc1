//! Random terms and conditions from a tape of choices, so that failures shrink. The random tests of this crate share
//! them.

use cleave_expr::{BinaryOp, Term, Terms, Witness};
use cleave_solver::{Answer, PathCondition, Solver, SolverOptions};

/// Choices, one a byte; zeros behind the end.
pub struct Tape<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tape<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Tape { bytes, at: 0 }
    }
    pub fn byte(&mut self) -> u8 {
        self.at += 1;
        self.bytes.get(self.at - 1).copied().unwrap_or(0)
    }
    pub fn below(&mut self, n: usize) -> usize {
        self.byte() as usize % n
    }
    pub fn word(&mut self) -> u128 {
        // small numbers, and numbers with few changes of bits, are more telling than random ones
        let x = self.byte() as u128;
        match self.below(5) {
            0 => x,
            1 => !x,
            2 => x << (8 * self.below(15)),
            3 => u128::MAX >> (x % 128),
            _ => (0..16).fold(x, |x, _| x << 8 | self.byte() as u128),
        }
    }
}

const ARITHMETIC: [BinaryOp; 13] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Mul,
    BinaryOp::UDiv,
    BinaryOp::SDiv,
    BinaryOp::URem,
    BinaryOp::SRem,
    BinaryOp::Shl,
    BinaryOp::LShr,
    BinaryOp::AShr,
];

/// A term of `w` bits over the first `bytes` bytes of object 0.
pub fn term(s: &mut Terms, tape: &mut Tape<'_>, bytes: u32, w: u8, depth: u32) -> Term {
    if w == 1 && depth > 0 {
        return condition(s, tape, bytes, depth);
    }
    if depth == 0 || tape.below(6) == 0 {
        return leaf(s, tape, bytes, w);
    }
    match tape.below(12) {
        0..=4 => {
            let op = ARITHMETIC[tape.below(ARITHMETIC.len())];
            let a = term(s, tape, bytes, w, depth - 1);
            let b = term(s, tape, bytes, w, depth - 1);
            s.binary(op, a, b)
        }
        5 => {
            let a = term(s, tape, bytes, w, depth - 1);
            s.not(a)
        }
        6 => {
            let c = condition(s, tape, bytes, depth - 1);
            let a = term(s, tape, bytes, w, depth - 1);
            let b = term(s, tape, bytes, w, depth - 1);
            s.ite(c, a, b)
        }
        7 if w < 120 => {
            let wide = w + 1 + tape.below((127 - w) as usize) as u8;
            let a = term(s, tape, bytes, wide, depth - 1);
            let low = tape.below((wide - w) as usize + 1) as u32;
            s.extract(a, low, w)
        }
        8 => {
            let from = 1 + tape.below(w as usize) as u8;
            let a = term(s, tape, bytes, from, depth - 1);
            s.zext(a, w)
        }
        9 => {
            let from = 1 + tape.below(w as usize) as u8;
            let a = term(s, tape, bytes, from, depth - 1);
            s.sext(a, w)
        }
        10 if w <= 64 => {
            let entries: Vec<u64> = (0..1 + tape.below(20)).map(|_| tape.word() as u64 >> (64 - w)).collect();
            let id = s.intern_table(w, &entries);
            let index_width = 1 + tape.below(40) as u8;
            let index = term(s, tape, bytes, index_width, depth - 1);
            s.table(id, index)
        }
        _ if w >= 2 => {
            let high = 1 + tape.below(w as usize - 1) as u8;
            let a = term(s, tape, bytes, high, depth - 1);
            let b = term(s, tape, bytes, w - high, depth - 1);
            s.concat(a, b)
        }
        _ => leaf(s, tape, bytes, w),
    }
}

fn leaf(s: &mut Terms, tape: &mut Tape<'_>, bytes: u32, w: u8) -> Term {
    if tape.below(3) == 0 {
        let v = tape.word();
        return s.constant_of(w, v);
    }
    // a word of input bytes
    let mut t = s.byte(0, tape.below(bytes as usize) as u32);
    while s.width(t) < w && s.width(t) <= 64 && tape.below(2) == 0 {
        let b = s.byte(0, tape.below(bytes as usize) as u32);
        t = s.concat(t, b);
    }
    s.resize(t, w)
}

/// A one-bit term.
pub fn condition(s: &mut Terms, tape: &mut Tape<'_>, bytes: u32, depth: u32) -> Term {
    let below = depth.saturating_sub(1);
    match tape.below(10) {
        0 => {
            let (a, b) = (condition_below(s, tape, bytes, below), condition_below(s, tape, bytes, below));
            s.and(a, b)
        }
        1 => {
            let (a, b) = (condition_below(s, tape, bytes, below), condition_below(s, tape, bytes, below));
            s.or(a, b)
        }
        2 => {
            let a = condition_below(s, tape, bytes, below);
            s.not(a)
        }
        3 => bound(s, tape, bytes),
        _ => {
            let widths = [8, 16, 32, 8, 16, 64, 3, 24, 80, 128];
            let w = widths[tape.below(widths.len())];
            let a = term(s, tape, bytes, w, below);
            let b = term(s, tape, bytes, w, below);
            match tape.below(5) {
                0 => s.eq(a, b),
                1 => s.ult(a, b),
                2 => s.slt(a, b),
                3 => s.ule(a, b),
                _ => s.sle(a, b),
            }
        }
    }
}

/// An upper bound of a word of several bytes, as programs have one for every count of arguments.
fn bound(s: &mut Terms, tape: &mut Tape<'_>, bytes: u32) -> Term {
    let mut word = s.byte(0, tape.below(bytes as usize) as u32);
    for _ in 0..1 + tape.below(3) {
        let high = s.byte(0, tape.below(bytes as usize) as u32);
        word = s.concat(high, word);
    }
    let most = (tape.below(256) as u128) << [0, 0, 8][tape.below(3)];
    let most = s.constant_of(s.width(word), most);
    s.ule(word, most)
}

fn condition_below(s: &mut Terms, tape: &mut Tape<'_>, bytes: u32, depth: u32) -> Term {
    if depth == 0 {
        let (a, b) = (leaf(s, tape, bytes, 8), leaf(s, tape, bytes, 8));
        return s.ult(a, b);
    }
    condition(s, tape, bytes, depth)
}

/// The inputs among `inputs` for which `t` holds.
pub fn filter(s: &mut Terms, t: Term, inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let holds = |input: &&Vec<u8>| {
        let w = s.witness(input);
        s.holds(t, &w)
    };
    inputs.iter().filter(holds).cloned().collect()
}

/// A witness of these values for the bytes of object 0, which must have been made in order.
pub fn witness(s: &mut Terms, input: &[u8]) -> Witness {
    s.witness(input)
}

/// Asserts that a term has the value of its evaluation, and no other, on a path that fixes all inputs.
pub fn check_value(options: SolverOptions, tape: &[u8], values: [u8; 6], w: u8) {
    assert!(check_value_unless_late(options, tape, values, w), "no answer within the limit of time");
}

/// As [`check_value`], or false if a back end gave no answer within its time.
pub fn check_value_unless_late(options: SolverOptions, tape: &[u8], values: [u8; 6], w: u8) -> bool {
    let mut s = Terms::new();
    let mut pc = PathCondition::default();
    let mut solver = Solver::new(options).unwrap();
    for (i, &v) in values.iter().enumerate() {
        let (b, k) = (s.byte(0, i as u32), s.constant_of(8, v as u128));
        let fixed = s.eq(b, k);
        solver.assume(&mut s, &mut pc, fixed);
    }
    let near = witness(&mut s, &values);
    let t = term(&mut s, &mut Tape::new(tape), 6, w, 4);
    let value = s.eval_wide(t, &near);
    let k = s.constant_of(w, value);
    let equal = s.eq(t, k);
    let differs = s.not(equal);
    let yes = solver.ask(&mut s, &pc, equal, &near);
    if is_late(&yes) {
        return false;
    }
    assert!(matches!(yes, Answer::Sat(_)), "{yes:?}: {} = {value}", s.text(t, 9));
    let no = solver.ask(&mut s, &pc, differs, &near);
    if is_late(&no) {
        return false;
    }
    assert!(matches!(no, Answer::Unsat(_)), "{no:?}: {} != {value}", s.text(t, 9));
    true
}

/// True for no answer within the limit of time, which is no wrong one.
fn is_late(answer: &Answer) -> bool {
    matches!(answer, Answer::Unknown(why) if why.contains("no answer"))
}
