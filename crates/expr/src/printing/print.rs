//! Terms as text, in the manner of SMT-LIB. The engine and the solver print it in reports and error messages.

use std::fmt::Write;

use cleave_float::Rounding;

use crate::store::term::{Node, Term};

use crate::store::terms::Terms;

impl Terms {
    /// The term as text; shared parts are repeated, and parts below `depth` levels are `...`.
    pub fn text(&self, t: Term, depth: u32) -> String {
        let mut out = String::new();
        self.write(t, depth, &mut out);
        out
    }

    fn write(&self, t: Term, depth: u32, out: &mut String) {
        if let Some(v) = self.constant(t) {
            let _ = write!(out, "(_ bv{v} {})", self.width(t)); // writing to a string cannot fail
            return;
        }
        if let Node::Byte(id) = self.node(t) {
            let (object, offset) = self.byte_position(id);
            let _ = write!(out, "input{object}[{offset}]");
            return;
        }
        if depth == 0 {
            out.push_str("...");
            return;
        }
        let w = self.width(t) as u32;
        let head = match self.node(t) {
            Node::Not(_) if w == 1 => "not".to_string(),
            Node::Not(_) => "bvnot".to_string(),
            Node::Binary(op, ..) => op.name().to_string(),
            Node::Ite(..) => "ite".to_string(),
            Node::Extract(_, low) => format!("(_ extract {} {low})", low + w - 1),
            Node::Zext(_) => format!("(_ zext {w})"),
            Node::Sext(_) => format!("(_ sext {w})"),
            Node::Table(id, _) => format!("table{}", id.0),
            Node::Float(op, a, ..) => {
                let mode = op.rounding().filter(|mode| *mode != Rounding::Nearest);
                let mode = mode.map_or(String::new(), |mode| format!(".{mode:?}").to_lowercase());
                format!("{}{mode}.{}.{w}", op.name(), self.width(a))
            }
            Node::Const(_) | Node::WideConst(_) | Node::Byte(_) => unreachable!("written above"),
        };
        out.push('(');
        out.push_str(&head);
        for child in self.children(t) {
            out.push(' ');
            self.write(child, depth - 1, out);
        }
        out.push(')');
    }
}
