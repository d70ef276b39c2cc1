//! The facts of a long path about its words, found without a look at all of its conditions, agree with the conditions.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::Duration;

use cleave_expr::{BinaryOp, Term, Terms, Witness};
use cleave_solver::{Answer, LayerName, PathCondition, Solver, SolverOptions};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// A solver without these layers, which gives up after a tenth of a second: bits answer most chains of words at once, and a
/// few not in minutes.
fn solver(disabled: &[LayerName]) -> Solver {
    let disabled: BTreeSet<LayerName> = disabled.iter().copied().collect();
    let timeout = Duration::from_millis(100);
    let tiers = "bit-blaster".parse().unwrap();
    Solver::new(SolverOptions { disabled, timeout, tiers, self_check: true, ..SolverOptions::default() })
        .unwrap()
}

/// The word of two or four bytes from this one on, little end first.
fn word(terms: &mut Terms, first: u32, bytes: u32) -> Term {
    let mut t = terms.byte(0, first);
    for i in 1..bytes {
        let byte = terms.byte(0, first + i);
        t = terms.concat(byte, t);
    }
    t
}

/// A comparison of two of the words, or of one and a constant, each with a small number added.
fn comparison(terms: &mut Terms, words: &[Term], choice: u64) -> Term {
    let mut left = choice;
    let mut pick = |n: u64| {
        let picked = left % n;
        left /= n;
        picked
    };
    let op = [BinaryOp::Ult, BinaryOp::Slt, BinaryOp::Eq][pick(3) as usize];
    let (x, y) = (words[pick(words.len() as u64) as usize], words[pick(words.len() as u64) as usize]);
    let width = terms.width(x);
    let moved = |terms: &mut Terms, t: Term, k: u64| {
        let k = terms.constant_of(width, u128::from(k).wrapping_sub(3));
        terms.add(t, k)
    };
    let a = moved(terms, x, pick(7));
    let b = match pick(3) {
        0 => moved(terms, y, pick(7)),
        1 => terms.constant_of(width, u128::from(pick(40)).wrapping_sub(20)),
        _ => terms.constant_of(width, (1u128 << (width - 1)) + u128::from(pick(40)) - 20),
    };
    let (a, b) = if pick(2) == 0 { (a, b) } else { (b, a) };
    let t = terms.binary(op, a, b);
    if pick(2) == 0 { t } else { terms.not(t) }
}

/// Walks the path of an input that decides these conditions, and asks these of it. A question that one of the
/// two solvers gives up is not judged. Returns how many were.
fn walk(bytes: u32, input: &[u8], path: &[u64], asked: &[u64]) -> usize {
    let mut terms = Terms::new();
    let words: Vec<Term> = (0..3).map(|i| word(&mut terms, i * bytes, bytes)).collect();
    let input: Vec<u8> = input.iter().copied().take(3 * bytes as usize).collect();
    let near: Witness = terms.witness(&input);
    let (mut one, mut other) = (solver(&[]), solver(&[LayerName::Words, LayerName::Patching]));
    let mut pc = PathCondition::default();
    for &choice in path {
        let cond = comparison(&mut terms, &words, choice);
        let cond = pc.simplified(&mut terms, cond);
        if terms.constant64(cond).is_some() {
            continue;
        }
        let holds = if terms.holds(cond, &near) { cond } else { terms.not(cond) };
        one.assume(&mut terms, &mut pc, holds);
    }
    let mut judged = 0;
    for &choice in asked {
        let cond = comparison(&mut terms, &words, choice);
        let (found, wanted) =
            (one.ask(&mut terms, &pc, cond, &near), other.ask(&mut terms, &pc, cond, &near));
        match (found, wanted) {
            (Answer::Sat(w), Answer::Sat(_)) => {
                let all = pc.conditions();
                assert!(all.iter().chain([&cond]).all(|&c| terms.holds(c, &w)));
            }
            (Answer::Unsat(_), Answer::Unsat(_)) => {
                // `ask_why` always returns conditions; to find them may take longer than to know the answer.
                let core = match one.ask_why(&mut terms, &pc, cond, &near) {
                    Answer::Unsat(core) => core,
                    Answer::Unknown(_) => continue,
                    Answer::Sat(_) => panic!("it was unsat"),
                };
                let core = core.conditions.expect("conditions");
                let all = pc.conditions();
                let known = |c: &Term| all.contains(c) || terms.constant64(*c).is_some();
                assert!(core.iter().all(known) || !core.is_empty());
            }
            (Answer::Unknown(_), _) | (_, Answer::Unknown(_)) => continue,
            (found, wanted) => panic!("{found:?}, not {wanted:?}: {}", terms.text(cond, 20)),
        }
        judged += 1;
        assert!(one.take_error().is_none());
        // A condition that never holds has its core, whatever layer answered the question before.
        let never = terms.bool(false);
        let Answer::Unsat(core) = one.ask_why(&mut terms, &pc, never, &near) else { panic!("false holds") };
        assert!(core.conditions.is_some());
    }
    judged
}

