//! Assertions of float programs, as questions over whole words of the input. Boxes with linear forms refute those that
//! cannot fail, the search finds a model of the others, and the back end has no time to help.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use cleave_expr::{Float, FloatOp, Rounding, Term, Terms};
use cleave_solver::{Answer, LayerName, PathCondition, Solver, SolverOptions};

use crate::common::witness;

const KINDS: [Float; 3] = [Float::F32, Float::F64, Float::X80];
const MODE: Rounding = Rounding::Nearest;

/// A program without branches but those that its conditions take.
struct Program {
    s: Terms,
    k: Float,
    inputs: u32,
    conds: Vec<Term>,
}

impl Program {
    fn new(k: Float) -> Program {
        Program { s: Terms::new(), k, inputs: 0, conds: Vec::new() }
    }

    fn op(&mut self, op: FloatOp, operands: &[Term]) -> Term {
        self.s.float(op, self.k.bits(), operands)
    }

    fn add(&mut self, a: Term, b: Term) -> Term {
        self.op(FloatOp::Add(MODE), &[a, b])
    }

    fn sub(&mut self, a: Term, b: Term) -> Term {
        self.op(FloatOp::Sub(MODE), &[a, b])
    }

    fn mul(&mut self, a: Term, b: Term) -> Term {
        self.op(FloatOp::Mul(MODE), &[a, b])
    }

    fn div(&mut self, a: Term, b: Term) -> Term {
        self.op(FloatOp::Div(MODE), &[a, b])
    }

    /// A number of so many thousandths.
    fn real(&mut self, thousandths: i128) -> Term {
        let w = self.k.bits();
        let [v, by] = [thousandths, 1000].map(|v| MODE.from_int(true, 128, self.k, v as u128));
        self.s.constant_of(w, FloatOp::Div(MODE).value(w, w, [v, by, by]))
    }

    fn less(&mut self, a: Term, b: Term) -> Term {
        self.s.float(FloatOp::Less, 1, &[a, b])
    }

    fn at_most(&mut self, a: Term, b: Term) -> Term {
        self.s.float(FloatOp::LessEqual, 1, &[a, b])
    }

    fn require(&mut self, cond: Term) {
        self.conds.push(cond);
    }

    /// An input between two numbers of so many thousandths.
    fn input(&mut self, least: i128, most: i128) -> Term {
        let bytes: Vec<Term> =
            (0..u32::from(self.k.bits() / 8)).map(|i| self.s.byte(self.inputs, i)).collect();
        self.inputs += 1;
        let word = bytes.into_iter().reduce(|low, b| self.s.concat(b, low)).unwrap();
        let (least, most) = (self.real(least), self.real(most));
        let above = self.at_most(least, word);
        self.require(above);
        let below = self.at_most(word, most);
        self.require(below);
        word
    }

    /// Returns true if the assertion can fail; `None` without an answer. The conditions come one by one, or as one.
    fn fails(&mut self, asserted: Term, as_one: bool) -> Option<bool> {
        let on = [LayerName::Intervals, LayerName::Search, LayerName::Slices, LayerName::Sat];
        let options = SolverOptions {
            disabled: LayerName::ALL.into_iter().filter(|l| !on.contains(l)).collect::<BTreeSet<_>>(),
            timeout: Duration::from_millis(1),
            tiers: "bit-blaster".parse().unwrap(),
            ..SolverOptions::default()
        };
        let mut solver = Solver::new(options).unwrap();
        let mut pc = PathCondition::default();
        let mut conds = self.conds.clone();
        if as_one {
            // As in C: comparisons are of type `int`, and so is their `&`.
            let ints: Vec<Term> = conds.into_iter().map(|c| self.s.zext(c, 32)).collect();
            let all = ints.into_iter().reduce(|a, b| self.s.and(a, b)).unwrap();
            let zero = self.s.constant_of(32, 0);
            let none = self.s.eq(all, zero);
            conds = vec![self.s.not(none)];
        }
        for cond in conds {
            solver.assume(&mut self.s, &mut pc, cond);
        }
        let near = witness(&mut self.s, &[]);
        let asked = self.s.not(asserted);
        match solver.ask(&mut self.s, &pc, asked, &near) {
            Answer::Sat(w) => {
                assert!(self.conds.iter().chain([&asked]).all(|&c| self.s.holds(c, &w)));
                Some(true)
            }
            Answer::Unsat(_) => Some(false),
            Answer::Unknown(_) => None,
        }
    }
}

