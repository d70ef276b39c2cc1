//! Whole numbers as C computes with them, of which some bits may be neither zero nor one, because nobody has set them.
//! Signed arithmetic wraps.

/// A type of whole numbers; fields of a few bits have such types of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Int {
    pub bits: u32,
    pub signed: bool,
}

/// `int`.
pub const S32: Int = Int { bits: 32, signed: true };
/// `size_t`.
pub const U64: Int = Int { bits: 64, signed: false };

impl Int {
    /// A value of this type, extended to 64 bits as its sign says.
    pub fn extend(self, v: u64) -> u64 {
        let unused = 64 - self.bits;
        if self.signed { ((v << unused) as i64 >> unused) as u64 } else { v << unused >> unused }
    }

    /// The type after C's integer promotion.
    pub fn promoted(self) -> Int {
        if self.bits < 32 { S32 } else { self }
    }
}

/// A number.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Extended to 64 bits as the type says.
    pub bits: u64,
    /// The bits that nobody has set, extended likewise.
    pub unset: u64,
    pub ty: Int,
}

impl Number {
    pub fn new(bits: u64, unset: u64, ty: Int) -> Number {
        Number { bits: ty.extend(bits), unset: ty.extend(unset), ty }
    }

    /// An `int`, all of whose bits are set.
    pub fn of(v: i64) -> Number {
        Number::new(v as u64, 0, S32)
    }

    /// Converted to another type.
    pub fn to(self, ty: Int) -> Number {
        Number::new(self.bits, self.unset, ty)
    }
}

/// The type that both operands are converted to.
pub fn common(a: Int, b: Int) -> Int {
    let (a, b) = (a.promoted(), b.promoted());
    match a.bits.cmp(&b.bits) {
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Equal => Int { bits: a.bits, signed: a.signed && b.signed },
    }
}

/// `a OP b` on numbers; a division by zero or a shift by too much must not come here.
pub fn operate(op: &str, a: Number, b: Number) -> Number {
    let (Number { bits: x, unset: ux, ty: tx }, Number { bits: y, unset: uy, ty }) = (a, b);
    if op == "<<" || op == ">>" {
        let ty = tx.promoted();
        let shift = |v: u64| match (op, ty.signed) {
            ("<<", _) => v << (y & 63),
            (_, true) => (v as i64 >> (y & 63)) as u64,
            _ => v >> (y & 63),
        };
        let (x, ux) = (ty.extend(x), ty.extend(ux));
        return Number::new(shift(x), if uy == 0 { shift(ux) } else { u64::MAX }, ty);
    }
    let ty = common(tx, ty);
    let [x, y, ux, uy] = [x, y, ux, uy].map(|v| ty.extend(v));
    let unset = ux | uy;
    let from_lowest = if unset == 0 { 0 } else { u64::MAX << unset.trailing_zeros() };
    let range = |least: u64, most: u64| (least ^ most) | unset;
    let (v, u) = match op {
        "+" => (x.wrapping_add(y), range((x & !ux).wrapping_add(y & !uy), (x | ux).wrapping_add(y | uy))),
        "-" => (x.wrapping_sub(y), range((x & !ux).wrapping_sub(y | uy), (x | ux).wrapping_sub(y & !uy))),
        "*" => (x.wrapping_mul(y), from_lowest),
        "&" => (x & y, ux & uy | ux & y | uy & x),
        "|" => (x | y, ux & uy | ux & !y | uy & !x),
        "^" => (x ^ y, unset),
        "/" | "%" => {
            let (quotient, rest) = match ty.signed {
                true => ((x as i64).wrapping_div(y as i64) as u64, (x as i64).wrapping_rem(y as i64) as u64),
                false => (x / y, x % y),
            };
            (if op == "/" { quotient } else { rest }, if unset == 0 { 0 } else { u64::MAX })
        }
        _ => return compare(op, (x, y), (ux, uy), ty.signed),
    };
    Number::new(v, u, ty)
}

fn compare(op: &str, (x, y): (u64, u64), (ux, uy): (u64, u64), signed: bool) -> Number {
    // With the sign the other way round, signed numbers are in the order of unsigned ones.
    let sign = u64::from(signed) << 63;
    let (x, y) = (x ^ sign, y ^ sign);
    let holds = |x: u64, y: u64| match op {
        "<" => x < y,
        "<=" => x <= y,
        ">" => x > y,
        ">=" => x >= y,
        "==" => x == y,
        "!=" => x != y,
        _ => panic!("the operator {op}"),
    };
    // Bits that are set and differ decide an equality; the ends of both ranges decide the other comparisons.
    let decided = match op {
        "==" | "!=" => (ux | uy) == 0 || (x ^ y) & !(ux | uy) != 0,
        _ => holds(x & !ux, y | uy) == holds(x | ux, y & !uy),
    };
    Number::new(if decided { holds(x & !ux, y | uy) } else { false }.into(), (!decided).into(), S32)
}
