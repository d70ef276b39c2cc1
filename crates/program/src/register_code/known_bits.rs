//! Bits of integers that are known for every input of the program. LLVM's back end knows the same of an operand when it chooses
//! instructions, as far as the sign is concerned.

/// Known bits of an integer of `width` bits, at most 128. No bit is in both sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    width: u32,
    zero: u128,
    one: u128,
}

impl Bits {
    pub(crate) fn unknown(width: u32) -> Bits {
        Bits { width: width.clamp(1, 128), zero: 0, one: 0 }
    }

    pub(crate) fn constant(width: u32, value: u128) -> Bits {
        let bits = Bits::unknown(width);
        Bits { zero: !value & bits.mask(), one: value & bits.mask(), ..bits }
    }

    /// From 0 to `greatest`.
    pub(crate) fn up_to(width: u32, greatest: u128) -> Bits {
        let bits = Bits::unknown(width);
        let used = u128::MAX.checked_shr((greatest & bits.mask()).leading_zeros()).unwrap_or(0);
        Bits { zero: bits.mask() & !used, ..bits }
    }

    pub(crate) fn width(self) -> u32 {
        self.width
    }

    fn mask(self) -> u128 {
        u128::MAX >> (128 - self.width)
    }

    fn sign(self) -> u128 {
        1 << (self.width - 1)
    }

    /// Returns true if the upper bit is known to be zero.
    pub(crate) fn is_non_negative(self) -> bool {
        self.zero & self.sign() != 0
    }

    fn is_negative(self) -> bool {
        self.one & self.sign() != 0
    }

    pub(crate) fn least(self) -> u128 {
        self.one
    }

    pub(crate) fn greatest(self) -> u128 {
        self.mask() & !self.zero
    }

    fn non_negative_if(self, holds: bool) -> Bits {
        if holds && !self.is_negative() { Bits { zero: self.zero | self.sign(), ..self } } else { self }
    }

    /// Forgets all known bits but the zeros at the upper end.
    pub(crate) fn upper_zeros(self) -> Bits {
        Bits::up_to(self.width, self.greatest())
    }

    /// Bits that are known in both, with the same value.
    pub(crate) fn either(self, other: Bits) -> Bits {
        Bits { zero: self.zero & other.zero, one: self.one & other.one, ..self }
    }

    pub(crate) fn and(self, other: Bits) -> Bits {
        Bits { zero: self.zero | other.zero, one: self.one & other.one, ..self }
    }

    pub(crate) fn or(self, other: Bits) -> Bits {
        Bits { zero: self.zero & other.zero, one: self.one | other.one, ..self }
    }

    pub(crate) fn xor(self, other: Bits) -> Bits {
        let zero = self.zero & other.zero | self.one & other.one;
        let one = self.zero & other.one | self.one & other.zero;
        Bits { zero, one, ..self }
    }

    fn not(self) -> Bits {
        Bits { zero: self.one, one: self.zero, ..self }
    }

    /// `self + other + carry`: a bit is known if those of both operands are, and the carry into it.
    fn sum(self, other: Bits, carry: u128) -> Bits {
        let mask = self.mask();
        let most = self.greatest().wrapping_add(other.greatest()).wrapping_add(carry);
        let least = self.one.wrapping_add(other.one).wrapping_add(carry);
        // The carry into each bit is known if it is the same in the greatest and in the least sum.
        let carried_most = most ^ self.greatest() ^ other.greatest();
        let carried_least = least ^ self.one ^ other.one;
        let known =
            (self.zero | self.one) & (other.zero | other.one) & !(carried_most ^ carried_least) & mask;
        Bits { zero: !least & known, one: least & known, ..self }
    }

    /// `self + other`; `nsw` says that it does not overflow as a signed sum.
    pub(crate) fn add(self, other: Bits, nsw: bool) -> Bits {
        self.sum(other, 0).non_negative_if(nsw && self.is_non_negative() && other.is_non_negative())
    }

    /// `self - other`; `nsw` says that it does not overflow as a signed difference.
    pub(crate) fn sub(self, other: Bits, nsw: bool) -> Bits {
        self.sum(other.not(), 1).non_negative_if(nsw && self.is_non_negative() && other.is_negative())
    }

    pub(crate) fn mul(self, other: Bits) -> Bits {
        match self.greatest().checked_mul(other.greatest()) {
            Some(most) if most <= self.mask() => Bits::up_to(self.width, most),
            _ => Bits::unknown(self.width),
        }
    }

    pub(crate) fn unsigned_quotient(self, other: Bits) -> Bits {
        Bits::up_to(self.width, self.greatest() / other.least().max(1))
    }

    pub(crate) fn unsigned_remainder(self, other: Bits) -> Bits {
        Bits::up_to(self.width, self.greatest().min(other.greatest()))
    }

