//! An object of the program under test: its bytes, known or symbolic, in pages that forks share.

use std::rc::Rc;

use cleave_expr::Term;

use crate::byte::Byte;

/// Bytes of a page of a large object. Objects up to this size are one page of their own size.
pub const PAGE: usize = 1024;

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
}

impl Kind {
    /// The word for it in messages.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Global => "global",
            Kind::Heap => "heap",
            Kind::Stack => "stack",
            Kind::Mapped => "mapped",
        }
    }
}

/// A run of bytes; those that depend on inputs have a term, whose known value is then 0.
#[derive(Clone, Debug)]
struct Page {
    known: Box<[u8]>,
    terms: Option<Box<[Option<Term>]>>,
}

impl Page {
    fn zeroed(size: usize) -> Page {
        Page { known: vec![0; size].into(), terms: None }
    }

    #[inline]
    fn get(&self, i: usize) -> Byte {
        match self.terms.as_ref().and_then(|t| t[i]) {
            Some(t) => Byte::Symbolic(t),
            None => Byte::Known(self.known[i]),
        }
    }

    fn set(&mut self, i: usize, byte: Byte) {
        match byte {
            Byte::Known(v) => {
                self.known[i] = v;
                if let Some(terms) = &mut self.terms {
                    terms[i] = None;
                }
            }
            Byte::Symbolic(t) => {
                self.known[i] = 0;
                let size = self.known.len();
                self.terms.get_or_insert_with(|| vec![None; size].into())[i] = Some(t);
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
    data: Data,
}

impl Object {
    /// A zeroed object.
    pub fn new(base: u64, size: u64, kind: Kind) -> Object {
        let n = size as usize;
        let data = if n <= PAGE {
            Data::One(Page::zeroed(n))
        } else {
            let full = Rc::new(Page::zeroed(PAGE));
            let mut pages = vec![full; n / PAGE];
            if !n.is_multiple_of(PAGE) {
                pages.push(Rc::new(Page::zeroed(n % PAGE)));
            }
            Data::Many(pages)
        };
        Object { base, size, kind, constant: false, origin: 0, data }
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
            Data::One(page) => page.set(i, byte),
            Data::Many(pages) => Rc::make_mut(&mut pages[i / PAGE]).set(i % PAGE, byte),
        }
    }

    /// The `n` known bytes (at most 8) from offset `i` as a little-endian number, if they lie in one page and
    /// none is symbolic. The caller has checked the bounds.
    #[inline(always)]
    pub fn known(&self, i: u64, n: usize) -> Option<u64> {
        let (page, i) = match &self.data {
            Data::One(page) => (page, i as usize),
            Data::Many(pages) => (&*pages[i as usize / PAGE], i as usize % PAGE),
        };
        let bytes = page.known.get(i..i + n)?;
        if let Some(terms) = &page.terms
            && terms[i..i + n].iter().any(|t| t.is_some())
        {
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
        if let Some(terms) = &mut page.terms {
            terms[i..i + n].fill(None);
        }
        Some(())
    }

    /// Writes known bytes at offset `i`; the caller has checked the bounds.
    pub fn fill_from(&mut self, i: u64, bytes: &[u8]) {
        if let Data::One(page) = &mut self.data {
            let i = i as usize;
            page.known[i..i + bytes.len()].copy_from_slice(bytes);
            if let Some(terms) = &mut page.terms {
                terms[i..i + bytes.len()].fill(None);
            }
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
