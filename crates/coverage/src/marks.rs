//! Sets of marks.

/// The number of a mark in its program, from 0.
pub type MarkId = u32;

/// A set of marks.
#[derive(Clone, Debug, Default)]
pub struct Marks(Vec<u64>);

impl Marks {
    /// Adds a mark; `false` if it was there.
    pub fn insert(&mut self, mark: MarkId) -> bool {
        let (word, bit) = (mark as usize / 64, 1 << (mark % 64));
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    /// True if a mark is in the set.
    pub fn contains(&self, mark: MarkId) -> bool {
        self.0.get(mark as usize / 64).is_some_and(|word| word & 1 << (mark % 64) != 0)
    }

    /// Takes the marks away that are in `others`. Returns true if one is left.
    pub fn remove_all(&mut self, others: &Marks) -> bool {
        self.0.iter_mut().zip(&others.0).for_each(|(own, other)| *own &= !other);
        self.0.iter().any(|word| *word != 0)
    }

    /// True if all its marks are in `others`.
    pub fn is_within(&self, others: &Marks) -> bool {
        let others = others.0.iter().copied().chain(std::iter::repeat(0));
        self.0.iter().zip(others).all(|(own, other)| own & !other == 0)
    }

    /// True if one of its marks is in `others`.
    pub fn meets(&self, others: &Marks) -> bool {
        self.0.iter().zip(&others.0).any(|(own, other)| own & other != 0)
    }

    /// The set as bytes, a bit for each mark, the lowest bit of the first byte first; the last byte is not zero.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.0.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
        bytes
    }

    /// The set of [`Marks::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Marks {
        let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        Marks(bytes.chunks(8).map(word).collect())
    }

    /// The marks, rising.
    pub fn iter(&self) -> impl Iterator<Item = MarkId> + '_ {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            let bits = std::iter::successors(Some(word), |w| Some(w & w.wrapping_sub(1)));
            bits.take_while(|w| *w != 0).map(move |w| i as u32 * 64 + w.trailing_zeros())
        })
    }

    /// Number of marks.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

impl PartialEq for Marks {
    fn eq(&self, other: &Marks) -> bool {
        self.is_within(other) && other.is_within(self)
    }
}

impl Eq for Marks {}

impl FromIterator<MarkId> for Marks {
    fn from_iter<I: IntoIterator<Item = MarkId>>(marks: I) -> Marks {
        let mut set = Marks::default();
        set.extend(marks);
        set
    }
}

impl Extend<MarkId> for Marks {
    fn extend<I: IntoIterator<Item = MarkId>>(&mut self, marks: I) {
        for mark in marks {
            self.insert(mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in_and_not_taken_out() {
        let mut set: Marks = [70, 3, 200, 64].into_iter().collect();
        assert!(!set.insert(64) && set.insert(63));
        assert_eq!((set.iter().collect::<Vec<_>>(), set.len()), (vec![3, 63, 64, 70, 200], 5));
        assert!(set.contains(200) && !set.contains(201) && !set.contains(100_000));
        assert!(set.remove_all(&[3, 200, 500].into_iter().collect()));
        assert_eq!(set, [63, 64, 70].into_iter().collect());
        assert!(set.is_within(&[63, 64, 70, 1000].into_iter().collect()));
        assert!(!set.is_within(&[63, 70].into_iter().collect()));
        assert_eq!((set.to_bytes().len(), Marks::from_bytes(&set.to_bytes())), (9, set.clone()));
        assert!(
            set.meets(&[5, 64, 900].into_iter().collect()) && !set.meets(&[5, 65, 900].into_iter().collect())
        );
        assert!(!set.clone().remove_all(&set) && Marks::default().is_empty() && !set.is_empty());
    }
}
