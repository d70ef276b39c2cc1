//! A page: a run of bytes of an object, known or symbolic, that forks share.

use std::ops::Range;
use std::rc::Rc;

use cleave_expr::Term;

use crate::byte::Byte;
use crate::shade::Shadow;
use crate::undefined::Undefined;

/// Bytes of a page whose terms are kept, copied and shared together: few of a page depend on inputs.
const BLOCK: usize = 64;

type Block = [Option<Term>; BLOCK];

/// A run of bytes; those that depend on inputs have a term, whose known value is then 0.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) known: Box<[u8]>,
    /// One for each started [`BLOCK`] bytes; `None` if no byte ever had a term.
    terms: Option<Box<[Option<Rc<Block>>]>>,
    pub(crate) undefined: Undefined,
}

impl Page {
    pub(crate) fn zeroed(size: usize) -> Page {
        Page { known: vec![0; size].into(), terms: None, undefined: Undefined::default() }
    }

    pub(crate) fn unwritten(size: usize) -> Page {
        Page { undefined: Undefined::all(size), ..Page::zeroed(size) }
    }

    /// A run of bytes around the one at `i`, all of them known and wholly defined; `None` if there is none, or a byte near it
    /// has a term.
    pub(crate) fn plain_around(&self, i: usize) -> Option<Range<usize>> {
        let run = self.undefined.defined_around(self.known.len(), i)?;
        let Some(terms) = &self.terms else { return Some(run) };
        let block = i / BLOCK * BLOCK;
        terms[i / BLOCK].is_none().then(|| run.start.max(block)..run.end.min(block + BLOCK))
    }

    /// True if a byte may have a term.
    pub(crate) fn has_terms(&self) -> bool {
        self.terms.is_some()
    }

    /// True if the `n` bytes from `i` on, at least one, are known and wholly defined.
    pub(crate) fn is_plain(&self, i: usize, n: usize) -> bool {
        let has_terms = self.terms.is_some() && (i..i + n).any(|i| self.term(i).is_some());
        !has_terms && !self.any_undefined(i, n)
    }

    /// True if one of the `n` bytes from `i` on, at least one, has undefined bits.
    #[inline(always)]
    pub(crate) fn any_undefined(&self, i: usize, n: usize) -> bool {
        !self.undefined.is_none() && self.undefined.any(self.known.len(), i, n)
    }

    /// Makes the `n` bytes from `i` on wholly defined.
    #[inline(always)]
    pub(crate) fn define(&mut self, i: usize, n: usize) {
        if !self.undefined.is_none() {
            self.undefined.define(self.known.len(), i, n);
        }
    }

    #[inline]
    fn term(&self, i: usize) -> Option<Term> {
        self.terms.as_ref()?[i / BLOCK].as_ref()?[i % BLOCK]
    }

    #[inline]
    pub(crate) fn get(&self, i: usize) -> Byte {
        match self.term(i) {
            Some(t) => Byte::Symbolic(t),
            None => Byte::Known(self.known[i]),
        }
    }

    /// Writes a byte without a change of its undefined bits.
    pub(crate) fn put(&mut self, i: usize, byte: Byte) {
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
    pub(crate) fn write(&mut self, i: usize, bytes: &[Byte]) {
        for (k, &byte) in bytes.iter().enumerate() {
            match byte {
                Byte::Known(v) if self.terms.is_none() => self.known[i + k] = v,
                _ => self.put(i + k, byte),
            }
        }
    }

    /// True if one of the `n` bytes from `i` on has a term; 1 to 8 bytes.
    #[inline(always)]
    pub(crate) fn any_term(&self, i: usize, n: usize) -> bool {
        let Some(terms) = &self.terms else { return false };
        let last = (i + n).saturating_sub(1);
        // At most 8 bytes are in one block, or two.
        let blocks = terms[i / BLOCK].is_some() || terms[last / BLOCK].is_some();
        blocks && (i..i + n).any(|i| self.term(i).is_some())
    }

    /// Removes the terms of the `n` bytes from `i` on.
    #[inline(always)]
    pub(crate) fn forget(&mut self, i: usize, n: usize) {
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

    /// A page of `size` bytes, all of them this one with this shadow.
    pub(crate) fn filled(size: usize, byte: Byte, shadow: Shadow) -> Page {
        let mut page = Page::zeroed(size);
        for i in 0..size {
            page.put(i, byte);
            page.undefined.set(size, i, shadow);
        }
        page
    }
}
