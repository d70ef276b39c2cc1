//! An object of the program under test: its bytes, known or symbolic, in pages that forks share.

use std::rc::Rc;

use cleave_expr::Term;
use cleave_program::layout::Target;

use crate::byte::Byte;
use crate::data::Data;
use crate::page::Page;
use crate::shade::{Shade, Shadow};
use crate::undefined::PAGE;

/// The kind of an object.
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

/// The start of an object's life.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Birth {
    /// See [`Object::birth`].
    pub place: u32,
    /// Its bytes are undefined until they are written.
    pub undefined: bool,
    /// See [`Object::origin`].
    pub allocator: u32,
}

/// The facts that are kept of an object whose life is over: as much as fits in its slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grave {
    /// Its kind.
    pub kind: Kind,
    /// Its start in its first slot, as the logarithm to the base 2; [`ELSEWHERE`] if it is none.
    pub start: u8,
    /// Its size in bytes: the low 32 bits, and those above, with [`SYMBOLIC`]. [`crate::MAX_OBJECT`] bounds it.
    size_low: u32,
    size_high: u16,
    /// See [`Object::birth`].
    pub birth: u32,
    /// The op that ended it, as [`Object::birth`].
    pub death: u32,
}

/// The start of an object whose address the program has chosen.
const ELSEWHERE: u8 = u8::MAX;

/// This bit of [`Grave`]'s `size_high` says that the size depended on the input.
const SYMBOLIC: u16 = 1 << 15;

impl Grave {
    /// As [`Object::size`], in bytes.
    pub fn size(self) -> u64 {
        u64::from(self.size_high & !SYMBOLIC) << 32 | u64::from(self.size_low)
    }

    /// True if its size depended on the input.
    pub fn is_symbolic(self) -> bool {
        self.size_high & SYMBOLIC != 0
    }

    /// Its start in its first slot, in bytes, if that is known.
    pub(crate) fn start(self) -> Option<u64> {
        (self.start != ELSEWHERE).then(|| 1 << self.start)
    }
}

/// Bytes of an object that are gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hole {
    /// Its start, in bytes from the object's start.
    pub start: u64,
    /// Its end, likewise.
    pub end: u64,
    /// The op that made it, as [`Object::birth`].
    pub death: u32,
}

