//! Back ends check each other, keep their time limits, and stand in for one another.

use std::time::{Duration, Instant};

use cleave_expr::{Float, Rounding, Term, Terms};
use cleave_solver::{
    Answer, BACK_ENDS, Backend, Conflict, LayerName, PathCondition, Query, Solver, SolverError,
    SolverOptions, Tiers, Verdict,
};

use crate::common;

/// A word of the bytes `from ..`, little end first.
fn word(s: &mut Terms, from: u32, bytes: u32) -> Term {
    let mut t = s.byte(0, from);
    for i in 1..bytes {
        let b = s.byte(0, from + i);
        t = s.concat(b, t);
    }
    t
}

fn sat_only() -> SolverOptions {
    let disabled = LayerName::ALL.into_iter().filter(|&l| l != LayerName::Sat).collect();
    SolverOptions { disabled, ..SolverOptions::default() }
}

fn tiers(names: &str) -> Tiers {
    names.parse().unwrap()
}

/// A back end that gives a prescribed answer.
struct Liar(Verdict);

impl Backend for Liar {
    fn name(&self) -> &'static str {
        "a liar"
    }
    fn solve(&mut self, _: &mut Terms, _: &Query<'_>, _: Duration) -> Verdict {
        self.0.clone()
    }
}

/// A bit-blaster in a solver of its own, as an honest back end.
struct Honest(Solver);

impl Honest {
    fn new() -> Honest {
        Honest(Solver::new(SolverOptions { tiers: tiers("bit-blaster"), ..sat_only() }).unwrap())
    }
}

impl Backend for Honest {
    fn name(&self) -> &'static str {
        "an honest one"
    }
    fn solve(&mut self, terms: &mut Terms, query: &Query<'_>, _: Duration) -> Verdict {
        let mut all = terms.bool(true);
        for &c in query.conditions {
            all = terms.and(all, c);
        }
        match self.0.ask(terms, &PathCondition::default(), all, query.near) {
            Answer::Sat(w) => {
                Verdict::Sat(query.bytes(terms).into_iter().map(|id| (id, w.get(id))).collect())
            }
            Answer::Unsat(_) => {
                Verdict::Unsat(Conflict { conditions: query.conditions.to_vec(), domains: Vec::new() })
            }
            Answer::Unknown(why) => Verdict::Unknown(why),
        }
    }
}

/// Asks if a product of two bytes is `n`.
fn ask_product(solver: &mut Solver, n: u128) -> Answer {
    ask_product_in(&mut Terms::new(), solver, n)
}

/// A solver knows the terms of one store only.
fn ask_product_in(s: &mut Terms, solver: &mut Solver, n: u128) -> Answer {
    let (a, b) = (s.byte(0, 0), s.byte(0, 1));
    let (a, b) = (s.zext(a, 16), s.zext(b, 16));
    let product = s.mul(a, b);
    let k = s.constant_of(16, n);
    let cond = s.eq(product, k);
    let near = s.witness(&[0, 0]);
    solver.ask(s, &PathCondition::default(), cond, &near)
}

#[test]
fn a_back_end_that_says_unsat_wrongly_is_found_out() {
    let options = SolverOptions { cross_check: true, ..sat_only() };
    let liar = Box::new(Liar(Verdict::Unsat(Conflict::default())));
    let mut solver = Solver::with_backends(options, Box::new(Honest::new()), vec![liar]);
    assert!(matches!(ask_product(&mut solver, 77 * 13), Answer::Unknown(_)));
    let error = solver.take_error().unwrap();
    assert!(matches!(error, SolverError::Disagreement { second_says: "unsat", .. }), "{error}");
    assert_eq!(solver.take_error(), None);
}

#[test]
fn a_back_end_that_invents_a_model_is_found_out() {
    let options = SolverOptions { cross_check: true, ..sat_only() };
    let liar = Box::new(Liar(Verdict::Sat(Vec::new())));
    let mut solver = Solver::with_backends(options, Box::new(Honest::new()), vec![liar]);
    assert!(matches!(ask_product(&mut solver, 251 * 257), Answer::Unknown(_)));
    assert!(matches!(solver.take_error(), Some(SolverError::WrongModel { .. })));
}

