//! Operands: the special values of each kind, and random ones that make rounding, cancellation, overflow,
//! underflow and halfway cases likely.

use cleave_float::Float;

/// SplitMix64 (Steele, Lea, Flood 2014): tests repeat exactly.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Runs of ones and zeros: of `w` bits.
    fn runs(&mut self, w: u32) -> u128 {
        let mut v = 0u128;
        for _ in 0..self.below(4) {
            let (from, to) = (self.below(w as u64 + 1), self.below(w as u64 + 1));
            v ^= ((1u128 << from) - 1) ^ ((1u128 << to) - 1);
        }
        v
    }
}

pub const KINDS: [Float; 3] = [Float::F32, Float::F64, Float::X80];

pub fn bits(k: Float) -> u32 {
    match k {
        Float::F32 => 32,
        Float::F64 => 64,
        Float::X80 => 80,
    }
}

/// Bits of the fraction without the leading one, and the bias.
fn shape(k: Float) -> (u32, u64) {
    match k {
        Float::F32 => (23, 127),
        Float::F64 => (52, 1023),
        Float::X80 => (63, 16383),
    }
}

/// A number from its sign, biased exponent and fraction (leading one as the format wants it).
fn pack(k: Float, negative: bool, exponent: u64, fraction: u128) -> u128 {
    let (f, bias) = shape(k);
    let fraction = fraction & ((1 << f) - 1);
    let exponent = exponent.min(2 * bias + 1);
    let sign = (negative as u128) << (bits(k) - 1);
    match k {
        Float::X80 => sign | (exponent as u128) << 64 | ((exponent != 0) as u128) << 63 | fraction,
        _ => sign | (exponent as u128) << f | fraction,
    }
}

/// Zeros, ones, infinities, quiet and signalling NaNs, the ends of the denormals and normals, the ends of the
/// integers' ranges; for x87 also what no operation yields: pseudo-denormals, unnormals, pseudo-infinities.
pub fn specials(k: Float) -> Vec<u128> {
    let (f, bias) = shape(k);
    let (all, top) = ((1u128 << f) - 1, 1u128 << (f - 1));
    let mut positive = vec![
        pack(k, false, 0, 0),
        pack(k, false, 0, 1),
        pack(k, false, 0, all),
        pack(k, false, 0, top),
        pack(k, false, 1, 0),
        pack(k, false, 1, 1),
        pack(k, false, bias - 1, 0),
        pack(k, false, bias - 1, all),
        pack(k, false, bias, 0),
        pack(k, false, bias, 1),
        pack(k, false, bias, top),
        pack(k, false, bias + 1, 0),
        pack(k, false, bias + 1, top),
        pack(k, false, bias + f as u64, 1),
        pack(k, false, bias + f as u64 - 1, 1),
        pack(k, false, 2 * bias, all),
        pack(k, false, 2 * bias + 1, 0),
        pack(k, false, 2 * bias + 1, 1),
        pack(k, false, 2 * bias + 1, top),
        pack(k, false, 2 * bias + 1, top | 0x1234),
        pack(k, false, 2 * bias + 1, 0x1234),
    ];
    if k == Float::X80 {
        let integer = 1u128 << 63;
        positive.extend([integer, integer | 1, integer | all, integer | top]);
        positive.extend([1u128 << 64, (1 << 64) | all, 16383 << 64 | 5, 16383 << 64, 0x7fff << 64]);
        positive.extend([0x7fff << 64 | 7, 0x7fff << 64 | top, 0x7ffe << 64 | all]);
    }
    let sign = 1u128 << (bits(k) - 1);
    positive.iter().flat_map(|&v| [v, v | sign]).collect()
}

/// The values about the ends of the integers' ranges and the halves between integers.
pub fn near_integers(k: Float) -> Vec<u128> {
    let (_, bias) = shape(k);
    let mut values = Vec::new();
    for power in 0..131u64 {
        let v = pack(k, false, bias + power, 0);
        values.extend([v, v + 1, v + 2, pack(k, false, bias + power - 1, u128::MAX)]);
        values.push(pack(k, false, bias + power - 1, u128::MAX) - 1);
    }
    let sign = 1u128 << (bits(k) - 1);
    values.iter().flat_map(|&v| [v, v | sign]).collect()
}

fn one(k: Float, r: &mut Random) -> u128 {
    let (f, bias) = shape(k);
    let negative = r.below(2) == 1;
    let fraction = match r.below(3) {
        0 => r.next() as u128,
        1 => r.runs(f),
        _ => (r.below(16) as u128) << r.below(f as u64),
    };
    let exponent = match r.below(8) {
        0 => r.below(2 * bias + 2),
        1 => r.below(4),
        2 => 2 * bias - r.below(3),
        3 => bias + r.below(130).min(bias),
        _ => bias - 20 + r.below(41),
    };
    pack(k, negative, exponent, fraction)
}