fn middle(p: &mut Program) -> Term {
    let (a, b) = (p.input(-1_000_000_000, 1_000_000_000), p.input(-1_000_000_000, 1_000_000_000));
    let ordered = p.at_most(a, b);
    p.require(ordered);
    let (apart, two) = (p.sub(b, a), p.real(2000));
    let half = p.div(apart, two);
    let m = p.add(a, half);
    let (lower, upper) = (p.at_most(a, m), p.at_most(m, b));
    p.s.and(lower, upper)
}

fn interpolation(p: &mut Program, bug: bool) -> Term {
    let (a, b, t) = (p.input(0, 100_000), p.input(0, 100_000), p.input(0, 1000));
    let ordered = p.at_most(a, b);
    p.require(ordered);
    let apart = p.sub(b, a);
    let way = p.mul(t, apart);
    let v = p.add(a, way);
    if bug {
        return p.at_most(v, b);
    }
    let most = p.real(200_500);
    let (lower, upper) = (p.at_most(a, v), p.at_most(v, most));
    p.s.and(lower, upper)
}

fn heron(p: &mut Program, limit: i128) -> Term {
    let sides = [0; 3].map(|_| p.input(1000, 100_000));
    for i in 0..3 {
        let (a, b, c) = (sides[i], sides[(i + 1) % 3], sides[(i + 2) % 3]);
        let sum = if i == 1 { p.add(c, b) } else { p.add(b, c) };
        let less = p.less(a, sum);
        p.require(less);
    }
    let [a, b, c] = sides;
    let sum = p.add(a, b);
    let (sum, two) = (p.add(sum, c), p.real(2000));
    let s = p.div(sum, two);
    let mut q = s;
    for side in sides {
        let rest = p.sub(s, side);
        q = p.mul(q, rest);
    }
    let limit = p.real(limit);
    p.at_most(limit, q)
}

/// The variance, as the mean of squares minus the square of the mean.
fn variance(p: &mut Program) -> Term {
    let (a, b) = (p.input(0, 10_000), p.input(0, 10_000));
    let (sum, two, zero) = (p.add(a, b), p.real(2000), p.real(0));
    let mean = p.div(sum, two);
    let (aa, bb, mm) = (p.mul(a, a), p.mul(b, b), p.mul(mean, mean));
    let squares = p.add(aa, bb);
    let squares = p.div(squares, two);
    let v = p.sub(squares, mm);
    p.at_most(zero, v)
}

fn logistic(p: &mut Program, steps: u32, lower: bool) -> Term {
    let mut x = p.input(0, 1000);
    let (by, one, zero) = (p.real(3900), p.real(1000), p.real(0));
    for _ in 0..steps {
        let (y, rest) = (p.mul(by, x), p.sub(one, x));
        x = p.mul(y, rest);
    }
    if lower { p.at_most(zero, x) } else { p.at_most(x, one) }
}

fn control(p: &mut Program, upper: bool) -> Term {
    let (set, mut is) = (p.input(0, 100_000), p.input(0, 100_000));
    let zero = p.real(0);
    let (mut integral, mut last, mut out) = (zero, zero, zero);
    let [tenth, two, half, twentieth, hundredth] = [100, 2000, 500, 50, 10].map(|x| p.real(x));
    for _ in 0..3 {
        let e = p.sub(set, is);
        let part = p.mul(e, tenth);
        integral = p.add(integral, part);
        let (x, y, d) = (p.mul(two, e), p.mul(half, integral), p.sub(e, last));
        let (sum, z) = (p.add(x, y), p.mul(twentieth, d));
        out = p.add(sum, z);
        last = e;
        let step = p.mul(out, hundredth);
        is = p.add(is, step);
    }
    let most = p.real(if upper { 216_000 } else { -216_000 });
    if upper { p.at_most(out, most) } else { p.at_most(most, out) }
}

fn smoothstep(p: &mut Program) -> Term {
    let t = p.input(0, 1000);
    let (two, three, most) = (p.real(2000), p.real(3000), p.real(1001));
    let (square, twice) = (p.mul(t, t), p.mul(two, t));
    let rest = p.sub(three, twice);
    let s = p.mul(square, rest);
    p.at_most(s, most)
}

