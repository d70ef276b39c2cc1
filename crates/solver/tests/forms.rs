//! The parts of the layers for hard questions, against a trial of all inputs: forms for solving, sweeps, all values of
//! a term, pivots, random inputs.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use cleave_assignments::{Tried, holds_for, pivot, sample, sweep, values_of};
use cleave_expr::{BinaryOp, ByteId, ByteSet, Limit, Term, Terms};
use cleave_solver::{Answer, LayerName, PathCondition, Solver, SolverOptions};
use proptest::prelude::*;

use crate::common::{Tape, condition, filter, term, witness};

const FEW: [u8; 5] = [0, 1, 2, 0x7F, 0xFF];

/// Four bytes with few values each: their sets, and all inputs.
fn inputs(s: &mut Terms) -> (Vec<(ByteId, ByteSet)>, Vec<Vec<u8>>) {
    let mut set = ByteSet::EMPTY;
    FEW.into_iter().for_each(|v| set.insert(v));
    let bytes = (0..4).map(|i| (s.byte_id(0, i), set)).collect();
    let n = FEW.len();
    let all =
        (0..n.pow(4)).map(|x| [x / n / n / n, x / n / n % n, x / n % n, x % n].map(|i| FEW[i]).to_vec());
    (bytes, all.collect())
}

fn all_hold(s: &mut Terms, conds: &[Term], inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    conds.iter().fold(inputs.to_vec(), |left, &cond| filter(s, cond, &left))
}

fn input_of(values: impl IntoIterator<Item = (ByteId, u8)>) -> Vec<u8> {
    let mut input = vec![0; 4];
    values.into_iter().for_each(|(id, value)| input[id.0 as usize] = value);
    input
}