    pub(crate) fn signed_quotient(self, other: Bits) -> Bits {
        let both = self.is_non_negative() && other.is_non_negative();
        if both { self.unsigned_quotient(other) } else { Bits::unknown(self.width) }
    }

    pub(crate) fn signed_remainder(self, _: Bits) -> Bits {
        Bits::unknown(self.width).non_negative_if(self.is_non_negative())
    }

    /// Bits that are the same for each possible amount. An amount of the width or more has no result.
    fn shifted(self, amount: Bits, by: impl Fn(u32) -> Bits) -> Bits {
        let possible = |&n: &u32| {
            let n = u128::from(n);
            n & amount.zero == 0 && n & amount.one == amount.one
        };
        (0..self.width).filter(possible).map(by).reduce(Bits::either).unwrap_or(Bits::unknown(self.width))
    }

    /// `nsw` says that the sign stays.
    pub(crate) fn shift_left(self, amount: Bits, nsw: bool) -> Bits {
        let mask = self.mask();
        let by = |n: u32| Bits {
            zero: (self.zero << n | ((1 << n) - 1)) & mask,
            one: self.one << n & mask,
            ..self
        };
        self.shifted(amount, by).non_negative_if(nsw && self.is_non_negative())
    }

    pub(crate) fn shift_right(self, amount: Bits) -> Bits {
        let mask = self.mask();
        self.shifted(amount, |n| Bits {
            zero: self.zero >> n | mask & !(mask >> n),
            one: self.one >> n,
            ..self
        })
    }

    pub(crate) fn shift_right_signed(self, amount: Bits) -> Bits {
        let mask = self.mask();
        let filled = |set: u128, n: u32| {
            let sign = if set & self.sign() != 0 { mask & !(mask >> n) } else { 0 };
            set >> n | sign
        };
        self.shifted(amount, |n| Bits { zero: filled(self.zero, n), one: filled(self.one, n), ..self })
    }

    /// `width` bits of `left` joined to `right`, from `n` bits below the upper one on.
    pub(crate) fn funnel_left(self, right: Bits, amount: Bits) -> Bits {
        let by = |n: u32| {
            let joined = |left: u128, right: u128| match n {
                0 => left,
                _ => (left << n | right >> (self.width - n)) & self.mask(),
            };
            Bits { zero: joined(self.zero, right.zero), one: joined(self.one, right.one), ..self }
        };
        if amount.zero | amount.one == amount.mask() {
            return by((amount.one % u128::from(self.width)) as u32);
        }
        Bits::unknown(self.width)
    }

    pub(crate) fn zero_extended(self, width: u32) -> Bits {
        let wide = Bits::unknown(width);
        Bits { zero: self.zero | wide.mask() & !self.mask(), one: self.one, ..wide }
    }

    pub(crate) fn sign_extended(self, width: u32) -> Bits {
        let wide = Bits::unknown(width);
        let above = wide.mask() & !self.mask();
        let filled = |set: u128| if set & self.sign() != 0 { set | above } else { set };
        Bits { zero: filled(self.zero), one: filled(self.one), ..wide }
    }

    pub(crate) fn truncated(self, width: u32) -> Bits {
        let narrow = Bits::unknown(width);
        Bits { zero: self.zero & narrow.mask(), one: self.one & narrow.mask(), ..narrow }
    }

    pub(crate) fn bytes_swapped(self) -> Bits {
        let swapped = |set: u128| set.swap_bytes() >> (128 - self.width);
        Bits { zero: swapped(self.zero), one: swapped(self.one), ..self }
    }

    pub(crate) fn bits_reversed(self) -> Bits {
        let reversed = |set: u128| set.reverse_bits() >> (128 - self.width);
        Bits { zero: reversed(self.zero), one: reversed(self.one), ..self }
    }

    /// The magnitude, which has a sign if it is that of the least integer.
    pub(crate) fn magnitude(self) -> Bits {
        if self.is_non_negative() {
            return self;
        }
        Bits::unknown(self.width).non_negative_if(self.one & !self.sign() != 0)
    }

    pub(crate) fn least_unsigned(self, other: Bits) -> Bits {
        self.either(other).and_up_to(self.greatest().min(other.greatest()))
    }

    pub(crate) fn greatest_unsigned(self, other: Bits) -> Bits {
        self.either(other)
    }

    pub(crate) fn least_signed(self, other: Bits) -> Bits {
        self.either(other)
    }

    pub(crate) fn greatest_signed(self, other: Bits) -> Bits {
        self.either(other).non_negative_if(self.is_non_negative() || other.is_non_negative())
    }

    /// `self - other`, or 0 if that is less than 0.
    pub(crate) fn difference_or_zero(self) -> Bits {
        self.upper_zeros()
    }