fn average(p: &mut Program) -> Term {
    let x = [0; 4].map(|_| p.input(-5000, 5000));
    let (quarter, most) = (p.real(250), p.real(3500));
    let mut y = p.real(0);
    for x in x {
        let apart = p.sub(x, y);
        let part = p.mul(quarter, apart);
        y = p.add(y, part);
    }
    p.at_most(y, most)
}

/// A temperature to another scale and back.
fn back(p: &mut Program) -> Term {
    let c = p.input(-1_000_000, 1_000_000);
    let [five, nine, off, most] = [5000, 9000, 32_000, 1].map(|x| p.real(x));
    let f = p.mul(c, nine);
    let f = p.div(f, five);
    let f = p.add(f, off);
    let f = p.sub(f, off);
    let f = p.mul(f, five);
    let f = p.div(f, nine);
    let apart = p.sub(f, c);
    p.at_most(apart, most)
}

fn share(p: &mut Program, bug: bool) -> Term {
    let (x, y) = (p.input(0, 1_000_000_000), p.input(0, 1_000_000_000));
    let (sum, zero, one) = (p.add(x, y), p.real(0), p.real(1000));
    let some = p.less(zero, sum);
    p.require(some);
    let part = p.div(x, sum);
    if !bug {
        return p.at_most(part, one);
    }
    let other = p.div(y, sum);
    let both = p.add(part, other);
    p.s.float(FloatOp::Equal, 1, &[both, one])
}

/// A step that is not longer than what is left does not go back.
fn step(p: &mut Program) -> Term {
    let (at, to, by) = (p.input(-100_000, 100_000), p.input(-100_000, 100_000), p.input(0, 10_000));
    let ordered = p.at_most(at, to);
    p.require(ordered);
    let left = p.sub(to, at);
    let short = p.at_most(by, left);
    p.require(short);
    let next = p.add(at, by);
    p.at_most(at, next)
}

/// A point on a disc is nowhere farther from its middle than the edge: only the condition says so, and it is about both words.
fn disc(p: &mut Program, bug: bool) -> Term {
    let (x, y) = (p.input(-1_000_000, 1_000_000), p.input(-1_000_000, 1_000_000));
    let (xx, yy) = (p.mul(x, x), p.mul(y, y));
    let (sum, edge) = (p.add(xx, yy), p.real(9000));
    let inside = p.at_most(sum, edge);
    p.require(inside);
    let most = p.real(if bug { 2900 } else { 3001 });
    p.at_most(x, most)
}

/// The assertion of a program.
type Asserted = fn(&mut Program) -> Term;

/// The programs, each with true if its assertion can fail.
const PROGRAMS: [(&str, Asserted, bool); 19] = [
    ("middle", middle, false),
    ("interpolation", |p| interpolation(p, false), false),
    ("interpolation beyond its end", |p| interpolation(p, true), true),
    ("heron", |p| heron(p, -1_000_000_000), false),
    ("heron of a needle", |p| heron(p, 100), true),
    ("variance of squares", variance, true),
    ("logistic, 3 steps", |p| logistic(p, 3, false), false),
    ("logistic, 8 steps, above", |p| logistic(p, 8, false), false),
    ("logistic, 8 steps, below", |p| logistic(p, 8, true), false),
    ("control, above", |p| control(p, true), false),
    ("control, below", |p| control(p, false), false),
    ("smoothstep", smoothstep, false),
    ("average", average, false),
    ("there and back", back, false),
    ("share", |p| share(p, false), false),
    ("shares", |p| share(p, true), true),
    ("step", step, false),
    ("disc", |p| disc(p, false), false),
    ("disc, too small", |p| disc(p, true), true),
];

#[test]
fn what_programs_assert_is_answered_without_a_solver() {
    let mut open = Vec::new();
    for (name, asserted, fails) in PROGRAMS {
        for k in KINDS {
            for as_one in [false, true] {
                let mut p = Program::new(k);
                let asserted = asserted(&mut p);
                let from = Instant::now();
                let answer = p.fails(asserted, as_one);
                eprintln!("{name}, {k:?}, as one {as_one}: {answer:?} in {:?}", from.elapsed());
                match answer {
                    None => open.push((name, k, as_one)),
                    Some(answer) => assert_eq!(answer, fails, "{name}, {k:?}"),
                }
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