/// Terms such as programs make, which the rules for solving look for.
fn typical(s: &mut Terms, tape: &mut Tape<'_>) -> Term {
    let w = [8, 16, 32, 64][tape.below(4)];
    let x = term(s, tape, 4, w, 2);
    match tape.below(5) {
        4 => {
            // A test if a product would be too large, and the product.
            let (by, other) = (s.byte(0, tape.below(4) as u32), s.byte(0, tape.below(4) as u32));
            let bits = 1 + tape.below(8) as u8;
            let other = s.extract(other, 0, bits);
            let [by, other] = [by, other].map(|t| s.zext(t, w));
            let limit =
                s.constant_of(w, [tape.word(), 1 << (w - 1)][tape.below(2)] & (u128::MAX >> (128 - w)));
            let divided = if tape.below(3) == 0 { x } else { limit };
            let quotient = s.binary(BinaryOp::UDiv, divided, by);
            let op = [BinaryOp::Ult, BinaryOp::Slt][tape.below(2)];
            let too_large = if tape.below(2) == 0 {
                s.binary(op, quotient, other)
            } else {
                s.binary(op, other, quotient)
            };
            let (product, zero) = (s.mul(by, other), s.constant_of(w, 0));
            s.ite(too_large, zero, product)
        }
        3 => {
            // The rest of a number after some divisions, compared.
            let mut left = x;
            for _ in 0..1 + tape.below(3) {
                let k = s.constant_of(w, tape.below(20) as u128);
                left = s.binary(BinaryOp::UDiv, left, k);
            }
            let limit =
                s.constant_of(w, [0, 1, 9, 100, tape.word()][tape.below(5)] & (u128::MAX >> (128 - w)));
            let cond = [s.ult(left, limit), s.ult(limit, left), s.eq(left, limit)][tape.below(3)];
            s.zext(cond, w)
        }
        0 => {
            // A decimal digit, of all bits or of the lowest.
            let k = s.constant_of(w, 2 + tape.below(200) as u128);
            let quotient = s.binary(BinaryOp::UDiv, x, k);
            let narrow = 1 + tape.below(w as usize) as u8;
            let (x, quotient, k) =
                (s.extract(x, 0, narrow), s.extract(quotient, 0, narrow), s.extract(k, 0, narrow));
            let product = s.binary(BinaryOp::Mul, quotient, k);
            s.sub(x, product)
        }
        1 => {
            // A table of what a table says.
            let entries: Vec<u64> = (0..1 + tape.below(40)).map(|_| tape.byte().into()).collect();
            let (first, second) = (s.intern_table(8, &entries), s.intern_table(8, &entries));
            let index = s.zext(x, 64);
            let inner = s.table(first, index);
            let inner = s.zext(inner, 64);
            s.table(second, inner)
        }
        _ => {
            // count[x]++ a few times, for words of two bytes; the bits of an index may come from two bytes.
            let mut cells: Vec<[Term; 2]> = (0..4).map(|i| [0, i].map(|v| s.constant_of(8, v))).collect();
            for _ in 0..2 + tape.below(3) {
                let [byte, other] = [(); 2].map(|()| s.byte(0, tape.below(4) as u32));
                let parts = [s.extract(byte, 0, 1), s.extract(other, 7, 1)];
                let index = match tape.below(2) {
                    0 => s.extract(byte, 0, 2),
                    _ => s.concat(parts[0], parts[1]),
                };
                let mut value = s.constant_of(16, 0);
                let mut hits = Vec::new();
                for (i, [high, low]) in cells.iter().enumerate() {
                    let place = s.constant_of(2, i as u128);
                    let (hit, held) = (s.eq(index, place), s.concat(*high, *low));
                    value = s.ite(hit, held, value);
                    hits.push(hit);
                }
                let one = s.constant_of(16, 1);
                let more = s.add(value, one);
                for (cell, hit) in cells.iter_mut().zip(hits) {
                    let parts = [s.part(more, 8, 8), s.part(more, 0, 8)];
                    *cell = [s.ite(hit, parts[0], cell[0]), s.ite(hit, parts[1], cell[1])];
                }
            }
            let [high, low] = cells[tape.below(4)];
            s.concat(high, low)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_form_for_solving_has_the_same_value(tape in prop::collection::vec(any::<u8>(), 40..400), w in 1u8..=128) {
        let mut s = Terms::new();
        let (_, all) = inputs(&mut s);
        let mut tape = Tape::new(&tape);
        for t in [typical(&mut s, &mut tape), term(&mut s, &mut tape, 4, w, 4)] {
            let form = s.rewritten(t);
            prop_assert_eq!(s.width(form), s.width(t));
            for input in &all {
                let w = witness(&mut s, input);
                prop_assert_eq!(s.eval_wide(form, &w), s.eval_wide(t, &w), "{}", s.text(t, 9));
            }
        }
    }

    #[test]
    fn a_condition_on_few_values_holds_for_these(tape in prop::collection::vec(any::<u8>(), 40..400)) {
        let mut s = Terms::new();
        let (_, all) = inputs(&mut s);
        let mut tape = Tape::new(&tape);
        let t = typical(&mut s, &mut tape);
        let k = s.constant_of(s.width(t), tape.byte().into());
        for cond in [s.eq(t, k), s.ult(t, k), s.ult(k, t), condition(&mut s, &mut tape, 4, 3)] {
            let form = s.rewritten(cond);
            let Some((of, set)) = s.on_few_values(form) else { continue };
            for input in &all {
                let w = witness(&mut s, input);
                let value = s.eval(of, &w);
                prop_assert_eq!(value < 256 && set.contains(value as u8), s.holds(cond, &w));
            }
        }
    }

    #[test]
    fn a_sweep_finds_what_trying_all_inputs_finds(tape in prop::collection::vec(any::<u8>(), 40..400)) {
        let mut s = Terms::new();
        let (bytes, all) = inputs(&mut s);
        let mut tape = Tape::new(&tape);
        let conds: Vec<Term> = (0..1 + tape.below(4)).map(|_| condition(&mut s, &mut tape, 4, 3)).collect();
        let left = all_hold(&mut s, &conds, &all);
        let near = witness(&mut s, &[0; 4]);
        match sweep(&mut s, &conds, &bytes, &near, 1 << 20) {
            Tried::Holds(values) => prop_assert!(left.contains(&input_of(values))),
            Tried::Never(because) => {
                prop_assert!(left.is_empty(), "{:?} is a model", left[0]);
                prop_assert!(all_hold(&mut s, &because, &all).is_empty(), "what is blamed can hold");
            }
            // Only terms that are too wide are too much.
            Tried::TooMuch => prop_assert!(conds.iter().any(|&c| is_wide(&s, c))),
        }
        // With little room it may give up, and is never wrong.
        match sweep(&mut s, &conds, &bytes, &near, 40) {
            Tried::Holds(values) => prop_assert!(left.contains(&input_of(values))),
            Tried::Never(because) => prop_assert!(all_hold(&mut s, &because, &all).is_empty()),
            Tried::TooMuch => {}
        }
        if let Some(values) = sample(&s, &conds, &bytes, &near, 200) {
            prop_assert!(left.contains(&input_of(values)));
        }
    }

    #[test]
    fn all_values_of_a_term_are_found(tape in prop::collection::vec(any::<u8>(), 40..400)) {
        let mut s = Terms::new();
        let (bytes, all) = inputs(&mut s);
        let mut tape = Tape::new(&tape);
        let conds: Vec<Term> = (0..tape.below(3)).map(|_| condition(&mut s, &mut tape, 4, 3)).collect();
        let t = typical(&mut s, &mut tape);
        let left = all_hold(&mut s, &conds, &all);
        let near = witness(&mut s, &[0; 4]);
        let Some(reached) = values_of(&mut s, t, &conds, &bytes, &near, (1 << 20, 1 << 10)) else {
            // A constant has no bytes to be swept.
            prop_assert!(is_wide(&s, t) || s.constant(t).is_some() || conds.iter().any(|&c| is_wide(&s, c)));
            return Ok(());
        };
        let mut expected = BTreeSet::new();
        for input in &left {
            let w = witness(&mut s, input);
            expected.insert(s.eval(t, &w));
        }
        prop_assert_eq!(reached.values.iter().copied().collect::<BTreeSet<u64>>(), expected);
        for (place, value) in reached.values.iter().enumerate() {
            let input = input_of(reached.way(place));
            let w = witness(&mut s, &input);
            prop_assert_eq!(s.eval(t, &w), *value);
            prop_assert!(left.contains(&input));
        }
    }

    #[test]
    fn a_pivot_decides_its_condition(tape in prop::collection::vec(any::<u8>(), 40..400)) {
        let mut s = Terms::new();
        let (_, all) = inputs(&mut s);
        let mut tape = Tape::new(&tape);
        let t = typical(&mut s, &mut tape);
        let k = s.constant_of(s.width(t), tape.byte().into());
        for cond in [s.eq(t, k), s.ult(t, k), condition(&mut s, &mut tape, 4, 3)] {
            let Some(top) = pivot(&s, cond) else { continue };
            for input in &all {
                let w = witness(&mut s, input);
                let value = s.eval(top, &w);
                if let Some(holds) = holds_for(&s, cond, top, &[value, value]) {
                    let expected = s.holds(cond, &w);
                    prop_assert_eq!(holds, vec![expected; 2]);
                }
            }
        }
    }

    /// A program that compares a term with one value after the other: each answer is that of trying all inputs.
    #[test]
    fn one_term_asked_for_many_values(tape in prop::collection::vec(any::<u8>(), 40..400), alone in any::<bool>()) {
        let mut s = Terms::new();
        let (bytes, all) = inputs(&mut s);
        let mut tape = Tape::new(&tape);
        let few = [LayerName::Values, LayerName::ByteSets, LayerName::Slices, LayerName::Sat];
        let off = LayerName::ALL.into_iter().filter(|l| alone && !few.contains(l)).collect();
        let options =
            SolverOptions { disabled: off, tiers: "bit-blaster".parse().unwrap(), ..SolverOptions::default() };
        let mut solver = Solver::new(options).unwrap();
        let mut pc = PathCondition::default();
        for (id, _) in &bytes {
            let byte = s.byte(0, id.0);
            let mut any = s.bool(false);
            for v in FEW {
                let k = s.constant_of(8, v.into());
                let is = s.eq(byte, k);
                any = s.or(any, is);
            }
            solver.assume(&mut s, &mut pc, any);
        }
        let t = typical(&mut s, &mut tape);
        let mut left = all.clone();
        for i in 0..12u128 {
            let k = s.constant_of(s.width(t), if i % 3 == 2 { tape.byte().into() } else { i });
            let cond = if tape.below(3) == 0 { s.ult(t, k) } else { s.eq(t, k) };
            let expected = filter(&mut s, cond, &left);
            let near = witness(&mut s, &left[tape.below(left.len())].clone());
            match solver.ask(&mut s, &pc, cond, &near) {
                Answer::Sat(w) => {
                    prop_assert!(pc.conditions().into_iter().chain([cond]).all(|c| s.holds(c, &w)));
                }
                Answer::Unsat(core) => {
                    prop_assert!(expected.is_empty(), "{:?} is a model", expected[0]);
                    let mut because = core.conditions.unwrap();
                    because.push(cond);
                    prop_assert!(all_hold(&mut s, &because, &all).is_empty(), "the core can hold");
                }
                Answer::Unknown(why) => prop_assert!(why.contains("no answer within"), "{}", why),
            }
            let other = s.not(cond);
            let rest = filter(&mut s, other, &left);
            if !rest.is_empty() && s.constant(other).is_none() {
                solver.assume(&mut s, &mut pc, other);
                left = rest;
            }
        }
        prop_assert_eq!(solver.take_error(), None);
    }
}

/// Returns true if a part of a term has more than 64 bits.
fn is_wide(s: &Terms, t: Term) -> bool {
    s.width(t) > 64 || s.children(t).any(|c| is_wide(s, c))
}

#[test]
fn a_long_sum_is_swept_though_its_inputs_are_too_many_to_try() {
    let mut s = Terms::new();
    let mut sum = s.constant_of(16, 0);
    let bytes: Vec<(ByteId, ByteSet)> = (0..12).map(|i| (s.byte_id(0, i), ByteSet::FULL)).collect();
    for i in 0..12 {
        let byte = s.byte(0, i);
        let byte = s.zext(byte, 16);
        sum = s.add(sum, byte);
    }
    let near = s.witness(&[]);
    let is = |s: &mut Terms, v: u128| {
        let k = s.constant_of(16, v);
        s.eq(sum, k)
    };
    let most = is(&mut s, 12 * 255);
    assert!(
        matches!(sweep(&mut s, &[most], &bytes, &near, 1 << 22), Tried::Holds(values) if values.iter().all(|v| v.1 == 255))
    );
    // 12 * 255 is all that there is: its range says so, and a sum that is odd where all bytes are even.
    let low = s.extract(sum, 0, 1);
    let even: Vec<(ByteId, ByteSet)> = bytes
        .iter()
        .map(|(id, _)| {
            let mut set = ByteSet::EMPTY;
            (0..=255u8).filter(|v| v % 2 == 0).for_each(|v| set.insert(v));
            (*id, set)
        })
        .collect();
    assert_eq!(sweep(&mut s, &[low], &even, &near, 1 << 22), Tried::Never(vec![low]));
    // One that is told to stop does nothing.
    let told = AtomicBool::new(true);
    let limit = Limit { most: 1 << 22, stop: Some(&told) };
    assert_eq!(sweep(&mut s, &[low], &even, &near, limit), Tried::TooMuch);
    told.store(false, Ordering::Relaxed);
    assert_eq!(sweep(&mut s, &[low], &even, &near, limit), Tried::Never(vec![low]));
}

#[test]
fn a_digit_is_below_ten_and_nobody_has_to_search_for_that() {
    let mut s = Terms::new();
    let mut n = s.byte(0, 0);
    for i in 1..8 {
        let byte = s.byte(0, i);
        n = s.concat(n, byte);
    }
    let ten = s.constant_of(64, 10);
    let quotient = s.binary(BinaryOp::UDiv, n, ten);
    let (low, low_quotient) = (s.extract(n, 0, 8), s.extract(quotient, 0, 8));
    let minus_ten = s.constant_of(8, 246);
    let product = s.binary(BinaryOp::Mul, low_quotient, minus_ten);
    let digit = s.add(low, product);
    let limit = s.constant_of(8, 10);
    let too_large = s.ule(limit, digit);
    let form = s.rewritten(too_large);
    assert_eq!(s.constant(form), Some(0), "{}", s.text(form, 9));
}

/// A program tests by a division if `width * height` would be too large, and then asks between which numbers the
/// product lies: all answers are those of a trial of all widths.
#[test]
fn sizes_that_were_looked_at_by_a_division_lie_between_bounds() {
    let mut s = Terms::new();
    let mut solver = Solver::new(SolverOptions::default()).unwrap();
    let mut pc = PathCondition::default();
    let [width, height] = [0, 2].map(|at| {
        let (low, high) = (s.byte(0, at), s.byte(0, at + 1));
        let whole = s.concat(high, low);
        s.zext(whole, 32)
    });
    let (zero, limit) = (s.constant_of(32, 0), s.constant_of(32, 0x7FFF_FFFF));
    let quotient = s.binary(BinaryOp::UDiv, limit, height);
    let too_large = s.binary(BinaryOp::Slt, quotient, width);
    for refused in [s.eq(width, zero), s.eq(height, zero), too_large] {
        let taken = s.not(refused);
        solver.assume(&mut s, &mut pc, taken);
    }
    let product = s.mul(width, height);
    let (mut low, mut high) = (0x7FFF_0000u32, u32::MAX);
    let mut near = s.witness(&[0xFF, 0xFF, 0x00, 0x80]);
    while low < high {
        let middle = low + (high - low) / 2;
        let k = s.constant_of(32, middle.into());
        let more = s.ult(k, product);
        let possible = (1..=0xFFFFu32).any(|w| {
            let most = (high.min(0x7FFF_FFFF) / w).min(0xFFFF);
            most >= 1 && w * most > middle
        });
        match solver.ask(&mut s, &pc, more, &near) {
            Answer::Sat(w) => {
                assert!(possible, "no product is above {middle}");
                assert!(pc.conditions().into_iter().chain([more]).all(|c| s.holds(c, &w)));
                near = w;
                low = middle + 1;
                solver.assume(&mut s, &mut pc, more);
            }
            Answer::Unsat(_) => {
                assert!(!possible, "a product is above {middle}");
                high = middle;
                let not_more = s.not(more);
                solver.assume(&mut s, &mut pc, not_more);
            }
            Answer::Unknown(why) => panic!("above {middle}: {why}"),
        }
    }
    assert_eq!(
        u64::from(high),
        s.eval(product, &near),
        "the largest product of all is the last that is left"
    );
    // The program has the product in a wider word, too.
    let [width, height] = [width, height].map(|t| s.zext(t, 64));
    let (wide, known) = (s.mul(width, height), s.constant_of(64, high.into()));
    for other in [s.ult(wide, known), s.ult(known, wide)] {
        assert!(matches!(solver.ask(&mut s, &pc, other, &near), Answer::Unsat(_)));
    }
    assert_eq!(solver.take_error(), None);
}

/// Products of two words between numbers near each other: where there is none, the solver says so, as trying all words does.
#[test]
fn between_two_numbers_there_is_a_product_or_there_is_none() {
    let mut s = Terms::new();
    let [a, b] = [0, 2].map(|at| {
        let (low, high) = (s.byte(0, at), s.byte(0, at + 1));
        let whole = s.concat(high, low);
        s.zext(whole, 32)
    });
    let product = s.mul(a, b);
    let (mut none, mut chance) = (0, 12345u32);
    for round in 0..60u32 {
        chance = chance.wrapping_mul(1664525).wrapping_add(1013904223);
        let low = if round % 2 == 0 { chance >> (round % 16) } else { u32::MAX - (chance >> 12) };
        let high = low.saturating_add(round % 3);
        let possible = low == 0 || (1..=0xFFFFu32).any(|v| low.div_ceil(v) <= (high / v).min(0xFFFF));
        let mut solver = Solver::new(SolverOptions::default()).unwrap();
        let mut pc = PathCondition::default();
        let [low, high] = [low, high].map(|k| s.constant_of(32, k.into()));
        let (below, above) = (s.ult(product, low), s.ult(high, product));
        let [at_least, at_most] = [below, above].map(|c| s.not(c));
        let near = s.witness(&[0xFF; 4]);
        solver.assume(&mut s, &mut pc, at_least);
        if !s.holds(at_least, &near) || s.constant(at_least).is_some() {
            continue;
        }
        match solver.ask(&mut s, &pc, at_most, &near) {
            Answer::Sat(w) => assert!(possible && s.holds(at_least, &w) && s.holds(at_most, &w)),
            Answer::Unsat(_) => {
                assert!(!possible, "a product is between these");
                none += 1;
            }
            Answer::Unknown(why) => assert!(possible, "{why}"),
        }
        assert_eq!(solver.take_error(), None);
    }
    assert!(none >= 15, "only {none} times there was none");
}
