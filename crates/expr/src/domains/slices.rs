//! Bounds of words that are bits of a floating-point number, as in a program that extracts the exponent. `boxes` uses them: the
//! bounds of the number bound its bits.

use cleave_float::Float;
use rustc_hash::FxHashMap;

use crate::domains::interval::{Interval, last_place};
use crate::evaluation::semantics::mask;
use crate::store::term::{BinaryOp, ByteId, Node, Term};
use crate::store::terms::Terms;

/// Some bits of a byte: the byte, the lowest bit, the number of bits.
type Piece = (ByteId, u8, u8);

/// The input bits of a word, the lowest first; zeros above them are left out. `None` if it has other parts.
fn pieces(terms: &Terms, t: Term) -> Option<Vec<Piece>> {
    match terms.node(t) {
        Node::Byte(id) => Some(vec![(id, 0, 8)]),
        Node::Zext(a) => pieces(terms, a),
        Node::Binary(BinaryOp::Concat, high, low) => {
            let mut all = pieces(terms, low)?;
            let known: u8 = all.iter().map(|piece| piece.2).sum();
            // Zeros between the two parts would be bits of no byte.
            (known == terms.width(low)).then_some(())?;
            all.extend(pieces(terms, high)?);
            Some(all)
        }
        Node::Extract(a, low) => {
            let (mut skip, mut left, mut all) = (low as u8, terms.width(t), Vec::new());
            for (id, first, count) in pieces(terms, a)? {
                let skipped = skip.min(count);
                let taken = (count - skipped).min(left);
                if taken > 0 {
                    all.push((id, first + skipped, taken));
                }
                (skip, left) = (skip - skipped, left - taken);
            }
            (!all.is_empty()).then_some(all)
        }
        _ => None,
    }
}

/// The positions of a number's bytes in it, in bits.
pub(crate) struct Layout {
    width: u8,
    places: FxHashMap<ByteId, u8>,
}

impl Layout {
    /// The layout of a word of 32 or 64 bits that is a concatenation of different bytes; `None` for other words.
    pub(crate) fn of(terms: &Terms, word: Term) -> Option<Layout> {
        let width = terms.width(word);
        let all = pieces(terms, word).filter(|_| width == 32 || width == 64)?;
        let mut places = FxHashMap::default();
        for (i, (id, first, count)) in all.into_iter().enumerate() {
            let again = places.insert(id, 8 * i as u8).is_some();
            (!again && first == 0 && count == 8).then_some(())?;
        }
        (places.len() == usize::from(width) / 8).then_some(Layout { width, places })
    }

    /// The lowest bit and the number of bits of a word within the number; `None` if it is not consecutive bits of it.
    pub(crate) fn bits(&self, terms: &Terms, word: Term) -> Option<(u8, u8)> {
        let mut found: Option<(u8, u8)> = None;
        for (id, first, count) in pieces(terms, word)? {
            let at = self.places.get(&id)? + first;
            found = match found {
                None => Some((at, count)),
                Some((low, width)) if low + width == at => Some((low, width + count)),
                Some(_) => return None,
            };
        }
        found.filter(|(low, width)| low + width <= self.width)
    }
}

