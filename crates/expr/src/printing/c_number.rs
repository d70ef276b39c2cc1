//! Floating-point terms as C: operators, library functions, casts and comparisons. `c_text` calls it.

use cleave_float::{Float, Rounding};

use crate::float::float_op::{FloatOp, kind};
use crate::printing::c_expr::{Expr, binds};
use crate::printing::c_text::Writer;
use crate::store::term::{Node, Term};

fn type_of(k: Float) -> &'static str {
    match k {
        Float::F32 => "float",
        Float::F64 => "double",
        Float::X80 => "long double",
    }
}

/// A constant; `None` for infinities, NaN and values of `long double` that are no `double`.
fn literal(k: Float, bits: u128) -> Option<Expr> {
    let text = match k {
        Float::F32 => format!("{:?}f", f32::from_bits(bits as u32)),
        Float::F64 => format!("{:?}", f64::from_bits(bits as u64)),
        Float::X80 => {
            let near = cleave_float::convert(Float::X80, Float::F64, bits);
            let same = cleave_float::convert(Float::F64, Float::X80, near) == bits;
            same.then(|| format!("{:?}L", f64::from_bits(near as u64)))?
        }
    };
    let finite = !text.contains("inf") && !text.contains("NaN");
    let tight = if text.starts_with('-') { binds::UNARY } else { binds::PRIMARY };
    finite.then(|| Expr::new(text, tight, false))
}

impl Writer<'_> {
    /// A term of 32, 64 or 80 bits as a floating-point number.
    pub(crate) fn number(&mut self, t: Term) -> Expr {
        let k = kind(self.terms.width(t));
        if let Some(bits) = self.terms.constant(t) {
            return literal(k, bits).unwrap_or_else(Expr::left_out);
        }
        if self.spent() {
            return Expr::left_out();
        }
        match self.terms.node(t) {
            Node::Float(op, a, b, c) => self.operation_on_numbers(op, k, [a, b, c]),
            Node::Ite(c, a, b) => {
                let c = self.condition(c, true);
                let (a, b) = (self.number(a), self.number(b));
                crate::printing::c_expr::choice(&c, &a, &b)
            }
            _ => self
                .input_number(t, k)
                .map_or_else(Expr::left_out, |name| Expr::new(name, binds::UNARY, false)),
        }
    }

    fn operation_on_numbers(&mut self, op: FloatOp, k: Float, [a, b, c]: [Term; 3]) -> Expr {
        // C has no operators for the other modes.
        if op.rounding().is_some_and(|mode| mode != Rounding::Nearest) {
            return Expr::left_out();
        }
        let suffix = match k {
            Float::F32 => "f",
            Float::F64 => "",
            Float::X80 => "l",
        };
        match op {
            FloatOp::Add(_) => self.joined_numbers("+", binds::ADD, a, b),
            FloatOp::Sub(_) => self.joined_numbers("-", binds::ADD, a, b),
            FloatOp::Mul(_) => self.joined_numbers("*", binds::MULTIPLY, a, b),
            FloatOp::Div(_) => self.joined_numbers("/", binds::MULTIPLY, a, b),
            FloatOp::Neg => {
                let a = self.number(a);
                Expr::new(format!("-({})", a.text), binds::UNARY, false)
            }
            FloatOp::Convert(_) => self.number(a).cast(type_of(k), false),
            FloatOp::FromSigned(_) | FloatOp::FromUnsigned(_) => {
                let (w, signed) = (self.terms.width(a), matches!(op, FloatOp::FromSigned(_)));
                let value = self.value(a);
                let integer = match (w, signed) {
                    (8, true) => value.cast("signed char", false),
                    (16, true) => value.cast("short", false),
                    (32, false) => value.cast("unsigned", false),
                    (64, false) => value.cast("unsigned long", false),
                    (32 | 64, true) | (..64, false) => value,
                    _ => return Expr::left_out(),
                };
                integer.cast(type_of(k), false)
            }
            FloatOp::Rem => {
                let [a, b] = [a, b].map(|t| self.number(t).text);
                Expr::new(format!("fmod{suffix}({a}, {b})"), binds::PRIMARY, false)
            }
            FloatOp::MulAdd(_) => {
                let [a, b, c] = [a, b, c].map(|t| self.number(t).text);
                Expr::new(format!("fma{suffix}({a}, {b}, {c})"), binds::PRIMARY, false)
            }
            FloatOp::Sqrt(_)
            | FloatOp::Rint(_)
            | FloatOp::Floor
            | FloatOp::Ceil
            | FloatOp::Trunc
            | FloatOp::Round
            | FloatOp::Abs => {
                let a = self.number(a);
                Expr::new(format!("{}{suffix}({})", op.name(), a.text), binds::PRIMARY, false)
            }
            // The result of these is no floating-point number.
            FloatOp::ToSigned
            | FloatOp::ToUnsigned
            | FloatOp::Less
            | FloatOp::LessEqual
            | FloatOp::Equal
            | FloatOp::IsNan => Expr::left_out(),
        }
    }

    fn joined_numbers(&mut self, sign: &str, tight: u8, a: Term, b: Term) -> Expr {
        let (a, b) = (self.number(a), self.number(b));
        Expr::new(format!("{} {sign} {}", a.within(tight), b.within(tight + 1)), tight, false)
    }

    /// A comparison of numbers, or its negation if `holds` is false.
    pub(crate) fn compared_numbers(&mut self, op: FloatOp, a: Term, b: Term, holds: bool) -> Expr {
        if op == FloatOp::IsNan {
            let text = format!("{}isnan({})", if holds { "" } else { "!" }, self.number(a).text);
            return Expr::new(text, binds::UNARY, false);
        }
        // A comparison is also false if an operand is NaN; then its negation is not the reverse comparison.
        let number = |terms: &crate::store::terms::Terms, t: Term| !terms.numbers(t).nan;
        let turned = !holds && op != FloatOp::Equal && number(self.terms, a) && number(self.terms, b);
        let (a, b) = (self.number(a), self.number(b));
        let (sign, tight) = match (op, holds) {
            (FloatOp::Equal, true) => ("==", binds::EQUAL),
            (FloatOp::Equal, false) => ("!=", binds::EQUAL),
            (FloatOp::Less, _) if turned => (">=", binds::LESS),
            (_, _) if turned => (">", binds::LESS),
            (FloatOp::Less, _) => ("<", binds::LESS),
            _ => ("<=", binds::LESS),
        };
        let e = Expr::new(format!("{} {sign} {}", a.within(tight + 1), b.within(tight + 1)), tight, false);
        if holds || turned || op == FloatOp::Equal {
            return e;
        }
        Expr::new(format!("!({})", e.text), binds::UNARY, false)
    }

    /// A conversion of a number to an integer; left out if C has no cast for it.
    pub(crate) fn cut_off(&mut self, op: FloatOp, a: Term, width: u8) -> Expr {
        let to = match (op, width) {
            (FloatOp::ToSigned, 32) => "int",
            (FloatOp::ToSigned, 64) => "long",
            (FloatOp::ToUnsigned, 32) => "int)(unsigned",
            (FloatOp::ToUnsigned, 64) => "long)(unsigned long",
            _ => return Expr::left_out(),
        };
        self.number(a).cast(to, width == 64)
    }

    /// Consecutive bytes of an input, in order, read as a number.
    fn input_number(&self, t: Term, k: Float) -> Option<String> {
        let (object, first, len) = self.row(t)?;
        Some(self.names.number(object, first, type_of(k), len))
    }
}
