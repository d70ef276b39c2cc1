//! Words bit by bit: a diagram for each bit of a term. Comparisons of words that are no choices between few values have diagrams by it,
//! as of the fields of a UTF-8 character, of two hexadecimal digits, or of sums.

use std::rc::Rc;

use cleave_expr::{BinaryOp, Node, Support, TableId, Term, Terms};

use crate::store::{Diagram, Diagrams};

/// A bit has at most this many nodes; a term with a larger one has no bits. A bit of a function of two bytes has at most 257.
const MOST_NODES_OF_BIT: u32 = 1 << 9;
/// A comparison has at most this many. Whether two bytes are equal, or in order, takes 256 nodes, and several such comparisons together take
/// too many: a variable for each is better (bench/results/2026-11-29-classes.txt).
const MOST_NODES_OF_COMPARISON: u32 = 200;
/// Tables with more entries are not looked up.
const MOST_ENTRIES: usize = 1 << 10;

/// The bits of a word, the lowest first.
type Bits = Rc<[Diagram]>;

impl Diagrams {
    /// A comparison of two words by their bits. `None` if one of them is too large.
    pub(crate) fn compared_by_bits(
        &mut self,
        terms: &mut Terms,
        op: BinaryOp,
        a: Term,
        b: Term,
    ) -> Option<Diagram> {
        let (x, y) = (self.bits(terms, a)?, self.bits(terms, b)?);
        let mut found = Diagram::of(op == BinaryOp::Eq);
        for (i, (&p, &q)) in x.iter().zip(y.iter()).enumerate() {
            let differ = self.xor(p, q)?;
            found = match op {
                BinaryOp::Eq => self.select(differ, Diagram::FALSE, found)?,
                // The sign is set in what is less.
                BinaryOp::Slt if i + 1 == x.len() => self.select(differ, p, found)?,
                _ => self.select(differ, q, found)?,
            };
        }
        (self.size(found) <= MOST_NODES_OF_COMPARISON).then_some(found)
    }

    /// One bit of a term.
    pub(crate) fn bit(&mut self, terms: &mut Terms, t: Term, i: u32) -> Option<Diagram> {
        self.bits(terms, t)?.get(i as usize).copied()
    }

    fn bits(&mut self, terms: &mut Terms, t: Term) -> Option<Bits> {
        if let Some(known) = self.bits.get(&t) {
            return known.clone();
        }
        let found = self.computed_bits(terms, t);
        self.bits.insert(t, found.clone());
        found
    }

    fn computed_bits(&mut self, terms: &mut Terms, t: Term) -> Option<Bits> {
        let w = usize::from(terms.width(t));
        if let Some(v) = terms.constant(t) {
            return Some((0..w).map(|i| Diagram::of(v >> i & 1 != 0)).collect());
        }
        if w > 64 || terms.has_floats(t) {
            return None;
        }
        if w == 1 {
            let d = self.of(terms, t)?;
            return self.is_small(d).then(|| Rc::from([d]));
        }
        if let Support::One(id) = terms.support(t) {
            let mut bits = Vec::with_capacity(w);
            for i in 0..w as u32 {
                let bit = terms.extract(t, i, 1);
                bits.push(match terms.constant64(bit) {
                    Some(v) => Diagram::of(v != 0),
                    None => {
                        let set = *terms.byte_set(bit)?;
                        self.of_byte(terms, id, set)
                    }
                });
            }
            return Some(bits.into());
        }
        match terms.node(t) {
            Node::Not(x) => {
                let x = self.bits(terms, x)?;
                Some(x.iter().map(|&d| self.not(d)).collect())
            }
            Node::Zext(x) => {
                let x = self.bits(terms, x)?;
                Some(extended(&x, Diagram::FALSE, w))
            }
            Node::Sext(x) => {
                let x = self.bits(terms, x)?;
                Some(extended(&x, *x.last()?, w))
            }
            Node::Extract(x, low) => {
                let x = self.bits(terms, x)?;
                x.get(low as usize..low as usize + w).map(Rc::from)
            }
            Node::Ite(c, a, b) => {
                let (a, b) = (self.bits(terms, a)?, self.bits(terms, b)?);
                let c = self.of(terms, c)?;
                a.iter().zip(b.iter()).map(|(&a, &b)| self.select(c, a, b)).collect()
            }
            Node::Table(id, x) => {
                let x = self.bits(terms, x)?;
                self.entry(terms, id, &x, w)
            }
            Node::Binary(op, a, b) => self.bits_of_two(terms, op, a, b),
            _ => None,
        }
    }

