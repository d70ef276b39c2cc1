//! Diagrams of random conditions over two bytes, judged by the evaluation of the terms for all values of the two.

use cleave_diagram::{Diagram, Diagrams};
use cleave_expr::{BinaryOp, Term, Terms};
use proptest::prelude::*;

/// Random terms over two bytes: numbers of 8 or 32 bits that parsers compute with, and conditions on them.
#[derive(Clone, Debug)]
enum Number {
    Byte(u8),
    Known(u8),
    /// Both bytes as one number, and a constant of this many times 256 behind them.
    Word(bool),
    Far(u16),
    Plus(Box<Number>, u8),
    Choice(Box<Cond>, Box<Number>, Box<Number>),
    Both(Box<Number>, Box<Number>),
    /// An operator of two numbers.
    Two(BinaryOp, Box<Number>, Box<Number>),
    /// Moved by so many bits.
    Moved(BinaryOp, Box<Number>, u8),
    /// The entry of a table at a number.
    Entry(Box<Number>),
}

#[derive(Clone, Debug)]
enum Cond {
    Equal(Number, Number),
    Less(Number, Number),
    SignedLess(Number, Number),
    Not(Box<Cond>),
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
    Same(Box<Cond>, Box<Cond>),
    Bit(Number, u8),
}

fn number() -> impl Strategy<Value = Number> + Clone {
    let number = prop_oneof![
        2 => (0u8..2).prop_map(Number::Byte),
        2 => (0u8..6).prop_map(Number::Known),
        1 => any::<bool>().prop_map(Number::Word),
        1 => any::<u16>().prop_map(Number::Far),
    ];
    let small = prop_oneof![
        (0u8..2, prop_oneof![Just(0u8), Just(32), Just(65), 0u8..=255])
            .prop_map(|(b, k)| Cond::Equal(Number::Byte(b), Number::Known(k))),
        (0u8..2, 0u8..=255).prop_map(|(b, k)| Cond::Less(Number::Byte(b), Number::Known(k))),
    ];
    number.prop_recursive(3, 12, 2, move |inner| {
        prop_oneof![
            (inner.clone(), 0u8..4).prop_map(|(n, k)| Number::Plus(Box::new(n), k)),
            (small.clone(), inner.clone(), inner.clone()).prop_map(|(c, a, b)| Number::Choice(
                Box::new(c),
                Box::new(a),
                Box::new(b)
            )),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Number::Both(Box::new(a), Box::new(b))),
            (0usize..5, inner.clone(), inner.clone()).prop_map(|(i, a, b)| {
                let op = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Or, BinaryOp::Xor][i];
                Number::Two(op, Box::new(a), Box::new(b))
            }),
            (0usize..3, inner.clone(), prop_oneof![0u8..40, Just(4u8)]).prop_map(|(i, n, k)| {
                let op = [BinaryOp::Shl, BinaryOp::LShr, BinaryOp::AShr][i];
                Number::Moved(op, Box::new(n), k)
            }),
            inner.prop_map(|n| Number::Entry(Box::new(n))),
        ]
    })
}

fn cond() -> impl Strategy<Value = Cond> {
    let number = number();
    let leaf = prop_oneof![
        (number.clone(), number.clone()).prop_map(|(a, b)| Cond::Equal(a, b)),
        (number.clone(), number.clone()).prop_map(|(a, b)| Cond::Less(a, b)),
        (number.clone(), number.clone()).prop_map(|(a, b)| Cond::SignedLess(a, b)),
        (number, 0u8..8).prop_map(|(n, bit)| Cond::Bit(n, bit)),
    ];
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|c| Cond::Not(Box::new(c))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Cond::And(Box::new(a), Box::new(b))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Cond::Or(Box::new(a), Box::new(b))),
            (inner.clone(), inner).prop_map(|(a, b)| Cond::Same(Box::new(a), Box::new(b))),
        ]
    })
}

fn number_term(s: &mut Terms, n: &Number) -> Term {
    match n {
        Number::Byte(i) => {
            let byte = s.byte(0, (*i).into());
            s.zext(byte, 32)
        }
        Number::Known(k) => s.constant_of(32, (*k).into()),
        Number::Word(high) => {
            let (a, b, zeros) = (s.byte(0, 0), s.byte(0, 1), s.constant_of(16, 0));
            let word = s.concat(a, b);
            if *high { s.concat(word, zeros) } else { s.zext(word, 32) }
        }
        Number::Far(k) => s.constant_of(32, u128::from(*k) << 12),
        Number::Plus(n, k) => {
            let (n, k) = (number_term(s, n), s.constant_of(32, (*k).into()));
            s.add(n, k)
        }
        Number::Choice(c, a, b) => {
            let (c, a, b) = (cond_term(s, c), number_term(s, a), number_term(s, b));
            s.ite(c, a, b)
        }
        Number::Both(a, b) => {
            let (a, b) = (number_term(s, a), number_term(s, b));
            s.binary(BinaryOp::And, a, b)
        }
        Number::Two(op, a, b) => {
            let (a, b) = (number_term(s, a), number_term(s, b));
            s.binary(*op, a, b)
        }
        Number::Moved(op, n, k) => {
            let (n, k) = (number_term(s, n), s.constant_of(32, (*k).into()));
            s.binary(*op, n, k)
        }
        Number::Entry(n) => {
            let (n, table) = (
                number_term(s, n),
                s.intern_table(32, &std::array::from_fn::<u64, 37, _>(|i| (i * i + 5) as u64)),
            );
            s.table(table, n)
        }
    }
}

