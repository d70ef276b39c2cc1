//! Expressions of C as text, each with its precedence and type. `c_text` and `c_number` build them; parentheses and casts are
//! added only if the meaning needs them.

use crate::evaluation::semantics::{mask, sign_extend};
use crate::store::term::BinaryOp;

/// Text in place of parts that were left out.
pub const LEFT_OUT: &str = "…";

/// Precedence levels of C's operators; a greater level binds more tightly.
pub(crate) mod binds {
    pub const CHOICE: u8 = 2;
    pub const OR: u8 = 3;
    pub const AND: u8 = 4;
    pub const BIT_OR: u8 = 5;
    pub const BIT_XOR: u8 = 6;
    pub const BIT_AND: u8 = 7;
    pub const EQUAL: u8 = 8;
    pub const LESS: u8 = 9;
    pub const SHIFT: u8 = 10;
    pub const ADD: u8 = 11;
    pub const MULTIPLY: u8 = 12;
    pub const UNARY: u8 = 13;
    pub const PRIMARY: u8 = 15;
}

/// An expression of C. The value of a term of 32 or 64 bits is signed; that of any other width has zeros in front.
pub(crate) struct Expr {
    pub(crate) text: String,
    pub(crate) binds: u8,
    /// Its type is `long`; otherwise `int` or a type that is promoted to it.
    pub(crate) long: bool,
}

impl Expr {
    pub(crate) fn new(text: impl Into<String>, binds: u8, long: bool) -> Expr {
        Expr { text: text.into(), binds, long }
    }

    pub(crate) fn left_out() -> Expr {
        Expr::new(LEFT_OUT, binds::PRIMARY, false)
    }

    /// The text as an operand of an operator of precedence `least`, in parentheses if it binds less tightly.
    pub(crate) fn within(&self, least: u8) -> String {
        if self.binds < least { format!("({})", self.text) } else { self.text.clone() }
    }

    pub(crate) fn cast(&self, to: &str, long: bool) -> Expr {
        Expr::new(format!("({to}){}", self.within(binds::UNARY)), binds::UNARY, long)
    }
}

/// Two operands of an operation whose result has their width, with bounds of their values.
pub(crate) struct Operands {
    pub(crate) width: u8,
    /// Unsigned bounds.
    pub(crate) a: (u64, u64),
    pub(crate) b: (u64, u64),
    /// The second operand, if it is a constant.
    pub(crate) known: Option<u64>,
    pub(crate) left: Expr,
    pub(crate) right: Expr,
}

impl Operands {
    fn most(&self) -> u64 {
        mask(self.width) as u64
    }

    /// True if values of this width are extended with zeros and have no sign.
    fn narrow(&self) -> bool {
        self.width != 32 && self.width != 64
    }

    /// The operation as C.
    pub(crate) fn joined(self, op: BinaryOp) -> Expr {
        let fits = self.fits(op);
        match op {
            BinaryOp::Add if self.known.is_some_and(|v| v >> (self.width - 1) & 1 == 1) => {
                self.less_constant()
            }
            BinaryOp::Add => self.plain("+", binds::ADD, fits),
            BinaryOp::Sub => self.plain("-", binds::ADD, fits),
            BinaryOp::Mul => self.plain("*", binds::MULTIPLY, fits),
            BinaryOp::And => self.bits("&", binds::BIT_AND),
            BinaryOp::Or => self.bits("|", binds::BIT_OR),
            BinaryOp::Xor => self.bits("^", binds::BIT_XOR),
            BinaryOp::Shl => self.shifted_left(fits),
            BinaryOp::LShr => self.shifted_right(),
            BinaryOp::AShr => self.shifted_with_sign(),
            BinaryOp::UDiv => self.divided("/"),
            BinaryOp::URem => self.divided("%"),
            BinaryOp::SDiv => self.divided_with_sign("/"),
            BinaryOp::SRem => self.divided_with_sign("%"),
            // The result of these does not have the operands' width.
            BinaryOp::Concat | BinaryOp::Eq | BinaryOp::Ult | BinaryOp::Slt => Expr::left_out(),
        }
    }

