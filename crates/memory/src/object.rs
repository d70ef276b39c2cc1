//! An object of the program under test: its bytes, known or symbolic, in pages that forks share.

use std::rc::Rc;

use cleave_expr::Term;
use cleave_program::layout::SLOT_SIZE;

use crate::byte::Byte;
use crate::shade::Shadow;
use crate::undefined::{PAGE, Undefined};

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A global variable.
    Global,
    /// From `malloc` and its relatives.
    Heap,
    /// A local variable.
    Stack,
    /// From `mmap`.
    Mapped,
    /// Arguments and environment of the program.
    Start,
    /// The variable arguments of a call.
    Variable,
}

impl Kind {
    /// The word for it in messages.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Global => "global",
            Kind::Heap => "heap",
            Kind::Stack => "stack",
            Kind::Mapped => "mapped",
            Kind::Start => "start-up",
            Kind::Variable => "variable-argument",
        }
    }
}

/// How an object begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Birth {
    /// See [`Object::birth`].
    pub place: u32,
    /// Its bytes are undefined until they are written.
    pub undefined: bool,
}

/// What is kept of an object whose life is over: as much as fits in its slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grave {
    /// What it was.
    pub kind: Kind,
    /// Where it started in its first slot: the logarithm to the base 2.
    pub start: u8,
    /// Its size in bytes, which [`crate::MAX_OBJECT`] bounds.
    pub size: u32,
    /// See [`Object::birth`].
    pub birth: u32,
    /// What ended it, as [`Object::birth`].
    pub death: u32,
}

impl Grave {
    /// Where it started in its first slot, in bytes.
    pub(crate) fn start(self) -> u64 {
        1 << self.start
    }
}

/// Bytes of a page whose terms are kept, copied and shared together: few of a page depend on inputs.
const BLOCK: usize = 64;

type Block = [Option<Term>; BLOCK];

/// A run of bytes; those that depend on inputs have a term, whose known value is then 0.
#[derive(Clone, Debug)]
struct Page {
    known: Box<[u8]>,
    /// One for each started [`BLOCK`] bytes; none at all where no byte ever had a term.
    terms: Option<Box<[Option<Rc<Block>>]>>,
    undefined: Undefined,
}

impl Page {
    fn zeroed(size: usize) -> Page {
        Page { known: vec![0; size].into(), terms: None, undefined: Undefined::default() }
    }

    fn unwritten(size: usize) -> Page {
        Page { undefined: Undefined::all(size), ..Page::zeroed(size) }
    }

    /// Whether one of the `n` bytes from `i` on, at least one, has undefined bits.
    #[inline(always)]
    fn any_undefined(&self, i: usize, n: usize) -> bool {
        !self.undefined.is_none() && self.undefined.any(self.known.len(), i, n)
    }

    /// The `n` bytes from `i` on have all their bits from now on.
    #[inline(always)]
    fn define(&mut self, i: usize, n: usize) {
        if !self.undefined.is_none() {
            self.undefined.define(self.known.len(), i, n);
        }
    }

    #[inline]
    fn term(&self, i: usize) -> Option<Term> {
        self.terms.as_ref()?[i / BLOCK].as_ref()?[i % BLOCK]
    }

    #[inline]
    fn get(&self, i: usize) -> Byte {
        match self.term(i) {
            Some(t) => Byte::Symbolic(t),
            None => Byte::Known(self.known[i]),
        }
    }

    /// Writes a byte without a look at whether it was defined.
    fn put(&mut self, i: usize, byte: Byte) {
        match byte {
            Byte::Known(v) => {
                self.known[i] = v;
                self.forget(i, 1);
            }
            Byte::Symbolic(t) => {
                self.known[i] = 0;
                let blocks = self.known.len().div_ceil(BLOCK);
                let terms = self.terms.get_or_insert_with(|| vec![None; blocks].into());
                let block = terms[i / BLOCK].get_or_insert_with(|| Rc::new([None; BLOCK]));
                Rc::make_mut(block)[i % BLOCK] = Some(t);
            }
        }
    }

    /// As [`Page::put`] for a run of bytes, which lies in this page.
    fn write(&mut self, i: usize, bytes: &[Byte]) {
        for (k, &byte) in bytes.iter().enumerate() {
            match byte {
                Byte::Known(v) if self.terms.is_none() => self.known[i + k] = v,
                _ => self.put(i + k, byte),
            }
        }
    }

