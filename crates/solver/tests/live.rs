//! Once a path has enumerated the models of a few bytes, its answers are those of trying all inputs: which conditions
//! are decided, which terms have one value, and which inputs take the path.

use cleave_expr::{BinaryOp, Term, Terms};
use cleave_solver::{Answer, PathCondition, Solver, SolverOptions, Together};
use proptest::prelude::*;

use crate::common::{Tape, condition, filter, term, witness};

/// A path, with all inputs that take it.
#[derive(Clone)]
struct Path {
    pc: PathCondition,
    alive: Vec<Vec<u8>>,
    /// True if the third byte was met: before, it is zero in all of these inputs, as it may be anything.
    met_third: bool,
}

/// A condition on two bytes that few inputs break.
fn weak(s: &mut Terms, tape: &mut Tape<'_>, words: &mut Vec<Term>) -> Term {
    let (a, b) = (words[tape.below(words.len())], words[words.len() - 1 - tape.below(2)]);
    let mixed = match tape.below(4) {
        0 => s.add(a, b),
        1 => s.xor(a, b),
        2 => {
            let factor = s.constant_of(16, 3 + 2 * tape.below(20) as u128);
            let product = s.mul(a, factor);
            s.add(product, b)
        }
        _ => s.sub(a, b),
    };
    // Of both bytes, whatever was chosen.
    let mixed = s.add(mixed, words[2]);
    words.push(mixed);
    let modulus = s.constant_of(16, 11 + tape.below(60) as u128);
    let rest = s.binary(BinaryOp::URem, mixed, modulus);
    let value = s.constant_of(16, tape.below(11) as u128);
    s.ne(rest, value)
}

/// Puts conditions on a path that hardly any input breaks: rows are listed on long paths alone.
fn lengthen(s: &mut Terms, solver: &mut Solver, path: &mut Path, word: Term) {
    for i in 0..32 {
        let [factor, modulus, value] = [5 + 2 * i, 1000 + i, 3 * i].map(|v| s.constant_of(16, v));
        let product = s.mul(word, factor);
        let rest = s.binary(BinaryOp::URem, product, modulus);
        let cond = s.ne(rest, value);
        solver.assume(s, &mut path.pc, cond);
        path.alive = filter(s, cond, &path.alive);
    }
}

/// The one value of a term in all these inputs; `None` if it has several.
fn one_value(s: &mut Terms, t: Term, alive: &[Vec<u8>]) -> Option<u128> {
    let mut found = None;
    for input in alive {
        let w = witness(s, input);
        let value = s.eval_wide(t, &w);
        if *found.get_or_insert(value) != value {
            return None;
        }
    }
    found
}

/// Asserts that the path is right about a term for all inputs that take it, and that it is exact if the models of the
/// term's bytes are enumerated.
fn check_term(s: &mut Terms, path: &Path, t: Term) -> bool {
    let listed = path.pc.rows_left(s, t).is_some();
    let simple = path.pc.simplified(s, t);
    match one_value(s, t, &path.alive) {
        Some(value) if listed => assert_eq!(s.constant(simple), Some(value), "{}", s.text(t, 9)),
        one => {
            for input in path.alive.iter().step_by(path.alive.len().div_ceil(60)) {
                let w = witness(s, input);
                assert_eq!(s.eval_wide(simple, &w), s.eval_wide(t, &w), "{}", s.text(t, 9));
            }
            assert!(one.is_some() || s.constant(simple).is_none());
        }
    }
    listed
}

/// A deep term as an entry of a table is what it is for all inputs that take the path, and has none of its steps in it. Then a condition on
/// it decides, as one on the term does.
fn check_entry(
    s: &mut Terms,
    solver: &mut Solver,
    tape: &mut Tape<'_>,
    path: &mut Path,
    (t, all, enough): (Term, &[Vec<u8>], usize),
) -> bool {
    let Some(entry) = path.pc.by_row(s, t) else { return false };
    assert!(s.depth(entry) <= 1);
    assert_eq!(s.width(entry), s.width(t));
    for input in &path.alive {
        let w = witness(s, input);
        assert_eq!(s.eval_wide(entry, &w), s.eval_wide(t, &w), "{}", s.text(t, 9));
    }
    check_term(s, path, entry);
    let modulus = s.constant_of(s.width(t), 11 + tape.below(60) as u128);
    let rest = s.binary(BinaryOp::URem, entry, modulus);
    let value = s.constant_of(s.width(t), tape.below(11) as u128);
    let cond = s.ne(rest, value);
    cross(s, solver, tape, path, cond, (all, enough));
    true
}