/// Unsigned bounds of the `width` bits from `low` on of the numbers in an interval; no bounds for extended precision.
pub(crate) fn bits_of(k: Float, i: Interval, low: u8, width: u8) -> (u128, u128) {
    let (all, top) = (mask(width), low + width);
    if k == Float::X80 {
        return (0, all);
    }
    let sign = 1u128 << (k.bits() - 1);
    let mut found: Option<(u128, u128)> = None;
    let mut with = |from: u128, to: u128| {
        let (lo, hi) = if from >> top == to >> top { (from >> low & all, to >> low & all) } else { (0, all) };
        found = Some(found.map_or((lo, hi), |(a, b)| (a.min(lo), b.max(hi))));
    };
    if !i.is_empty() && i.hi >= 0 {
        with(i.lo.max(0) as u128, i.hi as u128);
    }
    if !i.is_empty() && i.lo <= 0 {
        with(sign | (-i.hi).max(0) as u128, sign | i.lo.unsigned_abs());
    }
    if i.nan {
        let first = last_place(k) as u128 + 1;
        with(first, sign - 1);
        with(sign | first, 2 * sign - 1);
    }
    found.unwrap_or((0, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_number_is_found_by_the_bytes_that_it_is_made_of() {
        let mut terms = Terms::default();
        let bytes: Vec<Term> = (0..8).map(|i| terms.byte(0, i)).collect();
        let mut word = bytes[0];
        for &byte in &bytes[1..] {
            word = terms.binary(BinaryOp::Concat, byte, word);
        }
        let layout = Layout::of(&terms, word).unwrap();
        for low in 0..64u8 {
            for width in 1..=(64 - low) {
                let part = terms.extract(word, low.into(), width);
                assert_eq!(layout.bits(&terms, part), Some((low, width)));
                if width < 50 {
                    let wide = terms.zext(part, 60);
                    assert_eq!(layout.bits(&terms, wide), Some((low, width)));
                }
            }
        }
        let swapped = terms.binary(BinaryOp::Concat, bytes[2], bytes[3]);
        assert_eq!(layout.bits(&terms, swapped), None);
        let other = terms.byte(1, 0);
        assert_eq!(layout.bits(&terms, other), None);
        let twice = terms.binary(BinaryOp::Concat, swapped, swapped);
        assert!(Layout::of(&terms, twice).is_none());
        let zero = terms.constant_of(8, 0);
        let gap = terms.binary(BinaryOp::Concat, zero, bytes[3]);
        let gap = terms.binary(BinaryOp::Concat, bytes[4], gap);
        assert_eq!(layout.bits(&terms, gap), None);
    }

    #[test]
    fn bounds_of_bits_hold_for_each_number_of_an_interval() {
        let k = Float::F32;
        let last = last_place(k);
        let points = [-last, -last + 1, -5, -1, 0, 1, 2, 0x3f80_0000, 0x4000_0001, last - 1, last];
        let patterns = |place: i128| {
            let magnitude = place.unsigned_abs();
            let sign = 1 << 31;
            let both =
                [Some(magnitude).filter(|_| place >= 0), Some(magnitude | sign).filter(|_| place <= 0)];
            both.into_iter().flatten()
        };
        let nans = [0x7f80_0001u128, 0x7fff_ffff, 0xff80_0001, 0xffff_ffff];
        for (a, &lo) in points.iter().enumerate() {
            for &hi in &points[a..] {
                for nan in [false, true] {
                    for (low, width) in [(23, 8), (23, 9), (31, 1), (0, 32), (0, 31), (16, 15), (5, 9)] {
                        let (least, most) = bits_of(k, Interval { lo, hi, nan }, low, width);
                        let inside = points.iter().copied().filter(|p| lo <= *p && *p <= hi);
                        let between = [lo + (hi - lo) / 3, lo + (hi - lo) / 2, hi - (hi - lo) / 7];
                        let numbers = inside.chain(between).flat_map(patterns);
                        for pattern in numbers.chain(nans.into_iter().filter(|_| nan)) {
                            let bits = pattern >> low & mask(width);
                            assert!(least <= bits && bits <= most, "{lo} {hi} {nan} {low} {width}");
                        }
                    }
                }
            }
        }
        // All numbers of the interval have the same exponent.
        let narrow = Interval { lo: 0x3f80_0000, hi: 0x3fff_ffff, nan: false };
        assert_eq!(bits_of(k, narrow, 23, 8), (127, 127));
        assert_eq!(bits_of(k, Interval { lo: -narrow.hi, hi: narrow.hi, nan: false }, 23, 8), (0, 127));
    }
}