#[test]
fn self_check_finds_a_wrong_answer_of_the_only_back_end_in_use() {
    let options = SolverOptions { self_check: true, ..sat_only() };
    let liar = Box::new(Liar(Verdict::Unsat(Conflict::default())));
    let mut solver = Solver::with_backends(options, liar, vec![Box::new(Honest::new())]);
    let _ = ask_product(&mut solver, 77 * 13);
    assert!(matches!(solver.take_error(), Some(SolverError::Disagreement { .. })));
    let options = SolverOptions { self_check: true, ..sat_only() };
    let liar = Box::new(Liar(Verdict::Sat(Vec::new())));
    let mut solver = Solver::with_backends(options, liar, vec![]);
    let _ = ask_product(&mut solver, 77 * 13);
    assert!(matches!(solver.take_error(), Some(SolverError::WrongModel { .. })));
}

#[test]
fn the_second_is_asked_where_the_first_gives_up() {
    let lazy = Box::new(Liar(Verdict::Unknown("lazy".into())));
    let mut solver = Solver::with_backends(sat_only(), lazy, vec![Box::new(Honest::new())]);
    let mut s = Terms::new();
    assert!(matches!(ask_product_in(&mut s, &mut solver, 77 * 13), Answer::Sat(_)));
    assert!(matches!(ask_product_in(&mut s, &mut solver, 251 * 257), Answer::Unsat(_)));
    assert_eq!(solver.stats().smt_calls, 4);
}

/// The product of two 32-bit words is that of two primes: too hard for everybody.
fn ask_hard(names: &str) -> (Answer, Duration) {
    let mut s = Terms::new();
    let options = SolverOptions {
        tiers: tiers(names),
        timeout: Duration::from_millis(200),
        first_limit: Duration::from_millis(100),
        ..SolverOptions::default()
    };
    let mut solver = Solver::new(options).unwrap();
    let (x, y) = (word(&mut s, 0, 4), word(&mut s, 4, 4));
    let (x, y) = (s.zext(x, 64), s.zext(y, 64));
    let product = s.mul(x, y);
    let k = s.constant_of(64, 3_037_000_493 * 2_654_435_761);
    let hard = s.eq(product, k);
    let one = s.constant_of(64, 1);
    let (px, py) = (s.ult(one, x), s.ult(x, y));
    let mut cond = s.and(hard, px);
    cond = s.and(cond, py);
    let near = s.witness(&[]);
    let start = Instant::now();
    let answer = solver.ask(&mut s, &PathCondition::default(), cond, &near);
    (answer, start.elapsed())
}

#[test]
fn a_time_limit_ends_the_bit_blaster() {
    let (answer, took) = ask_hard("bit-blaster");
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?} after {took:?}");
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[cfg(feature = "bitwuzla")]
mod with_bitwuzla {
    use super::*;
    use cleave_expr::{BinaryOp, Witness};
    use common::{Tape, check_value, condition};
    use proptest::prelude::*;

    #[test]
    fn a_time_limit_ends_both_tiers() {
        for names in ["bit-blaster,bitwuzla", "bitwuzla"] {
            let (answer, took) = ask_hard(names);
            assert!(matches!(answer, Answer::Unknown(_)), "{answer:?} after {took:?}");
            assert!(took < Duration::from_secs(3), "{took:?}");
        }
    }

    /// `(x + y) * z != x * z + y * z` in 64 bits: hopeless bit by bit, easy for a solver that knows the law.
    fn breaks_the_law(s: &mut Terms) -> Term {
        let (x, y, z) = (word(s, 0, 8), word(s, 8, 8), word(s, 16, 8));
        let sum = s.add(x, y);
        let left = s.mul(sum, z);
        let (xz, yz) = (s.mul(x, z), s.mul(y, z));
        let right = s.add(xz, yz);
        s.ne(left, right)
    }

    #[test]
    fn word_level_laws_are_left_to_the_second_tier() {
        let mut s = Terms::new();
        let options = SolverOptions { first_limit: Duration::from_millis(100), ..SolverOptions::default() };
        let mut solver = Solver::new(options).unwrap();
        let cond = breaks_the_law(&mut s);
        let near = s.witness(&[]);
        let answer = solver.ask(&mut s, &PathCondition::default(), cond, &near);
        assert!(matches!(answer, Answer::Unsat(_)), "{answer:?}");
    }

