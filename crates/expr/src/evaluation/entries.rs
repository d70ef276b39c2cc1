//! The entries of constant tables, each in the fewest bytes that hold the table's greatest entry: a path of `strtod` has
//! thousands of tables of thousands of entries.

use std::rc::Rc;

/// Numbers of at most 64 bits; copies share their storage.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Entries {
    /// All below 2^8.
    Bytes(Rc<[u8]>),
    /// All below 2^16, and some not below 2^8.
    Halves(Rc<[u16]>),
    /// All below 2^32, and some not below 2^16.
    Words(Rc<[u32]>),
    /// Some not below 2^32.
    Longs(Rc<[u64]>),
}

/// Evaluates one expression for all kinds of entries.
macro_rules! of_all {
    ($entries:expr, $all:ident => $body:expr) => {
        match $entries {
            Entries::Bytes($all) => $body,
            Entries::Halves($all) => $body,
            Entries::Words($all) => $body,
            Entries::Longs($all) => $body,
        }
    };
}
pub(crate) use of_all;

impl Entries {
    /// Stores these numbers; also returns the least and the greatest of them, zero if there are none.
    pub(crate) fn of<T: Copy + Ord + Into<u64>>(all: &[T]) -> (Entries, [u64; 2]) {
        let bounds = [all.iter().min(), all.iter().max()].map(|bound| bound.map_or(0, |v| (*v).into()));
        let numbers = all.iter().map(|v| -> u64 { (*v).into() });
        let entries = match bounds[1] {
            0..=0xff => Entries::Bytes(numbers.map(|v| v as u8).collect()),
            0x100..=0xffff => Entries::Halves(numbers.map(|v| v as u16).collect()),
            0x1_0000..=0xffff_ffff => Entries::Words(numbers.map(|v| v as u32).collect()),
            _ => Entries::Longs(numbers.collect()),
        };
        (entries, bounds)
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        of_all!(self, all => all.len())
    }

    /// True if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry at an index; `None` behind the last.
    #[inline]
    pub fn get(&self, place: usize) -> Option<u64> {
        fn of<T: Copy + Into<u64>>(all: &[T], place: usize) -> Option<u64> {
            all.get(place).map(|v| (*v).into())
        }
        of_all!(self, all => of(all, place))
    }

    /// The entry at an index; zero behind the last.
    #[inline]
    pub fn at(&self, place: usize) -> u64 {
        self.get(place).unwrap_or(0)
    }

    /// All of them in their order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator + Clone + '_ {
        (0..self.len()).map(|place| self.at(place))
    }

    /// Folds the entries from the first to the last, beginning with `start`.
    pub(crate) fn fold(&self, start: u64, step: impl Fn(u64, u64) -> u64) -> u64 {
        fn of<T: Copy + Into<u64>>(all: &[T], start: u64, step: impl Fn(u64, u64) -> u64) -> u64 {
            all.iter().fold(start, |x, v| step(x, (*v).into()))
        }
        of_all!(self, all => of(all, start, step))
    }

    /// Size of the entries in bytes.
    pub(crate) fn size(&self) -> usize {
        of_all!(self, all => size_of_val(&**all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_what_they_were_made_of_in_as_few_bytes_as_the_greatest_needs() {
        let sizes = [
            (0, 1),
            (0xff, 1),
            (0x100, 2),
            (0xffff, 2),
            (0x1_0000, 4),
            (0xffff_ffff, 4),
            (1 << 32, 8),
            (u64::MAX, 8),
        ];
        for (greatest, size) in sizes {
            let all = [3, greatest, 7.min(greatest)];
            let (entries, bounds) = Entries::of(&all);
            assert_eq!(bounds, [3.min(greatest), greatest.max(3)]);
            assert_eq!((entries.len(), entries.size()), (3, 3 * size));
            assert_eq!(entries.iter().collect::<Vec<_>>(), all);
            assert_eq!([entries.get(1), entries.get(3)], [Some(greatest), None]);
            assert_eq!([entries.at(1), entries.at(3)], [greatest, 0]);
            assert_eq!(
                entries.fold(1, |x, v| x.rotate_left(7) ^ v),
                all.iter().fold(1, |x: u64, v| x.rotate_left(7) ^ v)
            );
        }
        let (none, bounds) = Entries::of::<u64>(&[]);
        assert!(none.is_empty() && bounds == [0, 0]);
        assert_eq!(Entries::of(&[1u32, 2]).0, Entries::of(&[1u64, 2]).0);
    }
}
