//! Questions about floating-point numbers: with any layers and any back end, answers are those of trying all inputs,
//! models satisfy, cores conflict.

use std::collections::BTreeSet;
use std::time::Duration;

use cleave_expr::{Float, FloatOp, Rounding, Term, Terms};
use cleave_solver::{Answer, LayerName, PathCondition, Solver, SolverOptions};
use proptest::prelude::*;

use crate::common::{Tape, filter, witness};

const KINDS: [Float; 3] = [Float::F32, Float::F64, Float::X80];
const MODES: [Rounding; 4] = [Rounding::Nearest, Rounding::Down, Rounding::Up, Rounding::Zero];

/// The two bytes of the input as a number: converted from an integer, or as the upper bits of a pattern.
fn input(s: &mut Terms, tape: &mut Tape<'_>, k: Float) -> Term {
    let (a, b) = (s.byte(0, 0), s.byte(0, 1));
    match tape.below(5) {
        0 => s.float_from_int(true, Rounding::Nearest, k, a),
        1 => s.float_from_int(false, Rounding::Nearest, k, b),
        2 => {
            let both = s.concat(a, b);
            s.float_from_int(true, Rounding::Nearest, k, both)
        }
        _ => {
            let both = s.concat(a, b);
            let zeros = s.constant_of(k.bits() - 16, 0);
            let t = s.concat(both, zeros);
            if k != Float::X80 || tape.below(4) == 0 {
                return t;
            }
            // Mostly with the integer bit.
            let one = s.constant_of(80, 1 << 63);
            s.or(t, one)
        }
    }
}

fn constant(s: &mut Terms, tape: &mut Tape<'_>, k: Float) -> Term {
    let v = i128::from(tape.byte()) - 100;
    let v = Rounding::Nearest.from_int(true, 128, k, v as u128);
    let t = s.constant_of(k.bits(), v);
    match tape.below(3) {
        0 => t,
        _ => {
            let by = Rounding::Nearest.from_int(false, 8, k, u128::from(tape.byte()));
            let by = s.constant_of(k.bits(), by);
            s.float(FloatOp::Div(Rounding::Nearest), k.bits(), &[t, by])
        }
    }
}

fn number(s: &mut Terms, tape: &mut Tape<'_>, k: Float, depth: u32) -> Term {
    if depth == 0 {
        return if tape.below(3) == 0 { constant(s, tape, k) } else { input(s, tape, k) };
    }
    let w = k.bits();
    let mode = MODES[tape.below(8).min(3)];
    let mode = if tape.below(2) == 0 { Rounding::Nearest } else { mode };
    let choice = tape.below(16);
    let a = number(s, tape, k, depth - 1);
    match choice {
        0..=8 => {
            let b = number(s, tape, k, depth - 1);
            let op = [FloatOp::Add(mode), FloatOp::Sub(mode), FloatOp::Mul(mode), FloatOp::Div(mode)];
            s.float(op[choice % 4], w, &[a, b])
        }
        9 => s.float(FloatOp::Sqrt(mode), w, &[a]),
        10 => {
            let op = [FloatOp::Rint(mode), FloatOp::Floor, FloatOp::Trunc, FloatOp::Round];
            s.float(op[tape.below(4)], w, &[a])
        }
        11 => s.float([FloatOp::Neg, FloatOp::Abs][tape.below(2)], w, &[a]),
        12 => {
            let other = KINDS[tape.below(3)];
            let t = s.float_convert(mode, other, a);
            s.float_convert(mode, k, t)
        }
        13 => {
            let c = condition(s, tape, depth - 1);
            let b = number(s, tape, k, depth - 1);
            s.ite(c, a, b)
        }
        14 => {
            let integer = s.float_to_int(true, 32, a);
            s.float_from_int(true, mode, k, integer)
        }
        _ => input(s, tape, k),
    }
}

fn condition(s: &mut Terms, tape: &mut Tape<'_>, depth: u32) -> Term {
    let k = KINDS[tape.below(3)];
    let (a, b) = (number(s, tape, k, depth), number(s, tape, k, depth.saturating_sub(1)));
    let t = match tape.below(8) {
        0..=2 => s.float(FloatOp::Less, 1, &[a, b]),
        3..=4 => s.float(FloatOp::LessEqual, 1, &[b, a]),
        5 => s.float(FloatOp::Equal, 1, &[a, b]),
        6 => s.is_nan(a),
        _ => {
            let (x, y) = (s.float_to_int(true, 64, a), s.float_to_int(false, 64, b));
            s.slt(x, y)
        }
    };
    if tape.below(2) == 0 { s.not(t) } else { t }
}

