//! Abstract bounds of conditions when some fields have values and the others may have any. `diagram` prunes prefix states with
//! them: a condition is refuted only if it is false for all values of the other fields.

use crate::fields::Fields;
use crate::policy::sweep;
use crate::spans::{Span, Spans, spans};
use cleave_expr::{LANES, Node, Term, Terms};

/// The spans (wrapped intervals) of the terms of a query, for one level at a time.
pub(crate) struct Outlook<'a> {
    terms: &'a Terms,
    below: &'a [(Term, [u32; 3])],
    known: &'a [u32],
    fields: &'a Fields,
    /// At the current level: the places of the terms that have no value yet.
    open: Vec<u32>,
    /// The places of their operands that have a value.
    given: Vec<u32>,
    spans: Vec<Spans>,
}

impl<'a> Outlook<'a> {
    /// `known` gives for each term the level from which on it has a value.
    pub(crate) fn new(
        terms: &'a Terms,
        below: &'a [(Term, [u32; 3])],
        known: &'a [u32],
        fields: &'a Fields,
    ) -> Outlook<'a> {
        Outlook { terms, below, known, fields, open: Vec::new(), given: Vec::new(), spans: Vec::new() }
    }

    /// Number of terms without a value at the current level.
    pub(crate) fn size(&self) -> usize {
        self.open.len()
    }

    /// Moves to a level. Returns true if it has open terms, and at most `sweep::OPEN_TERMS`.
    pub(crate) fn turn_to(&mut self, level: usize) -> bool {
        self.open.clear();
        self.given.clear();
        let mut given = vec![false; self.below.len()];
        for (place, (_, operands)) in self.below.iter().enumerate() {
            if self.known[place] as usize <= level {
                continue;
            }
            self.open.push(place as u32);
            for &operand in operands {
                given[operand as usize] |= self.known[operand as usize] as usize <= level;
            }
        }
        let places = given.iter().enumerate().filter(|(_, given)| **given);
        self.given.extend(places.map(|(place, _)| place as u32));
        if self.open.is_empty() || self.open.len() > sweep::OPEN_TERMS {
            return false;
        }
        if self.spans.is_empty() {
            self.spans = vec![[Span::ZERO; LANES]; self.below.len()];
        }
        for i in 0..self.open.len() {
            let place = self.open[i] as usize;
            if let Some(free) = self.free(self.below[place].0) {
                self.spans[place].fill(free);
            }
        }
        true
    }

    /// The span of a byte, or of a part of a byte, that has no value yet.
    fn free(&self, t: Term) -> Option<Span> {
        let (id, low) = match self.terms.node(t) {
            Node::Byte(id) => (id, 0),
            Node::Extract(x, low) => match self.terms.node(x) {
                Node::Byte(id) => (id, low),
                _ => return None,
            },
            _ => return None,
        };
        let bits = match self.terms.node(t) {
            Node::Byte(_) => u8::MAX,
            _ => self.terms.seen_by(t),
        };
        let field = self.fields.fields.iter().find(|f| f.byte == id && f.mask & bits != 0)?;
        let values = || field.values.iter().map(|v| u64::from((v & bits) >> low));
        Some(Span::between(values().min()?, values().max()?))
    }

    /// The lanes among the first `used` in which all conditions may still hold, a bit each; conditions that cannot hold are
    /// blamed. `columns` has the values of all terms that have one.
    pub(crate) fn alive(
        &mut self,
        columns: &[[u64; LANES]],
        asked: &[bool],
        used: usize,
        blamed: &mut [bool],
    ) -> u64 {
        for &place in &self.given {
            let spans = &mut self.spans[place as usize];
            spans.iter_mut().zip(&columns[place as usize]).take(used).for_each(|(s, v)| *s = Span::one(*v));
        }
        let mut alive = u64::MAX >> (LANES - used);
        for &place in &self.open {
            let place = place as usize;
            let (node, operands) = self.below[place];
            let (before, rest) = self.spans.split_at_mut(place);
            let Some(out) = rest.first_mut() else { break };
            let of_byte = match self.terms.node(node) {
                Node::Byte(_) => true,
                Node::Extract(x, _) => matches!(self.terms.node(x), Node::Byte(_)),
                _ => false,
            };
            if !of_byte {
                const ZEROS: &Spans = &[Span::ZERO; LANES];
                let operand = |i: u32| before.get(i as usize).unwrap_or(ZEROS);
                spans(self.terms, node, operands.map(operand), used, out);
            }
            if asked[place] {
                let fails = |(lane, span): (usize, &Span)| u64::from(span.value() == Some(0)) << lane;
                let fails = alive & out[..used].iter().enumerate().map(fails).fold(0, |all, bit| all | bit);
                blamed[place] |= fails != 0;
                alive &= !fails;
                if alive == 0 {
                    break;
                }
            }
        }
        alive
    }
}
