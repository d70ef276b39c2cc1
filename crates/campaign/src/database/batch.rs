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
}

/// Paths one after the other.
#[derive(Default)]
pub(crate) struct Batch {
    /// Their digests, the most significant byte of each first.
    pub(crate) digests: Vec<u8>,
    /// The rest of the paths, in postcard.
    pub(crate) records: Vec<u8>,
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
        };
        self.digests.extend_from_slice(&path.digest.0.to_be_bytes());
        self.records = postcard::to_extend(&kept, std::mem::take(&mut self.records))?;
        Ok(())
    }

    /// The paths, without the texts of their bugs, and the numbers of their bugs.
    pub(crate) fn paths(&self) -> impl Iterator<Item = postcard::Result<(EncodedPath, Option<u64>)>> {
        let mut rest = self.records.as_slice();
        digests(&self.digests).map(move |digest| {
            let (kept, after) = postcard::take_from_bytes::<Kept<Encoded<Test>>>(rest)?;
            rest = after;
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
            };
            Ok((record, kept.bug))
        })
    }
}

/// The digests of a batch.
pub(crate) fn digests(bytes: &[u8]) -> impl Iterator<Item = PathDigest> {
    bytes.as_chunks::<DIGEST>().0.iter().map(|digest| PathDigest(u128::from_be_bytes(*digest)))
}