/// Both sides of a condition; takes one: the one with more inputs more often than not, and always if the other has not `enough`.
fn cross(
    s: &mut Terms,
    solver: &mut Solver,
    tape: &mut Tape<'_>,
    path: &mut Path,
    cond: Term,
    (all, enough): (&[Vec<u8>], usize),
) {
    let cond = path.pc.simplified(s, cond);
    let opposite = s.not(cond);
    let near = path.alive[tape.below(path.alive.len())].clone();
    let near = witness(s, &near);
    let mut sides = Vec::new();
    for asked in [cond, opposite] {
        let expected = filter(s, asked, &path.alive);
        match solver.ask(s, &path.pc, asked, &near) {
            Answer::Sat(w) => {
                assert!(!expected.is_empty());
                assert!(path.pc.conditions().into_iter().chain([asked]).all(|c| s.holds(c, &w)));
            }
            Answer::Unsat(core) => {
                assert!(expected.is_empty());
                let mut left = filter(s, asked, all);
                for c in core.conditions.unwrap() {
                    left = filter(s, c, &left);
                }
                assert!(left.is_empty(), "the core can hold");
            }
            Answer::Unknown(why) => panic!("{why}"),
        }
        sides.push((asked, expected));
    }
    sides.sort_by_key(|(_, left)| left.len());
    let fewer = sides[0].1.len() > enough && tape.below(3) == 0;
    let (taken, left) = sides.swap_remove(usize::from(!fewer));
    if s.constant(taken).is_none() {
        solver.assume(s, &mut path.pc, taken);
    }
    path.alive = left;
}

/// Some conditions asked for at once: the inputs that are left say which of the first contradict the path.
fn ask_together(
    s: &mut Terms,
    solver: &mut Solver,
    tape: &mut Tape<'_>,
    path: &Path,
    (bytes, words): (u32, &mut Vec<Term>),
) {
    let mut conds = Vec::new();
    for _ in 0..2 + tape.below(3) {
        let cond = match tape.below(3) {
            0 => condition(s, tape, bytes, 2),
            _ => weak(s, tape, words),
        };
        let cond = if tape.below(4) == 0 { s.not(cond) } else { cond };
        conds.push(path.pc.simplified(s, cond));
    }
    let listed = conds.iter().all(|cond| path.pc.rows_left(s, *cond).is_some());
    let near = witness(s, &path.alive[tape.below(path.alive.len())].clone());
    let mut left = path.alive.clone();
    let held = conds.iter().position(|cond| {
        left = filter(s, *cond, &left);
        left.is_empty()
    });
    match (solver.ask_together(s, &path.pc, &conds, &near), held) {
        (Together::Sat(w), None) => {
            assert!(path.pc.conditions().into_iter().chain(conds).all(|c| s.holds(c, &w)));
        }
        // Rows see which is the first that contradicts those before it.
        (Together::Unsat { within }, Some(at)) => {
            assert!(if listed { within == at + 1 } else { within > at }, "{within} {at}");
        }
        (answer, held) => panic!("{answer:?} {held:?}"),
    }
}

