//! An upper bound of a word narrows the values of its bytes.

use cleave_expr::{BinaryOp, ByteSet, Term, Terms};
use cleave_solver::{Answer, LayerName, PathCondition, Solver, SolverOptions};

/// The word of the first four bytes, little end first.
fn word(terms: &mut Terms) -> Term {
    let mut t = terms.byte(0, 0);
    for i in 1..4 {
        let byte = terms.byte(0, i);
        t = terms.concat(byte, t);
    }
    t
}

fn at_most(terms: &mut Terms, word: Term, most: u128) -> Term {
    let most = terms.constant_of(32, most);
    let more = terms.binary(BinaryOp::Ult, most, word);
    terms.not(more)
}

#[test]
fn a_bound_leaves_upper_bytes_one_value_and_the_rest_what_it_says() {
    for most in [
        0u128,
        1,
        2,
        77,
        255,
        256,
        300,
        65_535,
        65_536,
        70_000,
        16_777_215,
        16_777_216,
        u128::from(u32::MAX - 1),
    ] {
        let mut terms = Terms::new();
        let mut solver = Solver::new(SolverOptions::default()).unwrap();
        let mut pc = PathCondition::default();
        let word = word(&mut terms);
        let bound = at_most(&mut terms, word, most);
        solver.assume(&mut terms, &mut pc, bound);
        for i in 0..4 {
            let values = pc.domain(terms.byte_id(0, i));
            if most >> (8 * i) == 0 {
                assert_eq!(values.iter().collect::<Vec<_>>(), [0], "byte {i} of at most {most}");
            } else if most >> (8 * (i + 1)) != 0 || i > 0 {
                assert_eq!(values, ByteSet::FULL, "byte {i} of at most {most}");
            } else {
                assert_eq!(values.len() as u128, most + 1);
            }
        }
        // Nothing more is said than what was: the bound can be reached, and no more than that.
        let nothing = terms.witness(&[]);
        let here = terms.constant_of(32, most);
        let here = terms.binary(BinaryOp::Eq, word, here);
        assert!(matches!(solver.ask(&mut terms, &pc, here, &nothing), Answer::Sat(_)), "{most}");
        let above = terms.constant_of(32, most + 1);
        let above = terms.binary(BinaryOp::Eq, word, above);
        assert!(matches!(solver.ask(&mut terms, &pc, above, &nothing), Answer::Unsat(_)), "{most}");
    }
}

#[test]
fn the_last_number_of_arguments_is_no_decision() {
    let mut terms = Terms::new();
    let mut solver = Solver::new(SolverOptions::default()).unwrap();
    let mut pc = PathCondition::default();
    let n = word(&mut terms);
    let bound = at_most(&mut terms, n, 2);
    solver.assume(&mut terms, &mut pc, bound);
    let is = |terms: &mut Terms, v| {
        let v = terms.constant_of(32, v);
        terms.binary(BinaryOp::Eq, n, v)
    };
    for v in 0..2 {
        let it = is(&mut terms, v);
        let left = pc.simplified(&mut terms, it);
        assert_eq!(terms.constant64(left), None);
        let other = terms.not(left);
        solver.assume(&mut terms, &mut pc, other);
    }
    let last = is(&mut terms, 2);
    let left = pc.simplified(&mut terms, last);
    assert_eq!(terms.constant64(left), Some(1));
    // Asked for the bound itself, the path knows it.
    let again = pc.simplified(&mut terms, bound);
    assert_eq!(terms.constant64(again), Some(1));
}

/// A bound names bytes that it does not link: what a question about one of them finds says nothing of the others, whose
/// conditions were not looked at.
#[test]
fn a_question_about_one_byte_of_a_bound_leaves_the_others_as_they_are() {
    let mut terms = Terms::new();
    let disabled = LayerName::ALL.into_iter().filter(|l| !matches!(l, LayerName::Sat | LayerName::Slices));
    let options = SolverOptions { disabled: disabled.collect(), ..SolverOptions::default() };
    let mut solver = Solver::new(options).unwrap();
    let (low, high) = (terms.byte(0, 0), terms.byte(0, 1));
    let (low_id, high_id) = (terms.byte_id(0, 0), terms.byte_id(0, 1));
    let word = terms.concat(high, low);
    let word = terms.zext(word, 32);
    let bound = at_most(&mut terms, word, 2);
    let zero = terms.constant_of(8, 0);
    let is_zero = terms.eq(low, zero);
    let not_zero = terms.not(is_zero);
    let zeros = terms.witness(&[]);
    // The back end's first look at both bytes: it tries zeros first from now on.
    let anything = PathCondition::default();
    assert!(matches!(solver.ask(&mut terms, &anything, bound, &zeros), Answer::Sat(_)));

    let mut pc = PathCondition::default();
    solver.assume(&mut terms, &mut pc, bound);
    solver.assume(&mut terms, &mut pc, not_zero);
    let near = terms.patched(&zeros, [(low_id, 1)]);
    let few = terms.constant_of(8, 5);
    let asked = terms.binary(BinaryOp::Ult, high, few);
    let Answer::Sat(found) = solver.ask(&mut terms, &pc, asked, &near) else { panic!("it can hold") };
    assert_eq!((found.get(high_id), found.get(low_id)), (0, 1));
}
