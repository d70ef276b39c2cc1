//! Comparisons of words, and the bounds that comparisons with constants give to a word.

use cleave_expr::{BinaryOp, Node, Term, Terms, both, mask};

/// A comparison, perhaps negated.
#[derive(Clone, Copy)]
pub struct Comparison {
    /// `Eq`, `Ult` or `Slt`.
    pub op: BinaryOp,
    /// The first operand.
    pub a: Term,
    /// The second operand.
    pub b: Term,
    /// False if the comparison is negated.
    pub holds: bool,
}

/// `t` as a comparison of words of at most 64 bits.
pub fn comparison(terms: &Terms, t: Term) -> Option<Comparison> {
    let (t, holds) = match terms.node(t) {
        Node::Not(x) => (x, false),
        _ => (t, true),
    };
    match terms.node(t) {
        Node::Binary(op, a, b) if op.is_comparison() && terms.width(a) <= 64 => {
            Some(Comparison { op, a, b, holds })
        }
        _ => None,
    }
}

/// Bounds of a word from comparisons with constants: the least and the greatest value, both included.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Compared {
    pub(crate) unsigned: (u64, u64),
    pub(crate) signed: (i64, i64),
}

/// The bits of `t`, a constant of at most 64 bits, as a signed number.
fn signed(terms: &Terms, t: Term) -> Option<i64> {
    let (value, unused) = (terms.constant64(t)?, 64 - u32::from(terms.width(t)));
    Some((value << unused) as i64 >> unused)
}

impl Compared {
    pub(crate) fn nothing(width: u8) -> Compared {
        let half = (mask(width) as u64 >> 1) as i64;
        Compared { unsigned: (0, mask(width) as u64), signed: (-half - 1, half) }
    }

    /// Tightens the bounds of `word` by a condition that holds.
    pub(crate) fn add(&mut self, terms: &Terms, word: Term, condition: Term) {
        let (comparison, holds) = match terms.node(condition) {
            Node::Not(x) => (x, false),
            _ => (condition, true),
        };
        let Node::Binary(op @ (BinaryOp::Ult | BinaryOp::Slt), a, b) = terms.node(comparison) else { return };
        // Compilers test if a word lies between two numbers by `word + k < n`.
        if let (BinaryOp::Ult, true, Node::Binary(BinaryOp::Add, x, k)) = (op, holds, terms.node(a))
            && x == word
            && let (Some(k), Some(n @ 1..)) = (terms.constant64(k), terms.constant64(b))
        {
            let whole = mask(terms.width(word)) as u64;
            let (least, most) = (0u64.wrapping_sub(k) & whole, (n - 1).wrapping_sub(k) & whole);
            if least <= most {
                self.unsigned = both(self.unsigned, (least, most));
            }
            return;
        }
        // `word < k`, `word >= k`, `k < word` and `k >= word`.
        let (other, is_less) = match (a == word, b == word) {
            (true, false) => (b, holds),
            (false, true) => (a, !holds),
            _ => return,
        };
        let strict = u64::from(holds);
        if op == BinaryOp::Ult {
            let Some(k) = terms.constant64(other) else { return };
            let (least, most) = &mut self.unsigned;
            match is_less {
                true => *most = (*most).min(k.saturating_sub(strict)),
                false => *least = (*least).max(k.saturating_add(strict)),
            }
        } else {
            let Some(k) = signed(terms, other) else { return };
            let (least, most) = &mut self.signed;
            match is_less {
                true => *most = (*most).min(k.saturating_sub(strict as i64)),
                false => *least = (*least).max(k.saturating_add(strict as i64)),
            }
        }
    }
}
