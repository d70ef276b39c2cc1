//! Several conditions at once: answers are those of trying all inputs, and refutations of the first conditions are
//! right.

use std::collections::BTreeSet;
use std::time::Duration;

use cleave_expr::{Term, Terms};
use cleave_solver::{
    Backend, Conflict, LayerName, PathCondition, Query, Solver, SolverError, SolverOptions, Together, Verdict,
};
use proptest::prelude::*;

use crate::common::{Tape, condition, filter, witness};

fn options(disabled: impl IntoIterator<Item = LayerName>, feeding: bool, self_check: bool) -> SolverOptions {
    let disabled = disabled.into_iter().collect::<BTreeSet<_>>();
    let timeout = Duration::from_millis(500);
    let tiers = "bit-blaster".parse().unwrap();
    SolverOptions { disabled, timeout, tiers, feeding, self_check, ..SolverOptions::default() }
}

/// Every second value of two bytes, with the highest ones.
fn inputs() -> Vec<Vec<u8>> {
    (0..=0xFFFFu16).map(|x| x.to_le_bytes().to_vec()).collect()
}

/// Walks one random path; at each step asks for some conditions that may follow, and goes on with the first that can.
fn walk(options: SolverOptions, tape: &[u8]) {
    let mut s = Terms::new();
    let mut tape = Tape::new(tape);
    let mut solver = Solver::new(options).unwrap();
    let mut pc = PathCondition::default();
    for i in 0..2 {
        s.byte_id(0, i);
    }
    let mut alive = inputs();
    for _ in 0..4 {
        let near_input = alive[tape.below(alive.len())].clone();
        let near = witness(&mut s, &near_input);
        let conds: Vec<Term> = (0..1 + tape.below(5)).map(|_| condition(&mut s, &mut tape, 2, 3)).collect();
        // The inputs that are left after each of them.
        let mut left = vec![alive.clone()];
        for &cond in &conds {
            let next = filter(&mut s, cond, left.last().unwrap());
            left.push(next);
        }
        match solver.ask_together(&mut s, &pc, &conds, &near) {
            Together::Sat(w) => {
                assert!(!left.last().unwrap().is_empty(), "sat without a model");
                for c in pc.conditions().into_iter().chain(conds.clone()) {
                    assert!(s.holds(c, &w), "the model breaks {}", s.text(c, 9));
                }
            }
            Together::Unsat { within } => {
                assert!(within >= 1 && within <= conds.len());
                assert!(left[within].is_empty(), "the first {within} of {} can hold", conds.len());
            }
            Together::Unknown(why) => assert!(why.contains("no answer within"), "{why}"),
        }
        if let Some(after) = left.get(1).filter(|l| !l.is_empty())
            && s.constant(conds[0]).is_none()
        {
            solver.assume(&mut s, &mut pc, conds[0]);
            alive = after.clone();
        }
    }
    assert_eq!(solver.take_error(), None);
}

fn subsets() -> impl Strategy<Value = Vec<LayerName>> {
    let layers: Vec<_> = LayerName::ALL.into_iter().filter(|&l| l != LayerName::Sat).collect();
    prop::sample::subsequence(layers, 0..LayerName::ALL.len())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn answers_are_those_of_trying_all_inputs(
        tape in prop::collection::vec(any::<u8>(), 40..400), feeding: bool, self_check: bool,
    ) {
        walk(options([], feeding, self_check), &tape);
    }

    #[test]
    fn any_layers_may_be_off(
        tape in prop::collection::vec(any::<u8>(), 40..400), off in subsets(), feeding: bool, self_check: bool,
    ) {
        walk(options(off, feeding, self_check), &tape);
    }

    #[test]
    fn without_layers_answers_are_the_back_end_s(
        tape in prop::collection::vec(any::<u8>(), 40..400), feeding: bool,
    ) {
        let all = LayerName::ALL.into_iter().filter(|&l| l != LayerName::Sat);
        walk(options(all, feeding, true), &tape);
    }
}