    /// Such a question may wait: little work does not answer it, and what was tried does no harm.
    #[test]
    fn a_hard_question_is_not_answered_with_little_work() {
        let mut s = Terms::new();
        let options = SolverOptions { first_limit: Duration::from_millis(100), ..SolverOptions::default() };
        let mut solver = Solver::new(options).unwrap();
        let hard = breaks_the_law(&mut s);
        let (x, y) = (word(&mut s, 0, 8), word(&mut s, 8, 8));
        let easy = s.ne(x, y);
        let (pc, near) = (PathCondition::default(), s.witness(&[]));
        assert!(solver.ask_first(&mut s, &pc, (hard, false), &near).is_none());
        assert!(matches!(solver.ask_first(&mut s, &pc, (easy, false), &near), Some(Answer::Sat(_))));
        assert!(matches!(solver.ask(&mut s, &pc, hard, &near), Answer::Unsat(_)));
    }

    /// Little work does not answer a question on floats: in a hurry it waits before a back end has done anything.
    #[test]
    fn a_question_on_floats_waits_in_a_hurry_alone() {
        let mut s = Terms::new();
        let mut solver = Solver::new(sat_only()).unwrap();
        let bytes = word(&mut s, 0, 2);
        let number = s.float_from_int(true, Rounding::Nearest, Float::F32, bytes);
        let bits = s.extract(number, 20, 12);
        let wanted = s.constant_of(12, 0x43f);
        let cond = s.eq(bits, wanted);
        let (pc, near) = (PathCondition::default(), s.witness(&[]));
        let before = solver.work();
        assert!(solver.ask_first(&mut s, &pc, (cond, true), &near).is_none());
        assert_eq!(solver.work(), before);
        let found = solver.ask_first(&mut s, &pc, (cond, false), &near);
        assert!(matches!(found, Some(Answer::Sat(w)) if s.holds(cond, &w)));
        assert!(solver.work() > before);
    }

    /// Each decision about a hash of the input has thousands of propagations: a round ends after fewer of them.
    #[test]
    fn a_question_on_a_hash_waits_soon() {
        let mut s = Terms::new();
        let mut solver = Solver::new(sat_only()).unwrap();
        let (mut a, mut b) = (word(&mut s, 0, 4), word(&mut s, 4, 4));
        for round in 0..100 {
            let odd = s.constant_of(32, 0x9e37_79b9 + 2 * round);
            let sum = s.add(a, b);
            let (high, low) = (s.extract(sum, 0, 25), s.extract(sum, 25, 7));
            let turned = s.concat(high, low);
            let mixed = s.xor(turned, odd);
            (a, b) = (b, s.add(mixed, a));
        }
        let wanted = s.constant_of(32, 0x1234_5678);
        let cond = s.eq(a, wanted);
        let (pc, near) = (PathCondition::default(), s.witness(&[]));
        assert!(solver.ask_first(&mut s, &pc, (cond, false), &near).is_none());
        // It is written down now, and asked with the same little work.
        let before = solver.work();
        assert!(solver.ask_first(&mut s, &pc, (cond, false), &near).is_none());
        let work = solver.work() - before;
        assert!(work < 1 << 23, "{work}");
    }