    fn and_up_to(self, greatest: u128) -> Bits {
        let bound = Bits::up_to(self.width, greatest);
        Bits { zero: (self.zero | bound.zero) & !self.one, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u32 = 4;

    fn all() -> Vec<Bits> {
        let mut out = Vec::new();
        for zero in 0..16u128 {
            out.extend((0..16).filter(|one| zero & one == 0).map(|one| Bits { width: WIDTH, zero, one }));
        }
        out
    }

    fn members(bits: Bits) -> Vec<u128> {
        (0..=bits.mask()).filter(|v| v & bits.zero == 0 && v & bits.one == bits.one).collect()
    }

    fn signed(v: u128, width: u32) -> i128 {
        ((v << (128 - width)) as i128) >> (128 - width)
    }

    fn contains(bits: Bits, v: u128, what: &str) {
        assert_eq!(v & bits.zero, 0, "{what}: {bits:?} without {v}");
        assert_eq!(v & bits.one, bits.one, "{what}: {bits:?} without {v}");
    }

    type Binary = (&'static str, fn(Bits, Bits) -> Bits, fn(u128, u128) -> Option<i128>);

    /// All pairs of four bits: the known bits hold for each result.
    #[test]
    fn known_bits_hold_for_every_value() {
        let table: [Binary; 17] = [
            ("and", Bits::and, |a, b| Some((a & b) as i128)),
            ("or", Bits::or, |a, b| Some((a | b) as i128)),
            ("xor", Bits::xor, |a, b| Some((a ^ b) as i128)),
            ("add", |a, b| a.add(b, false), |a, b| Some((a + b) as i128)),
            ("sub", |a, b| a.sub(b, false), |a, b| Some(a as i128 - b as i128)),
            (
                "add nsw",
                |a, b| a.add(b, true),
                |a, b| Some(signed(a, 4) + signed(b, 4)).filter(|v| (-8..8).contains(v)),
            ),
            (
                "sub nsw",
                |a, b| a.sub(b, true),
                |a, b| Some(signed(a, 4) - signed(b, 4)).filter(|v| (-8..8).contains(v)),
            ),
            ("mul", Bits::mul, |a, b| Some((a * b) as i128)),
            ("udiv", Bits::unsigned_quotient, |a, b| Some(a.checked_div(b)? as i128)),
            ("urem", Bits::unsigned_remainder, |a, b| Some(a.checked_rem(b)? as i128)),
            ("sdiv", Bits::signed_quotient, |a, b| signed(a, 4).checked_div(signed(b, 4))),
            ("srem", Bits::signed_remainder, |a, b| signed(a, 4).checked_rem(signed(b, 4))),
            ("umin", Bits::least_unsigned, |a, b| Some(a.min(b) as i128)),
            ("umax", Bits::greatest_unsigned, |a, b| Some(a.max(b) as i128)),
            ("smin", Bits::least_signed, |a, b| Some(signed(a, 4).min(signed(b, 4)))),
            ("smax", Bits::greatest_signed, |a, b| Some(signed(a, 4).max(signed(b, 4)))),
            ("usub.sat", |a, _| a.difference_or_zero(), |a, b| Some(a.saturating_sub(b) as i128)),
        ];
        let shifts: [Binary; 4] = [
            ("shl", |a, b| a.shift_left(b, false), |a, b| (b < 4).then(|| (a << b) as i128)),
            (
                "shl nsw",
                |a, b| a.shift_left(b, true),
                |a, b| (b < 4).then(|| signed(a, 4) << b).filter(|v| (-8..8).contains(v)),
            ),
            ("lshr", Bits::shift_right, |a, b| (b < 4).then(|| (a >> b) as i128)),
            ("ashr", Bits::shift_right_signed, |a, b| (b < 4).then(|| signed(a, 4) >> b)),
        ];
        for x in all() {
            for y in all() {
                for (name, ours, value) in table.iter().chain(&shifts) {
                    let bits = ours(x, y);
                    assert_eq!(bits.zero & bits.one, 0, "{name} {x:?} {y:?}");
                    for a in members(x) {
                        for v in members(y).into_iter().filter_map(|b| value(a, b)) {
                            contains(bits, v as u128 & 15, name);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn known_bits_of_one_operand_hold_for_every_value() {
        for x in all() {
            for v in members(x) {
                contains(x.zero_extended(7), v, "zext");
                contains(x.sign_extended(7), signed(v, 4) as u128 & 127, "sext");
                contains(x.truncated(3), v & 7, "trunc");
                contains(x.bits_reversed(), v.reverse_bits() >> 124, "bitreverse");
                contains(x.magnitude(), signed(v, 4).unsigned_abs() & 15, "abs");
                contains(x.upper_zeros(), v, "upper zeros");
                for n in 0..8 {
                    let wide = (v << 4 | 0b1010) << (n % 4) >> 4 & 15;
                    let bits = x.funnel_left(Bits::constant(4, 0b1010), Bits::constant(4, n));
                    contains(bits, wide, "fshl");
                }
            }
        }
        let bits = Bits::constant(16, 0x12ff).bytes_swapped();
        assert_eq!(bits, Bits::constant(16, 0xff12));
    }
}