/// Numbers of terms over enumerated models that were checked, and of table-encoded terms.
fn walk(tape: &[u8]) -> (usize, usize) {
    let mut s = Terms::new();
    let mut tape = Tape::new(tape);
    let mut solver = Solver::new(SolverOptions::default()).unwrap();
    let bytes: Vec<Term> = (0..3).map(|i| s.byte(0, i)).collect();
    let mut all = Vec::new();
    for number in 0..3 << 16 {
        let [a, b, c, _] = u32::to_le_bytes(number);
        all.push(vec![a, b, c]);
    }
    let mut path = Path { pc: PathCondition::default(), alive: all, met_third: false };
    for (byte, most) in bytes.iter().zip([20, 60, 3]) {
        let limit = s.constant_of(8, most + tape.below(20) as u128 * u128::from(most > 3));
        let cond = s.ult(*byte, limit);
        solver.assume(&mut s, &mut path.pc, cond);
        path.alive = filter(&mut s, cond, &path.alive);
    }
    let all = path.alive.clone();
    path.alive.retain(|input| input[2] == 0);
    let mut words: Vec<Term> = bytes[..2].iter().map(|b| s.zext(*b, 16)).collect();
    let five = s.constant_of(16, 5);
    let both = s.mul(words[0], five);
    let both = s.add(both, words[1]);
    words.push(both);
    lengthen(&mut s, &mut solver, &mut path, both);
    let (mut listed, mut entries, mut others) = (0, 0, Vec::new());
    for step in 0..34 {
        let cond = weak(&mut s, &mut tape, &mut words);
        let third = step > 20 && tape.below(3) == 0;
        let cond = match (step > 17, tape.below(4)) {
            (true, 0) => condition(&mut s, &mut tape, 2 + u32::from(third), 2),
            _ => cond,
        };
        if third && !path.met_third {
            path.met_third = true;
            let more = |input: &Vec<u8>| (0..3).map(|c| vec![input[0], input[1], c]).collect::<Vec<_>>();
            path.alive = path.alive.iter().flat_map(more).collect();
        }
        cross(&mut s, &mut solver, &mut tape, &mut path, cond, (&all, 200));
        for _ in 0..2 {
            let w = [8, 16, 32, 64, 100][tape.below(5)];
            let t = term(&mut s, &mut tape, 2 + u32::from(third), w, 3);
            listed += usize::from(check_term(&mut s, &path, t));
        }
        let last = words[words.len() - 1];
        listed += usize::from(check_term(&mut s, &path, last));
        let of = match tape.below(3) {
            0 => {
                let low = s.zext(last, 100);
                let high = s.constant_of(100, 0x1_0001 << 60);
                s.mul(low, high)
            }
            _ => last,
        };
        entries += usize::from(check_entry(&mut s, &mut solver, &mut tape, &mut path, (of, &all, 200)));
        if step > 12 && tape.below(3) == 0 {
            ask_together(&mut s, &mut solver, &mut tape, &path, (2, &mut words));
        }
        if step > 17 && tape.below(5) == 0 {
            others.push(path.clone());
        }
        // Paths that part share rows, and what terms are in them.
        if !others.is_empty() && tape.below(4) == 0 {
            let at = tape.below(others.len());
            std::mem::swap(&mut path, &mut others[at]);
        }
    }
    assert_eq!(solver.take_error(), None);
    (listed, entries)
}

/// A path on two bytes of few values and a third of 246 that a condition links to them, though that is decided: the
/// models of the two are enumerated alone. Then the third is met again. Returns the number of terms that were checked
/// over models without the third byte.
fn walk_with_another_behind(tape: &[u8]) -> usize {
    let mut s = Terms::new();
    let mut tape = Tape::new(tape);
    let mut solver = Solver::new(SolverOptions::default()).unwrap();
    let bytes: Vec<Term> = (0..3).map(|i| s.byte(0, i)).collect();
    let mut all = Vec::new();
    for number in 0..12 * 20 * 256 {
        all.push(vec![(number % 12) as u8, (number / 12 % 20) as u8, (number / 240) as u8]);
    }
    let mut path = Path { pc: PathCondition::default(), alive: all, met_third: true };
    let mut words: Vec<Term> = bytes[..2].iter().map(|b| s.zext(*b, 16)).collect();
    let [five, never, low, high] = [(16, 5), (16, 200), (8, 48), (8, 58)].map(|(w, v)| s.constant_of(w, v));
    let both = s.mul(words[0], five);
    let both = s.add(both, words[1]);
    words.push(both);
    let [below, above] = [s.ult(bytes[2], low), s.ule(high, bytes[2])];
    let (outside, more) = (s.or(below, above), s.ule(never, both));
    let linked = s.or(more, outside);
    let few = [(bytes[0], 12), (bytes[1], 20)].map(|(byte, most)| {
        let most = s.constant_of(8, most);
        s.ult(byte, most)
    });
    for cond in few.into_iter().chain([linked, outside]) {
        solver.assume(&mut s, &mut path.pc, cond);
        path.alive = filter(&mut s, cond, &path.alive);
    }
    lengthen(&mut s, &mut solver, &mut path, both);
    let (all, mut left_out) = (path.alive.clone(), 0);
    for step in 0..40 {
        let cond = match (step > 24, tape.below(4)) {
            (true, 0) => condition(&mut s, &mut tape, 3, 2),
            _ => weak(&mut s, &mut tape, &mut words),
        };
        let enough = if step > 24 { 200 } else { usize::MAX };
        cross(&mut s, &mut solver, &mut tape, &mut path, cond, (&all, enough));
        if step > 12 && tape.below(5) == 0 {
            ask_together(&mut s, &mut solver, &mut tape, &path, (3, &mut words));
        }
        let w = [8, 16, 32, 64, 100][tape.below(5)];
        let t = term(&mut s, &mut tape, 3, w, 3);
        check_term(&mut s, &path, t);
        let last = words[words.len() - 1];
        let listed = check_term(&mut s, &path, last);
        left_out += usize::from(listed && path.pc.rows_left(&mut s, bytes[2]).is_none());
    }
    assert_eq!(solver.take_error(), None);
    left_out
}

