//! An array that is written and read at symbolic offsets has the same contents as one of plain bytes.

use cleave_expr::{Node, Term, Terms, Witness};
use proptest::prelude::*;

/// A place as a program computes it from an input byte.
#[derive(Clone, Copy, Debug)]
struct Index {
    byte: u8,
    plus: u8,
    mask: u8,
    /// The lowest two bits of another byte are its upper bits.
    wide: bool,
    /// Size of an element, in bytes.
    unit: u8,
}

impl Index {
    fn term(self, s: &mut Terms) -> Term {
        let (plus, mask) = (s.constant_of(8, self.plus.into()), s.constant_of(8, self.mask.into()));
        let byte = s.byte(0, self.byte.into());
        let moved = s.add(byte, plus);
        let mut masked = s.and(moved, mask);
        if self.wide {
            let other = s.byte(0, u32::from(self.byte) ^ 1);
            let high = s.extract(other, 0, 2);
            masked = s.concat(high, masked);
        }
        let (index, unit) = (s.zext(masked, 64), s.constant_of(64, self.unit.into()));
        s.mul(index, unit)
    }

    fn value(self, bytes: &[u8]) -> usize {
        let low = usize::from(bytes[usize::from(self.byte)].wrapping_add(self.plus) & self.mask);
        let high = usize::from(bytes[usize::from(self.byte) ^ 1] & 3);
        (low + if self.wide { high << 8 } else { 0 }) * usize::from(self.unit)
    }
}

/// A written value: a constant, or an input byte.
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

/// A write as the engine performs it: each place that the offset may be gets a choice.
fn write(s: &mut Terms, array: &mut [Term], at: Term, value: Term) {
    for (place, held) in array.iter_mut().enumerate() {
        let place = s.constant_of(64, place as u128);
        let here = s.eq(at, place);
        *held = s.ite(here, value, *held);
    }
}

/// A copy or fill to a place: byte `i` of it is written if `i` is less than the length.
#[derive(Clone, Debug)]
struct Fill {
    start: usize,
    length: Index,
    /// Number of bytes that are written together or not at all.
    unit: usize,
    values: Vec<Written>,
}

impl Fill {
    /// The index of the first byte that is written together with byte `i`.
    fn first(&self, i: usize) -> usize {
        i / self.unit * self.unit
    }
}

fn fill(s: &mut Terms, array: &mut [Term], fill: &Fill) {
    let (length, unit) = (fill.length.term(s), s.constant_of(64, fill.unit as u128));
    let length = s.mul(length, unit);
    for (i, value) in fill.values.iter().enumerate() {
        let Some(&held) = array.get(fill.start + i) else { return };
        let index = s.constant_of(64, fill.first(i) as u128);
        let (here, value) = (s.ult(index, length), value.term(s));
        array[fill.start + i] = s.ite(here, value, held);
    }
}

#[derive(Clone, Debug)]
enum Step {
    Write(Index, Written),
    Fill(Fill),
}

fn step() -> impl Strategy<Value = Step> {
    let values = prop_oneof![
        Just(vec![Written::Known(7); 256]),
        Just((0..256).map(|i| Written::Known(i as u8 / 3)).collect()),
        prop::collection::vec(written(), 1..60),
    ];
    let fill = (0..20usize, index(), prop::sample::select(vec![1, 1, 2, 4]), values)
        .prop_map(|(start, length, unit, values)| Step::Fill(Fill { start, length, unit, values }));
    prop_oneof![(index(), written()).prop_map(|(at, value)| Step::Write(at, value)), fill]
}

fn witness(s: &mut Terms, bytes: &[u8]) -> Witness {
    let patch: Vec<_> = bytes.iter().enumerate().map(|(i, &v)| (s.byte_id(0, i as u32), v)).collect();
    let nothing = s.witness(&[]);
    s.patched(&nothing, patch)
}

fn index() -> impl Strategy<Value = Index> {
    let plus = prop_oneof![3 => Just(0), 1 => any::<u8>()];
    let mask = prop_oneof![3 => Just(255), 1 => Just(15u8)];
    let (wide, unit) = (prop::bool::weighted(0.3), prop_oneof![2 => Just(1), 1 => Just(4)]);
    (0..4u8, plus, mask, wide, unit).prop_map(|(byte, plus, mask, wide, unit)| Index {
        byte,
        plus,
        mask,
        wide,
        unit,
    })
}