/// A value near another's, so that the exponents meet or the results cancel or are halfway.
fn beside(k: Float, a: u128, r: &mut Random) -> u128 {
    let (f, bias) = shape(k);
    let sign = 1u128 << (bits(k) - 1);
    let exponent = (a & !sign) >> if k == Float::X80 { 64 } else { f };
    match r.below(4) {
        0 => one(k, r),
        1 => pack(k, r.below(2) == 1, exponent as u64, a ^ r.below(4) as u128),
        2 => {
            let e = (exponent as u64 + r.below(f as u64 + 4)).saturating_sub(r.below(2 * f as u64));
            pack(k, r.below(2) == 1, e, (r.below(4) as u128) << r.below(f as u64))
        }
        _ => {
            // The product's exponent is near the least, or the quotient's is.
            let e = (bias + r.below(70)).saturating_sub(exponent as u64);
            pack(k, r.below(2) == 1, e, r.next() as u128)
        }
    }
}

/// Operands, made one after the other.
pub type Operands = Box<dyn Iterator<Item = [u128; 3]>>;

fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Seed of the random operands: `CLEAVE_FLOAT_SEED` in the environment, or always the same.
pub fn seed() -> u64 {
    asked("CLEAVE_FLOAT_SEED").unwrap_or(1)
}

/// Number of random operands of each operation: `CLEAVE_FLOAT_NATIVE` in the environment (the long form: 10000000), or as many as
/// a short test takes.
fn count(usual: usize) -> usize {
    asked("CLEAVE_FLOAT_NATIVE").map_or(usual, |n| n as usize)
}

/// Specials, the integers' ends, and `n` random values.
pub fn singles(k: Float, n: usize) -> Operands {
    let mut r = Random(seed());
    let random = (0..count(n)).map(move |_| one(k, &mut r));
    Box::new(specials(k).into_iter().chain(near_integers(k)).chain(random).map(|a| [a, 0, 0]))
}

/// Every pair of specials, and `n` random pairs.
pub fn pairs(k: Float, n: usize) -> Operands {
    let mut r = Random(seed() + 1);
    let specials = specials(k);
    let (first, second) = (specials.clone(), specials.clone());
    let all = first.into_iter().flat_map(move |a| second.clone().into_iter().map(move |b| [a, b, 0]));
    Box::new(all.chain((0..count(n)).flat_map(move |i| {
        let a = one(k, &mut r);
        let b = beside(k, a, &mut r);
        let special = specials[r.below(specials.len() as u64) as usize];
        let more = (i % 8 == 0).then_some([[a, special, 0], [special, b, 0]]);
        std::iter::once([a, b, 0]).chain(more.into_iter().flatten())
    })))
}

/// Random triples, eight for each of `n`: a third operand near the product too; in the long form `n` triples in all, and
/// every triple of specials.
pub fn triples(k: Float, n: usize) -> Operands {
    let mut r = Random(seed() + 2);
    let specials = specials(k);
    let long = asked("CLEAVE_FLOAT_NATIVE").is_some();
    let n = if long { count(n) / 8 } else { n };
    let (all, size) = (specials.clone(), specials.len());
    let every = (0..if long { size.pow(3) } else { 0 })
        .map(move |i| [all[i % size], all[i / size % size], all[i / size / size]]);
    let random = (0..n).flat_map(move |_| {
        let any = |r: &mut Random| specials[r.below(specials.len() as u64) as usize];
        let a = one(k, &mut r);
        let b = beside(k, a, &mut r);
        let product = cleave_float::binary(cleave_float::FBinOp::Mul, k, a, b);
        let sign = 1u128 << (bits(k) - 1);
        let near = beside(k, product, &mut r);
        let (other, x, y, z) = (one(k, &mut r), any(&mut r), any(&mut r), any(&mut r));
        [
            [a, b, other],
            [a, b, near],
            [a, b, product ^ sign],
            [x, y, z],
            [a, y, z],
            [x, b, z],
            [x, y, a],
            [a, b, z],
        ]
    });
    Box::new(every.chain(random))
}

/// Integers of `w` bits: ends, powers of two and their neighbours, halves of every precision, `6 n` random ones, in the long
/// form `n`.
pub fn integers(w: u32, n: usize) -> Operands {
    let (mut r, mask) = (Random(seed() + 3), u128::MAX >> (128 - w));
    let mut all = vec![0, 1, 2, 3, mask, mask - 1, mask >> 1, (mask >> 1) + 1];
    for power in 0..w {
        let v = 1u128 << power;
        for precision in [24, 53, 64] {
            let half = v >> precision;
            all.extend([v | half, v | half << 1 | half, v | half | 1, (v | half).wrapping_sub(1)]);
        }
    }
    let n = asked("CLEAVE_FLOAT_NATIVE").map_or(n, |n| n as usize / 6);
    let random = (0..n).flat_map(move |_| {
        let wide = (r.next() as u128) << 64 | r.next() as u128;
        [wide, wide >> r.below(128), r.runs(127)]
    });
    Box::new(all.into_iter().chain(random).flat_map(|v| [v, v.wrapping_neg()]).map(move |v| [v & mask, 0, 0]))
}