/// A back end that gives a prescribed answer; asked alone for a core, it blames this number of first conditions.
enum Liar {
    Model,
    Blames(usize),
    Feeds(usize),
}

fn first(query: &Query<'_>, n: usize) -> Conflict {
    Conflict { conditions: query.conditions[..n].to_vec(), domains: Vec::new() }
}

impl Backend for Liar {
    fn name(&self) -> &'static str {
        "a liar"
    }
    fn solve(&mut self, _: &mut Terms, query: &Query<'_>, _: Duration) -> Verdict {
        match self {
            Liar::Model => Verdict::Sat(Vec::new()),
            Liar::Blames(n) | Liar::Feeds(n) => Verdict::Unsat(first(query, *n)),
        }
    }
    fn feed(&mut self, _: &mut Terms, query: &Query<'_>, _: Duration) -> Option<Conflict> {
        match self {
            Liar::Feeds(n) => Some(first(query, *n)),
            _ => None,
        }
    }
}

/// A bit-blaster in a solver of its own.
struct Honest(Solver);

impl Backend for Honest {
    fn name(&self) -> &'static str {
        "an honest one"
    }
    fn solve(&mut self, terms: &mut Terms, query: &Query<'_>, _: Duration) -> Verdict {
        match self.0.ask_together(terms, &PathCondition::default(), query.conditions, query.near) {
            Together::Sat(w) => {
                Verdict::Sat(query.bytes(terms).into_iter().map(|id| (id, w.get(id))).collect())
            }
            Together::Unsat { within } => Verdict::Unsat(first(query, within)),
            Together::Unknown(why) => Verdict::Unknown(why),
        }
    }
}

fn no_layers() -> impl Iterator<Item = LayerName> {
    LayerName::ALL.into_iter().filter(|&l| l != LayerName::Sat)
}

/// Asks for a product of two bytes that can be had, then for one more byte that contradicts it.
fn asked(liar: Liar, impossible: bool) -> (Together, Option<SolverError>) {
    let feeding = matches!(liar, Liar::Feeds(_));
    let honest = Honest(Solver::new(options(no_layers(), false, false)).unwrap());
    let checked = options(no_layers(), feeding, true);
    let mut solver = Solver::with_backends(checked, Box::new(liar), vec![Box::new(honest)]);
    let mut s = Terms::new();
    let (a, b) = (s.byte(0, 0), s.byte(0, 1));
    let (wide_a, wide_b) = (s.zext(a, 16), s.zext(b, 16));
    let product = s.mul(wide_a, wide_b);
    let (k, zero) = (s.constant_of(16, 77 * 13), s.constant_of(8, 0));
    let is_product = s.eq(product, k);
    let last = if impossible { s.eq(a, zero) } else { s.ne(a, zero) };
    let near = s.witness(&[0, 0]);
    let answer = solver.ask_together(&mut s, &PathCondition::default(), &[is_product, last], &near);
    (answer, solver.take_error())
}

#[test]
fn self_check_finds_out_whoever_lies_about_models_cores_and_what_is_fed() {
    let (_, error) = asked(Liar::Model, false);
    assert!(matches!(error, Some(SolverError::WrongModel { .. })), "an invented model");
    let (_, error) = asked(Liar::Blames(2), false);
    assert!(matches!(error, Some(SolverError::Disagreement { .. })), "a refusal of what can be had");
    let (answer, error) = asked(Liar::Blames(2), true);
    assert!(matches!(answer, Together::Unsat { within: 2 }) && error.is_none(), "the truth");
    let (answer, error) = asked(Liar::Blames(1), true);
    assert!(matches!(answer, Together::Unsat { within: 1 }));
    assert!(matches!(error, Some(SolverError::Disagreement { .. })), "a core that can hold, of what cannot");
    let (_, error) = asked(Liar::Feeds(1), true);
    assert!(matches!(error, Some(SolverError::Disagreement { .. })), "a contradiction that is none");
}
