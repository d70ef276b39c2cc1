//! A question ends soon after the solver is told to stop, in every layer that may work for long.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cleave_expr::{BinaryOp, Float, FloatOp, Rounding, Term, Terms};
use cleave_solver::{Answer, Backend, LayerName, PathCondition, Query, Solver, SolverOptions, Verdict};

/// A back end without answers that reports much work, so that the layers before it may work for long, too.
#[derive(Default)]
struct Slow(u64);

impl Backend for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }
    fn work(&self) -> u64 {
        self.0
    }
    fn solve(&mut self, _: &mut Terms, _: &Query<'_>, _: Duration) -> Verdict {
        self.0 += 1 << 40;
        Verdict::Unknown("it is slow".into())
    }
}

/// A solver that uses only these of the layers that may work for long.
fn solver(stop: &Arc<AtomicBool>, layers: &[LayerName]) -> Solver {
    use LayerName::{Intervals, Rewriting, Sampling, Search, Sweeping, Trying, Values};
    let long = [Trying, Values, Rewriting, Intervals, Search, Sweeping, Sampling];
    let disabled: BTreeSet<LayerName> = long.into_iter().filter(|layer| !layers.contains(layer)).collect();
    let options = SolverOptions { disabled, stop: stop.clone(), ..SolverOptions::default() };
    Solver::with_backends(options, Box::new(Slow::default()), Vec::new())
}

/// The answer to a question that is told to stop after 100 milliseconds, and how long it goes on then.
fn stopped(
    solver: &mut Solver,
    s: &mut Terms,
    pc: &PathCondition,
    cond: Term,
    stop: &Arc<AtomicBool>,
) -> Duration {
    let near = s.witness(&[0; 4]);
    let stop = stop.clone();
    let start = Instant::now();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        let told = Instant::now();
        stop.store(true, Ordering::Relaxed);
        told
    });
    let answer = solver.ask(s, pc, cond, &near);
    let ended = Instant::now();
    let told = stopper.join().unwrap();
    assert!(ended >= told, "it has ended by itself: {answer:?} after {:?}", start.elapsed());
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    ended - told
}

/// A number of 128 bits that takes `count` divisions of all bits, each of the result before.
fn divided(s: &mut Terms, bytes: u32, count: usize) -> Term {
    let mut t = s.byte(0, 0);
    for i in 1..bytes {
        let byte = s.byte(0, i);
        t = s.concat(t, byte);
    }
    let mut t = s.zext(t, 128);
    for i in 0..count {
        let k = s.constant_of(128, (u128::MAX / 3) ^ i as u128);
        let large = s.binary(BinaryOp::Xor, t, k);
        let three = s.constant_of(128, (1 << 70) + 3);
        let by = s.binary(BinaryOp::URem, large, three);
        t = s.binary(BinaryOp::Xor, by, t);
    }
    t
}

fn is(s: &mut Terms, t: Term, value: u128) -> Term {
    let value = s.constant_of(s.width(t), value);
    s.eq(t, value)
}

#[test]
fn rows_with_wide_columns_end_when_they_are_told_to() {
    let stop = Arc::new(AtomicBool::new(false));
    let mut solver = solver(&stop, &[LayerName::Trying]);
    let mut s = Terms::new();
    let mut pc = PathCondition::default();
    for (i, below) in [(0, 32), (1, 64), (2, 64)] {
        let byte = s.byte(0, i);
        let limit = s.constant_of(8, below);
        let cond = s.ult(byte, limit);
        solver.assume(&mut s, &mut pc, cond);
    }
    let bytes = [0, 1, 2].map(|i| s.byte(0, i)).map(|b| s.zext(b, 32));
    for k in 0..8 {
        let sum = s.binary(BinaryOp::Mul, bytes[0], bytes[1]);
        let sum = s.binary(BinaryOp::Add, sum, bytes[2]);
        let other = is(&mut s, sum, 4000 + k);
        let cond = s.not(other);
        solver.assume(&mut s, &mut pc, cond);
    }
    // Too much for the layers at first, so the back end gets it; then as many terms as rows may be looked up for.
    let (hard, near) = (divided(&mut s, 3, 900), s.witness(&[0; 4]));
    let first = is(&mut s, hard, 12345);
    assert!(matches!(solver.ask(&mut s, &pc, first, &near), Answer::Unknown(_)));
    let after = stopped(&mut solver, &mut s, &pc, first, &stop);
    assert!(after < Duration::from_secs(1), "{after:?}");
}

#[test]
fn all_values_of_two_bytes_end_when_they_are_told_to() {
    let stop = Arc::new(AtomicBool::new(false));
    let mut solver = solver(&stop, &[LayerName::Trying]);
    let mut s = Terms::new();
    let (a, b) = (s.byte(0, 0), s.byte(0, 1));
    let both = s.concat(a, b);
    let mut x = s.float_from_int(false, Rounding::Nearest, Float::X80, both);
    for i in 0..300 {
        let three = s.constant_of(80, Rounding::Nearest.from_int(true, 128, Float::X80, 3 + i));
        x = s.float(FloatOp::Div(Rounding::Nearest), 80, &[x, three]);
        x = s.float(FloatOp::Add(Rounding::Nearest), 80, &[x, three]);
    }
    let never = is(&mut s, x, 12345);
    let after = stopped(&mut solver, &mut s, &PathCondition::default(), never, &stop);
    assert!(after < Duration::from_secs(1), "{after:?}");
}

#[test]
fn sweeps_and_chance_end_when_they_are_told_to() {
    for layer in [LayerName::Sweeping, LayerName::Sampling] {
        let stop = Arc::new(AtomicBool::new(false));
        let mut solver = solver(&stop, &[layer]);
        let mut s = Terms::new();
        let near = s.witness(&[0; 4]);
        let mut x = s.constant_of(64, 0xcbf2_9ce4_8422_2325);
        for round in 0..200 {
            let byte = s.byte(0, round % 4);
            let byte = s.zext(byte, 64);
            x = s.binary(BinaryOp::Xor, x, byte);
            let k = s.constant_of(64, 0x100_0000_01b3 + 2 * u128::from(round));
            x = s.binary(BinaryOp::Mul, x, k);
            let k = s.constant_of(64, 0xffff_ffff_ff61);
            x = s.binary(BinaryOp::URem, x, k);
        }
        let never = is(&mut s, x, 1);
        let pc = PathCondition::default();
        assert!(matches!(solver.ask(&mut s, &pc, never, &near), Answer::Unknown(_)));
        let after = stopped(&mut solver, &mut s, &pc, never, &stop);
        assert!(after < Duration::from_secs(1), "{layer}: {after:?}");
    }
}