    /// Random paths with everything checked by everybody.
    fn walk(options: SolverOptions, tape: &[u8]) {
        let mut s = Terms::new();
        let mut tape = Tape::new(tape);
        let mut solver = Solver::new(options).unwrap();
        let mut pc = PathCondition::default();
        let mut near: Witness = s.witness(&[7, 0, 200, 31]);
        for _ in 0..8 {
            let cond = condition(&mut s, &mut tape, 4, 3);
            let holds = s.holds(cond, &near);
            let other = if holds { s.not(cond) } else { cond };
            let here = if holds { cond } else { s.not(cond) };
            let first = solver.ask_first(&mut s, &pc, (other, false), &near);
            let answer = solver.ask(&mut s, &pc, other, &near);
            assert_eq!(solver.take_error(), None);
            match (&first, &answer) {
                (Some(Answer::Sat(w)), Answer::Sat(_)) => assert!(s.holds(other, w)),
                (Some(Answer::Sat(_)), Answer::Unsat(_)) | (Some(Answer::Unsat(_)), Answer::Sat(_)) => {
                    panic!("{first:?} with little work, then {answer:?}")
                }
                _ => {}
            }
            match answer {
                Answer::Sat(w) if tape.below(2) == 0 => {
                    near = w;
                    solver.assume(&mut s, &mut pc, other);
                }
                _ => solver.assume(&mut s, &mut pc, here),
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn bitwuzla_is_given_what_evaluation_computes(
            tape in prop::collection::vec(any::<u8>(), 40..300),
            values in prop::array::uniform6(any::<u8>()),
            w in 1u8..=128,
        ) {
            let options = SolverOptions { tiers: tiers("bitwuzla"), ..sat_only() };
            check_value(options, &tape, values, w);
        }

        #[test]
        fn no_check_finds_anything(tape in prop::collection::vec(any::<u8>(), 40..400), only_sat: bool) {
            let limits = SolverOptions { timeout: Duration::from_secs(2), ..SolverOptions::default() };
            let base = if only_sat { sat_only() } else { SolverOptions::default() };
            walk(SolverOptions { cross_check: true, self_check: true, timeout: limits.timeout, ..base }, &tape);
        }
    }

    #[test]
    fn wide_multiplication_and_division_agree() {
        let mut s = Terms::new();
        let mut solver = Solver::new(SolverOptions { cross_check: true, ..sat_only() }).unwrap();
        let (x, y) = (word(&mut s, 0, 2), word(&mut s, 2, 2));
        let (wx, wy) = (s.sext(x, 100), s.sext(y, 100));
        let near = s.witness(&[1, 2, 3, 4]);
        for op in
            [BinaryOp::Mul, BinaryOp::UDiv, BinaryOp::SDiv, BinaryOp::URem, BinaryOp::SRem, BinaryOp::Shl]
        {
            let t = s.binary(op, wx, wy);
            let k = s.constant_of(100, 1234);
            let cond = s.eq(t, k);
            let answer = solver.ask(&mut s, &PathCondition::default(), cond, &near);
            assert!(matches!(answer, Answer::Sat(_)), "{op:?}: {answer:?} {:?}", solver.take_error());
        }
    }
}

mod with_installed_solvers {
    use super::*;
    use common::check_value_unless_late;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_pipe_carries_what_evaluation_computes(
            tape in prop::collection::vec(any::<u8>(), 40..300),
            values in prop::array::uniform6(any::<u8>()),
            w in 1u8..=128,
            cvc5: bool,
        ) {
            let name = if cvc5 { "cvc5" } else { "z3" };
            // Z3 does not divide 125 bits in time, though all bytes are fixed; what is judged here is the pipe.
            let options = SolverOptions { tiers: tiers(name), timeout: Duration::from_secs(5), ..sat_only() };
            prop_assume!(check_value_unless_late(options, &tape, values, w));
        }
    }

    #[test]
    fn a_core_names_what_contradicts_and_nothing_of_it_is_missing() {
        for name in ["z3", "cvc5"] {
            // Every unsatisfiable core is solved again by the same back end.
            let options = SolverOptions { tiers: tiers(name), self_check: true, ..sat_only() };
            let mut solver = Solver::new(options).unwrap();
            let mut s = Terms::new();
            let (x, near) = (word(&mut s, 0, 4), s.witness(&[]));
            let mut pc = PathCondition::default();
            let (five, nine) = (s.constant_of(32, 5), s.constant_of(32, 9));
            let (above, below) = (s.ult(nine, x), s.ult(x, five));
            solver.assume(&mut s, &mut pc, above);
            let answer = solver.ask(&mut s, &pc, below, &near);
            assert!(matches!(answer, Answer::Unsat(_)), "{name}: {answer:?}");
            assert_eq!(solver.take_error(), None);
        }
    }

    #[test]
    fn a_time_limit_ends_them_and_the_next_query_is_answered() {
        for name in ["z3", "cvc5"] {
            let (answer, took) = ask_hard(name);
            assert!(matches!(answer, Answer::Unknown(_)), "{name}: {answer:?} after {took:?}");
            assert!(took < Duration::from_secs(3), "{name}: {took:?}");
        }
    }
}

#[test]
fn a_back_end_that_is_told_to_stop_gives_up_at_once() {
    let alone = BACK_ENDS.iter().map(|back_end| tiers(back_end.name));
    for tiers in alone.chain([Tiers::default()]) {
        let name = tiers.to_string();
        let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let options = SolverOptions { tiers, stop: stop.clone(), timeout: Duration::MAX, ..sat_only() };
        let mut solver = Solver::new(options).unwrap();
        let mut s = Terms::new();
        // The factors of a product of two primes of 32 bits.
        let (a, b) = (word(&mut s, 0, 4), word(&mut s, 4, 4));
        let (wide_a, wide_b) = (s.zext(a, 64), s.zext(b, 64));
        let product = s.mul(wide_a, wide_b);
        let k = s.constant_of(64, 8_670_687_648_630_721_837);
        let (is_k, ordered) = (s.eq(product, k), s.ule(a, b));
        let cond = s.and(is_k, ordered);
        let near = s.witness(&[0; 8]);
        let stopper = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let start = Instant::now();
        let answer = solver.ask(&mut s, &PathCondition::default(), cond, &near);
        stopper.join().unwrap();
        assert!(matches!(answer, Answer::Unknown(_)), "{name}: {answer:?}");
        assert!(start.elapsed() < Duration::from_secs(5), "{name}: {:?}", start.elapsed());
    }
}

#[test]
fn back_ends_are_chosen_by_their_names_in_their_order() {
    for (i, back_end) in BACK_ENDS.iter().enumerate() {
        assert!(!back_end.about.is_empty() && BACK_ENDS[..i].iter().all(|b| b.name != back_end.name));
        let tiers = tiers(back_end.name);
        assert_eq!(tiers.to_string(), back_end.name);
        let mut solver = Solver::new(SolverOptions { tiers, ..sat_only() }).unwrap();
        let mut s = Terms::new();
        assert!(matches!(ask_product_in(&mut s, &mut solver, 77 * 13), Answer::Sat(_)), "{}", back_end.name);
        assert!(matches!(ask_product_in(&mut s, &mut solver, 251 * 257), Answer::Unsat(_)));
        // It was this one that answered, and no other was asked.
        let stats = solver.stats();
        assert_eq!((stats.smt_calls, stats.calls_of), (2, [(back_end.name, 2)].into()));
    }
    let all: Vec<&str> = BACK_ENDS.iter().map(|back_end| back_end.name).collect();
    let turned: Vec<&str> = all.iter().rev().copied().collect();
    let mut solver = Solver::new(SolverOptions { tiers: tiers(&turned.join(",")), ..sat_only() }).unwrap();
    assert!(matches!(ask_product(&mut solver, 77 * 13), Answer::Sat(_)));
    assert_eq!(solver.stats().calls_of[turned[0]], 1);
    for wrong in ["z", "", "bit-blaster,", "bit-blaster,z"] {
        let said = wrong.parse::<Tiers>().unwrap_err().to_string();
        assert!(
            all.iter().all(|name| said.contains(name)) && said.contains("no solver `"),
            "{wrong}: {said}"
        );
    }
    let said = "bit-blaster,bit-blaster".parse::<Tiers>().unwrap_err().to_string();
    assert!(said.contains("twice"), "{said}");
}

#[test]
fn each_of_three_is_asked_where_those_before_it_gave_up() {
    let unsure = || Box::new(Liar(Verdict::Unknown("lazy".into())));
    let later: Vec<Box<dyn Backend>> = vec![unsure(), Box::new(Honest::new()), unsure()];
    let mut solver = Solver::with_backends(sat_only(), unsure(), later);
    assert!(matches!(ask_product(&mut solver, 77 * 13), Answer::Sat(_)));
    let calls = solver.stats().calls_of;
    assert_eq!((calls["a liar"], calls["an honest one"]), (2, 1), "the last liar is not needed");
}

#[test]
fn a_checker_of_a_single_back_end_never_answers_in_its_place() {
    if BACK_ENDS.len() < 2 {
        return;
    }
    let options = SolverOptions {
        tiers: tiers("bit-blaster"),
        self_check: true,
        timeout: Duration::ZERO,
        ..sat_only()
    };
    let mut solver = Solver::new(options).unwrap();
    assert!(matches!(ask_product(&mut solver, 251 * 257), Answer::Unknown(_)));
    assert_eq!(solver.stats().calls_of["bit-blaster"], 1);
    assert_eq!(solver.stats().smt_calls, 1, "nothing was there to check");
    let options = SolverOptions { tiers: tiers("bit-blaster"), cross_check: true, ..sat_only() };
    let mut solver = Solver::new(options).unwrap();
    assert!(matches!(ask_product(&mut solver, 251 * 257), Answer::Unsat(_)));
    assert_eq!((solver.stats().smt_calls, solver.take_error()), (2, None));
}
