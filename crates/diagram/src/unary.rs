//! Operators of one operand, as they are applied to the leaves of a value.

use cleave_expr::{Node, TableId, Term, Terms};

/// An operator of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Unary {
    Not,
    /// To so many bits.
    Zext(u8),
    /// To so many bits.
    Sext(u8),
    /// From a bit on, so many bits.
    Extract(u32, u8),
    /// The entry of a table.
    Table(TableId),
}

impl Unary {
    /// The operator and the operand of a term that has one.
    pub(crate) fn of(terms: &Terms, t: Term) -> Option<(Unary, Term)> {
        let w = terms.width(t);
        Some(match terms.node(t) {
            Node::Not(x) => (Unary::Not, x),
            Node::Zext(x) => (Unary::Zext(w), x),
            Node::Sext(x) => (Unary::Sext(w), x),
            Node::Extract(x, low) => (Unary::Extract(low, w), x),
            Node::Table(id, x) => (Unary::Table(id), x),
            _ => return None,
        })
    }

    /// The operator applied to another operand.
    pub(crate) fn applied(self, terms: &mut Terms, x: Term) -> Term {
        match self {
            Unary::Not => terms.not(x),
            Unary::Zext(w) => terms.zext(x, w),
            Unary::Sext(w) => terms.sext(x, w),
            Unary::Extract(low, w) => terms.extract(x, low, w),
            Unary::Table(id) => terms.table(id, x),
        }
    }
}