fn cond_term(s: &mut Terms, c: &Cond) -> Term {
    match c {
        Cond::Equal(a, b) => {
            let (a, b) = (number_term(s, a), number_term(s, b));
            s.eq(a, b)
        }
        Cond::Less(a, b) => {
            let (a, b) = (number_term(s, a), number_term(s, b));
            s.ult(a, b)
        }
        Cond::SignedLess(a, b) => {
            let (a, b) = (number_term(s, a), number_term(s, b));
            s.slt(a, b)
        }
        Cond::Not(c) => {
            let c = cond_term(s, c);
            s.not(c)
        }
        Cond::And(a, b) => {
            let (a, b) = (cond_term(s, a), cond_term(s, b));
            s.and(a, b)
        }
        Cond::Or(a, b) => {
            let (a, b) = (cond_term(s, a), cond_term(s, b));
            s.or(a, b)
        }
        Cond::Same(a, b) => {
            let (a, b) = (cond_term(s, a), cond_term(s, b));
            s.eq(a, b)
        }
        Cond::Bit(n, bit) => {
            let n = number_term(s, n);
            s.extract(n, (*bit).into(), 1)
        }
    }
}

/// Pairs of bytes that tell conditions apart: those near the constants, and some others.
fn pairs() -> impl Iterator<Item = [u8; 2]> {
    let some = || [0u8, 1, 2, 3, 4, 5, 6, 31, 32, 33, 64, 65, 66, 127, 128, 200, 254, 255].into_iter();
    some().flat_map(move |a| some().map(move |b| [a, b]))
}

