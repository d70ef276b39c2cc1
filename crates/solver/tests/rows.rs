//! Cached rows of values give the answers of trying all values, on whichever path the question comes.

use cleave_expr::{BinaryOp, ByteId, Term, Terms, Witness};
use cleave_solver::{Answer, PathCondition, Solver, SolverOptions};

const BYTES: u32 = 4;
/// Bytes of which conditions read some bits only: all values of whole bytes would be too many to list.
const FIELDS: u32 = 3;
/// Values that the first conditions of a byte leave to it.
const VALUES: u8 = 6;

/// Numbers by chance, the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

#[derive(Clone)]
struct Path {
    pc: PathCondition,
    near: Witness,
    conditions: Vec<Term>,
    /// The inputs with which all of these hold.
    left: Vec<usize>,
}

/// All values that bytes have, with some outside of what is left to them.
fn inputs(terms: &mut Terms, dice: &mut Dice) -> Vec<Witness> {
    let base = terms.witness(&[]);
    let ids: Vec<ByteId> = (0..BYTES).map(|i| terms.byte_id(0, i)).collect();
    let count = usize::from(VALUES).pow(BYTES);
    let mut all = Vec::new();
    for mut number in 0..count + 500 {
        let outside = number >= count;
        let values: Vec<(ByteId, u8)> = ids
            .iter()
            .map(|&id| {
                let value = (number % usize::from(VALUES)) as u8;
                number /= usize::from(VALUES);
                (id, if outside { dice.below(256) as u8 } else { b'0' + value })
            })
            .collect();
        all.push(terms.patched(&base, values));
    }
    all
}

/// A condition by chance: mostly on a number that all before has gone into, now and then on one byte.
fn condition(terms: &mut Terms, dice: &mut Dice, words: &mut Vec<Term>, of_bytes: bool) -> Term {
    if of_bytes && dice.below(6) == 0 {
        let byte = terms.byte(0, dice.below(BYTES as usize) as u32);
        let limit = terms.constant_of(8, u128::from(b'0') + dice.below(usize::from(VALUES)) as u128);
        let cond = terms.binary(BinaryOp::Eq, byte, limit);
        return terms.not(cond);
    }
    let (a, b) = (words[dice.below(words.len())], words[words.len() - 1 - dice.below(2)]);
    let op = [BinaryOp::Add, BinaryOp::Mul, BinaryOp::Xor, BinaryOp::Sub][dice.below(4)];
    let mixed = terms.binary(op, a, b);
    let modulus = terms.constant_of(32, 5 + dice.below(1000) as u128);
    let word = terms.binary(BinaryOp::URem, mixed, modulus);
    words.push(word);
    let limit = terms.constant_of(32, dice.below(60) as u128);
    let cond = match dice.below(3) {
        0 => terms.binary(BinaryOp::Eq, word, limit),
        _ => terms.binary(BinaryOp::Ult, limit, word),
    };
    if dice.below(2) == 0 { terms.not(cond) } else { cond }
}

/// A condition on the highest bit of a byte.
fn highest(terms: &mut Terms, dice: &mut Dice) -> Term {
    let byte = terms.byte(0, dice.below(FIELDS as usize) as u32);
    let limit = terms.constant_of(8, 0x80);
    let cond = terms.binary(BinaryOp::Ult, byte, limit);
    if dice.below(2) == 0 { terms.not(cond) } else { cond }
}

/// A path on which each byte has few values.
fn begin(terms: &mut Terms, solver: &mut Solver) -> Path {
    let near = terms.witness(&[b'0'; BYTES as usize]);
    let mut path = Path { pc: PathCondition::default(), near, conditions: Vec::new(), left: Vec::new() };
    for i in 0..BYTES {
        let byte = terms.byte(0, i);
        for (limit, holds) in [(b'0', false), (b'0' + VALUES, true)] {
            let limit = terms.constant_of(8, limit.into());
            let cond = terms.binary(BinaryOp::Ult, byte, limit);
            let cond = if holds { cond } else { terms.not(cond) };
            solver.assume(terms, &mut path.pc, cond);
            path.conditions.push(cond);
        }
    }
    path
}

/// The lowest bits of a byte, as a number.
fn word(terms: &mut Terms, byte: u32, bits: u8) -> Term {
    let byte = terms.byte(0, byte);
    let low = terms.extract(byte, 0, bits);
    terms.zext(low, 32)
}

/// Bytes of which a few bits are looked at: one input for all values of these, and of the highest.
fn inputs_of_bits(terms: &mut Terms) -> Vec<Witness> {
    (0..1usize << (4 * FIELDS))
        .map(|number| {
            let part = |i: u32| number >> (4 * i) & 15;
            let values: Vec<u8> =
                (0..FIELDS).map(|i| (part(i) & 7 | part(i) >> 3 << 7 | 0x50) as u8).collect();
            terms.witness(&values)
        })
        .collect()
}

