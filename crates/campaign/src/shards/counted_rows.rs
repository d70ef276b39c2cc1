//! The shards in the run's database: the counted part of each, and the numbers of its paths in the run. Part of [`Store`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cleave_region::{Encoded, EncodedPath, PathDigest, Region};
use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::database::batch::{Batch, DIGEST, digests};
use crate::database::path_set;
use crate::database::rows::{insert_region, signed};
use crate::database::store::Store;
use crate::database::weights;
use crate::error::CampaignError;
use crate::shards::kept_rows::digest_bytes;
use crate::shards::names::{SHARDS, file_of};
use crate::shards::shard::{ShardPath, ShardReader};

/// A shard of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its name.
    pub name: String,
    /// Number of its bytes that count.
    pub counted: u64,
    /// Number of its paths that count.
    pub paths: u64,
    /// The sum of their digests modulo 2^128.
    pub digest: u128,
    /// The path of its file.
    pub file: PathBuf,
    /// The machine that keeps it; `None` if it lies with the run.
    pub host: Option<String>,
}

impl Shard {
    /// True if its file is here, with all that counts.
    pub fn is_here(&self) -> bool {
        is_whole(&self.file, self.counted)
    }
}

/// True if a shard's file exists and has at least `counted` bytes.
fn is_whole(file: &Path, counted: u64) -> bool {
    file.metadata().is_ok_and(|data| data.is_file() && data.len() >= counted)
}

/// Consecutive numbers of paths.
#[derive(Clone, Copy, Debug)]
struct Range {
    first: u64,
    n: u64,
    /// The shard, and a range of bytes in it; `None` if the database has the paths itself.
    place: Option<(i64, u64, u64)>,
}

/// A row of five columns as a range; values that no valid database contains are an error.
fn range_of(row: &Row<'_>) -> rusqlite::Result<Range> {
    let count = |column| {
        let n = row.get::<_, i64>(column)?;
        let sane = u64::try_from(n).ok().filter(|n| *n < 1 << 62);
        sane.ok_or(rusqlite::Error::IntegralValueOutOfRange(column, n))
    };
    let (start, end) = (count(3)?, count(4)?);
    let place = row.get::<_, Option<i64>>(2)?.map(|shard| (shard, start, end));
    Ok(Range { first: count(0)?, n: count(1)?, place })
}

/// Corrects the first paths into bugs after the old ones were lost: of the paths in shards, the notable ones are known.
fn first_paths(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut bugs = tx.prepare("SELECT id, first_path FROM bugs")?;
    let bugs: Vec<(i64, i64)> =
        bugs.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    for (bug, first) in bugs {
        let there = "SELECT EXISTS(SELECT 1 FROM kept WHERE ?1 >= first AND ?1 < first + n) \
                     OR EXISTS(SELECT 1 FROM paths WHERE ?1 >= first AND ?1 < first + length(digests) / 16)";
        if tx.query_row(there, [first], |row| row.get::<_, bool>(0))? {
            continue;
        }
        let mut notable = tx.prepare("SELECT path, digest, record FROM notable ORDER BY path")?;
        let mut rows = notable.query([])?;
        while let Some(row) = rows.next()? {
            let batch = Batch { digests: row.get(1)?, records: row.get(2)?, ..Batch::default() };
            let is_it = batch.paths().flatten().any(|(_, number)| number == Some(bug as u64));
            if is_it {
                tx.execute(
                    "UPDATE bugs SET first_path = ?2 WHERE id = ?1",
                    params![bug, row.get::<_, i64>(0)?],
                )?;
                break;
            }
        }
    }
    Ok(())
}

/// A path as read: its number, its record, and the number of its bug.
type Read = (u64, EncodedPath, Option<u64>);