fn written() -> impl Strategy<Value = Written> {
    prop_oneof![3 => (0..20u8).prop_map(Written::Known), 1 => (0..4u8).prop_map(Written::Byte)]
}

/// Input bytes; some are equal, and most are small.
fn inputs() -> impl Strategy<Value = Vec<[u8; 4]>> {
    let byte = || prop_oneof![3 => 0..20u8, 1 => any::<u8>()];
    prop::collection::vec([byte(), byte(), byte(), byte()], 24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_is_what_was_written_last(
        filled in 0..3u8,
        steps in prop::collection::vec(step(), 0..4),
        read in index(),
        (size, first, stride) in prop::sample::select(vec![(256, 0, 1), (16, 0, 1), (40, 3, 1), (64, 1, 4), (64, 0, 4)]),
        word in prop::sample::select(vec![1, 2, 4]),
        inputs in inputs(),
    ) {
        let mut s = Terms::new();
        let known = |i: usize| match filled { 0 => 0, 1 => i as u8, _ => (i * 7) as u8 };
        let mut array: Vec<Term> = (0..size).map(|i| s.constant_of(8, known(i).into())).collect();
        for step in &steps {
            match step {
                Step::Write(at, value) => {
                    let (at, value) = (at.term(&mut s), value.term(&mut s));
                    write(&mut s, &mut array, at, value);
                }
                Step::Fill(one) => fill(&mut s, &mut array, one),
            }
        }
        let offset = read.term(&mut s);
        let places: Vec<usize> = (first..size - word + 1).step_by(stride).collect();
        let word_at = |s: &mut Terms, place: usize| {
            array[place + 1..place + word].iter().fold(array[place], |low, &high| s.concat(high, low))
        };
        let values = places.iter().map(|&place| word_at(&mut s, place)).collect();
        let term = s.selected(offset, first as u64, stride as u64, values);
        for bytes in inputs {
            let place = read.value(&bytes);
            if !places.contains(&place) {
                continue; // the caller has made sure
            }
            let mut plain: Vec<u8> = (0..size).map(known).collect();
            for step in &steps {
                match step {
                    Step::Write(at, value) => {
                        if let Some(held) = plain.get_mut(at.value(&bytes)) {
                            *held = value.value(&bytes);
                        }
                    }
                    Step::Fill(fill) => {
                        let length = fill.length.value(&bytes) * fill.unit;
                        for (i, value) in fill.values.iter().enumerate() {
                            if let Some(held) = plain.get_mut(fill.start + i).filter(|_| fill.first(i) < length) {
                                *held = value.value(&bytes);
                            }
                        }
                    }
                }
            }
            let w = witness(&mut s, &bytes);
            let expected = plain[place..place + word].iter().rev().fold(0, |high, &low| high << 8 | u64::from(low));
            prop_assert_eq!(s.eval(term, &w), expected, "{:?}: {}", bytes, s.text(term, 12));
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

#[test]
fn a_read_of_what_copies_of_symbolic_lengths_left_tells_no_places_apart() {
    let mut s = Terms::new();
    let mut array: Vec<Term> = (0..256).map(|i| s.constant_of(8, i % 251)).collect();
    let (i, n, m, j) = (s.byte(0, 0), s.byte(0, 1), s.byte(0, 2), s.byte(0, 3));
    let [i64, n64, m64, j64] = [i, n, m, j].map(|t| s.zext(t, 64));
    let (seven, newline) = (s.constant_of(8, 7), s.constant_of(8, 10));
    let other = array[100..250].to_vec();
    for (start, length, values) in [(0, n64, vec![seven; 250]), (5, m64, other)] {
        for (k, value) in values.into_iter().enumerate() {
            let index = s.constant_of(64, k as u128);
            let here = s.ult(index, length);
            array[start + k] = s.ite(here, value, array[start + k]);
        }
    }
    write(&mut s, &mut array, j64, newline);
    assert_eq!(s.told_apart(0, 1, &array), 0);
    let read = s.selected(i64, 0, 1, array);
    let at_j = s.eq(i, j);
    let Node::Ite(cond, value, _) = s.node(read) else { panic!("{}", s.text(read, 6)) };
    assert_eq!((cond, value), (at_j, newline), "{}", s.text(read, 6));
    let unknown: Vec<Term> = (0..300).map(|k| s.byte(0, k)).collect();
    assert_eq!(s.told_apart(0, 1, &unknown), 300);
}

#[test]
fn writes_of_words_and_at_offsets_of_several_bytes_are_seen() {
    for unit in [1, 4] {
        let mut s = Terms::new();
        let bytes = [0, 1, 2, 3].map(|k| s.byte(0, k));
        let of_two = |s: &mut Terms, high: Term, low: Term| {
            let index = s.concat(high, low);
            let (index, unit) = (s.zext(index, 64), s.constant_of(64, unit));
            s.mul(index, unit)
        };
        let (to, from) = (of_two(&mut s, bytes[1], bytes[0]), of_two(&mut s, bytes[2], bytes[3]));
        let (number, nothing) = (s.constant_of(8, 42), s.constant_of(8, 0));
        let mut array = vec![nothing; 4000];
        for place in (0..4000).step_by(unit as usize) {
            let at = s.constant_of(64, place as u128);
            let here = s.eq(to, at);
            array[place] = s.ite(here, number, nothing);
            for i in 1..unit as usize {
                array[place + i] = s.ite(here, bytes[0], nothing);
            }
        }
        let words: Vec<Term> = array
            .chunks(unit as usize)
            .map(|bytes| bytes[1..].iter().fold(bytes[0], |low, &high| s.concat(high, low)))
            .collect();
        assert_eq!(s.told_apart(0, unit as u64, &words), 0, "{unit}");
        let read = s.selected(from, 0, unit as u64, words);
        for (input, expected) in [([1, 2, 2, 1], true), ([1, 2, 1, 2], false), ([0, 3, 3, 0], true)] {
            let w = witness(&mut s, &input);
            let word = if unit == 1 { 42 } else { u64::from(input[0]) * 0x0101_0100 + 42 };
            assert_eq!(s.eval(read, &w), if expected { word } else { 0 }, "{input:?}");
        }
    }
}

#[test]
fn a_condition_that_looks_like_a_place_and_never_holds_there_is_no_write() {
    let mut s = Terms::new();
    let (a, b, i) = (s.byte(0, 0), s.byte(0, 1), s.byte(0, 2));
    let [a, b] = [a, b].map(|t| s.zext(t, 16));
    let sum = s.add(a, b);
    let (high, low) = (s.extract(sum, 8, 8), s.extract(sum, 0, 8));
    let (five, zero, one, two) =
        (s.constant_of(8, 5), s.constant_of(8, 0), s.constant_of(8, 1), s.constant_of(8, 2));
    let (of_high, of_low) = (s.eq(high, five), s.eq(low, zero));
    let cond = s.and(of_high, of_low);
    let held = s.ite(cond, one, two);
    let at = s.zext(i, 64);
    let read = s.selected(at, 0, 1, vec![held, zero, two]);
    for (input, expected) in [([0, 0, 0], 2), ([255, 1, 0], 2), ([0, 0, 1], 0), ([9, 9, 2], 2)] {
        let w = witness(&mut s, &input);
        assert_eq!(s.eval(read, &w), expected, "{input:?}");
    }
}

#[test]
fn copies_of_copies_with_writes_in_between_are_read_in_time() {
    let mut s = Terms::new();
    let mut array: Vec<Term> = (0..200).map(|i| s.constant_of(8, i)).collect();
    for round in 0..40 {
        let (to, length, value) =
            (s.byte(0, 2 * round), s.byte(0, 2 * round + 1), s.constant_of(8, round.into()));
        let [to, length] = [to, length].map(|t| s.zext(t, 64));
        write(&mut s, &mut array, to, value);
        let from = array.clone();
        for k in 0..150 {
            let index = s.constant_of(64, k as u128);
            let here = s.ult(index, length);
            array[k] = s.ite(here, from[k + 1], array[k]);
        }
    }
    let at = s.byte(0, 200);
    let at = s.zext(at, 64);
    s.told_apart(0, 1, &array);
    let read = s.selected(at, 0, 1, array);
    let w = witness(&mut s, &[0; 201]);
    assert_eq!(s.eval(read, &w), 39);
}