/// The values of a condition for all these pairs.
fn values(s: &mut Terms, t: Term) -> Vec<bool> {
    pairs()
        .map(|pair| {
            let witness = s.witness(&pair);
            s.holds(t, &witness)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_term_of_a_diagram_holds_where_the_condition_does(a in cond(), b in cond()) {
        let (mut s, mut d) = (Terms::new(), Diagrams::default());
        let (a, b) = (cond_term(&mut s, &a), cond_term(&mut s, &b));
        let (of_a, of_b) = (values(&mut s, a), values(&mut s, b));
        let (Some(x), Some(y)) = (d.of(&mut s, a), d.of(&mut s, b)) else { return Ok(()) };
        let back = d.term(&mut s, x);
        prop_assert_eq!(values(&mut s, back), of_a.clone());
        let both = d.and(x, y).unwrap();
        let both = d.term(&mut s, both);
        let expected: Vec<bool> = of_a.iter().zip(&of_b).map(|(p, q)| *p && *q).collect();
        prop_assert_eq!(values(&mut s, both), expected);
        let either = d.or(x, y).unwrap();
        let either = d.term(&mut s, either);
        let expected: Vec<bool> = of_a.iter().zip(&of_b).map(|(p, q)| *p || *q).collect();
        prop_assert_eq!(values(&mut s, either), expected);
        let not = d.not(x);
        prop_assert_eq!(d.and(x, not), Some(Diagram::FALSE));
        prop_assert_eq!(d.or(x, not), Some(Diagram::TRUE));
    }

    #[test]
    fn what_is_left_of_a_condition_is_the_same_where_it_matters(a in cond(), care in cond()) {
        let (mut s, mut d) = (Terms::new(), Diagrams::default());
        let (a, care) = (cond_term(&mut s, &a), cond_term(&mut s, &care));
        let (Some(x), Some(c)) = (d.of(&mut s, a), d.of(&mut s, care)) else { return Ok(()) };
        let left = d.within(x, c);
        let left = d.term(&mut s, left);
        let (whole, left, care) = (values(&mut s, a), values(&mut s, left), values(&mut s, care));
        for ((w, l), cared) in whole.iter().zip(&left).zip(&care) {
            prop_assert!(!cared || w == l);
        }
    }

    #[test]
    fn a_term_without_what_is_decided_has_the_same_value(c in cond(), a in cond(), care in cond()) {
        let (mut s, mut d) = (Terms::new(), Diagrams::default());
        let (c, a, care) = (cond_term(&mut s, &c), cond_term(&mut s, &a), cond_term(&mut s, &care));
        let (x, y, byte) = (s.constant_of(32, 5), s.constant_of(32, 9), s.byte(0, 1));
        let (inner, wide) = (s.ite(a, x, y), s.zext(byte, 32));
        for word in [s.ite(c, x, inner), s.ite(c, wide, inner)] {
            let Some(cared) = d.of(&mut s, care) else { continue };
            let left = d.simplified(&mut s, word, cared);
            for pair in pairs() {
                let witness = s.witness(&pair);
                if s.holds(care, &witness) {
                    prop_assert_eq!(s.eval(left, &witness), s.eval(word, &witness));
                }
            }
            let value = d.value(&mut s, word);
            let same = d.term(&mut s, value);
            for pair in pairs() {
                let witness = s.witness(&pair);
                prop_assert_eq!(s.eval(same, &witness), s.eval(word, &witness));
            }
            for (number, inputs) in d.inputs_of_numbers(&mut s, value).unwrap_or_default() {
                let guard = d.term(&mut s, inputs);
                for pair in pairs() {
                    let witness = s.witness(&pair);
                    prop_assert_eq!(s.holds(guard, &witness), s.eval(word, &witness) == number);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whether arms are joined must not depend on what an engine did before: a term that was made of a diagram has the diagram that
    /// a new store computes.
    #[test]
    fn diagrams_are_functions_of_terms(c in cond(), a in number(), b in number(), care in cond()) {
        let (mut s, mut used) = (Terms::new(), Diagrams::default());
        let (c, care) = (cond_term(&mut s, &c), cond_term(&mut s, &care));
        let (a, b) = (number_term(&mut s, &a), number_term(&mut s, &b));
        let word = s.ite(c, a, b);
        let Some(cared) = used.of(&mut s, care) else { return Ok(()) };
        let value = used.value(&mut s, word);
        let less = s.ult(a, b);
        let less = used.of(&mut s, less).unwrap_or(Diagram::TRUE);
        let made = [used.term(&mut s, value), used.simplified(&mut s, word, cared)];
        let conds = [used.term(&mut s, less), used.term(&mut s, cared)];
        for t in made {
            let (mut new, known) = (Diagrams::default(), used.value(&mut s, t));
            let computed = new.value(&mut s, t);
            prop_assert_eq!(used.leaves(&mut s, known), new.leaves(&mut s, computed));
            prop_assert_eq!(used.term(&mut s, known), new.term(&mut s, computed));
        }
        for t in conds {
            let (mut new, known) = (Diagrams::default(), used.of(&mut s, t));
            let computed = new.of(&mut s, t);
            let [known, computed] = [(known, &mut used), (computed, &mut new)].map(|(d, of)| d.map(|d| of.term(&mut s, d)));
            prop_assert_eq!(known, computed);
        }
    }
}

#[test]
fn equal_conditions_are_one_diagram_and_impossible_ones_none() {
    let (mut s, mut d) = (Terms::new(), Diagrams::default());
    let (a, b) = (s.byte(0, 0), s.byte(0, 1));
    let (space, zero) = (s.constant_of(8, 32), s.constant_of(8, 0));
    let (is_space, is_zero, other) = (s.eq(a, space), s.eq(a, zero), s.eq(b, zero));
    let [x, y, z] = [is_space, is_zero, other].map(|t| d.of(&mut s, t).unwrap());
    assert_eq!(d.and(x, y), Some(Diagram::FALSE));
    let (one, two) = (d.and(x, z).unwrap(), d.and(z, x).unwrap());
    assert_eq!(one, two);
    // A pointer behind the spaces: never behind the end.
    let (p, q, r) = (s.constant_of(64, 1000), s.constant_of(64, 1001), s.constant_of(64, 1002));
    let both = s.eq(b, space);
    let inner = s.ite(both, r, q);
    let pointer = s.ite(is_space, inner, p);
    let beyond = s.ult(r, pointer);
    assert_eq!(d.of(&mut s, beyond), Some(Diagram::FALSE));
    let value = d.value(&mut s, pointer);
    assert_eq!(d.numbers(&mut s, value).unwrap(), [1000, 1001, 1002]);
    // What stands at the place of a pointer may test bytes that the pointer does not depend on, and those above it.
    let other_byte = s.zext(a, 64);
    let of = [(1000, other_byte), (1001, p), (1002, pointer)].into_iter().collect();
    let chosen = d.selected(&mut s, value, &of).unwrap();
    let chosen = d.term(&mut s, chosen);
    for pair in pairs() {
        let witness = s.witness(&pair);
        let expected = match pair {
            [32, 32] => 1002,
            [32, _] => 1000,
            [first, _] => first.into(),
        };
        assert_eq!(s.eval(chosen, &witness), expected);
    }
}
