//! The undefined bytes of a page. A page that is wholly defined, or wholly undefined, costs one word.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::shade::{Shade, Shadow};

/// Size in bytes of a page of a large object. Objects up to this size are one page of their own size.
pub const PAGE: usize = 1024;

/// Number of bits in a word; a page of at most this many bytes has a bit for each of them in the summary itself.
const WORD: usize = 64;

/// `n` bits (1 to 64) from bit `i` on.
#[inline(always)]
fn run(i: usize, n: usize) -> u64 {
    (u64::MAX >> (WORD - n)) << i
}

/// The longest run of zero bits around bit `i`, which is zero.
fn zeros_around(bits: u64, i: usize) -> Range<usize> {
    let below = bits & run(0, i + 1);
    let above = bits & !run(0, i + 1);
    let start = WORD - below.leading_zeros() as usize;
    start..above.trailing_zeros().min(WORD as u32) as usize
}

/// The bytes of a page that are undefined, all of them or some of their bits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Undefined {
    /// In a page of at most 64 bytes a bit a byte; in a larger one a bit for each 64 bytes of which one is undefined. Zero if
    /// all is defined.
    summary: u64,
    detail: Option<Box<Detail>>,
}

#[derive(Clone, Debug, Default)]
struct Detail {
    /// A bit a byte, where the summary has a bit; `None` while each such run of 64 bytes is wholly undefined.
    bytes: Option<[u64; PAGE / WORD]>,
    /// Handles of the bytes that have one; any other undefined byte is unwritten.
    shades: BTreeMap<u16, Shade>,
}

impl Undefined {
    /// A page of `size` bytes that nobody has written yet.
    pub(crate) fn all(size: usize) -> Undefined {
        let bits = if size <= WORD { size } else { size.div_ceil(WORD) };
        Undefined { summary: if bits == 0 { 0 } else { run(0, bits) }, detail: None }
    }

    /// True if nobody has written a byte of a page of `size` bytes.
    pub(crate) fn is_all(&self, size: usize) -> bool {
        self.detail.is_none() && self.summary == Undefined::all(size).summary
    }

    /// True if nothing in the page is undefined.
    #[inline(always)]
    pub(crate) fn is_none(&self) -> bool {
        self.summary == 0
    }

    fn bytes(&self, size: usize, block: usize) -> u64 {
        if size <= WORD {
            return self.summary;
        }
        if self.summary >> block & 1 == 0 {
            return 0;
        }
        match self.detail.as_ref().and_then(|d| d.bytes.as_ref()) {
            Some(bytes) => bytes[block],
            None => run(0, (size - block * WORD).min(WORD)),
        }
    }

    /// True if one of the `n` bytes (at least one) from `i` on of a page of `size` bytes is undefined.
    pub(crate) fn any(&self, size: usize, i: usize, n: usize) -> bool {
        let mut i = i;
        let end = i + n;
        while i < end {
            let (block, at) = (i / WORD, i % WORD);
            let here = (end - i).min(WORD - at);
            if self.bytes(size, block) & run(at, here) != 0 {
                return true;
            }
            i += here;
        }
        false
    }

    /// A run of bytes around the one at `i` of a page of `size` bytes, all of them defined; `None` if that one is not. It need not be
    /// the longest.
    pub(crate) fn defined_around(&self, size: usize, i: usize) -> Option<Range<usize>> {
        if self.summary == 0 {
            return Some(0..size);
        }
        if size > WORD && self.summary >> (i / WORD) & 1 == 0 {
            let blocks = zeros_around(self.summary, i / WORD);
            return Some(blocks.start * WORD..(blocks.end * WORD).min(size));
        }
        let block = i / WORD * WORD;
        let bits = self.bytes(size, i / WORD);
        if bits >> (i % WORD) & 1 != 0 {
            return None;
        }
        let run = zeros_around(bits, i % WORD);
        Some(block + run.start..(block + run.end).min(size))
    }

    /// Marks bytes as defined or not, without a look at their shades.
    fn mark(&mut self, size: usize, i: usize, n: usize, undefined: bool) {
        if size <= WORD {
            let here = run(i, n);
            self.summary = if undefined { self.summary | here } else { self.summary & !here };
            return;
        }
        let mut i = i;
        let end = i + n;
        while i < end {
            let (block, at) = (i / WORD, i % WORD);
            let here = (end - i).min(WORD - at);
            let old = self.bytes(size, block);
            let new = if undefined { old | run(at, here) } else { old & !run(at, here) };
            if new != old {
                self.put(size, block, new);
            }
            i += here;
        }
    }

