//! Single and double precision: the host's own arithmetic, which rounds as IEEE 754 says, with the NaNs that Rust
//! leaves open made explicit. No operation looks at its operands' NaNs before it has seen one in its result.

use crate::operations::{FBinOp, FUnOp};

macro_rules! precision {
    ($float:ident, $int:ident, $quiet:expr, $binary:ident, $unary:ident, $nan:ident, $settle:ident) => {
        /// The NaN of an operation on `a` and `b`: the first of them that is one, quieted, or the default NaN.
        #[cold]
        fn $nan(a: $int, b: $int) -> $int {
            for v in [a, b] {
                if $float::from_bits(v).is_nan() {
                    return v | $quiet;
                }
            }
            // The default NaN: sign, exponent and quiet bit.
            $float::INFINITY.to_bits() | $quiet | 1 << ($int::BITS - 1)
        }

        #[inline]
        fn $settle(result: $float, a: $int, b: $int) -> $int {
            if result.is_nan() { $nan(a, b) } else { result.to_bits() }
        }

        /// [`binary`](crate::binary) of this precision alone, on patterns of its width.
        #[inline]
        pub fn $binary(op: FBinOp, a: $int, b: $int) -> $int {
            let (x, y) = ($float::from_bits(a), $float::from_bits(b));
            let sign = 1 << ($int::BITS - 1);
            match op {
                FBinOp::Add => $settle(x + y, a, b),
                FBinOp::Sub => $settle(x - y, a, b),
                FBinOp::Mul => $settle(x * y, a, b),
                FBinOp::Div => $settle(x / y, a, b),
                FBinOp::Rem => $settle(x % y, a, b),
                FBinOp::CopySign => (a & !sign) | (b & sign),
                // As minsd and maxsd choose: the second only if it is less, greater.
                FBinOp::MinNum => {
                    if x.is_nan() || y < x {
                        b
                    } else {
                        a
                    }
                }
                FBinOp::MaxNum => {
                    if x.is_nan() || y > x {
                        b
                    } else {
                        a
                    }
                }
                // If both are NaNs and clang's code exchanges them by the sign of the first, the second is the result.
                FBinOp::Minimum if y.is_nan() && (a >= sign || !x.is_nan()) => b,
                FBinOp::Maximum if y.is_nan() && (a < sign || !x.is_nan()) => b,
                FBinOp::Minimum | FBinOp::Maximum if x.is_nan() => a,
                FBinOp::Minimum => {
                    if y < x || (x == y && b >= sign) {
                        b
                    } else {
                        a
                    }
                }
                FBinOp::Maximum => {
                    if y > x || (x == y && a >= sign) {
                        b
                    } else {
                        a
                    }
                }
            }
        }

        #[inline]
        pub(crate) fn $unary(op: FUnOp, a: $int) -> $int {
            let x = $float::from_bits(a);
            let sign = 1 << ($int::BITS - 1);
            let whole = match op {
                FUnOp::Neg => return a ^ sign,
                FUnOp::Abs => return a & !sign,
                FUnOp::Sqrt => return $settle(x.sqrt(), a, a),
                FUnOp::Floor => x.floor(),
                FUnOp::Ceil => x.ceil(),
                FUnOp::Trunc => x.trunc(),
                FUnOp::Rint => x.round_ties_even(),
                FUnOp::Round => x.round(),
            };
            // musl returns operands without a fraction unchanged, signalling NaNs too.
            if x.is_nan() { a } else { whole.to_bits() }
        }
    };
}

precision!(f32, u32, 1 << 22, binary32, unary32, nan32, settle32);
precision!(f64, u64, 1 << 51, binary64, unary64, nan64, settle64);

/// The fused operation; musl does it in double precision.
pub(crate) fn fused32(a: u32, b: u32, c: u32) -> u32 {
    let result = f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c));
    if result.is_nan() { nan32(binary32(FBinOp::Mul, a, b), c) } else { result.to_bits() }
}

/// The fused operation, with musl's special cases.
pub(crate) fn fused64(a: u64, b: u64, c: u64) -> u64 {
    let [x, y, z] = [a, b, c].map(f64::from_bits);
    if z == 0.0 || !x.is_finite() || !y.is_finite() || x == 0.0 || y == 0.0 {
        return binary64(FBinOp::Add, binary64(FBinOp::Mul, a, b), c);
    }
    if z.is_finite() { x.mul_add(y, z).to_bits() } else { c }
}

/// Single to double precision.
pub(crate) fn widen(a: u32) -> u64 {
    let x = f32::from_bits(a);
    if !x.is_nan() {
        return (x as f64).to_bits();
    }
    ((a >> 31) as u64) << 63 | 0x7ff8 << 48 | ((a & 0x7f_ffff) as u64) << 29
}

/// Double to single precision.
pub(crate) fn narrow(a: u64) -> u32 {
    let x = f64::from_bits(a);
    if !x.is_nan() {
        return (x as f32).to_bits();
    }
    ((a >> 63) as u32) << 31 | 0x7fc0_0000 | (a >> 29) as u32 & 0x7f_ffff
}