    /// True if the result does not wrap, is not negative and fits an `int`.
    fn fits(&self, op: BinaryOp) -> bool {
        let most = self.most().min(i32::MAX as u64);
        match op {
            BinaryOp::Add => self.a.1.checked_add(self.b.1).is_some_and(|sum| sum <= most),
            BinaryOp::Mul => self.a.1.checked_mul(self.b.1).is_some_and(|product| product <= most),
            BinaryOp::Sub => self.a.0 >= self.b.1 && self.a.1 <= i32::MAX as u64,
            BinaryOp::Shl => self.known.is_some_and(|by| by < 31 && self.a.1 <= most >> by),
            _ => true,
        }
    }

    /// A sum with a negative constant, as a difference.
    fn less_constant(self) -> Expr {
        let value = self.known.unwrap_or_default().wrapping_neg() & self.most();
        let (narrow, width) = (self.narrow(), self.width);
        let minus = constant(value, width);
        let small = self.a.1 <= i32::MAX as u64 && minus.binds == binds::PRIMARY;
        let left = widened(self.left, width, small);
        let text = format!("{} - {}", left.within(binds::ADD), minus.within(binds::MULTIPLY));
        let e = Expr::new(text, binds::ADD, left.long || minus.long);
        if narrow && self.a.0 < value { fitted(e, width) } else { e }
    }

    fn plain(self, sign: &str, tight: u8, fits: bool) -> Expr {
        let (narrow, width) = (self.narrow(), self.width);
        let left = if self.right.long { self.left } else { widened(self.left, width, fits) };
        let text = format!("{} {sign} {}", left.within(tight), self.right.within(tight + 1));
        let e = Expr::new(text, tight, left.long || self.right.long);
        if narrow && !fits { fitted(e, width) } else { e }
    }

    fn bits(self, sign: &str, tight: u8) -> Expr {
        let positive = self.narrow() || self.known.is_some_and(|v| v <= self.most() >> 1);
        let right = match self.known.filter(|v| *v >= 10 && positive) {
            Some(value) => {
                let suffix = if self.right.long { "L" } else { "" };
                Expr::new(format!("{value:#x}{suffix}"), binds::PRIMARY, self.right.long)
            }
            None => self.right,
        };
        let text = format!("{} {sign} {}", self.left.within(binds::SHIFT), right.within(binds::SHIFT));
        Expr::new(text, tight, self.left.long || right.long)
    }

    fn shifted_left(self, fits: bool) -> Expr {
        let (narrow, width) = (self.narrow(), self.width);
        let left = widened(self.left, width, fits);
        let text = format!("{} << {}", left.within(binds::SHIFT), self.right.within(binds::ADD));
        let e = Expr::new(text, binds::SHIFT, left.long);
        if narrow && !fits { fitted(e, width) } else { e }
    }

    /// The unsigned and the signed type of this width.
    fn types(&self) -> (&'static str, &'static str) {
        if self.width == 32 { ("unsigned", "int") } else { ("unsigned long", "long") }
    }

    fn shifted_right(self) -> Expr {
        let ((to, back), long) = (self.types(), self.width == 64);
        let signed = !self.narrow() && self.a.1 > self.most() >> 1;
        let left = widened(self.left, self.width, false);
        let left = if signed { left.cast(to, long) } else { left };
        let text = format!("{} >> {}", left.within(binds::SHIFT), self.right.within(binds::ADD));
        let e = Expr::new(text, binds::SHIFT, left.long);
        if signed { e.cast(back, long) } else { e }
    }