    /// Whether one of the `n` bytes from `i` on has a term; 1 to 8 bytes.
    #[inline(always)]
    fn any_term(&self, i: usize, n: usize) -> bool {
        let Some(terms) = &self.terms else { return false };
        let last = (i + n).saturating_sub(1);
        // So few bytes are in one block, or two.
        let blocks = terms[i / BLOCK].is_some() || terms[last / BLOCK].is_some();
        blocks && (i..i + n).any(|i| self.term(i).is_some())
    }

    /// The `n` bytes from `i` on have no terms from now on.
    #[inline(always)]
    fn forget(&mut self, i: usize, n: usize) {
        if self.terms.is_some() {
            self.forget_each(i, n);
        }
    }

    fn forget_each(&mut self, i: usize, n: usize) {
        for i in i..i + n {
            if self.term(i).is_some()
                && let Some(terms) = &mut self.terms
                && let Some(block) = &mut terms[i / BLOCK]
            {
                Rc::make_mut(block)[i % BLOCK] = None;
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Data {
    One(Page),
    Many(Vec<Rc<Page>>),
}

/// An object: where it is, how large, what it holds.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its address.
    pub base: u64,
    /// Its size in bytes.
    pub size: u64,
    /// What it is.
    pub kind: Kind,
    /// Whether a write to it is an error.
    pub constant: bool,
    /// For a global: its index in the program. Else 0.
    pub origin: u32,
    /// What made it; 0 where that is nothing of the program. For those who know what it means.
    pub birth: u32,
    data: Data,
}

impl Object {
    /// A zeroed object.
    pub fn new(base: u64, size: u64, kind: Kind) -> Object {
        Object::of_pages(base, size, kind, Page::zeroed)
    }

    /// An object whose bytes read as zeros.
    pub fn born(base: u64, size: u64, kind: Kind, birth: Birth) -> Object {
        let page = if birth.undefined { Page::unwritten } else { Page::zeroed };
        Object { birth: birth.place, ..Object::of_pages(base, size, kind, page) }
    }

    /// Its bytes in runs of offset and length, without runs that are the same as the one in front of them.
    pub fn runs(&self) -> Vec<(u64, u64)> {
        let pages = match &self.data {
            Data::One(_) => return vec![(0, self.size)],
            Data::Many(pages) => pages,
        };
        let same = |i: usize| i > 0 && Rc::ptr_eq(&pages[i], &pages[i - 1]);
        let run = |i: usize| (!same(i)).then(|| ((i * PAGE) as u64, pages[i].known.len() as u64));
        (0..pages.len()).filter_map(run).collect()
    }

    /// Whether it is as it was when it began, and that was undefined.
    pub(crate) fn is_unwritten(&self) -> bool {
        let fresh = |page: &Page| page.undefined.is_all(page.known.len());
        match &self.data {
            Data::One(page) => fresh(page),
            Data::Many(pages) => pages.iter().all(|page| fresh(page)),
        }
    }

    /// What is kept of it when its life ends.
    pub(crate) fn grave(&self, death: u32) -> Grave {
        let start = (self.base % SLOT_SIZE).trailing_zeros() as u8;
        Grave { kind: self.kind, start, size: self.size as u32, birth: self.birth, death }
    }

    fn of_pages(base: u64, size: u64, kind: Kind, page: fn(usize) -> Page) -> Object {
        let n = size as usize;
        let data = if n <= PAGE {
            Data::One(page(n))
        } else {
            let full = Rc::new(page(PAGE));
            let mut pages = vec![full; n / PAGE];
            if !n.is_multiple_of(PAGE) {
                pages.push(Rc::new(page(n % PAGE)));
            }
            Data::Many(pages)
        };
        Object { base, size, kind, constant: false, origin: 0, birth: 0, data }
    }

    /// How much of the byte at offset `i`, which is below the size, is defined.
    pub fn shadow(&self, i: u64) -> Shadow {
        let i = i as usize;
        let (page, i) = match &self.data {
            Data::One(page) => (page, i),
            Data::Many(pages) => (&*pages[i / PAGE], i % PAGE),
        };
        page.undefined.get(page.known.len(), i)
    }

    /// Says how much of a byte is defined. Writing it before has made it defined.
    pub fn set_shadow(&mut self, i: u64, shadow: Shadow) {
        let i = i as usize;
        let (page, i) = match &mut self.data {
            Data::One(page) => (page, i),
            Data::Many(pages) => (Rc::make_mut(&mut pages[i / PAGE]), i % PAGE),
        };
        page.undefined.set(page.known.len(), i, shadow);
    }

    /// Whether all of the `n` bytes from offset `i` are defined; the caller has checked the bounds.
    pub fn is_defined(&self, i: u64, n: u64) -> bool {
        if n == 0 {
            return true;
        }
        let (mut i, end) = (i as usize, (i + n) as usize);
        match &self.data {
            Data::One(page) => !page.any_undefined(i, end - i),
            Data::Many(pages) => {
                while i < end {
                    let here = (end - i).min(PAGE - i % PAGE);
                    if pages[i / PAGE].any_undefined(i % PAGE, here) {
                        return false;
                    }
                    i += here;
                }
                true
            }
        }
    }

    /// The byte at offset `i`, which is below the size.
    #[inline]
    pub fn get(&self, i: u64) -> Byte {
        let i = i as usize;
        match &self.data {
            Data::One(page) => page.get(i),
            Data::Many(pages) => pages[i / PAGE].get(i % PAGE),
        }
    }

    /// Writes the byte at offset `i`, which is below the size.
    #[inline]
    pub fn set(&mut self, i: u64, byte: Byte) {
        let i = i as usize;
        match &mut self.data {
            Data::One(page) => {
                page.define(i, 1);
                page.put(i, byte);
            }
            Data::Many(pages) => {
                let page = Rc::make_mut(&mut pages[i / PAGE]);
                page.define(i % PAGE, 1);
                page.put(i % PAGE, byte);
            }
        }
    }

    /// Writes bytes from offset `i` on; the caller has checked the bounds.
    pub fn write(&mut self, i: u64, bytes: &[Byte]) {
        let (mut i, mut rest) = (i as usize, bytes);
        while !rest.is_empty() {
            let (page, at) = match &mut self.data {
                Data::One(page) => (page, i),
                Data::Many(pages) => (Rc::make_mut(&mut pages[i / PAGE]), i % PAGE),
            };
            let (here, behind) = rest.split_at(rest.len().min(page.known.len() - at));
            page.define(at, here.len());
            page.write(at, here);
            (i, rest) = (i + here.len(), behind);
        }
    }

    /// The `n` known bytes (1 to 8) from offset `i` as a little-endian number, if they lie in one page and
    /// none is symbolic. The caller has checked the bounds.
    #[inline(always)]
    pub fn known(&self, i: u64, n: usize) -> Option<u64> {
        let (page, i) = match &self.data {
            Data::One(page) => (page, i as usize),
            Data::Many(pages) => (&*pages[i as usize / PAGE], i as usize % PAGE),
        };
        let bytes = page.known.get(i..i + n)?;
        if page.any_term(i, n) || page.any_undefined(i, n) {
            return None;
        }
        Some(match n {
            8 => u64::from_le_bytes(bytes.try_into().ok()?),
            4 => u32::from_le_bytes(bytes.try_into().ok()?) as u64,
            1 => bytes[0] as u64,
            2 => u16::from_le_bytes(bytes.try_into().ok()?) as u64,
            _ => bytes.iter().rev().fold(0, |v, &b| v << 8 | b as u64),
        })
    }

    /// Writes the low `n` bytes (at most 8) of `value` at offset `i`, if they lie in one page. The caller has
    /// checked the bounds.
    #[inline(always)]
    pub fn set_known(&mut self, i: u64, n: usize, value: u64) -> Option<()> {
        let (page, i) = match &mut self.data {
            Data::One(page) => (page, i as usize),
            Data::Many(pages) => {
                let p = i as usize / PAGE;
                if i as usize % PAGE + n > pages[p].known.len() {
                    return None;
                }
                (Rc::make_mut(&mut pages[p]), i as usize % PAGE)
            }
        };
        let bytes = page.known.get_mut(i..i + n)?;
        match n {
            8 => bytes.copy_from_slice(&value.to_le_bytes()),
            4 => bytes.copy_from_slice(&(value as u32).to_le_bytes()),
            1 => bytes[0] = value as u8,
            _ => bytes.copy_from_slice(&value.to_le_bytes()[..n]),
        }
        page.forget(i, n);
        page.define(i, n);
        Some(())
    }

    /// Writes known bytes at offset `i`; the caller has checked the bounds.
    pub fn fill_from(&mut self, i: u64, bytes: &[u8]) {
        if let Data::One(page) = &mut self.data {
            let i = i as usize;
            page.known[i..i + bytes.len()].copy_from_slice(bytes);
            page.forget(i, bytes.len());
            page.define(i, bytes.len());
            return;
        }
        for (k, &b) in bytes.iter().enumerate() {
            self.set(i + k as u64, Byte::Known(b));
        }
    }

    /// Whether no byte of `i .. i + n` is symbolic; the caller has checked the bounds.
    pub fn all_known(&self, i: u64, n: u64) -> bool {
        (i..i + n).all(|k| matches!(self.get(k), Byte::Known(_)))
    }
}
