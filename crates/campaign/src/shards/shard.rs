//! Shards: files with the paths of one worker, on the machine that found them. Workers write them; the store reads them.
//!
//! A shard is only ever appended to. It begins with [`MAGIC`]; then come frames:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | the length of the payload, little-endian |
//! | 4 | how many paths it holds; 0 for a bug |
//! | 4 | CRC-32 of these eight bytes |
//! | 4 | CRC-32 of the payload |
//! | ... | the payload: a [`Batch`], its digests first; or a bug, in postcard |
//!
//! A path names its bug by the offset of the bug's frame. The run's database determines the counted part of a shard: it
//! names ranges of bytes, and ignores frames beyond them. A worker syncs its shard before it reports, so the
//! database is never ahead of the disk.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use cleave_region::{BugRecord, EncodedPath, PathDigest, PathKind};

use crate::database::batch::{Batch, DIGEST, digests};
use crate::error::CampaignError;
use crate::transports::protocol::Kept;

/// The first bytes of a shard.
const MAGIC: [u8; 8] = *b"ClvPath2";
/// Bytes of a frame before its payload.
const HEADER: u64 = 16;
/// Bytes of paths at which a frame is written.
const ENOUGH: usize = 1 << 18;
/// Maximum length of a frame, in bytes; a longer one is invalid.
const LONGEST: u32 = 1 << 30;