#[test]
fn facts_of_long_paths_are_what_their_conditions_say() {
    let paths = (
        prop_oneof![Just(2u32), Just(4)],
        proptest::collection::vec(prop_oneof![Just(0u8), Just(0xFF), Just(0x7F), any::<u8>()], 12),
        proptest::collection::vec(any::<u64>(), 30..120),
        proptest::collection::vec(any::<u64>(), 25),
    );
    let config = ProptestConfig { cases: 40, max_shrink_iters: 50, ..ProptestConfig::default() };
    let (judged, all) = (Cell::new(0), Cell::new(0));
    TestRunner::new(config)
        .run(&paths, |(bytes, input, path, asked)| {
            judged.set(judged.get() + walk(bytes, &input, &path, &asked));
            all.set(all.get() + asked.len());
            Ok(())
        })
        .unwrap();
    let (judged, all) = (judged.get(), all.get());
    assert!(10 * judged >= 9 * all, "only {judged} of {all} questions were judged");
}

/// Paths of one tree, each a node and its mark on the way: what two of them share is what they assumed before they parted.
#[test]
fn histories_share_what_was_assumed_before_paths_parted() {
    let mut terms = Terms::new();
    let mut solver = solver_without_check();
    let word = word(&mut terms, 0, 4);
    let mut paths: Vec<(PathCondition, Vec<u32>)> = vec![Default::default()];
    for mark in 0..200u32 {
        // Now one of the last, so that paths get long, and now any.
        let from = if mark % 3 == 0 { mark as usize / 2 } else { paths.len() - 1 };
        let (mut pc, mut marks) = paths[from].clone();
        let k = terms.constant_of(32, u128::from(mark));
        let cond = terms.ne(word, k);
        solver.assume_marked(&mut terms, &mut pc, cond, mark);
        marks.push(mark);
        paths.push((pc, marks));
    }
    let histories: Vec<_> = paths.iter().map(|(pc, marks)| (pc.history(), marks)).collect();
    for (a, of_a) in &histories {
        for (b, of_b) in &histories {
            let shared = of_a.iter().zip(of_b.iter()).take_while(|(x, y)| x == y).count();
            assert_eq!(a.shared(b), shared);
            let behind: Vec<u32> = a.behind(shared).into_iter().map(|(_, mark)| mark).collect();
            assert_eq!(behind, of_a[shared..]);
        }
    }
}

/// A countdown: each round is one condition, and asks for one.
fn countdown(rounds: u64, step: u64, signed: bool) -> (u64, u64) {
    let mut terms = Terms::new();
    let mut solver = solver_without_check();
    let n = word(&mut terms, 0, 4);
    let mut near = terms.witness(&[0xFF, 0xFF, 0xFF, 0x7F]);
    let mut pc = PathCondition::default();
    for k in 0..rounds {
        let k = terms.constant_of(32, u128::from(k * step));
        let cond = match signed {
            true => terms.slt(k, n),
            false => terms.ne(n, k),
        };
        let stops = terms.not(cond);
        assert!(matches!(solver.ask(&mut terms, &pc, stops, &near), Answer::Sat(_)));
        let Answer::Sat(w) = solver.ask(&mut terms, &pc, cond, &near) else { panic!("it goes on") };
        near = w;
        solver.assume(&mut terms, &mut pc, cond);
    }
    let stats = solver.stats();
    (terms.work(), stats.smt_calls)
}

fn solver_without_check() -> Solver {
    Solver::new(SolverOptions::default()).unwrap()
}

#[test]
fn a_question_late_on_a_path_is_no_more_work_than_an_early_one() {
    for (step, signed) in [(1, false), (3, false), (1, true)] {
        let (short, _) = countdown(2000, step, signed);
        let (long, calls) = countdown(8000, step, signed);
        assert!(
            long < 5 * short,
            "step {step}: {long} for four times as many rounds, not four times {short}"
        );
        assert_eq!(calls, 0);
    }
}
