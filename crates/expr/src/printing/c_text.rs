//! Terms as text in the manner of C, for people: the command line prints conditions with it.
//!
//! The text is C, unless parts were left out as `…`: bytes are `unsigned char`, words read from them `unsigned short`, `int`
//! and `long`, and arithmetic wraps (`-fwrapv`). A condition on one byte is written as the ranges of values for which it holds.

use crate::domains::byteset::ByteSet;
use crate::evaluation::semantics::mask;
use crate::policy::text;
use crate::printing::c_expr::{
    Expr, LEFT_OUT, Operands, binds, choice, constant, fitted, shifted, signed_text,
};
use crate::store::term::{BinaryOp, ByteId, Node, Support, TableId, Term};
use crate::store::terms::Terms;

/// Names of the bytes of inputs in the text.
pub trait Names {
    /// A byte of an object: an lvalue of type `unsigned char`.
    fn byte(&self, object: u32, offset: u32) -> String;
    /// `len` bytes of an object, 2, 4 or 8, as a little-endian word: an `unsigned short`, an `int` or a `long`.
    fn word(&self, object: u32, offset: u32, len: u32) -> String;
    /// `len` bytes of an object as a floating-point number of this type.
    fn number(&self, object: u32, offset: u32, of_type: &str, len: u32) -> String {
        let _ = len;
        format!("*({of_type} *)&{}", self.byte(object, offset))
    }
}

/// A byte's value as people read it: a character if it is printable.
pub fn byte_text(value: u8) -> String {
    match value {
        b'\'' => "'\\''".into(),
        b'\\' => "'\\\\'".into(),
        b'\n' => "'\\n'".into(),
        b'\t' => "'\\t'".into(),
        b'\r' => "'\\r'".into(),
        b' '..=b'~' => format!("'{}'", char::from(value)),
        0..=9 => value.to_string(),
        _ => format!("{value:#04x}"),
    }
}

/// Ranges of values, rising and not adjacent.
pub fn ranges_of(set: &ByteSet) -> Vec<(u8, u8)> {
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    for value in set.iter() {
        match ranges.last_mut() {
            Some((_, last)) if u16::from(*last) + 1 == u16::from(value) => *last = value,
            _ => ranges.push((value, value)),
        }
    }
    ranges
}

/// The condition that `name`, an unsigned byte, is in the set: its text and precedence.
fn set_text(name: &str, set: &ByteSet) -> (String, u8) {
    let (inside, outside) = (ranges_of(set), ranges_of(&set.complement()));
    // The shorter of the two texts.
    let (ranges, negated) =
        if weight(&outside) < weight(&inside) { (outside, true) } else { (inside, false) };
    let (equal, joined, joins) = if negated { ("!=", " && ", binds::AND) } else { ("==", " || ", binds::OR) };
    let one = |&(low, high): &(u8, u8)| {
        let (l, h) = (byte_text(low), byte_text(high));
        match (low, high, negated) {
            _ if low == high => (format!("{name} {equal} {l}"), binds::EQUAL),
            (0, _, false) => (format!("{name} <= {h}"), binds::LESS),
            (_, 255, false) => (format!("{name} >= {l}"), binds::LESS),
            (0, _, true) => (format!("{name} > {h}"), binds::LESS),
            (_, 255, true) => (format!("{name} < {l}"), binds::LESS),
            (_, _, false) => (format!("{name} >= {l} && {name} <= {h}"), binds::AND),
            (_, _, true) => (format!("({name} < {l} || {name} > {h})"), binds::PRIMARY),
        }
    };
    match &ranges[..] {
        [] => (if negated { "1" } else { "0" }.into(), binds::PRIMARY),
        [range] if negated && range.0 != range.1 && range.0 > 0 && range.1 < 255 => {
            let (low, high) = (byte_text(range.0), byte_text(range.1));
            (format!("{name} < {low} || {name} > {high}"), binds::OR)
        }
        [range] => one(range),
        _ => {
            let few = ranges.len() <= text::RANGES;
            let mut parts: Vec<String> = ranges.iter().take(text::RANGES).map(|range| one(range).0).collect();
            if !few {
                parts.push(LEFT_OUT.into());
            }
            (parts.join(joined), joins)
        }
    }
}