impl Store {
    /// The folder of the run's shards.
    pub(crate) fn shelf(&self) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(SHARDS)
    }

    /// The shards that count, by name.
    ///
    /// # Errors
    /// Those of the database.
    pub fn shards(&self) -> Result<Vec<Shard>, CampaignError> {
        let (shelf, mut all) = (self.shelf(), Vec::new());
        self.each_row(
            "SELECT name, counted, paths, digest, host FROM shards ORDER BY name",
            |row| {
                let (name, counted, paths) =
                    (row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?);
                let file = file_of(&shelf, &name);
                let (counted, paths) = (counted as u64, paths as u64);
                Ok(Shard { name, counted, paths, digest: digest_bytes(row, 3)?, file, host: row.get(4)? })
            },
            |shard| {
                all.push(shard);
                Ok::<(), CampaignError>(())
            },
        )?;
        Ok(all)
    }

    /// Checks a file that is to be a shard: all that counts must be there, and nothing else.
    ///
    /// # Errors
    /// A description of the damage.
    pub fn check_shard(&self, shard: &Shard, file: &Path) -> Result<(), CampaignError> {
        let damaged = |what: &str| CampaignError::Damaged { path: file.to_path_buf(), what: what.into() };
        let mut reader = ShardReader::open(file)?.ok_or_else(|| damaged("it is not there"))?;
        let mut ranges = Vec::new();
        self.each_row(
            &format!(
                "SELECT start, end FROM kept WHERE shard = (SELECT id FROM shards WHERE name = '{}') ORDER BY start",
                shard.name
            ),
            |row| Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64)),
            |range| {
                ranges.push(range);
                Ok::<(), CampaignError>(())
            },
        )?;
        let (mut paths, mut sum) = (0, 0u128);
        for range in ranges {
            reader.each_path(range, 0, &mut |(record, _)| {
                (paths, sum) = (paths + 1, sum.wrapping_add(record.digest.0));
                Ok(true)
            })?;
        }
        if (paths, sum) != (shard.paths, shard.digest) {
            return Err(damaged("it has other paths than were counted"));
        }
        Ok(())
    }

    /// The regions that a machine received, and those of them that it has returned or given away.
    ///
    /// # Errors
    /// Those of the database.
    pub fn sources(&self, host: &str) -> Result<[Vec<Region>; 2], CampaignError> {
        let mut all = [Vec::new(), Vec::new()];
        self.each_row(
            "SELECT host, sign, region FROM sources ORDER BY id",
            |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, Vec<u8>>(2)?)),
            |(whose, sign, region)| {
                if whose == host {
                    all[usize::from(sign < 0)].push(self.decode::<Region>(&region, "a region")?);
                }
                Ok::<(), CampaignError>(())
            },
        )?;
        Ok(all)
    }

    /// Forgets the paths kept by a machine, which are lost; they lie in `regions`, which are open from now on.
    pub(crate) fn lose(&mut self, host: &str, regions: &[Region]) -> Result<(), CampaignError> {
        self.transaction(|tx| {
            weights::lose(tx, host)?;
            path_set::lose(tx, host)?;
            let lost = "SELECT id FROM shards WHERE host = ?1";
            for sql in [
                "UPDATE path_counts SET n = n - coalesce((SELECT sum(k.n) FROM kept_kinds k \
                 WHERE k.kind = path_counts.kind AND k.shard IN (LOST)), 0)",
                "UPDATE bugs SET count = count - coalesce((SELECT sum(k.n) FROM kept_bugs k \
                 WHERE k.bug = bugs.id AND k.shard IN (LOST)), 0)",
                "DELETE FROM notable WHERE EXISTS(SELECT 1 FROM kept WHERE shard IN (LOST) \
                 AND path >= first AND path < first + n)",
                // Other paths will show these again.
                "DELETE FROM marks WHERE EXISTS(SELECT 1 FROM kept WHERE shard IN (LOST) \
                 AND path >= first AND path < first + n)",
                "DELETE FROM bugs WHERE count <= 0 AND ?1 = ?1",
                "DELETE FROM kept_kinds WHERE shard IN (LOST)",
                "DELETE FROM kept_bugs WHERE shard IN (LOST)",
                "DELETE FROM kept WHERE shard IN (LOST)",
                "DELETE FROM shards WHERE host = ?1",
                "DELETE FROM sources WHERE host = ?1",
            ] {
                tx.execute(&sql.replace("LOST", lost), [host])?;
            }
            first_paths(tx)?;
            regions
                .iter()
                .try_for_each(|region| insert_region(tx, "open", &Encoded::new(region), None, None).map(drop))
        })
    }

    /// Number of paths in shards that other machines keep.
    ///
    /// # Errors
    /// Those of the database.
    pub fn paths_away(&self) -> Result<u64, CampaignError> {
        Ok(self
            .shards()?
            .iter()
            .filter(|shard| shard.host.is_some() && !shard.is_here())
            .fold(0, |sum, shard| sum.saturating_add(shard.paths)))
    }

    /// The ranges of paths with numbers above `after`, in their order.
    fn ranges(&self, after: u64) -> Result<Vec<Range>, CampaignError> {
        let mut ranges = Vec::new();
        let after = signed(after.saturating_add(1));
        let sql = format!(
            "SELECT first, length(digests) / {DIGEST} AS n, NULL, 0, 0 FROM paths WHERE first + n > {after} \
             UNION ALL SELECT first, n, shard, start, end FROM kept WHERE first + n > {after} ORDER BY 1"
        );
        self.each_row(&sql, range_of, |range| {
            ranges.push(range);
            Ok::<(), CampaignError>(())
        })?;
        Ok(ranges)
    }

    /// Calls `each` for every path with a number above `after`, by number; `each` decides if the loop goes on. Of shards that are
    /// not here, only the notable paths are read.
    pub(crate) fn read_paths<E: From<CampaignError>>(
        &self,
        after: u64,
        mut each: impl FnMut(Read) -> Result<bool, E>,
    ) -> Result<(), E> {
        let numbers = self.numbers_of_bugs()?;
        let mut shelf = Shelf::default();
        for range in self.ranges(after)? {
            let skip = (after + 1).saturating_sub(range.first);
            if !self.read_range(&range, skip, &numbers, &mut shelf, &mut each)? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn read_range<E: From<CampaignError>>(
        &self,
        range: &Range,
        skip: u64,
        numbers: &BTreeMap<(String, String), u64>,
        shelf: &mut Shelf,
        each: &mut dyn FnMut(Read) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let Some((shard, start, end)) = range.place else {
            let sql = "SELECT digests, records FROM paths WHERE first = ?1";
            return self.read_batch(sql, range.first, skip, each);
        };
        let Some(reader) = shelf.reader(self, shard)? else {
            let from = range.first + skip;
            return self.read_notable(from, range.first + range.n, each);
        };
        let (mut id, mut result, mut goes_on) = (range.first + skip, Ok(()), true);
        reader.each_path((start, end), skip, &mut |(record, bug): ShardPath| {
            let number = match bug {
                None => None,
                Some(key) => Some(*numbers.get(&key).ok_or_else(|| {
                    self.damaged(format!("path {id} ends in {} at {}, which is not there", key.0, key.1))
                })?),
            };
            match each((id, record, number)) {
                Ok(more) => goes_on = more,
                Err(e) => (goes_on, result) = (false, Err(e)),
            }
            id += 1;
            Ok(goes_on)
        })?;
        result?;
        if goes_on && id != range.first + range.n {
            let what =
                format!("its shards have other paths than {} to {}", range.first, range.first + range.n - 1);
            return Err(E::from(self.damaged(what)));
        }
        Ok(goes_on)
    }

    fn read_batch<E: From<CampaignError>>(
        &self,
        sql: &str,
        first: u64,
        skip: u64,
        each: &mut dyn FnMut(Read) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let read = |r: &Row<'_>| Ok(Batch { digests: r.get(0)?, records: r.get(1)?, ..Batch::default() });
        let batch = self.db.prepare_cached(sql).and_then(|mut query| query.query_row([signed(first)], read));
        let batch = batch.map_err(|e| E::from(self.error(e)))?;
        for (id, path) in (first..).zip(batch.paths()).skip(skip as usize) {
            let (record, bug) = path.map_err(|e| E::from(self.damaged(format!("path {id}: {e}"))))?;
            if !each((id, record, bug))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn read_notable<E: From<CampaignError>>(
        &self,
        from: u64,
        to: u64,
        each: &mut dyn FnMut(Read) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let mut ids = Vec::new();
        let sql = format!("SELECT path FROM notable WHERE path >= {from} AND path < {to} ORDER BY path");
        self.each_row(
            &sql,
            |row| row.get::<_, i64>(0),
            |id| {
                ids.push(id as u64);
                Ok::<(), CampaignError>(())
            },
        )?;
        for id in ids {
            let sql = "SELECT digest, record FROM notable WHERE path = ?1";
            if !self.read_batch(sql, id, 0, each)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The path of this number, if it exists and is here.
    pub(crate) fn read_path(&self, id: u64) -> Result<Option<Read>, CampaignError> {
        if i64::try_from(id).is_err() || id == 0 {
            return Ok(None);
        }
        let known = "SELECT EXISTS(SELECT 1 FROM notable WHERE path = ?1)";
        let known = self.db.query_row(known, [signed(id)], |row| row.get::<_, bool>(0));
        let mut found = None;
        let mut one = |read: Read| {
            found = (read.0 == id).then_some(read);
            Ok::<bool, CampaignError>(false)
        };
        if known.map_err(|e| self.error(e))? {
            let sql = "SELECT digest, record FROM notable WHERE path = ?1";
            self.read_batch(sql, id, 0, &mut one)?;
            return Ok(found);
        }
        let sql = format!(
            "SELECT first, n, shard, start, end FROM (SELECT first, length(digests) / {DIGEST} AS n, NULL AS shard, \
             0 AS start, 0 AS end FROM paths WHERE first <= ?1 ORDER BY first DESC LIMIT 1) \
             UNION ALL SELECT * FROM (SELECT first, n, shard, start, end FROM kept WHERE first <= ?1 \
             ORDER BY first DESC LIMIT 1) ORDER BY 1 DESC LIMIT 1"
        );
        let range = self.db.query_row(&sql, [signed(id)], range_of);
        let Some(range) = range.optional().map_err(|e| self.error(e))? else { return Ok(None) };
        if id >= range.first + range.n {
            return Ok(None);
        }
        let numbers = self.numbers_of_bugs()?;
        self.read_range(&range, id - range.first, &numbers, &mut Shelf::default(), &mut one)?;
        Ok(found)
    }

    /// Calls `each` for the digests of all paths that are here.
    pub(crate) fn each_digest(
        &self,
        each: &mut dyn FnMut(PathDigest) -> Result<(), CampaignError>,
    ) -> Result<(), CampaignError> {
        let mut shelf = Shelf::default();
        for range in self.ranges(0)? {
            match range.place {
                Some((shard, start, end)) => {
                    if let Some(reader) = shelf.reader(self, shard)? {
                        reader.each_digest((start, end), each)?;
                    }
                }
                None => {
                    let sql = "SELECT digests FROM paths WHERE first = ?1";
                    let bytes = self.db.prepare_cached(sql);
                    let bytes = bytes
                        .and_then(|mut q| q.query_row([signed(range.first)], |row| row.get::<_, Vec<u8>>(0)));
                    digests(&bytes.map_err(|e| self.error(e))?).try_for_each(&mut *each)?;
                }
            }
        }
        Ok(())
    }

    /// The numbers of bugs, by kind and place.
    fn numbers_of_bugs(&self) -> Result<BTreeMap<(String, String), u64>, CampaignError> {
        let mut numbers = BTreeMap::new();
        self.each_row(
            "SELECT kind, place, id FROM bugs",
            |row| Ok(((row.get(0)?, row.get(1)?), row.get::<_, i64>(2)? as u64)),
            |(key, id)| {
                numbers.insert(key, id);
                Ok::<(), CampaignError>(())
            },
        )?;
        Ok(numbers)
    }
}

/// Maximum number of shards open at a time.
const OPEN: usize = 64;

/// Shards that are read alternately.
#[derive(Default)]
struct Shelf {
    readers: BTreeMap<i64, Option<ShardReader>>,
}

impl Shelf {
    /// The reader of a shard; `None` if it is not here.
    fn reader(&mut self, store: &Store, shard: i64) -> Result<Option<&mut ShardReader>, CampaignError> {
        if !self.readers.contains_key(&shard) {
            if self.readers.len() >= OPEN {
                self.readers.clear();
            }
            let sql = "SELECT name, counted, host FROM shards WHERE id = ?1";
            let read = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get(2)?));
            let (name, counted, host): (String, i64, Option<String>) =
                store.db.query_row(sql, [shard], read).map_err(|e| store.error(e))?;
            let file = file_of(&store.shelf(), &name);
            // A shard that lies with the run has to be here.
            let reader = if host.is_none() || is_whole(&file, counted as u64) {
                ShardReader::open(&file)?
            } else {
                None
            };
            if host.is_none() && reader.is_none() {
                return Err(store.damaged(format!("its file {} is missing", file.display())));
            }
            self.readers.insert(shard, reader);
        }
        Ok(self.readers.get_mut(&shard).and_then(Option::as_mut))
    }
}
