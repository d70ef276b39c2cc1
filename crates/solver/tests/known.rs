//! The simplification by a path is right for every input that takes the path.

use cleave_expr::{Term, Terms};
use cleave_solver::{PathCondition, Solver, SolverOptions};
use proptest::prelude::*;

use crate::common::{Tape, condition, filter, term, witness};

/// Maximum inputs that are tried.
const TRIED: usize = 60;

/// A term that has parts which the path has met before.
fn with_known_parts(s: &mut Terms, tape: &mut Tape<'_>, met: &[Term]) -> Term {
    let w = 8 + tape.below(40) as u8;
    let other = term(s, tape, 2, w, 2);
    let Some(&part) = met.get(tape.below(met.len().max(1))) else { return other };
    if s.width(part) == 1 && tape.below(2) == 0 {
        let third = term(s, tape, 2, w, 1);
        return s.ite(part, other, third);
    }
    let part = if s.width(part) <= w { s.zext(part, w) } else { s.extract(part, 0, w) };
    match tape.below(3) {
        0 => s.add(part, other),
        1 => s.xor(other, part),
        _ => part,
    }
}

fn check(s: &mut Terms, pc: &PathCondition, t: Term, alive: &[Vec<u8>]) {
    let simple = pc.simplified(s, t);
    assert_eq!(s.width(simple), s.width(t));
    for input in alive.iter().step_by(alive.len().div_ceil(TRIED)) {
        let w = witness(s, input);
        assert_eq!(
            s.eval_wide(simple, &w),
            s.eval_wide(t, &w),
            "{} became {} under {input:?}",
            s.text(t, 9),
            s.text(simple, 9)
        );
    }
}

fn walk(tape: &[u8]) {
    let mut s = Terms::new();
    let mut tape = Tape::new(tape);
    let mut solver = Solver::new(SolverOptions::default()).unwrap();
    let mut pc = PathCondition::default();
    let mut alive: Vec<Vec<u8>> = (0..=0xFFFFu16).map(|x| x.to_le_bytes().to_vec()).collect();
    s.byte_id(0, 0);
    s.byte_id(0, 1);
    let mut met = Vec::new();
    for _ in 0..5 {
        if tape.below(3) == 0 {
            // A term is made concrete.
            let w = 4 + tape.below(60) as u8;
            let t = term(&mut s, &mut tape, 2, w, 3);
            let input = alive[tape.below(alive.len())].clone();
            let at = witness(&mut s, &input);
            let value = s.eval(t, &at);
            let k = s.constant_of(w, value as u128);
            let cond = s.eq(t, k);
            if s.constant(cond).is_none() {
                solver.assume(&mut s, &mut pc, cond);
                alive = filter(&mut s, cond, &alive);
            }
            pc.learn(&mut s, t, value);
            met.push(t);
        } else {
            let cond = condition(&mut s, &mut tape, 2, 3);
            let not = s.not(cond);
            let (yes, no) = (filter(&mut s, cond, &alive), filter(&mut s, not, &alive));
            let side = if yes.is_empty() { false } else { no.is_empty() || tape.below(2) == 0 };
            let taken = if side { cond } else { not };
            if s.constant(taken).is_none() {
                solver.assume(&mut s, &mut pc, taken);
            }
            alive = if side { yes } else { no };
            met.push(cond);
        }
        for _ in 0..4 {
            let t = with_known_parts(&mut s, &mut tape, &met);
            check(&mut s, &pc, t, &alive);
        }
        for &t in &met {
            check(&mut s, &pc, t, &alive);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_simplified_term_has_the_value_of_the_term_on_the_path(tape in prop::collection::vec(any::<u8>(), 60..600)) {
        walk(&tape);
    }
}

#[test]
fn what_was_decided_and_what_was_made_concrete_is_a_constant() {
    let mut s = Terms::new();
    let mut solver = Solver::new(SolverOptions::default()).unwrap();
    let mut pc = PathCondition::default();
    let (a, b) = (s.byte(0, 0), s.byte(0, 1));
    let less = s.ult(a, b);
    let (four, five) = (s.constant_of(32, 4), s.constant_of(32, 5));
    let chosen = s.ite(less, four, five);
    assert_eq!(pc.simplified(&mut s, chosen), chosen, "nothing is decided yet");
    let not_less = s.not(less);
    solver.assume(&mut s, &mut pc, not_less);
    assert_eq!(pc.simplified(&mut s, chosen), five);

    // A sum that was made concrete, and what was made of it before.
    let (wide_a, wide_b) = (s.zext(a, 32), s.zext(b, 32));
    let sum = s.add(wide_a, wide_b);
    let more = s.mul(sum, five);
    let seven = s.constant_of(32, 7);
    let is_seven = s.eq(sum, seven);
    solver.assume(&mut s, &mut pc, is_seven);
    pc.learn(&mut s, sum, 7);
    let thirty_five = s.constant_of(32, 35);
    assert_eq!(pc.simplified(&mut s, more), thirty_five);
}