/// Estimated length of the text of these ranges.
fn weight(ranges: &[(u8, u8)]) -> usize {
    let one = |&(low, high): &(u8, u8)| match (low, high) {
        _ if low == high => 2,
        (0, _) | (_, 255) => 3,
        _ => 6,
    };
    ranges.iter().map(one).sum()
}

impl Terms {
    /// A condition (one bit) as C; parts beyond `most` operators are left out, and stand as [`LEFT_OUT`].
    pub fn c_text(&mut self, cond: Term, names: &dyn Names, most: usize) -> String {
        Writer { terms: self, names, left: most }.condition(cond, true).text
    }
}

pub(crate) struct Writer<'a> {
    pub(crate) terms: &'a mut Terms,
    pub(crate) names: &'a dyn Names,
    /// Number of operators that may still be written.
    left: usize,
}

impl Writer<'_> {
    pub(crate) fn spent(&mut self) -> bool {
        let spent = self.left == 0;
        self.left = self.left.saturating_sub(1);
        spent
    }

    fn byte_name(&self, id: ByteId) -> String {
        let (object, offset) = self.terms.byte_position(id);
        self.names.byte(object, offset)
    }

    /// The condition that a term of one bit is set, or is not set if `holds` is false.
    pub(crate) fn condition(&mut self, t: Term, holds: bool) -> Expr {
        if let Some(value) = self.terms.constant64(t) {
            return Expr::new(u64::from((value != 0) == holds).to_string(), binds::PRIMARY, false);
        }
        if let Node::Not(a) = self.terms.node(t) {
            return self.condition(a, !holds);
        }
        if self.spent() {
            return Expr::left_out();
        }
        if let (Support::One(id), Some(set)) = (self.terms.support(t), self.terms.byte_set(t)) {
            let set = if holds { *set } else { set.complement() };
            let (text, binds) = set_text(&self.byte_name(id), &set);
            return Expr::new(text, binds, false);
        }
        match self.terms.node(t) {
            Node::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let (sign, tight) =
                    if (op == BinaryOp::And) == holds { ("&&", binds::AND) } else { ("||", binds::OR) };
                let (a, b) = (self.condition(a, holds), self.condition(b, holds));
                Expr::new(format!("{} {sign} {}", a.within(tight), b.within(tight)), tight, false)
            }
            Node::Binary(op @ (BinaryOp::Xor | BinaryOp::Eq), a, b) if self.terms.width(a) == 1 => {
                let sign = if (op == BinaryOp::Eq) == holds { "==" } else { "!=" };
                let (a, b) = (self.condition(a, true), self.condition(b, true));
                let tight = binds::LESS;
                Expr::new(format!("{} {sign} {}", a.within(tight), b.within(tight)), binds::EQUAL, false)
            }
            Node::Binary(BinaryOp::Eq, a, b) => {
                let sign = if holds { "==" } else { "!=" };
                self.compared(a, sign, b, binds::EQUAL, Sign::Either)
            }
            Node::Binary(op @ (BinaryOp::Ult | BinaryOp::Slt), a, b) => {
                let sign = if op == BinaryOp::Ult { Sign::Unsigned } else { Sign::Signed };
                if self.terms.constant(a).is_some() {
                    return self.compared(b, if holds { ">" } else { "<=" }, a, binds::LESS, sign);
                }
                self.compared(a, if holds { "<" } else { ">=" }, b, binds::LESS, sign)
            }
            Node::Ite(c, a, b) => {
                let c = self.condition(c, true);
                let (a, b) = (self.condition(a, holds), self.condition(b, holds));
                choice(&c, &a, &b)
            }
            Node::Extract(a, low) if self.terms.width(a) <= 64 => {
                let wide = self.terms.width(a) > 32 && low >= 31;
                let a = self.value(a);
                let a = if wide && !a.long { a.cast("long", true) } else { a };
                let bit = format!("{} & 1", shifted(&a, low).within(binds::SHIFT));
                if holds {
                    Expr::new(bit, binds::BIT_AND, a.long)
                } else {
                    Expr::new(format!("!({bit})"), binds::UNARY, false)
                }
            }
            Node::Table(id, index) => {
                let (table, not) = (self.table(id.0, index), if holds { "" } else { "!" });
                Expr::new(format!("{not}{}", table.text), binds::UNARY, false)
            }
            Node::Float(op, a, b, _) if op.is_comparison() => self.compared_numbers(op, a, b, holds),
            _ => Expr::left_out(),
        }
    }

    fn compared(&mut self, a: Term, sign: &str, b: Term, tight: u8, signed: Sign) -> Expr {
        let width = self.terms.width(a);
        if width > 64 {
            return Expr::left_out();
        }
        let (mut left, mut right) = (self.value(a), self.value(b));
        match signed {
            Sign::Unsigned if width == 32 || width == 64 => {
                let most = mask(width) as u64 >> 1;
                if self.terms.range(a).1 > most || self.terms.range(b).1 > most {
                    let to = if width == 32 { "unsigned" } else { "unsigned long" };
                    left = left.cast(to, width == 64);
                    if let Some(value) = self.terms.constant64(b) {
                        let text = if value > most { format!("{value:#x}") } else { value.to_string() };
                        right = Expr::new(text, binds::PRIMARY, width == 64);
                    }
                }
            }
            Sign::Signed if width == 8 || width == 16 => {
                let to = if width == 8 { "signed char" } else { "short" };
                let narrow = |t: Term, e: Expr| match self.terms.constant64(t) {
                    Some(value) => Expr::new(signed_text(value.into(), width), binds::UNARY, false),
                    None => e.cast(to, false),
                };
                (left, right) = (narrow(a, left), narrow(b, right));
            }
            Sign::Signed if width != 32 && width != 64 => return Expr::left_out(),
            _ => {}
        }
        let tighter = tight + 1;
        Expr::new(format!("{} {sign} {}", left.within(tighter), right.within(tighter)), tight, false)
    }

    /// The value of a term of at most 64 bits; see [`Expr`].
    pub(crate) fn value(&mut self, t: Term) -> Expr {
        let width = self.terms.width(t);
        if width > 64 {
            return Expr::left_out();
        }
        if let Some(value) = self.terms.constant64(t) {
            return constant(value, width);
        }
        if let Node::Byte(id) = self.terms.node(t) {
            return Expr::new(self.byte_name(id), binds::PRIMARY, false);
        }
        if width == 1 {
            return self.condition(t, true);
        }
        if self.spent() {
            return Expr::left_out();
        }
        match self.terms.node(t) {
            Node::Const(_) | Node::WideConst(_) | Node::Byte(_) => Expr::left_out(), // told above
            Node::Not(a) => {
                let a = self.value(a);
                let a = if width == 64 && !a.long { a.cast("long", true) } else { a };
                let turned = Expr::new(format!("~{}", a.within(binds::UNARY)), binds::UNARY, a.long);
                fitted(turned, width)
            }
            Node::Binary(BinaryOp::Concat, high, low) => self.concatenated(t, high, low),
            Node::Binary(op, a, b) => self.operation(op, a, b),
            Node::Ite(c, a, b) => {
                let c = self.condition(c, true);
                let (a, b) = (self.value(a), self.value(b));
                choice(&c, &a, &b)
            }
            Node::Extract(a, low) => self.part(t, a, low),
            Node::Zext(a) => {
                let (own, wide) = (self.terms.width(a), self.terms.range(a).1 > i32::MAX as u64);
                let a = self.value(a);
                if own == 32 && wide { a.cast("unsigned", false).cast("long", true) } else { a }
            }
            Node::Sext(a) => self.sign_extended(a, width),
            Node::Table(id, index) => self.table(id.0, index),
            Node::Float(op, a, ..) => self.cut_off(op, a, width),
        }
    }

    fn sign_extended(&mut self, a: Term, width: u8) -> Expr {
        let own = self.terms.width(a);
        let e = self.value(a);
        let e = match own {
            1 => {
                let ones = constant(mask(width) as u64, width);
                return choice(&e, &ones, &Expr::new("0", binds::PRIMARY, false));
            }
            8 => e.cast("signed char", false),
            16 => e.cast("short", false),
            32 => e,
            _ => return Expr::left_out(),
        };
        fitted(e, width)
    }

    fn part(&mut self, t: Term, a: Term, low: u32) -> Expr {
        let width = self.terms.width(t);
        if self.terms.width(a) > 64 {
            return Expr::left_out();
        }
        let (own, most) = (self.terms.width(a), self.terms.range(a).1);
        // A negative value is shifted with its sign: ones are added in front.
        let negative = (own == 32 || own == 64) && most > mask(own) as u64 >> 1;
        let whole = !negative && most >> low.min(63) <= mask(width) as u64 && width < 32;
        let e = self.value(a);
        let e = if own == 64 && !e.long && low >= 31 { e.cast("long", true) } else { e };
        let e = shifted(&e, low);
        if whole { e } else { fitted(e, width) }
    }

    fn concatenated(&mut self, t: Term, high: Term, low: Term) -> Expr {
        let width = self.terms.width(t);
        if let Some(word) = self.word(t) {
            return Expr::new(word, binds::PRIMARY, width == 64);
        }
        let (by, wide) = (self.terms.width(low), self.terms.range(low).1 > i32::MAX as u64);
        let (mut h, mut l) = (self.value(high), self.value(low));
        if width > 32 && !h.long {
            h = h.cast("long", true);
        }
        if by == 32 && wide {
            l = l.cast("unsigned", false);
        }
        let text = format!("{} << {by} | {}", h.within(binds::ADD), l.within(binds::BIT_XOR));
        Expr::new(text, binds::BIT_OR, width > 32)
    }

    /// The name of a word; `None` if the term is not 2, 4 or 8 consecutive bytes of one object, in order.
    fn word(&self, t: Term) -> Option<String> {
        let (object, first, len) = self.row(t)?;
        [2, 4, 8].contains(&len).then(|| self.names.word(object, first, len))
    }

    /// The object, the first byte and the number of bytes of a term; `None` if it is not consecutive bytes of one object, in
    /// order.
    pub(crate) fn row(&self, t: Term) -> Option<(u32, u32, u32)> {
        let (mut bytes, mut todo) = (Vec::new(), vec![t]);
        while let Some(t) = todo.pop() {
            match self.terms.node(t) {
                // The high part comes first.
                Node::Binary(BinaryOp::Concat, high, low) => todo.extend([low, high]),
                Node::Byte(id) => bytes.push(self.terms.byte_position(id)),
                _ => return None,
            }
        }
        bytes.reverse();
        let (object, first) = *bytes.first()?;
        let in_order = (first..).zip(&bytes).all(|(offset, byte)| *byte == (object, offset));
        in_order.then_some((object, first, bytes.len() as u32))
    }

    fn table(&mut self, id: u32, index: Term) -> Expr {
        let (width, most) = (self.terms.width(index), self.terms.range(index).1);
        let wide = self.terms.table_width(TableId(id)) == 64;
        let e = self.value(index);
        let e = match width {
            32 if most > i32::MAX as u64 => e.cast("unsigned", false),
            64 if most > i64::MAX as u64 => e.cast("unsigned long", true),
            _ => e,
        };
        Expr::new(format!("table{id}[{}]", e.text), binds::PRIMARY, wide)
    }

    fn operation(&mut self, op: BinaryOp, a: Term, b: Term) -> Expr {
        let operands = Operands {
            width: self.terms.width(a),
            a: self.terms.range(a),
            b: self.terms.range(b),
            known: self.terms.constant64(b),
            left: self.value(a),
            right: self.value(b),
        };
        operands.joined(op)
    }
}

#[derive(Clone, Copy)]
enum Sign {
    Either,
    Signed,
    Unsigned,
}