    /// Sets the bits of 64 bytes of a page with more.
    fn put(&mut self, size: usize, block: usize, new: u64) {
        match self.detail.as_mut().and_then(|d| d.bytes.as_mut()) {
            Some(bytes) => bytes[block] = new,
            None if new == 0 || new == run(0, (size - block * WORD).min(WORD)) => {}
            None => self.list(size, block, new),
        }
        if new == 0 {
            self.summary &= !(1 << block);
        } else {
            self.summary |= 1 << block;
        }
    }

    /// Gives each byte of the page its own bit from now on.
    #[cold]
    fn list(&mut self, size: usize, block: usize, new: u64) {
        let mut bytes = [0; PAGE / WORD];
        for (k, bits) in bytes.iter_mut().enumerate().take(size.div_ceil(WORD)) {
            *bits = self.bytes(size, k);
        }
        bytes[block] = new;
        self.detail.get_or_insert_default().bytes = Some(bytes);
    }

    /// The `n` bytes from `i` on are defined from now on.
    pub(crate) fn define(&mut self, size: usize, i: usize, n: usize) {
        if n == 0 {
            return;
        }
        self.mark(size, i, n, false);
        let Some(detail) = &mut self.detail else { return };
        if self.summary == 0 {
            self.detail = None;
        } else if !detail.shades.is_empty() {
            for i in i..i + n {
                detail.shades.remove(&(i as u16));
            }
        }
    }

    pub(crate) fn get(&self, size: usize, i: usize) -> Shadow {
        if self.summary == 0 || self.bytes(size, i / WORD) & run(i % WORD, 1) == 0 {
            return Shadow::Defined;
        }
        let shade = self.detail.as_ref().and_then(|d| d.shades.get(&(i as u16)));
        shade.map_or(Shadow::Fresh, |&shade| Shadow::Shaded(shade))
    }

    pub(crate) fn set(&mut self, size: usize, i: usize, shadow: Shadow) {
        match shadow {
            Shadow::Defined => {
                if self.summary != 0 {
                    self.define(size, i, 1);
                }
            }
            Shadow::Fresh => {
                self.mark(size, i, 1, true);
                if let Some(detail) = &mut self.detail {
                    detail.shades.remove(&(i as u16));
                }
            }
            Shadow::Shaded(shade) => {
                self.mark(size, i, 1, true);
                self.detail.get_or_insert_default().shades.insert(i as u16, shade);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fixed sequence of numbers without a pattern.
    fn numbers(seed: u64) -> impl FnMut(u64) -> usize {
        let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        move |below| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            (x % below) as usize
        }
    }

    #[test]
    fn a_page_says_of_its_bytes_what_a_list_of_bytes_says() {
        for size in [1, 7, 63, 64, 65, 100, 128, 129, 1000, PAGE] {
            for seed in 1..40 {
                let mut pick = numbers(seed * 1009 + size as u64);
                let (mut page, mut plain) = match seed % 2 {
                    0 => (Undefined::default(), vec![Shadow::Defined; size]),
                    _ => (Undefined::all(size), vec![Shadow::Fresh; size]),
                };
                for _ in 0..200 {
                    let i = pick(size as u64);
                    let most = if pick(4) == 0 { size } else { 8 };
                    let n = 1 + pick((size - i).min(most) as u64);
                    match pick(5) {
                        0 | 1 => {
                            page.define(size, i, n);
                            plain[i..i + n].fill(Shadow::Defined);
                        }
                        2 => {
                            let shade = Shadow::Shaded(Shade::from_raw(1 + pick(3) as u32).unwrap());
                            page.set(size, i, shade);
                            plain[i] = shade;
                        }
                        3 => {
                            (i..i + n).for_each(|i| page.set(size, i, Shadow::Fresh));
                            plain[i..i + n].fill(Shadow::Fresh);
                        }
                        _ => {
                            page.set(size, i, Shadow::Defined);
                            plain[i] = Shadow::Defined;
                        }
                    }
                    let any = plain[i..i + n].iter().any(|&s| s != Shadow::Defined);
                    assert_eq!(page.any(size, i, n), any, "{size} {seed}: {i} {n}");
                    let around = page.defined_around(size, i);
                    assert_eq!(around.is_some(), plain[i] == Shadow::Defined, "{size} {seed}: {i}");
                    if let Some(run) = around {
                        assert!(run.contains(&i) && run.end <= size, "{size} {seed}: {i} {run:?}");
                        assert!(plain[run].iter().all(|&s| s == Shadow::Defined), "{size} {seed}: {i}");
                    }
                    assert_eq!(page.is_none(), plain.iter().all(|&s| s == Shadow::Defined));
                }
                for (i, &shadow) in plain.iter().enumerate() {
                    assert_eq!(page.get(size, i), shadow, "{size} {seed}: {i}");
                }
            }
        }
    }
}