/// An object: its address, size, kind and contents.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its address.
    pub base: u64,
    /// Its size in bytes. If that depends on the input: the greatest one, for which there is room.
    pub size: u64,
    /// Number of bytes that it has for every input, as far as the path has decided: its size, unless that depends on the input.
    pub certain: u64,
    /// Its size as a term of 64 bits, if it depends on the input.
    pub extent: Option<Term>,
    /// Its kind.
    pub kind: Kind,
    /// True if a write to it is an error.
    pub constant: bool,
    /// For a global: its index in the program. For an object of the heap: what made it, as a number of the engine's. Else 0.
    pub origin: u32,
    /// The op that made it, as a number of the engine's; 0 if that is no op of the program.
    pub birth: u32,
    /// Bytes that are gone.
    pub(crate) holes: Option<Rc<Vec<Hole>>>,
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
        let origin = birth.allocator;
        Object { birth: birth.place, origin, ..Object::of_pages(base, size, kind, page) }
    }

    /// Its bytes in runs of offset and length, without runs that are the same as the one in front of them.
    pub fn runs(&self) -> Vec<(u64, u64)> {
        let run = |(i, page): (usize, &Page)| (i as u64, page.known.len() as u64);
        self.data.distinct().into_iter().map(run).collect()
    }

    /// True if its bytes were undefined at its start, and none has been written.
    pub(crate) fn is_unwritten(&self) -> bool {
        self.data.distinct().iter().all(|(_, page)| page.undefined.is_all(page.known.len()))
    }

    /// The facts that are kept of it when its life ends.
    pub(crate) fn grave(&self, target: Target, death: u32) -> Grave {
        let place = self.base % target.slot_size();
        let start = if place.is_power_of_two() { place.trailing_zeros() as u8 } else { ELSEWHERE };
        let symbolic = if self.extent.is_some() { SYMBOLIC } else { 0 };
        let (size_low, size_high) = (self.size as u32, (self.size >> 32) as u16 | symbolic);
        Grave { kind: self.kind, start, size_low, size_high, birth: self.birth, death }
    }

    fn of_pages(base: u64, size: u64, kind: Kind, page: fn(usize) -> Page) -> Object {
        let data = Data::new(size as usize, page);
        Object {
            base,
            size,
            certain: size,
            extent: None,
            kind,
            constant: false,
            origin: 0,
            birth: 0,
            holes: None,
            data,
        }
    }

    /// The undefined bits of the byte at offset `i`, which is below the size.
    pub fn shadow(&self, i: u64) -> Shadow {
        let (page, i) = self.data.page(i as usize);
        page.undefined.get(page.known.len(), i)
    }

    /// Sets the undefined bits of a byte. A write before that has made it defined.
    pub fn set_shadow(&mut self, i: u64, shadow: Shadow) {
        let (page, i) = self.data.page_mut(i as usize);
        page.undefined.set(page.known.len(), i, shadow);
    }

    /// True if all of the `n` bytes from offset `i` are defined; the caller has checked the bounds.
    pub fn is_defined(&self, i: u64, n: u64) -> bool {
        let defined = |shadow| match shadow {
            Shadow::Defined => true,
            Shadow::Fresh => false,
            Shadow::Shaded(shade) => shade.is_base(),
        };
        self.is_plain(i, n) || (i..i + n).all(|i| defined(self.shadow(i)))
    }

    /// The handle of the object that a pointer was made from, whose `n` bytes from offset `i` these are.
    pub fn pointer_base(&self, i: u64, n: u64) -> Option<Shade> {
        match self.shadow(i) {
            Shadow::Shaded(shade) if shade.is_base() => {
                (i + 1..i + n).all(|i| self.shadow(i) == Shadow::Shaded(shade)).then_some(shade)
            }
            _ => None,
        }
    }

    /// True if all of the `n` bytes from offset `i` are defined and have no handle; the caller has checked the bounds.
    pub fn is_plain(&self, i: u64, n: u64) -> bool {
        let (mut i, end) = (i as usize, (i + n) as usize);
        while i < end {
            let (page, at) = self.data.page(i);
            let here = (end - i).min(page.known.len() - at);
            if page.any_undefined(at, here) {
                return false;
            }
            i += here;
        }
        true
    }

    /// The `n` bytes from offset `i` on, if all of them are known and wholly defined; the caller has checked the bounds.
    pub(crate) fn plain_bytes(&self, i: u64, n: u64) -> Option<Vec<u8>> {
        let (mut i, end) = (i as usize, (i + n) as usize);
        let mut bytes = Vec::with_capacity(n as usize);
        while i < end {
            let (page, at) = self.data.page(i);
            let here = (end - i).min(page.known.len() - at);
            if !page.is_plain(at, here) {
                return None;
            }
            bytes.extend_from_slice(&page.known[at..at + here]);
            i += here;
        }
        Some(bytes)
    }

    /// The page that has the byte at offset `i`, which is below the size, and its place there.
    pub(crate) fn page(&self, i: u64) -> (&Page, usize) {
        self.data.page(i as usize)
    }

    /// As [`Object::page`], to write.
    pub(crate) fn page_mut(&mut self, i: u64) -> (&mut Page, usize) {
        self.data.page_mut(i as usize)
    }

    /// The byte at offset `i`, which is below the size.
    #[inline]
    pub fn get(&self, i: u64) -> Byte {
        let (page, i) = self.data.page(i as usize);
        page.get(i)
    }

    /// Writes the byte at offset `i`, which is below the size.
    #[inline]
    pub fn set(&mut self, i: u64, byte: Byte) {
        let (page, i) = self.data.page_mut(i as usize);
        page.define(i, 1);
        page.put(i, byte);
    }

    /// Writes bytes from offset `i` on; the caller has checked the bounds.
    pub fn write(&mut self, i: u64, bytes: &[Byte]) {
        let (mut i, mut rest) = (i as usize, bytes);
        while !rest.is_empty() {
            let (page, at) = self.data.page_mut(i);
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
        let (page, i) = self.data.page(i as usize);
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
        if i as usize % PAGE + n > PAGE {
            return None; // in two pages, which are not to be copied for nothing
        }
        let (page, i) = self.data.page_mut(i as usize);
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
        let (mut i, mut rest) = (i as usize, bytes);
        while !rest.is_empty() {
            let (page, at) = self.data.page_mut(i);
            let (here, behind) = rest.split_at(rest.len().min(page.known.len() - at));
            page.known[at..at + here.len()].copy_from_slice(here);
            page.forget(at, here.len());
            page.define(at, here.len());
            (i, rest) = (i + here.len(), behind);
        }
    }

    /// Writes a byte `n` times from offset `i` on, each with this shadow; the caller has checked the bounds. Whole pages are
    /// one page.
    pub fn fill(&mut self, i: u64, n: u64, byte: Byte, shadow: Shadow) {
        let (mut i, end) = (i as usize, (i + n) as usize);
        let mut full = None;
        while i < end {
            let whole = i.is_multiple_of(PAGE) && end - i >= PAGE && self.size as usize > PAGE;
            if whole {
                let page = full.get_or_insert_with(|| Rc::new(Page::filled(PAGE, byte, shadow)));
                self.data.replace(i, page.clone());
                i += PAGE;
                continue;
            }
            let (page, at) = self.data.page_mut(i);
            let (here, size) = ((end - i).min(page.known.len() - at), page.known.len());
            for k in at..at + here {
                page.put(k, byte);
                page.undefined.set(size, k, shadow);
            }
            i += here;
        }
    }

    /// Copies `n` bytes from offset `j` of another object, or of a clone of this one, to offset `i`; the caller has checked the
    /// bounds. A byte that nobody has written gets the shadow `fresh`. Whole pages are shared if that changes nothing.
    pub fn copy_from(&mut self, i: u64, from: &Object, j: u64, n: u64, fresh: Shadow) {
        let (mut i, mut j, end) = (i as usize, j as usize, (i + n) as usize);
        // The last page made of unaligned pages, and these.
        let mut last: Option<([Rc<Page>; 2], Rc<Page>)> = None;
        while i < end {
            let here = (end - i).min(PAGE - i % PAGE);
            let sources = [j, j + here - 1].map(|j| from.data.shared(j));
            let [Some(a), Some(b)] = sources else {
                self.copy_bytes(i, from, j, here, fresh);
                (i, j) = (i + here, j + here);
                continue;
            };
            let defined = fresh == Shadow::Fresh || a.undefined.is_none();
            if here < PAGE || self.size as usize <= PAGE {
                self.copy_bytes(i, from, j, here, fresh);
            } else if j.is_multiple_of(PAGE) && defined {
                self.data.replace(i, a.clone());
            } else if let Some((of, page)) = &last
                && Rc::ptr_eq(&of[0], a)
                && Rc::ptr_eq(&of[1], b)
            {
                self.data.replace(i, page.clone());
            } else {
                self.copy_bytes(i, from, j, here, fresh);
                last = self.data.shared(i).map(|made| ([a.clone(), b.clone()], made.clone()));
            }
            (i, j) = (i + here, j + here);
        }
    }

    fn copy_bytes(&mut self, i: usize, from: &Object, j: usize, n: usize, fresh: Shadow) {
        for k in 0..n as u64 {
            let (i, j) = (i as u64 + k, j as u64 + k);
            self.set(i, from.get(j));
            match from.shadow(j) {
                Shadow::Defined => {}
                Shadow::Fresh => self.set_shadow(i, fresh),
                shaded => self.set_shadow(i, shaded),
            }
        }
    }

    /// The offsets, rising, of the bytes that are not the same in another object of the same size, or not as much defined. Pages that the
    /// two share are not looked at.
    pub fn differing(&self, other: &Object) -> Vec<u64> {
        let mut found = Vec::new();
        let mut start = 0;
        while start < self.size {
            let ours = self.data.shared(start as usize);
            let end = if ours.is_some() { (start + PAGE as u64).min(self.size) } else { self.size };
            let same = match (ours, other.data.shared(start as usize)) {
                (Some(a), Some(b)) => Rc::ptr_eq(a, b),
                _ => false,
            };
            if !same {
                let differs = |&i: &u64| self.get(i) != other.get(i) || self.shadow(i) != other.shadow(i);
                found.extend((start..end).filter(differs));
            }
            start = end;
        }
        found
    }

    /// True if no byte of `i .. i + n` is symbolic; the caller has checked the bounds.
    pub fn all_known(&self, i: u64, n: u64) -> bool {
        (i..i + n).all(|k| matches!(self.get(k), Byte::Known(_)))
    }

    /// The hole that an access of `n` bytes at an offset meets.
    pub(crate) fn hole(&self, offset: u64, n: u64) -> Option<Hole> {
        let end = offset.saturating_add(n.max(1));
        self.holes.iter().flat_map(|all| all.iter()).find(|h| h.start < end && offset < h.end).copied()
    }

    /// Bytes that are gone, by rising offsets.
    pub fn holes(&self) -> &[Hole] {
        self.holes.as_deref().map_or(&[], Vec::as_slice)
    }

    /// True if it has some of `len` bytes from an address on.
    pub fn has_some(&self, address: u64, len: u64) -> bool {
        let within = |start: u64, end: u64| {
            let (from, to) =
                (address.max(self.base + start), address.saturating_add(len).min(self.base + end));
            to.saturating_sub(from)
        };
        within(0, self.size) > self.holes().iter().map(|h| within(h.start, h.end)).sum()
    }

    /// End of the bytes that are there from an offset on, in bytes from the object's start.
    pub fn end_from(&self, offset: u64) -> u64 {
        self.holes().iter().find(|h| offset < h.end).map_or(self.size, |h| h.start)
    }

    /// Sets the bytes that are gone, by rising offsets.
    pub(crate) fn set_holes(&mut self, holes: Vec<Hole>) {
        self.certain = holes.first().map_or(self.size, |first| first.start);
        self.holes = (!holes.is_empty()).then(|| Rc::new(holes));
    }
}