    fn bits_of_two(&mut self, terms: &mut Terms, op: BinaryOp, a: Term, b: Term) -> Option<Bits> {
        let shift = terms.constant64(b);
        let (a, b) = (self.bits(terms, a)?, self.bits(terms, b)?);
        let pairs = || a.iter().zip(b.iter());
        match op {
            BinaryOp::And => pairs().map(|(&p, &q)| self.select(p, q, Diagram::FALSE)).collect(),
            BinaryOp::Or => pairs().map(|(&p, &q)| self.select(p, Diagram::TRUE, q)).collect(),
            BinaryOp::Xor => pairs().map(|(&p, &q)| self.xor(p, q)).collect(),
            BinaryOp::Add => self.sum(&a, &b, Diagram::FALSE).map(Bits::from),
            BinaryOp::Sub => {
                let b: Vec<_> = b.iter().map(|&d| self.not(d)).collect();
                self.sum(&a, &b, Diagram::TRUE).map(Bits::from)
            }
            BinaryOp::Mul => {
                let mut sum = vec![Diagram::FALSE; a.len()];
                for (i, &p) in b.iter().enumerate().filter(|(_, p)| **p != Diagram::FALSE) {
                    let part = a[..a.len() - i].iter().map(|&q| self.select(p, q, Diagram::FALSE));
                    let part: Option<Vec<_>> = part.collect();
                    let high = self.sum(&sum[i..], &part?, Diagram::FALSE)?;
                    sum[i..].copy_from_slice(&high);
                }
                Some(sum.into())
            }
            BinaryOp::Concat => Some(b.iter().chain(a.iter()).copied().collect()),
            BinaryOp::Shl => {
                let n = usize::try_from(shift?).unwrap_or(usize::MAX).min(a.len());
                let zeros = std::iter::repeat_n(Diagram::FALSE, n);
                Some(zeros.chain(a[..a.len() - n].iter().copied()).collect())
            }
            BinaryOp::LShr | BinaryOp::AShr => {
                let n = usize::try_from(shift?).unwrap_or(usize::MAX).min(a.len());
                let sign = if op == BinaryOp::AShr { *a.last()? } else { Diagram::FALSE };
                Some(extended(&a[n..], sign, a.len()))
            }
            _ => None,
        }
    }

    fn sum(&mut self, a: &[Diagram], b: &[Diagram], mut carry: Diagram) -> Option<Vec<Diagram>> {
        let mut sum = Vec::with_capacity(a.len());
        for (i, (&p, &q)) in a.iter().zip(b).enumerate() {
            let differ = self.xor(p, q)?;
            sum.push(self.xor(differ, carry)?);
            if i + 1 < a.len() {
                carry = self.select(differ, carry, p)?;
            }
        }
        Some(sum)
    }

    /// The entry of a table at an index with these bits.
    fn entry(&mut self, terms: &Terms, id: TableId, index: &[Diagram], w: usize) -> Option<Bits> {
        let entries: Vec<u64> = terms.table_entries(id).iter().take(MOST_ENTRIES + 1).collect();
        if entries.len() > MOST_ENTRIES {
            return None;
        }
        // Index bits that no entry has are 0, or the entry is.
        let used = index.len().min(entries.len().next_power_of_two().ilog2() as usize);
        let mut behind = Diagram::FALSE;
        for &bit in &index[used..] {
            behind = self.select(bit, Diagram::TRUE, behind)?;
        }
        let mut bits = Vec::with_capacity(w);
        for i in 0..w {
            let mut layer: Vec<Diagram> = entries.iter().map(|e| Diagram::of(e >> i & 1 != 0)).collect();
            layer.resize(1 << used, Diagram::FALSE);
            for &bit in &index[..used] {
                let halves = layer.chunks(2).map(|pair| self.select(bit, pair[1], pair[0]));
                layer = halves.collect::<Option<_>>()?;
            }
            bits.push(self.select(behind, Diagram::FALSE, layer[0])?);
        }
        Some(bits.into())
    }

    fn xor(&mut self, a: Diagram, b: Diagram) -> Option<Diagram> {
        let not_b = self.not(b);
        self.select(a, not_b, b)
    }

    fn select(&mut self, c: Diagram, a: Diagram, b: Diagram) -> Option<Diagram> {
        self.has_room(MOST_NODES_OF_BIT);
        let made = self.choose(c, a, b)?;
        self.is_small(made).then_some(made)
    }

    fn is_small(&mut self, d: Diagram) -> bool {
        self.size(d) <= MOST_NODES_OF_BIT
    }
}

/// A word with copies of a bit in front.
fn extended(bits: &[Diagram], sign: Diagram, w: usize) -> Bits {
    let more = std::iter::repeat_n(sign, w - bits.len());
    bits.iter().copied().chain(more).collect()
}