/// Answers on paths that ask about numbers made of all bytes, with `bits` about numbers made of some bits of each: at first of
/// two, later of three, and now and then of the highest. Returns the numbers of both answers, and the most memory that
/// value vectors and lists took, with `memory` as their limit.
fn round(seed: u64, bits: bool, memory: usize) -> (u64, u64, usize) {
    let mut dice = Dice(seed);
    let mut terms = Terms::new();
    let mut solver = Solver::new(SolverOptions { table_memory: memory, ..SolverOptions::default() }).unwrap();
    let inputs = if bits { inputs_of_bits(&mut terms) } else { inputs(&mut terms, &mut dice) };
    let mut words: Vec<Term> = (0..if bits { FIELDS } else { BYTES })
        .map(|i| word(&mut terms, i, if bits { 2 } else { 8 }))
        .collect();
    let mut first = match bits {
        true => Path {
            pc: PathCondition::default(),
            near: terms.witness(&[0; FIELDS as usize]),
            conditions: Vec::new(),
            left: Vec::new(),
        },
        false => begin(&mut terms, &mut solver),
    };
    let all = |w: &Witness| first.conditions.iter().all(|&c| terms.holds(c, w));
    first.left = inputs.iter().map(all).enumerate().filter(|(_, holds)| *holds).map(|(i, _)| i).collect();
    let mut paths = vec![first];
    let mut answers = (0, 0, 0);
    for step in 0..200 {
        let at = dice.below(paths.len());
        let mut path = paths[at].clone();
        if bits && dice.below(12) == 0 {
            words.push(word(&mut terms, dice.below(FIELDS as usize) as u32, 3));
        }
        let cond = match bits && dice.below(8) == 0 {
            true => highest(&mut terms, &mut dice),
            false => condition(&mut terms, &mut dice, &mut words, !bits),
        };
        let holds: Vec<usize> =
            path.left.iter().copied().filter(|&i| terms.holds(cond, &inputs[i])).collect();
        match solver.ask(&mut terms, &path.pc, cond, &path.near) {
            Answer::Sat(w) => {
                assert!(terms.holds(cond, &w), "{seed} {step}");
                assert!(path.conditions.iter().all(|&c| terms.holds(c, &w)), "{seed} {step}");
                answers.0 += 1;
                solver.assume(&mut terms, &mut path.pc, cond);
                path.conditions.push(cond);
                path.near = w;
                path.left = holds;
                // Now the path goes on, now another parts from it, now it is as if nobody had asked.
                match dice.below(4) {
                    0 if paths.len() < 5 => paths.push(path),
                    0 | 1 => {}
                    _ => paths[at] = path,
                }
            }
            Answer::Unsat(core) => {
                assert!(holds.is_empty(), "{seed} {step}");
                let core = core.conditions.unwrap();
                answers.1 += 1;
                if answers.1 % 8 != 1 {
                    continue;
                }
                let mut holds = |w: &Witness| core.iter().chain([&cond]).all(|&c| terms.holds(c, w));
                assert!(!inputs.iter().any(&mut holds), "{seed} {step}: the core leaves an input");
            }
            Answer::Unknown(why) => panic!("{why}"),
        }
        answers.2 = answers.2.max(terms.tables_held().0);
    }
    let by_trying = solver.stats().answered_by["trying"];
    assert!(by_trying > 0);
    answers
}

#[test]
fn paths_that_part_and_narrow_single_bytes_get_the_answers_that_all_values_give() {
    let mut all = (0, 0);
    for seed in 1..=6 {
        let (sat, unsat, _) = round(seed, false, Terms::TABLE_MEMORY);
        all = (all.0 + sat, all.1 + unsat);
    }
    // Both answers come often.
    assert!(all.0 > 100 && all.1 > 100, "{all:?}");
}

#[test]
fn bytes_of_which_some_bits_are_looked_at_get_the_answers_that_all_values_give() {
    let mut all = (0, 0);
    for seed in 1..=12 {
        let (sat, unsat, _) = round(seed, true, Terms::TABLE_MEMORY);
        all = (all.0 + sat, all.1 + unsat);
    }
    assert!(all.0 > 100 && all.1 > 100, "{all:?}");
}

#[test]
fn with_little_memory_lists_and_vectors_stay_within_it_and_the_answers_are_right() {
    const LITTLE: usize = 1 << 16;
    let (_, _, much) = round(1, false, Terms::TABLE_MEMORY);
    let (sat, unsat, little) = round(1, false, LITTLE);
    assert!(much > 4 * LITTLE && little <= 2 * LITTLE, "{much} {little}");
    assert!(sat > 10 && unsat > 10, "{sat} {unsat}");
}
