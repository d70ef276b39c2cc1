//! Metadata of symbolic files as inputs (`--sym-stat`): an object in the layout of `struct stat`, as in KLEE.
//!
//! Any bytes mean a file, so that no test has to be thrown away:
//!
//! | field | what it means |
//! |---|---|
//! | `st_mode` | its lower 12 bits are the permissions; the file is always a regular one |
//! | `st_uid`, `st_gid` | their lower 16 bits: ids up to 65535 |
//! | `st_size` | the file's length, of the bytes of its contents; what is more than the contents counts as all of them |
//! | `st_atim`, `st_mtim`, `st_ctim` | the lower 32 bits of the seconds; of the nanoseconds the lower 30 bits, less a second where they are one or more |
//!
//! The rest of the object means nothing. A term stands for a field until the program changes the field.

use cleave_expr::{Term, Terms};
use cleave_memory::Byte;

use crate::env::world::{FILE_MODE, GID, START_SECONDS, UID};

/// The bits of a mode that say that it is a regular file's.
const REGULAR: u32 = 0o100_000;
/// Bytes of a `struct stat`.
pub(crate) const STAT_LEN: u32 = 144;

/// Metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Permissions: the lower 12 bits of its mode.
    pub mode: u32,
    /// Its owner.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// When it was read, written and changed: seconds and nanoseconds since 1970.
    pub times: [(i64, u32); 3],
}

impl Default for Attributes {
    fn default() -> Attributes {
        Attributes { mode: FILE_MODE, uid: UID, gid: GID, times: [(START_SECONDS, 0); 3] }
    }
}

impl Attributes {
    /// Returns true if it belongs to the program's user and group.
    pub fn is_own(&self) -> bool {
        (self.uid, self.gid) == (UID, GID)
    }

    /// Metadata that an object of a test gives a file whose contents have `most` bytes, and the file's length.
    pub(crate) fn read(object: &[u8], most: u32) -> (Attributes, u64) {
        let mut terms = Terms::new();
        let bytes: Vec<Byte> = object.iter().map(|&b| Byte::Known(b)).collect();
        let fields = Fields::of(&mut terms, &bytes, most);
        let value = |t: Term| terms.constant64(t).unwrap_or(0);
        let time = |[s, n]: [Term; 2]| (value(s) as i64, value(n) as u32);
        let [mode, uid, gid] = [fields.mode, fields.uid, fields.gid].map(|t| value(t) as u32);
        (Attributes { mode, uid, gid, times: fields.times.map(time) }, value(fields.size))
    }

    /// The object that says this of a file with `size` bytes.
    pub(crate) fn object(&self, size: u64) -> Vec<u8> {
        let mut object = vec![0; STAT_LEN as usize];
        let mut put = |at: usize, bytes: &[u8]| object[at..at + bytes.len()].copy_from_slice(bytes);
        put(24, &(REGULAR | self.mode).to_le_bytes());
        put(28, &self.uid.to_le_bytes());
        put(32, &self.gid.to_le_bytes());
        put(48, &size.to_le_bytes());
        for (at, (seconds, nanoseconds)) in [72, 88, 104].into_iter().zip(self.times) {
            put(at, &seconds.to_le_bytes());
            put(at + 8, &u64::from(nanoseconds).to_le_bytes());
        }
        object
    }
}

/// Meaning of an object: terms of 32 bits, and of 64 for size and times.
pub(crate) struct Fields {
    pub(crate) mode: Term,
    pub(crate) uid: Term,
    pub(crate) gid: Term,
    pub(crate) size: Term,
    /// Read, written, changed: seconds and nanoseconds.
    pub(crate) times: [[Term; 2]; 3],
}

impl Fields {
    pub(crate) fn of(terms: &mut Terms, object: &[Byte], most: u32) -> Fields {
        let mut word = |at: usize, bytes: usize, bits: u8, width: u8| {
            let word = Byte::word(terms, &object[at..at + bytes]);
            let word = terms.extract(word, 0, bits);
            terms.resize(word, width)
        };
        let (mode, uid, gid) = (word(24, 2, 12, 32), word(28, 2, 16, 32), word(32, 2, 16, 32));
        let size = word(48, 4, 32, 64);
        let raw = [72, 88, 104].map(|at| [word(at, 4, 32, 64), word(at + 8, 4, 30, 64)]);
        let most = terms.constant_of(64, most.into());
        let fits = terms.ule(size, most);
        let size = terms.ite(fits, size, most);
        let second = terms.constant_of(64, 1_000_000_000);
        let times = raw.map(|[seconds, n]| {
            let (less, rest) = (terms.ult(n, second), terms.sub(n, second));
            [seconds, terms.ite(less, n, rest)]
        });
        Fields { mode, uid, gid, size, times }
    }
}

/// The fields of a file that are still as its object says; terms as in `Fields`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Unchanged {
    pub(crate) mode: Option<Term>,
    pub(crate) uid: Option<Term>,
    pub(crate) gid: Option<Term>,
    pub(crate) size: Option<Term>,
    /// Read, written, changed.
    pub(crate) times: [Option<[Term; 2]>; 3],
}

/// Indices of the times of a file.
pub(crate) const ACCESSED: usize = 0;
pub(crate) const MODIFIED: usize = 1;
pub(crate) const CHANGED: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_object_says_is_read_and_any_bytes_mean_a_file() {
        let known =
            Attributes { mode: 0o4751, uid: 0, gid: 65_534, times: [(1, 2), (3, 999_999_999), (4, 0)] };
        assert_eq!(Attributes::read(&known.object(3), 8), (known, 3));
        let (read, size) = Attributes::read(&[0xff; STAT_LEN as usize], 8);
        assert_eq!((size, read.mode, read.uid, read.gid), (8, 0o7777, 65_535, 65_535));
        assert_eq!(read.times, [(u32::MAX.into(), (1 << 30) - 1 - 1_000_000_000); 3]);
        assert_eq!(Attributes::read(&[0; STAT_LEN as usize], 8).1, 0);
    }
}
