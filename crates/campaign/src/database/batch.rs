//! Storage of paths in the database: the paths of a report together, in one row. A row for each path would take the
//! coordinator longer than all its other work for the path. Database and shards use it.

use cleave_region::{Encoded, EncodedPath, PathDigest, PathKind, Test};
use serde::{Deserialize, Serialize};

/// Bytes of a digest.
pub(crate) const DIGEST: usize = 16;

/// A path without its digest, and its bug by number; `T` is an encoded test or a reference to one.
#[derive(Serialize, Deserialize)]
struct Kept<T> {
    depth: u32,
    kind: PathKind,
    exit_status: Option<i32>,
    signal: Option<i32>,
    stdout_sha256: [u8; 32],
    stdout_len: u64,
    test: T,
    instructions: u64,
    bug: Option<u64>,
    addresses: Vec<String>,
    /// The bits in which its marks differ from those of the path before it, each as the distance from the one before.
    passed: Vec<u32>,
}

/// The bits in which two sets differ, each as the distance from the one before: neighbours have most marks in common.
fn difference(a: &[u8], b: &[u8]) -> Vec<u32> {
    let mut last = 0;
    let mut all = Vec::new();
    for at in 0..a.len().max(b.len()) {
        let byte = |set: &[u8]| set.get(at).copied().unwrap_or(0);
        let mut left = byte(a) ^ byte(b);
        while left != 0 {
            let bit = (at * 8) as u32 + left.trailing_zeros();
            all.push(bit - last);
            last = bit;
            left &= left - 1;
        }
    }
    all
}

/// Most bytes of a set of marks: more are no marks of a program.
const MOST_BYTES: usize = 1 << 24;

/// Changes a set by a [`difference`]; `None` if that is none.
fn differ(set: &mut Vec<u8>, difference: &[u32]) -> Option<()> {
    let mut bit = 0u32;
    for distance in difference {
        bit = bit.checked_add(*distance)?;
        let at = bit as usize / 8;
        if at >= MOST_BYTES {
            return None;
        }
        if at >= set.len() {
            set.resize(at + 1, 0);
        }
        set[at] ^= 1 << (bit % 8);
    }
    set.truncate(set.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
    Some(())
}

/// Paths one after the other.
#[derive(Default)]
pub(crate) struct Batch {
    /// Their digests, the most significant byte of each first.
    pub(crate) digests: Vec<u8>,
    /// The rest of the paths, in postcard.
    pub(crate) records: Vec<u8>,
    /// The marks of the last path that was added.
    pub(crate) last: Vec<u8>,
}

impl Batch {
    /// Adds a path that ends in a bug of that number, or in none.
    pub(crate) fn push(&mut self, path: &EncodedPath, bug: Option<u64>) -> postcard::Result<()> {
        let kept = Kept {
            depth: path.depth,
            kind: path.kind,
            exit_status: path.exit_status,
            signal: path.signal,
            stdout_sha256: path.stdout_sha256,
            stdout_len: path.stdout_len,
            test: &path.test,
            instructions: path.instructions,
            bug,
            addresses: path.addresses.clone(),
            passed: difference(&self.last, &path.passed),
        };
        self.last.clone_from(&path.passed);
        self.digests.extend_from_slice(&path.digest.0.to_be_bytes());
        self.records = postcard::to_extend(&kept, std::mem::take(&mut self.records))?;
        Ok(())
    }

    /// The paths, without the texts of their bugs, and the numbers of their bugs.
    pub(crate) fn paths(&self) -> impl Iterator<Item = postcard::Result<(EncodedPath, Option<u64>)>> {
        let (mut rest, mut passed) = (self.records.as_slice(), Vec::new());
        digests(&self.digests).map(move |digest| {
            let (kept, after) = postcard::take_from_bytes::<Kept<Encoded<Test>>>(rest)?;
            rest = after;
            differ(&mut passed, &kept.passed).ok_or(postcard::Error::DeserializeBadEncoding)?;
            let record = EncodedPath {
                digest,
                depth: kept.depth,
                kind: kept.kind,
                exit_status: kept.exit_status,
                signal: kept.signal,
                stdout_sha256: kept.stdout_sha256,
                stdout_len: kept.stdout_len,
                test: kept.test,
                instructions: kept.instructions,
                bug: None,
                addresses: kept.addresses,
                passed: passed.clone(),
            };
            Ok((record, kept.bug))
        })
    }
}

/// The digests of a batch.
pub(crate) fn digests(bytes: &[u8]) -> impl Iterator<Item = PathDigest> {
    bytes.as_chunks::<DIGEST>().0.iter().map(|digest| PathDigest(u128::from_be_bytes(*digest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_the_one_before_it_and_the_difference() {
        let sets: [&[u8]; 6] =
            [&[], &[1], &[0, 0, 0x81, 7], &[0x55, 0, 0x81], &[], &[0, 0, 0, 0, 0, 0, 0, 0, 0, 128]];
        let mut set = Vec::new();
        for next in sets {
            let change = difference(&set, next);
            differ(&mut set, &change).unwrap();
            assert_eq!(set, next);
        }
        assert_eq!(differ(&mut set, &[u32::MAX, 1]), None);
    }
}
