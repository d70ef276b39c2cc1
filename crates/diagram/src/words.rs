//! Words that are made of input bytes.

use cleave_expr::{BinaryOp, ByteId, Node, Term, Terms};

/// The bytes of a word, the lowest first: input bytes, or known ones. Returns false if it has others.
pub(crate) fn bytes_of_word(terms: &Terms, word: Term, out: &mut Vec<Result<ByteId, u8>>) -> bool {
    if let Some(v) = terms.constant(word) {
        let w = terms.width(word);
        out.extend((0..w / 8).map(|i| Err((v >> (8 * i)) as u8)));
        return w.is_multiple_of(8);
    }
    match terms.node(word) {
        Node::Byte(id) => {
            out.push(Ok(id));
            true
        }
        Node::Binary(BinaryOp::Concat, high, low) => {
            bytes_of_word(terms, low, out) && bytes_of_word(terms, high, out)
        }
        Node::Zext(x) if terms.width(x).is_multiple_of(8) && terms.width(word).is_multiple_of(8) => {
            let more = (terms.width(word) - terms.width(x)) / 8;
            let found = bytes_of_word(terms, x, out);
            out.extend((0..more).map(|_| Err(0)));
            found
        }
        _ => false,
    }
}
