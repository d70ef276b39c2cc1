//! Shards of machines that have joined: a node lists and reads its own, and the coordinator gathers them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use cleave_campaign::is_shard_name;

use crate::members::Members;
use crate::packet::{FromNode, Id, ToNode};

/// Bytes of a piece.
const PIECE: u32 = 1 << 20;
/// Maximum number of shards in a node's list.
const MOST: usize = 10_000;

/// The shards of a folder, with their lengths.
pub(crate) fn list(folder: &Path) -> Vec<(String, u64)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let shard = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_str()?.strip_suffix(".paths")?.to_string();
        is_shard_name(&name).then_some((name, entry.metadata().ok()?.len()))
    };
    entries.flatten().filter_map(shard).take(MOST).collect()
}

/// A piece of a shard; empty if there is none.
pub(crate) fn read(folder: &Path, shard: &str, from: u64, length: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = |bytes: &mut Vec<u8>| -> std::io::Result<()> {
        let mut file = File::open(folder.join(format!("{shard}.paths")))?;
        file.seek(SeekFrom::Start(from))?;
        file.take(u64::from(length.min(PIECE))).read_to_end(bytes).map(drop)
    };
    if !is_shard_name(shard) || read(&mut bytes).is_err() {
        return Vec::new();
    }
    bytes
}

/// Receives the next piece of a shard: its name and the bytes.
pub type WritePiece<'a> = dyn FnMut(&str, &[u8]) -> Result<(), String> + 'a;

/// A shard being fetched.
struct Fetch {
    node: Id,
    /// Number of bytes fetched; `counted` is the number wanted.
    here: u64,
    counted: u64,
}

impl Members {
    /// Fetches shards from the nodes that have them, each up to its wanted length. `write` takes pieces in their
    /// order. Ends when all are here, or when nothing has come for `patience`; returns those that are incomplete.
    ///
    /// # Errors
    /// Those of the connection, and those of `write`.
    pub fn gather(
        &mut self,
        mut wanted: BTreeMap<String, u64>,
        patience: Duration,
        write: &mut WritePiece<'_>,
    ) -> Result<BTreeMap<String, u64>, String> {
        let (mut asked, mut fetches) = (Vec::new(), BTreeMap::<String, Fetch>::new());
        let mut heard = Instant::now();
        while !wanted.is_empty() && heard.elapsed() < patience {
            self.look_for(Duration::from_millis(20))?;
            let new: Vec<Id> = self.nodes.keys().copied().filter(|id| !asked.contains(id)).collect();
            for id in new {
                asked.push(id);
                self.say(id, &ToNode::List);
            }
            // A node that has vanished is asked again when it is back, under another number.
            fetches.retain(|_, fetch| self.nodes.contains_key(&fetch.node));
            while let Some((id, offer)) = self.offers.pop_front() {
                heard = Instant::now();
                match offer {
                    FromNode::Shards(all) => {
                        for (name, length) in all {
                            let Some(&counted) = wanted.get(&name) else { continue };
                            if length >= counted && !fetches.contains_key(&name) {
                                self.say(id, &ToNode::Read { shard: name.clone(), from: 0, length: PIECE });
                                fetches.insert(name, Fetch { node: id, here: 0, counted });
                            }
                        }
                    }
                    FromNode::Piece { shard, from, bytes } => {
                        let Some(fetch) = fetches.get_mut(&shard) else { continue };
                        if fetch.node != id || fetch.here != from {
                            continue;
                        }
                        if bytes.is_empty() {
                            fetches.remove(&shard);
                            continue;
                        }
                        let most = usize::try_from(fetch.counted - fetch.here).unwrap_or(usize::MAX);
                        let bytes = &bytes[..bytes.len().min(most)];
                        write(&shard, bytes)?;
                        fetch.here += bytes.len() as u64;
                        if fetch.here == fetch.counted {
                            fetches.remove(&shard);
                            wanted.remove(&shard);
                        } else {
                            let from = fetch.here;
                            self.say(id, &ToNode::Read { shard, from, length: PIECE });
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(wanted)
    }
}
