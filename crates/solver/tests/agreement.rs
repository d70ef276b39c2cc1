//! With any layers, answers are those of trying all inputs, models satisfy, cores conflict.

use std::collections::BTreeSet;
use std::time::Duration;

use cleave_expr::Terms;
use cleave_solver::{Answer, LayerName, PathCondition, Solver, SolverOptions};
use proptest::prelude::*;

use crate::common::{Tape, check_value, condition, filter, witness};

/// Bytes 0..2 with all values, or 0..4 with few values each.
fn inputs(bytes: u32) -> Vec<Vec<u8>> {
    if bytes == 2 {
        return (0..=0xFFFFu16).map(|x| x.to_le_bytes().to_vec()).collect();
    }
    const FEW: [u8; 7] = [0, 1, 2, 3, 0x7F, 0x80, 0xFF];
    let n = FEW.len();
    (0..n.pow(4)).map(|x| [x / n / n / n, x / n / n % n, x / n % n, x % n].map(|i| FEW[i]).to_vec()).collect()
}

fn options(disabled: impl IntoIterator<Item = LayerName>) -> SolverOptions {
    let disabled = disabled.into_iter().collect::<BTreeSet<_>>();
    // some random questions are too hard for anybody: to give up is right, if seldom of use
    let timeout = Duration::from_millis(500);
    SolverOptions { disabled, timeout, tiers: "bit-blaster".parse().unwrap(), ..SolverOptions::default() }
}

/// Walks one random path, asking for both sides of each condition.
fn walk(options: SolverOptions, bytes: u32, length: usize, tape: &[u8]) {
    let mut s = Terms::new();
    let mut tape = Tape::new(tape);
    let mut solver = Solver::new(options).unwrap();
    let mut pc = PathCondition::default();
    for i in 0..bytes {
        s.byte_id(0, i);
    }
    let all = inputs(bytes);
    let mut alive = all.clone();
    if bytes != 2 {
        // the few values as conditions of the path
        for i in 0..bytes {
            let b = s.byte(0, i);
            let mut any = s.bool(false);
            for v in [0u8, 1, 2, 3, 0x7F, 0x80, 0xFF] {
                let k = s.constant_of(8, v as u128);
                let e = s.eq(b, k);
                any = s.or(any, e);
            }
            solver.assume(&mut s, &mut pc, any);
        }
    }
    for _ in 0..length {
        let cond = condition(&mut s, &mut tape, bytes, 3);
        let near_input = alive[tape.below(alive.len())].clone();
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
                    assert!(expected.is_empty(), "unsat though {:?} is a model", expected[0]);
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

fn subsets() -> impl Strategy<Value = Vec<LayerName>> {
    prop::sample::subsequence(
        LayerName::ALL.into_iter().filter(|&l| l != LayerName::Sat).collect::<Vec<_>>(),
        0..LayerName::ALL.len(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn answers_are_those_of_trying_all_inputs(tape in prop::collection::vec(any::<u8>(), 40..400)) {
        walk(options([]), 2, 5, &tape);
    }

    #[test]
    fn answers_are_those_of_the_back_end_alone(tape in prop::collection::vec(any::<u8>(), 40..400)) {
        let all = LayerName::ALL.into_iter().filter(|&l| l != LayerName::Sat);
        walk(options(all), 2, 3, &tape);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_layers_may_be_off(
        tape in prop::collection::vec(any::<u8>(), 40..600),
        off in subsets(),
    ) {
        walk(options(off), 4, 8, &tape);
    }

    #[test]
    fn one_layer_alone_before_the_back_end_agrees(
        tape in prop::collection::vec(any::<u8>(), 40..600),
        on in 0..LayerName::ALL.len(),
    ) {
        let on = LayerName::ALL[on];
        walk(options(LayerName::ALL.into_iter().filter(|&l| l != LayerName::Sat && l != on)), 4, 6, &tape);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// With all bytes fixed a term has its value, and no other.
    #[test]
    fn the_bit_blaster_computes_what_evaluation_computes(
        tape in prop::collection::vec(any::<u8>(), 40..400),
        values in prop::array::uniform6(any::<u8>()),
        w in 1u8..=128,
    ) {
        let all = LayerName::ALL.into_iter().filter(|&l| l != LayerName::Sat);
        // All inputs are fixed, so each question can be answered, on a busy machine too.
        let options = SolverOptions { timeout: Duration::from_secs(60), ..options(all) };
        check_value(options, &tape, values, w);
    }
}
