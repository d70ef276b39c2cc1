//! Exact sets of the values of one byte. The solver keeps one for each byte of a path; `domain` computes them.

/// Number of values (SIMD lanes) that are evaluated together.
pub const LANES: usize = 64;
/// A set of byte values, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ByteSet(pub [u64; 4]);

impl ByteSet {
    /// All 256 values.
    pub const FULL: ByteSet = ByteSet([u64::MAX; 4]);
    /// No value.
    pub const EMPTY: ByteSet = ByteSet([0; 4]);

    /// True if `v` is in the set.
    #[inline]
    pub fn contains(&self, v: u8) -> bool {
        self.0[v as usize / 64] >> (v % 64) & 1 != 0
    }
    /// A value of the set that equals `bits` under the mask `seen`; `now` if it is one, else the least.
    pub fn value_with(&self, seen: u8, bits: u8, now: u8) -> Option<u8> {
        let fits = |v: &u8| v & seen == bits & seen;
        if self.contains(now) && fits(&now) { Some(now) } else { self.iter().find(fits) }
    }
    /// Adds `v`.
    #[inline]
    pub fn insert(&mut self, v: u8) {
        self.0[v as usize / 64] |= 1 << (v % 64);
    }
    /// The values in both.
    #[inline]
    pub fn intersect(&self, other: &ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
    /// The values not in it.
    #[inline]
    pub fn complement(&self) -> ByteSet {
        ByteSet(self.0.map(|x| !x))
    }
    /// True if the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }
    /// Number of values.
    #[inline]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|x| x.count_ones()).sum()
    }
    /// The values, in rising order.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=255u8).filter(|&v| self.contains(v))
    }
    /// The set of `v & bits` for all values `v`.
    pub fn seen_through(&self, bits: u8) -> ByteSet {
        let mut seen = ByteSet::EMPTY;
        self.iter().for_each(|v| seen.insert(v & bits));
        seen
    }
    /// The least value.
    pub fn first(&self) -> Option<u8> {
        let i = self.0.iter().position(|&x| x != 0)?;
        Some((i as u32 * 64 + self.0[i].trailing_zeros()) as u8)
    }
}