fn options(tiers: &str, on: &[LayerName]) -> SolverOptions {
    let disabled: BTreeSet<_> =
        LayerName::ALL.into_iter().filter(|l| *l != LayerName::Sat && !on.contains(l)).collect();
    // Some are too hard for anybody: to give up is right, if seldom of use.
    let timeout = Duration::from_millis(700);
    SolverOptions { disabled, timeout, tiers: tiers.parse().unwrap(), ..SolverOptions::default() }
}

/// Walks one random path, asking for both sides of each condition.
fn walk(options: SolverOptions, length: usize, depth: u32, tape: &[u8]) {
    let mut s = Terms::new();
    let mut tape = Tape::new(tape);
    let mut solver = Solver::new(options).unwrap();
    let mut pc = PathCondition::default();
    for i in 0..2 {
        s.byte_id(0, i);
    }
    let all: Vec<Vec<u8>> = (0..=0xFFFFu16).map(|x| x.to_le_bytes().to_vec()).collect();
    let mut alive = all.clone();
    for _ in 0..length {
        let cond = condition(&mut s, &mut tape, depth);
        let near_input = alive[(tape.byte() as usize * 256 + tape.byte() as usize) % alive.len()].clone();
        let near = witness(&mut s, &near_input);
        let mut possible = Vec::new();
        for side in [true, false] {
            let asked = if side { cond } else { s.not(cond) };
            let expected = filter(&mut s, asked, &alive);
            match solver.ask(&mut s, &pc, asked, &near) {
                Answer::Sat(w) => {
                    assert!(!expected.is_empty(), "sat without a model: {}", s.text(asked, 9));
                    for c in pc.conditions().into_iter().chain([asked]) {
                        assert!(s.holds(c, &w), "the model breaks {}", s.text(c, 9));
                    }
                }
                Answer::Unsat(core) => {
                    assert!(
                        expected.is_empty(),
                        "unsat though {:?} is a model: {}",
                        expected[0],
                        s.text(asked, 9)
                    );
                    let mut left = filter(&mut s, asked, &all);
                    for c in core.conditions.unwrap() {
                        left = filter(&mut s, c, &left);
                    }
                    assert!(left.is_empty(), "the core can hold");
                }
                Answer::Unknown(why) => {
                    let late = why.contains("no answer within") || why.contains("the time limit came");
                    assert!(late, "{why}");
                }
            }
            if !expected.is_empty() {
                possible.push((asked, expected));
            }
        }
        let (taken, left) = possible.swap_remove(tape.below(possible.len()));
        if s.constant(taken).is_none() {
            solver.assume(&mut s, &mut pc, taken);
        }
        alive = left;
    }
    assert_eq!(solver.take_error(), None);
}

/// Number of random paths; `CLEAVE_FLOAT_PATHS` in the environment asks for more.
fn paths(usual: u32) -> ProptestConfig {
    let cases = std::env::var("CLEAVE_FLOAT_PATHS").ok().and_then(|v| v.parse().ok()).unwrap_or(usual);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(paths(12))]

    #[test]
    fn answers_are_those_of_trying_all_inputs(tape in prop::collection::vec(any::<u8>(), 60..400)) {
        let tiers = if cfg!(feature = "bitwuzla") { "bit-blaster,bitwuzla" } else { "bit-blaster" };
        walk(options(tiers, &LayerName::ALL), 3, 3, &tape);
    }

    #[test]
    fn intervals_alone_say_what_holds(tape in prop::collection::vec(any::<u8>(), 60..400)) {
        walk(options("bit-blaster", &[LayerName::Intervals, LayerName::ByteSets, LayerName::Slices]), 3, 2, &tape);
    }

    #[test]
    fn a_search_alone_says_what_holds(tape in prop::collection::vec(any::<u8>(), 60..400)) {
        walk(options("bit-blaster", &[LayerName::Search, LayerName::ByteSets, LayerName::Slices]), 3, 2, &tape);
    }

    #[test]
    fn trying_alone_says_what_holds(tape in prop::collection::vec(any::<u8>(), 60..400)) {
        walk(options("bit-blaster", &[LayerName::Trying, LayerName::ByteSets, LayerName::Slices]), 3, 3, &tape);
    }

    /// On longer paths the values that are left are kept.
    #[test]
    fn what_is_kept_of_trying_says_what_holds(tape in prop::collection::vec(any::<u8>(), 200..800)) {
        walk(options("bit-blaster", &[LayerName::Trying, LayerName::Slices]), 10, 1, &tape);
    }

    #[test]
    fn circuits_alone_say_what_holds(tape in prop::collection::vec(any::<u8>(), 60..400)) {
        let tiers = if cfg!(feature = "bitwuzla") { "bitwuzla" } else { "bit-blaster" };
        walk(options(tiers, &[]), 2, 2, &tape);
    }
}

