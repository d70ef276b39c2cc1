//! An array that is written and read at offsets which are terms, against one of plain bytes.

use cleave_expr::{Term, Terms, Witness};
use proptest::prelude::*;

/// A place as a program makes it out of an input byte.
#[derive(Clone, Copy, Debug)]
struct Index {
    byte: u8,
    plus: u8,
    mask: u8,
}

impl Index {
    fn term(self, s: &mut Terms) -> Term {
        let (plus, mask) = (s.constant_of(8, self.plus.into()), s.constant_of(8, self.mask.into()));
        let byte = s.byte(0, self.byte.into());
        let moved = s.add(byte, plus);
        let masked = s.and(moved, mask);
        s.zext(masked, 64)
    }

    fn value(self, bytes: &[u8]) -> usize {
        usize::from(bytes[usize::from(self.byte)].wrapping_add(self.plus) & self.mask)
    }
}

/// What is written: a known value, or an input byte.
#[derive(Clone, Copy, Debug)]
enum Written {
    Known(u8),
    Byte(u8),
}

impl Written {
    fn term(self, s: &mut Terms) -> Term {
        match self {
            Written::Known(v) => s.constant_of(8, v.into()),
            Written::Byte(i) => s.byte(0, i.into()),
        }
    }

    fn value(self, bytes: &[u8]) -> u8 {
        match self {
            Written::Known(v) => v,
            Written::Byte(i) => bytes[usize::from(i)],
        }
    }
}

/// As the engine does it: each place that may be meant holds a choice.
fn write(s: &mut Terms, array: &mut [Term], at: Term, value: Term) {
    for (place, held) in array.iter_mut().enumerate() {
        let place = s.constant_of(64, place as u128);
        let here = s.eq(at, place);
        *held = s.ite(here, value, *held);
    }
}

fn witness(s: &mut Terms, bytes: &[u8]) -> Witness {
    let patch: Vec<_> = bytes.iter().enumerate().map(|(i, &v)| (s.byte_id(0, i as u32), v)).collect();
    let nothing = s.witness(&[]);
    s.patched(&nothing, patch)
}

fn index() -> impl Strategy<Value = Index> {
    let plus = prop_oneof![3 => Just(0), 1 => any::<u8>()];
    let mask = prop_oneof![3 => Just(255), 1 => Just(15u8)];
    (0..4u8, plus, mask).prop_map(|(byte, plus, mask)| Index { byte, plus, mask })
}

fn written() -> impl Strategy<Value = Written> {
    prop_oneof![3 => (0..20u8).prop_map(Written::Known), 1 => (0..4u8).prop_map(Written::Byte)]
}

/// Input bytes of which some are equal, and most small.
fn inputs() -> impl Strategy<Value = Vec<[u8; 4]>> {
    let byte = || prop_oneof![3 => 0..20u8, 1 => any::<u8>()];
    prop::collection::vec([byte(), byte(), byte(), byte()], 24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_is_what_was_written_last(
        filled in 0..3u8,
        writes in prop::collection::vec((index(), written()), 0..4),
        read in index(),
        (size, first, stride) in prop::sample::select(vec![(256, 0, 1), (16, 0, 1), (40, 3, 1), (64, 1, 4)]),
        inputs in inputs(),
    ) {
        let mut s = Terms::new();
        let known = |i: usize| match filled { 0 => 0, 1 => i as u8, _ => (i * 7) as u8 };
        let mut array: Vec<Term> = (0..size).map(|i| s.constant_of(8, known(i).into())).collect();
        for &(at, value) in &writes {
            let (at, value) = (at.term(&mut s), value.term(&mut s));
            write(&mut s, &mut array, at, value);
        }
        let offset = read.term(&mut s);
        let places: Vec<usize> = (first..size).step_by(stride).collect();
        let values = places.iter().map(|&place| array[place]).collect();
        let term = s.selected(offset, first as u64, stride as u64, values);
        for bytes in inputs {
            let place = read.value(&bytes);
            if !places.contains(&place) {
                continue; // the caller has made sure
            }
            let mut plain: Vec<u8> = (0..size).map(known).collect();
            for (at, value) in &writes {
                if let Some(held) = plain.get_mut(at.value(&bytes)) {
                    *held = value.value(&bytes);
                }
            }
            let w = witness(&mut s, &bytes);
            prop_assert_eq!(s.eval(term, &w), plain[place].into(), "{:?}: {}", bytes, s.text(term, 12));
        }
    }
}

#[test]
fn a_read_names_the_writes_and_not_all_places() {
    let mut s = Terms::new();
    let mut array: Vec<Term> = (0..256).map(|i| s.constant_of(8, i)).collect();
    let (i, j, k) = (s.byte(0, 0), s.byte(0, 1), s.byte(0, 2));
    let [i64, j64, k64] = [i, j, k].map(|t| s.zext(t, 64));
    let (backslash, newline) = (s.constant_of(8, 92), s.constant_of(8, 10));
    write(&mut s, &mut array, j64, backslash);
    write(&mut s, &mut array, k64, newline);
    let read = s.selected(i64, 0, 1, array);
    let (at_j, at_k) = (s.eq(i, j), s.eq(i, k));
    let first = s.ite(at_j, backslash, i);
    assert_eq!(read, s.ite(at_k, newline, first), "{}", s.text(read, 6));
}
