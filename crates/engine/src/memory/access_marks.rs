//! Marks of accesses, for search strategies once all lines are covered: an access that ends nearer to the end of its object than
//! any before it at its place, and a known value that is stored at a place for the first time, such as the state of a state
//! machine. They change no path. [`crate::states::visits::Visits`] owns them.

/// Counters of distances, by place and size of the object. Two that share one are taken for one, which loses marks and nothing else.
const DISTANCES: usize = 1 << 16;
/// Distances below this count exactly, others by powers of two: overflows by one follow a distance of none.
const EXACT: u64 = 8;
/// Bits for the values of all places; shared bits lose marks.
const VALUES: usize = 1 << 20;
/// Values of one place that are marks. A place that stores more of them holds a number, not a state.
const MOST_VALUES: u8 = 64;
/// Multiplier of Fibonacci hashing: 2^64 by the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The nearest access at a place.
#[derive(Clone, Copy, Debug)]
struct Nearest {
    /// Its distance from the end of the object, in steps.
    level: u8,
    /// Least number of decisions before an access at this distance.
    depth: u32,
}

/// Distances and values that were seen at the places of a program.
#[derive(Clone, Debug)]
pub(crate) struct AccessMarks {
    nearest: Vec<Nearest>,
    values: Vec<u64>,
    /// By op: number of values that were seen.
    distinct: Vec<u8>,
    found: u64,
}

/// The counter of an op for objects of a size.
#[inline(always)]
fn place(op: u32, size: u64) -> usize {
    ((u64::from(op) << 20 ^ size).wrapping_mul(GOLDEN) >> (64 - DISTANCES.ilog2())) as usize
}

impl AccessMarks {
    /// Nothing was seen at any of `ops` ops.
    pub(crate) fn new(ops: usize) -> AccessMarks {
        AccessMarks {
            nearest: vec![Nearest { level: u8::MAX, depth: 0 }; DISTANCES],
            values: vec![0; VALUES / 64],
            distinct: vec![0; ops],
            found: 0,
        }
    }

    /// Number of marks so far.
    pub(crate) fn found(&self) -> u64 {
        self.found
    }

    /// An access by op number `op`, after `depth` decisions, ends `left` bytes before the end of an object of `size` bytes. A path
    /// that comes as near after three quarters of the decisions is a mark again: there is more input left behind it.
    #[inline(always)]
    pub(crate) fn accessed(&mut self, op: u32, size: u64, left: u64, depth: u32) {
        let nearest = &mut self.nearest[place(op, size)];
        let level =
            if left < EXACT { left as u8 } else { (EXACT as u32 + left.ilog2() - EXACT.ilog2()) as u8 };
        let is_sooner = level == nearest.level && depth < nearest.depth - nearest.depth / 4;
        if level < nearest.level || is_sooner {
            *nearest = Nearest { level, depth };
            self.found += 1;
        }
    }

    /// The op stores a known value.
    #[inline(always)]
    pub(crate) fn stored(&mut self, op: u32, value: u64) {
        let distinct = &mut self.distinct[op as usize];
        if *distinct == MOST_VALUES {
            return;
        }
        let key = (u64::from(op) << 32 ^ value).wrapping_mul(GOLDEN) >> (64 - VALUES.ilog2());
        let (word, bit) = (&mut self.values[key as usize / 64], 1 << (key % 64));
        if *word & bit == 0 {
            *word |= bit;
            *distinct += 1;
            self.found += 1;
        }
    }
}

#[cfg(feature = "jit")]
impl cleave_jit::AccessMarks for AccessMarks {
    fn accessed(&mut self, op: u32, size: u64, left: u64, depth: u32) -> u64 {
        AccessMarks::accessed(self, op, size, left, depth);
        let nearest = self.nearest[place(op, size)];
        let is_sooner = depth < nearest.depth - nearest.depth / 4;
        let level = u64::from(nearest.level) + u64::from(is_sooner);
        if level <= EXACT { level } else { EXACT << (level - EXACT) }
    }

    fn stored(&mut self, op: u32, value: u64) -> bool {
        AccessMarks::stored(self, op, value);
        self.distinct[op as usize] != MOST_VALUES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nearer_access_is_a_mark_and_an_equally_near_one_only_after_much_fewer_decisions() {
        let mut marks = AccessMarks::new(1);
        let mut found = |size, left, depth| {
            let before = marks.found();
            marks.accessed(0, size, left, depth);
            marks.found() > before
        };
        assert!(found(100, 40, 20) && !found(100, 33, 20), "both between 32 and 63 bytes");
        assert!(found(100, 9, 20) && found(100, 7, 20) && found(100, 6, 20) && !found(100, 40, 0));
        assert!(!found(100, 6, 15) && found(100, 6, 14) && !found(100, 6, 11));
        assert!(found(90, 40, 20), "an object of another size");
        assert!(found(100, 0, 99) && !found(100, 0, 99));
    }

    #[cfg(feature = "jit")]
    #[test]
    fn no_access_beyond_the_told_distance_is_a_mark_and_one_nearer_is() {
        for (left, before, depth) in
            [(0, 9, 9), (7, 20, 20), (8, 20, 16), (40, 20, 14), (1000, 8, 7), (3, 0, 0)]
        {
            let mut marks = AccessMarks::new(1);
            AccessMarks::accessed(&mut marks, 0, 5000, left, before);
            let floor = cleave_jit::AccessMarks::accessed(&mut marks, 0, 5000, 4000, depth);
            for distance in 0..5000 {
                let mut after = marks.clone();
                AccessMarks::accessed(&mut after, 0, 5000, distance, depth);
                assert_eq!(
                    after.found() > marks.found(),
                    distance < floor,
                    "{left} {before} {depth} {distance}"
                );
            }
        }
    }

    #[test]
    fn each_of_few_values_of_a_place_is_a_mark_once() {
        let mut marks = AccessMarks::new(2);
        for _ in 0..2 {
            (0..1000).for_each(|value| marks.stored(0, value));
        }
        assert_eq!(marks.found(), u64::from(MOST_VALUES));
        marks.stored(1, 1);
        assert_eq!(marks.found(), u64::from(MOST_VALUES) + 1);
    }
}