/// Numbers of a generator.
fn numbers(seed: u32) -> Vec<u8> {
    let mut x = seed;
    let mut byte = || {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (x >> 24) as u8
    };
    (0..1600).map(|_| byte()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_path_that_lists_its_values_says_what_trying_all_inputs_says(tape in prop::collection::vec(any::<u8>(), 800..1600)) {
        walk(&tape);
    }
}

proptest! {
    // Each looks at 59,040 inputs, again and again.
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn so_it_does_where_a_byte_is_left_out(tape in prop::collection::vec(any::<u8>(), 800..1600)) {
        walk_with_another_behind(&tape);
    }
}

#[test]
fn a_byte_that_nothing_tells_apart_is_left_out_of_the_rows() {
    let left_out: usize = (1..=2).map(|seed| walk_with_another_behind(&numbers(seed))).sum();
    assert!(left_out > 15, "{left_out}");
}

/// Two bytes whose few rows are listed, and a sign before them that nothing tells apart from another until a number of 80 bits is made
/// of all three.
#[test]
fn a_left_out_byte_is_brought_in_by_a_condition_on_wide_numbers() {
    let mut s = Terms::new();
    let mut solver = Solver::new(SolverOptions::default()).unwrap();
    let mut pc = PathCondition::default();
    let bytes: Vec<Term> = (0..3).map(|i| s.byte(0, i)).collect();
    let words: Vec<Term> = bytes.iter().map(|b| s.zext(*b, 80)).collect();
    let [ten, seven, prime, last, many] = [10, 7, 97, 96, 1000].map(|v| s.constant_of(80, v));
    let number = s.mul(words[1], ten);
    let number = s.add(number, words[2]);
    // Of each so many values that all combinations are too many to list.
    let [most, half] = [80, 32].map(|v| s.constant_of(8, v));
    for byte in &bytes {
        let cond = s.ult(*byte, most);
        solver.assume(&mut s, &mut pc, cond);
    }
    let low = s.ult(bytes[0], half);
    let product = s.mul(number, ten);
    let rest = s.binary(BinaryOp::URem, product, seven);
    let related = s.eq(rest, words[2]);
    // That links the sign to the digits, though it is decided.
    let linked = s.or(low, related);
    for cond in [linked, related] {
        solver.assume(&mut s, &mut pc, cond);
    }
    for factor in 1..60 {
        let factor = s.constant_of(80, factor);
        let product = s.mul(number, factor);
        let rest = s.binary(BinaryOp::URem, product, prime);
        let cond = s.ne(rest, last);
        solver.assume(&mut s, &mut pc, cond);
    }
    // About a value of the one for each of the other, and nothing of the sign.
    let listed = pc.rows_left(&mut s, number).expect("rows");
    assert!((1..=16_384).contains(&listed) && pc.rows_left(&mut s, bytes[0]).is_none());
    let minus = s.constant_of(8, 45);
    let is_minus = s.eq(bytes[0], minus);
    let negative = s.sub(many, number);
    let signed = s.ite(is_minus, negative, number);
    let small = s.ult(signed, many);
    let few = s.constant_of(80, 40);
    let few = s.ult(signed, few);
    let mut expected = 0;
    let mut alive = Vec::new();
    let all = pc.conditions();
    for input in 0..1u32 << 16 {
        let [b, c, ..] = u32::to_le_bytes(input);
        let w = witness(&mut s, &[45, b, c]);
        if all.iter().all(|cond| s.holds(*cond, &w)) {
            alive.extend((0..80).map(|a| vec![a, b, c]));
        }
    }
    for cond in [few, small] {
        let near = witness(&mut s, &alive[0].clone());
        for asked in [cond, s.not(cond)] {
            let holds = !filter(&mut s, asked, &alive).is_empty();
            match solver.ask(&mut s, &pc, asked, &near) {
                Answer::Sat(w) => assert!(holds && pc.conditions().into_iter().all(|c| s.holds(c, &w))),
                Answer::Unsat(_) => assert!(!holds),
                Answer::Unknown(why) => panic!("{why}"),
            }
        }
        expected = filter(&mut s, cond, &alive).len();
    }
    solver.assume(&mut s, &mut pc, few);
    alive = filter(&mut s, few, &alive);
    assert_eq!(pc.rows_left(&mut s, signed), Some(alive.len()));
    assert!(alive.len() < expected);
}

#[test]
fn values_are_listed_on_most_long_paths_and_deep_terms_become_entries() {
    let (mut listed, mut entries) = (0, 0);
    for seed in 1..=4 {
        let (terms, of_tables) = walk(&numbers(seed));
        (listed, entries) = (listed + terms, entries + of_tables);
    }
    assert!(listed > 60, "{listed}");
    assert!(entries > 20, "{entries}");
}