/// A random number made of whole words of the input.
fn wide_number(s: &mut Terms, tape: &mut Tape<'_>, k: Float, depth: u32) -> Term {
    let w = k.bits();
    if depth == 0 || tape.below(5) == 0 {
        let first = 16 * tape.below(2) as u32;
        let bytes: Vec<Term> = (first..first + u32::from(w / 8)).map(|i| s.byte(0, i)).collect();
        let word = bytes.into_iter().reduce(|low, b| s.concat(b, low)).unwrap();
        return if tape.below(4) == 0 { constant(s, tape, k) } else { word };
    }
    let mode = MODES[tape.below(4)];
    let a = wide_number(s, tape, k, depth - 1);
    let choice = tape.below(14);
    if choice < 6 {
        let b = wide_number(s, tape, k, depth - 1);
        let op = [FloatOp::Add(mode), FloatOp::Sub(mode), FloatOp::Mul(mode), FloatOp::Div(mode)];
        return match choice {
            4 => s.float(FloatOp::Rem, w, &[a, b]),
            5 if k != Float::X80 => s.float(FloatOp::MulAdd(mode), w, &[a, b, a]),
            _ => s.float(op[choice % 4], w, &[a, b]),
        };
    }
    match choice {
        6 => s.float(FloatOp::Sqrt(mode), w, &[a]),
        7..=8 => {
            let op = [FloatOp::Rint(mode), FloatOp::Floor, FloatOp::Ceil, FloatOp::Trunc, FloatOp::Round];
            s.float(op[tape.below(5)], w, &[a])
        }
        9 => {
            let by = s.constant_of(w, Rounding::Nearest.from_int(false, 8, k, 64));
            s.float(FloatOp::Rem, w, &[a, by])
        }
        10..=11 => {
            let other = KINDS[tape.below(3)];
            let t = s.float_convert(mode, other, a);
            s.float_convert(mode, k, t)
        }
        12 => {
            let (signed, n) = (tape.below(2) == 0, [16, 32, 64, 128][tape.below(4)]);
            let integer = s.float_to_int(signed, n, a);
            s.float_from_int(signed, mode, k, integer)
        }
        _ => s.float(FloatOp::Neg, w, &[a]),
    }
}

proptest! {
    #![proptest_config(paths(24))]

    /// A model of the last back end, of circuits, makes the terms true, which are evaluated by `cleave_float`: a model that
    /// does not is an error of the solver.
    #[test]
    fn models_of_circuits_over_whole_words_make_the_terms_true(tape in prop::collection::vec(any::<u8>(), 60..200)) {
        let mut s = Terms::new();
        let mut tape = Tape::new(&tape);
        let near = witness(&mut s, &[]);
        let tiers = if cfg!(feature = "bitwuzla") { "bitwuzla" } else { "bit-blaster" };
        let mut solver = Solver::new(options(tiers, &[])).unwrap();
        let pc = PathCondition::default();
        let k = KINDS[tape.below(3)];
        let (a, b) = (wide_number(&mut s, &mut tape, k, 2), wide_number(&mut s, &mut tape, k, 1));
        let op = [FloatOp::Less, FloatOp::LessEqual, FloatOp::Equal][tape.below(3)];
        let cond = s.float(op, 1, &[a, b]);
        let nan = s.is_nan(a);
        let opposite = s.not(cond);
        for asked in [cond, opposite, nan] {
            if let Answer::Sat(w) = solver.ask(&mut s, &pc, asked, &near) {
                prop_assert!(s.holds(asked, &w), "the model breaks {}", s.text(asked, 9));
            }
            prop_assert_eq!(solver.take_error().map(|e| e.to_string()), None);
        }
    }
}

/// A search that cannot move anything ends, too.
#[test]
fn a_search_ends_where_no_word_can_be_moved() {
    let mut s = Terms::new();
    let on = [LayerName::Search, LayerName::ByteSets, LayerName::Slices];
    let mut solver = Solver::new(options("bit-blaster", &on)).unwrap();
    let mut pc = PathCondition::default();
    let near = witness(&mut s, &[3, 4]);
    for at in 0..2 {
        let byte = s.byte(0, at);
        let only = s.constant_of(8, 3 + u128::from(at));
        let cond = s.eq(byte, only);
        solver.assume(&mut s, &mut pc, cond);
    }
    let [x, y] = [0, 1].map(|at| {
        let byte = s.byte(0, at);
        let number = s.float_from_int(false, Rounding::Nearest, Float::F64, byte);
        let third = s.constant_of(64, Rounding::Nearest.from_int(false, 8, Float::F64, 3));
        s.float(FloatOp::Div(Rounding::Nearest), 64, &[number, third])
    });
    let less = s.float(FloatOp::Less, 1, &[y, x]);
    assert!(matches!(solver.ask(&mut s, &pc, less, &near), Answer::Unsat(_)));
}
