//! Circuits for arithmetic on words of literals, the lowest bit first. The blaster calls them.

use super::gates::Gates;
use super::sat::Lit;

/// A word of literals, the lowest bit first.
pub(crate) type Word = Vec<Lit>;

impl Gates {
    /// The sum with a carry, and the carry out.
    fn add_carry(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> (Word, Lit) {
        let mut carry = carry;
        let mut sum = Word::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let half = self.xor(x, y);
            sum.push(self.xor(half, carry));
            carry = self.majority(x, y, carry);
        }
        (sum, carry)
    }

    pub(crate) fn add(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.add_carry(a, b, Lit::FALSE).0
    }

    pub(crate) fn sub(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let inverse: Word = b.iter().map(|&l| !l).collect();
        self.add_carry(a, &inverse, Lit::TRUE).0
    }

    /// `negate ? -a : a`.
    fn negated_if(&mut self, negate: Lit, a: &[Lit]) -> Word {
        let mut carry = negate;
        let mut out = Word::with_capacity(a.len());
        for &x in a {
            let flipped = self.xor(x, negate);
            out.push(self.xor(flipped, carry));
            carry = self.and(flipped, carry);
        }
        out
    }

    pub(crate) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: Word = a.iter().zip(b).map(|(&x, &y)| !self.xor(x, y)).collect();
        self.all(&same)
    }

    pub(crate) fn unsigned_less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut less = Lit::FALSE;
        for (&x, &y) in a.iter().zip(b) {
            less = self.majority(!x, y, less);
        }
        less
    }

    pub(crate) fn signed_less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        if let (Some(x), Some(y)) = (a.last_mut(), b.last_mut()) {
            (*x, *y) = (!*x, !*y);
        }
        self.unsigned_less(&a, &b)
    }

    pub(crate) fn choose(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Word {
        a.iter().zip(b).map(|(&x, &y)| self.mux(c, x, y)).collect()
    }

    /// The product, as wide as the operands.
    pub(crate) fn mul(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let constants = |w: &[Lit]| w.iter().filter(|l| l.is_constant()).count();
        // Partial products for the bits of the operand with more constants: a row of zeros costs nothing.
        let (a, b) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let w = a.len();
        let mut sum = vec![Lit::FALSE; w];
        // A run of ones as a difference: 0111 = 1000 - 0001, if the operand is constant.
        if b.iter().all(|l| l.is_constant()) {
            for (i, digit) in signed_digits(b) {
                let shifted: Word = (0..w).map(|k| if k < i { Lit::FALSE } else { a[k - i] }).collect();
                sum = if digit { self.add(&sum, &shifted) } else { self.sub(&sum, &shifted) };
            }
            return sum;
        }
        for (i, &bit) in b.iter().enumerate() {
            if bit == Lit::FALSE {
                continue;
            }
            let row: Word = a[..w - i].iter().map(|&x| self.and(x, bit)).collect();
            let high = self.add(&sum[i..], &row);
            sum[i..].copy_from_slice(&high);
        }
        sum
    }

    /// Quotient and remainder; division by zero as in SMT-LIB: all ones, the dividend.
    pub(crate) fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let w = a.len();
        let mut quotient = vec![Lit::FALSE; w];
        // One bit more than the operands, as the shifted remainder may be as large as twice the divisor.
        let mut rest = vec![Lit::FALSE; w + 1];
        let mut divisor = b.to_vec();
        divisor.push(Lit::FALSE);
        let inverse: Word = divisor.iter().map(|&l| !l).collect();
        for i in (0..w).rev() {
            rest.pop();
            rest.insert(0, a[i]);
            let (difference, fits) = self.add_carry(&rest, &inverse, Lit::TRUE);
            quotient[i] = fits;
            rest = self.choose(fits, &difference, &rest);
        }
        rest.pop();
        (quotient, rest)
    }

    pub(crate) fn signed_divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let sign = |w: &[Lit]| w.last().copied().unwrap_or(Lit::FALSE);
        let (sa, sb) = (sign(a), sign(b));
        let (ua, ub) = (self.negated_if(sa, a), self.negated_if(sb, b));
        let (q, r) = self.divide(&ua, &ub);
        let differ = self.xor(sa, sb);
        (self.negated_if(differ, &q), self.negated_if(sa, &r))
    }

    /// `a` shifted by `by`, with `fill` shifted in; to the left or to the right.
    pub(crate) fn shift(&mut self, left: bool, a: &[Lit], by: &[Lit], fill: Lit) -> Word {
        let w = a.len();
        let stages = usize::BITS - (w - 1).leading_zeros();
        let mut out = a.to_vec();
        for (s, &bit) in by.iter().enumerate().take(stages as usize) {
            let step = 1usize << s;
            let moved: Word = (0..w)
                .map(|i| {
                    let from = if left { i.checked_sub(step) } else { Some(i + step) };
                    from.and_then(|i| out.get(i)).copied().unwrap_or(fill)
                })
                .collect();
            out = self.choose(bit, &moved, &out);
        }
        // Higher bits of the amount shift everything out; lower ones did so by themselves.
        let mut over = Lit::FALSE;
        for &bit in by.iter().skip(stages as usize) {
            over = self.or(over, bit);
        }
        out.iter().map(|&l| self.mux(over, fill, l)).collect()
    }

    /// Entry `index` of a table of constants, `width` bits; zero behind its end.
    pub(crate) fn lookup(&mut self, entries: &[u64], width: u8, index: &[Lit]) -> Word {
        let depth = (usize::BITS - entries.len().saturating_sub(1).leading_zeros()) as usize;
        let depth = depth.min(index.len());
        let high: Word = index[depth..].iter().map(|&l| !l).collect();
        let within = self.all(&high);
        (0..width)
            .map(|bit| {
                let mut column: Word = (0..1usize << depth)
                    .map(|i| Lit::of(entries.get(i).is_some_and(|e| e >> bit & 1 != 0)))
                    .collect();
                for &choice in &index[..depth] {
                    column = column.chunks(2).map(|p| self.mux(choice, p[1], p[0])).collect();
                }
                self.and(within, column[0])
            })
            .collect()
    }
}

/// A constant as a sum of signed powers of two, no two of them neighbours: (exponent, true if it is added).
fn signed_digits(constant: &[Lit]) -> Vec<(usize, bool)> {
    let bit = |i: usize| constant.get(i) == Some(&Lit::TRUE);
    let mut digits = Vec::new();
    let mut carry = false;
    for i in 0..constant.len() {
        // bit + carry is 0, 1 or 2; a 1 followed by another 1 becomes -1 with a carry.
        match (bit(i), carry) {
            (true, true) | (false, false) => {}
            _ => {
                let more = bit(i + 1);
                digits.push((i, !more));
                carry = more;
            }
        }
    }
    digits
}