    fn divided(self, sign: &str) -> Expr {
        let ((to, back), long) = (self.types(), self.width == 64);
        if self.narrow() || self.a.1.max(self.b.1) <= self.most() >> 1 {
            return self.plain(sign, binds::MULTIPLY, true);
        }
        let (left, right) = (self.left.cast(to, long), self.right.cast(to, long));
        let text = format!("{} {sign} {}", left.within(binds::MULTIPLY), right.within(binds::UNARY));
        Expr::new(text, binds::MULTIPLY, long).cast(back, long)
    }

    /// An operand as a signed value; `None` if C has no type of this width.
    fn signed(e: Expr, width: u8) -> Option<Expr> {
        match width {
            8 => Some(e.cast("signed char", false)),
            16 => Some(e.cast("short", false)),
            32 | 64 => Some(e),
            _ => None,
        }
    }

    fn shifted_with_sign(self) -> Expr {
        let width = self.width;
        let Some(left) = Operands::signed(widened(self.left, width, false), width) else {
            return Expr::left_out();
        };
        let text = format!("{} >> {}", left.within(binds::SHIFT), self.right.within(binds::ADD));
        fitted(Expr::new(text, binds::SHIFT, left.long), width)
    }

    fn divided_with_sign(self, sign: &str) -> Expr {
        let width = self.width;
        let signed = (Operands::signed(self.left, width), Operands::signed(self.right, width));
        let (Some(left), Some(right)) = signed else { return Expr::left_out() };
        Operands { left: widened(left, width, false), right, ..self }.plain(sign, binds::MULTIPLY, false)
    }
}

pub(crate) fn choice(c: &Expr, a: &Expr, b: &Expr) -> Expr {
    let text = format!("{} ? {} : {}", c.within(binds::OR), a.within(binds::OR), b.within(binds::OR));
    Expr::new(text, binds::CHOICE, a.long || b.long)
}

pub(crate) fn shifted(e: &Expr, by: u32) -> Expr {
    if by == 0 {
        return Expr::new(e.text.clone(), e.binds, e.long);
    }
    Expr::new(format!("{} >> {by}", e.within(binds::SHIFT)), binds::SHIFT, e.long)
}

/// The operand of an operation of `width` bits, cast to a type that holds the result.
pub(crate) fn widened(e: Expr, width: u8, fits: bool) -> Expr {
    if width > 32 && !e.long && !fits { e.cast("long", true) } else { e }
}

/// The low bits of a value; see [`Expr`].
pub(crate) fn fitted(e: Expr, width: u8) -> Expr {
    match width {
        8 => e.cast("unsigned char", false),
        16 => e.cast("unsigned short", false),
        32 if e.long => e.cast("int", false),
        32 | 64 => e,
        _ => {
            let long = e.long || width > 31;
            let suffix = if width > 31 { "L" } else { "" };
            let text = format!("{} & {:#x}{suffix}", e.within(binds::BIT_AND), mask(width));
            Expr::new(text, binds::BIT_AND, long)
        }
    }
}

pub(crate) fn signed_text(value: u128, width: u8) -> String {
    sign_extend(value, width).to_string()
}

pub(crate) fn constant(value: u64, width: u8) -> Expr {
    let signed = if width == 32 || width == 64 { sign_extend(value.into(), width) } else { value.into() };
    let binds = if signed < 0 { binds::UNARY } else { binds::PRIMARY };
    match signed {
        _ if signed == i128::from(i64::MIN) => Expr::new(format!("(long){value:#x}"), binds::UNARY, true),
        _ if width == 32 && signed == i128::from(i32::MIN) => {
            Expr::new(format!("(int){value:#x}"), binds::UNARY, false)
        }
        _ if signed > i32::MAX.into() || signed < i32::MIN.into() => {
            Expr::new(format!("{signed}L"), binds, true)
        }
        _ if signed == i128::from(i32::MIN) => {
            Expr::new(format!("(int){:#x}", value as u32), binds::UNARY, false)
        }
        _ => Expr::new(signed.to_string(), binds, false),
    }
}