/// The first twelve bytes of a frame.
fn begin(length: u32, count: u32) -> [u8; 12] {
    let mut bytes = [0; 12];
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes[4..8].copy_from_slice(&count.to_le_bytes());
    let sum = crc32fast::hash(&bytes[..8]);
    bytes[8..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// A shard that a worker writes.
pub(crate) struct ShardWriter {
    path: PathBuf,
    /// `None`: paths are only counted and not written.
    file: Option<File>,
    /// Offset of the next frame.
    end: u64,
    batch: Batch,
    /// Paths in the batch.
    waiting: u32,
    /// Offsets of the frames of the bugs, by kind and place.
    bugs: HashMap<(String, String), u64>,
    /// The paths pushed since the last count.
    since: Kept,
    /// Paths into each bug since then, without those that a report holds whole.
    counts: BTreeMap<(String, String), u64>,
}

impl ShardWriter {
    /// Creates the shard of this file; earlier content is dropped. Unless it `writes`, it only counts what the file would hold:
    /// for simulations.
    pub(crate) fn create(path: &Path, writes: bool) -> Result<ShardWriter, String> {
        let failed = |e| failed(path, "made", e);
        let mut file = None;
        if writes {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(failed)?;
            }
            let mut made = File::create(path).map_err(failed)?;
            made.write_all(&MAGIC).map_err(failed)?;
            file = Some(made);
        }
        let end = MAGIC.len() as u64;
        let shard = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(ShardWriter {
            path: path.to_path_buf(),
            file,
            end,
            batch: Batch::default(),
            waiting: 0,
            bugs: HashMap::new(),
            since: Kept { shard, start: end, end, ..Kept::default() },
            counts: BTreeMap::new(),
        })
    }

    /// Appends a path; returns true if it is the first of this shard that ends in its bug. The other paths of a bug are counted,
    /// except those that are `reported` one by one, as the first is: the receiver of the report counts these.
    pub(crate) fn push(&mut self, path: &EncodedPath, reported: bool) -> Result<bool, String> {
        let mut is_first = false;
        let bug = match &path.bug {
            None => None,
            Some(bug) => {
                let key = (bug.kind.clone(), bug.place.clone());
                let known = self.bugs.get(&key).copied();
                is_first = known.is_none();
                if !is_first && !reported {
                    *self.counts.entry(key.clone()).or_default() += 1;
                }
                Some(match known {
                    Some(at) => at,
                    None => self.define(key, bug)?,
                })
            }
        };
        self.batch.push(path, bug).map_err(|e| format!("a path cannot be written down: {e}"))?;
        self.waiting += 1;
        self.since.count(path.kind, path.digest);
        if self.batch.digests.len() + self.batch.records.len() >= ENOUGH {
            self.flush()?;
        }
        Ok(is_first)
    }

    /// Number of paths pushed since the last count.
    pub(crate) fn uncounted(&self) -> u64 {
        self.since.paths()
    }

    fn define(&mut self, key: (String, String), bug: &BugRecord) -> Result<u64, String> {
        self.flush()?;
        let at = self.end;
        let payload = postcard::to_stdvec(bug).map_err(|e| format!("a bug cannot be written down: {e}"))?;
        self.append(0, &payload)?;
        self.bugs.insert(key, at);
        Ok(at)
    }

    fn flush(&mut self) -> Result<(), String> {
        if self.waiting == 0 {
            return Ok(());
        }
        let Batch { mut digests, records, .. } = std::mem::take(&mut self.batch);
        digests.extend_from_slice(&records);
        let count = std::mem::take(&mut self.waiting);
        self.append(count, &digests)
    }

    fn append(&mut self, count: u32, payload: &[u8]) -> Result<(), String> {
        let length = u32::try_from(payload.len()).ok().filter(|n| *n <= LONGEST);
        let length = length.ok_or("the test of a path is too large to be kept")?;
        let mut frame = Vec::with_capacity(payload.len() + HEADER as usize);
        frame.extend_from_slice(&begin(length, count));
        frame.extend_from_slice(&crc32fast::hash(payload).to_le_bytes());
        frame.extend_from_slice(payload);
        if let Some(file) = &mut self.file {
            file.write_all(&frame).map_err(|e| failed(&self.path, "written", e))?;
        }
        self.end += frame.len() as u64;
        Ok(())
    }

    /// Syncs all that was pushed since the last call to the disk, so that it may count now. `None` if there is nothing.
    pub(crate) fn settle(&mut self) -> Result<Option<Kept>, String> {
        if self.since.paths() == 0 {
            return Ok(None);
        }
        self.flush()?;
        if let Some(file) = &self.file {
            file.sync_data().map_err(|e| failed(&self.path, "written", e))?;
        }
        let next =
            Kept { shard: self.since.shard.clone(), start: self.end, end: self.end, ..Kept::default() };
        let mut kept = std::mem::replace(&mut self.since, next);
        kept.end = self.end;
        let counts = std::mem::take(&mut self.counts);
        kept.bugs = counts.into_iter().map(|((kind, place), n)| (kind, place, n)).collect();
        Ok(Some(kept))
    }
}

fn failed(path: &Path, what: &str, error: io::Error) -> String {
    format!(
        "{} cannot be {what}: {error}; make room or choose another folder, then go on with cleave resume",
        path.display()
    )
}

/// A path of a shard: with the kind and place of its bug, if it ends in one.
pub(crate) type ShardPath = (EncodedPath, Option<(String, String)>);

/// A shard opened for reading.
pub(crate) struct ShardReader {
    path: PathBuf,
    file: BufReader<File>,
    /// Current offset in the file.
    at: u64,
    bugs: HashMap<u64, (String, String)>,
}

/// A frame as it lies in the file.
struct Frame {
    count: u32,
    length: u32,
    sum: u32,
}

impl ShardReader {
    /// Opens the shard; `None` if it is not here.
    pub(crate) fn open(path: &Path) -> Result<Option<ShardReader>, CampaignError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(damaged(path, format!("it cannot be opened: {e}"))),
        };
        let file = BufReader::with_capacity(1 << 16, file);
        let mut reader = ShardReader { path: path.to_path_buf(), file, at: 0, bugs: HashMap::new() };
        let mut magic = [0; MAGIC.len()];
        reader.read(&mut magic)?;
        if magic != MAGIC {
            return Err(damaged(path, "it is no shard of this version of Cleave".into()));
        }
        Ok(Some(reader))
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<(), CampaignError> {
        self.file.read_exact(bytes).map_err(|e| damaged(&self.path, format!("at byte {}: {e}", self.at)))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn seek(&mut self, to: u64) -> Result<(), CampaignError> {
        // A short distance is skipped within the buffer.
        let by = i64::try_from(to).ok().zip(i64::try_from(self.at).ok()).map(|(to, at)| to - at);
        let moved = match by {
            Some(by) => self.file.seek_relative(by),
            None => self.file.seek(SeekFrom::Start(to)).map(drop),
        };
        moved.map_err(|e| damaged(&self.path, format!("at byte {to}: {e}")))?;
        self.at = to;
        Ok(())
    }

    fn header(&mut self) -> Result<Frame, CampaignError> {
        let mut bytes = [0; HEADER as usize];
        self.read(&mut bytes)?;
        let [length, count, sum] =
            [0, 4, 12].map(|at| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]));
        let fits = length <= LONGEST && u64::from(count) * DIGEST as u64 <= u64::from(length);
        if !fits || bytes[..12] != begin(length, count) {
            return Err(damaged(&self.path, format!("there is no frame at byte {}", self.at - HEADER)));
        }
        Ok(Frame { count, length, sum })
    }

    fn payload(&mut self, frame: &Frame) -> Result<Vec<u8>, CampaignError> {
        // Read in pieces: a wrong length must not reserve a GiB.
        let mut bytes = Vec::new();
        let read = (&mut self.file).take(u64::from(frame.length)).read_to_end(&mut bytes);
        let at = self.at;
        read.map_err(|e| damaged(&self.path, format!("at byte {at}: {e}")))?;
        self.at += bytes.len() as u64;
        if bytes.len() != frame.length as usize || crc32fast::hash(&bytes) != frame.sum {
            return Err(damaged(&self.path, format!("what is at byte {at} was not written by Cleave")));
        }
        Ok(bytes)
    }

    /// Calls `each` for the batches between two offsets, without the first `skip` paths; `each` decides if the loop goes on.
    fn each_batch(
        &mut self,
        (start, end): (u64, u64),
        mut skip: u64,
        each: &mut dyn FnMut(&mut ShardReader, Batch, u64) -> Result<bool, CampaignError>,
    ) -> Result<(), CampaignError> {
        self.seek(start)?;
        while self.at < end {
            let frame = self.header()?;
            let after = self.at + u64::from(frame.length);
            if after > end {
                return Err(damaged(&self.path, format!("a frame ends behind byte {end}")));
            }
            if u64::from(frame.count) <= skip {
                skip -= u64::from(frame.count);
                self.seek(after)?;
                continue;
            }
            let mut digests = self.payload(&frame)?;
            let records = digests.split_off(frame.count as usize * DIGEST);
            if !each(self, Batch { digests, records, ..Batch::default() }, std::mem::take(&mut skip))? {
                return Ok(());
            }
            self.seek(after)?;
        }
        Ok(())
    }

    /// Calls `each` for the paths between two offsets, without the first `skip`; `each` decides if the loop goes on.
    pub(crate) fn each_path(
        &mut self,
        range: (u64, u64),
        skip: u64,
        each: &mut dyn FnMut(ShardPath) -> Result<bool, CampaignError>,
    ) -> Result<(), CampaignError> {
        self.each_batch(range, skip, &mut |reader, batch, skip| {
            for path in batch.paths().skip(skip as usize) {
                let (record, bug) = path.map_err(|e| damaged(&reader.path, format!("a path of it: {e}")))?;
                let bug = bug.map(|at| reader.bug(at)).transpose()?;
                if !each((record, bug))? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Calls `each` for the digests of the paths between two offsets.
    pub(crate) fn each_digest(
        &mut self,
        range: (u64, u64),
        each: &mut dyn FnMut(PathDigest) -> Result<(), CampaignError>,
    ) -> Result<(), CampaignError> {
        self.each_batch(range, 0, &mut |_, batch, _| {
            digests(&batch.digests).try_for_each(&mut *each).map(|()| true)
        })
    }

    /// The kind and place of the bug whose frame is at this offset.
    fn bug(&mut self, at: u64) -> Result<(String, String), CampaignError> {
        if let Some(bug) = self.bugs.get(&at) {
            return Ok(bug.clone());
        }
        self.seek(at)?;
        let frame = self.header()?;
        let payload = self.payload(&frame)?;
        let bug: BugRecord = postcard::from_bytes(&payload)
            .map_err(|e| damaged(&self.path, format!("there is no bug at byte {at}: {e}")))?;
        let key = (bug.kind, bug.place);
        self.bugs.insert(at, key.clone());
        Ok(key)
    }
}

fn damaged(path: &Path, what: String) -> CampaignError {
    CampaignError::Damaged { path: path.to_path_buf(), what }
}

impl Kept {
    /// Counts a path.
    fn count(&mut self, kind: PathKind, digest: PathDigest) {
        self.kinds[kind as usize] += 1;
        self.set = self.set.wrapping_add(digest.0);
    }

    /// The machine that keeps them, from the shard's name; `None` if they lie with the run.
    pub(crate) fn host(&self) -> Option<&str> {
        self.shard.split_once('-').map(|(host, _)| host).filter(|host| host.starts_with('n'))
    }

    /// Number of paths that it counts.
    pub fn paths(&self) -> u64 {
        self.kinds.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use cleave_region::{Encoded, Test};

    use super::*;
    use crate::shards::names::file_of;

    fn path(n: u32, bug: Option<&str>) -> EncodedPath {
        EncodedPath {
            digest: PathDigest(u128::from(n) << 64),
            depth: n,
            kind: if bug.is_some() { PathKind::Failed } else { PathKind::Completed },
            exit_status: Some(0),
            signal: None,
            stdout_sha256: [0; 32],
            stdout_len: 0,
            test: Encoded::new(&Test::default()),
            instructions: 7,
            bug: bug.map(|place| BugRecord {
                kind: "division".into(),
                message: "a division by zero".into(),
                place: place.into(),
                trace: Vec::new(),
            }),
            addresses: Vec::new(),
            passed: Vec::new(),
        }
    }

    fn all(path: &Path, range: (u64, u64), skip: u64) -> Result<Vec<(u32, Option<String>)>, CampaignError> {
        let mut found = Vec::new();
        ShardReader::open(path)?.unwrap().each_path(range, skip, &mut |(record, bug)| {
            found.push((record.depth, bug.map(|(_, place)| place)));
            Ok(true)
        })?;
        Ok(found)
    }

    #[test]
    fn what_counts_is_read_back_and_nothing_beyond_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = file_of(folder.path(), "1-0");
        let mut shard = ShardWriter::create(&file, true).unwrap();
        assert_eq!(shard.settle().unwrap(), None);
        assert!(!shard.push(&path(1, None), false).unwrap());
        assert!(shard.push(&path(2, Some("a.c:3")), false).unwrap());
        assert!(!shard.push(&path(3, Some("a.c:3")), false).unwrap());
        let first = shard.settle().unwrap().unwrap();
        assert_eq!((first.paths(), first.kinds, first.set >> 64), (3, [1, 2, 0, 0, 0], 6));
        assert_eq!(first.bugs, [("division".to_string(), "a.c:3".to_string(), 1)]);
        assert!(shard.push(&path(4, Some("b.c:1")), false).unwrap());
        assert!(!shard.push(&path(5, Some("a.c:3")), false).unwrap());
        // A path that is reported by itself is not counted here.
        assert!(!shard.push(&path(7, Some("a.c:3")), true).unwrap());
        let second = shard.settle().unwrap().unwrap();
        assert_eq!(second.bugs, [("division".to_string(), "a.c:3".to_string(), 1)]);
        assert_eq!((second.shard.as_str(), second.start, second.paths()), ("1-0", first.end, 3));
        assert!(!shard.push(&path(6, None), false).unwrap());
        let at = |place: &str| Some(place.to_string());
        let bug = at("a.c:3");
        let counted =
            [(1, None), (2, bug.clone()), (3, bug.clone()), (4, at("b.c:1")), (5, bug.clone()), (7, bug)];
        for skip in 0..6 {
            assert_eq!(
                all(&file, (first.start, second.end), skip).unwrap(),
                counted[skip as usize..],
                "{skip}"
            );
        }
        assert_eq!(all(&file, (second.start, second.end), 0).unwrap(), counted[3..]);
        let mut sum = 0u128;
        let range = (first.start, second.end);
        ShardReader::open(&file)
            .unwrap()
            .unwrap()
            .each_digest(range, &mut |digest| {
                sum = sum.wrapping_add(digest.0);
                Ok(())
            })
            .unwrap();
        assert_eq!(sum, first.set.wrapping_add(second.set));
    }

    #[test]
    fn each_bit_that_is_changed_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let file = file_of(folder.path(), "1-0");
        let mut shard = ShardWriter::create(&file, true).unwrap();
        shard.push(&path(1, Some("a.c:1")), false).unwrap();
        shard.push(&path(2, None), false).unwrap();
        let kept = shard.settle().unwrap().unwrap();
        let range = (kept.start, kept.end);
        let whole = std::fs::read(&file).unwrap();
        assert_eq!(whole.len() as u64, kept.end);
        for bit in 0..whole.len() * 8 {
            let mut other = whole.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&file, other).unwrap();
            assert!(all(&file, range, 0).is_err(), "bit {bit}");
        }
        for length in 0..whole.len() {
            std::fs::write(&file, &whole[..length]).unwrap();
            assert!(all(&file, range, 0).is_err(), "{length} bytes");
        }
    }
}
