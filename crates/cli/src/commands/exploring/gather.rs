//! `cleave gather`: copies shards that other machines keep into the run directory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use cleave_campaign::{SHARDS, Shard, Store, shard_file};

use crate::failure::Failure;
use crate::process::number_words::{counted, verb_of};
use crate::process::output::Output;

/// Options of `cleave gather`.
#[derive(Clone, Debug, Args)]
#[command(group = clap::ArgGroup::new("source").required(true).multiple(true).args(["from", "cluster"]))]
pub struct GatherOptions {
    /// A folder in which shards are: one that `cleave join --store` had, or a copy of it
    #[arg(long, value_name = "DIR")]
    pub from: Vec<PathBuf>,
    /// The NATS server by which the machines that have them join: `cleave join` with the same key
    #[arg(long, value_name = "URL", requires = "cluster_key")]
    pub cluster: Option<String>,
    /// The file with the key of the campaign
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub cluster_key: Option<PathBuf>,
    /// Time to wait for machines that do not answer. Default is 20s
    #[arg(long, value_name = "TIME", default_value = "20s", hide_default_value = true, value_parser = crate::options::values::duration)]
    pub patience: std::time::Duration,
    /// The run directory
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

/// Copies the shards of a run that are elsewhere into its directory.
pub fn gather(options: &GatherOptions) -> Result<ExitCode, Failure> {
    let store = Store::read(&options.directory)?;
    store.check_paths(&options.directory)?;
    let all = store.shards()?;
    let mut missing: BTreeMap<String, Shard> =
        all.into_iter().filter(|shard| !shard.is_here()).map(|shard| (shard.name.clone(), shard)).collect();
    let here = Home { store: &store, folder: options.directory.join(SHARDS) };
    let (mut shards, mut paths) = (0, 0);
    let mut is_home = |shard: &Shard| {
        shards += 1;
        paths += shard.paths;
    };
    for folder in &options.from {
        folder.read_dir().map_err(|e| Failure::new(format!("cannot read {}: {e}", folder.display())))?;
        for name in missing.keys().cloned().collect::<Vec<_>>() {
            let file = shard_file(folder, &name);
            if file.is_file() {
                let shard = &missing[&name];
                here.copy(shard, &file)?;
                is_home(shard);
                missing.remove(&name);
            }
        }
    }
    if let Some((url, key)) = options.cluster.as_deref().zip(options.cluster_key.as_deref())
        && !missing.is_empty()
    {
        for name in fetch(&here, &missing, (url, key), options.patience)? {
            is_home(&missing[&name]);
            missing.remove(&name);
        }
    }
    let mut out = Output::new();
    let (moved, were) = (counted(shards, "shard"), verb_of(shards, "was", "were"));
    let paths = counted(paths, "path");
    out.line(format!("{moved} with {paths} {were} brought to {}", options.directory.display()))?;
    out.end()?;
    if missing.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let mut hosts: BTreeMap<String, u64> = BTreeMap::new();
    for shard in missing.values() {
        *hosts.entry(shard.host.clone().unwrap_or_default()).or_default() += shard.paths;
    }
    let hosts: Vec<String> =
        hosts.iter().map(|(host, paths)| format!("{host} ({})", counted(*paths, "path"))).collect();
    Err(Failure::new(format!(
        "shards of {} are still missing: have these machines join with the same --store, give their folders with --from, or, if \
         they are lost for ever, explore their paths again: cleave resume --lost {} {}",
        hosts.join(", "),
        hosts.first().map_or("", |host| host.split(' ').next().unwrap_or_default()),
        options.directory.display()
    )))
}

/// Destination of the shards: the database and the shard folder of the run.
struct Home<'a> {
    store: &'a Store,
    folder: PathBuf,
}

impl Home<'_> {
    /// The file of a shard that is on its way.
    fn part(&self, name: &str) -> PathBuf {
        self.folder.join(format!(".{name}.part"))
    }

    fn begin(&self, name: &str) -> Result<File, Failure> {
        std::fs::create_dir_all(&self.folder)
            .and_then(|()| File::create(self.part(name)))
            .map_err(|e| self.cannot(name, e))
    }

    fn cannot(&self, name: &str, error: impl std::fmt::Display) -> Failure {
        Failure::new(format!("cannot write {}: {error}; make room and try again", self.part(name).display()))
    }

    /// Copies the part of a shard that the run has counted.
    fn copy(&self, shard: &Shard, from: &Path) -> Result<(), Failure> {
        let mut file = self.begin(&shard.name)?;
        let source =
            File::open(from).map_err(|e| Failure::new(format!("cannot read {}: {e}", from.display())))?;
        std::io::copy(&mut source.take(shard.counted), &mut file).map_err(|e| self.cannot(&shard.name, e))?;
        self.arrived(shard, file)
    }

    /// Checks a shard that has arrived as a whole, and gives it its name.
    fn arrived(&self, shard: &Shard, file: File) -> Result<(), Failure> {
        let part = self.part(&shard.name);
        file.sync_data().map_err(|e| self.cannot(&shard.name, e))?;
        let checked = self.store.check_shard(shard, &part);
        if checked.is_err() {
            let _ = std::fs::remove_file(&part);
        }
        checked?;
        std::fs::rename(&part, &shard.file).map_err(|e| self.cannot(&shard.name, e))
    }
}

/// Fetches shards from machines that have joined; returns the names of those that have come.
#[cfg(feature = "nats")]
fn fetch(
    home: &Home<'_>,
    missing: &BTreeMap<String, Shard>,
    (url, key): (&str, &Path),
    patience: std::time::Duration,
) -> Result<Vec<String>, Failure> {
    use std::io::Write;

    use crate::process::messages::note;

    let key = cleave_nats::Key::read(key).map_err(Failure::usage)?;
    let mut members = cleave_nats::Members::new(url, key, |what| note(what)).map_err(Failure::new)?;
    let wanted = missing.values().map(|shard| (shard.name.clone(), shard.counted)).collect();
    let mut files: BTreeMap<String, File> = BTreeMap::new();
    let mut write = |name: &str, bytes: &[u8]| -> Result<(), String> {
        if !files.contains_key(name) {
            files.insert(name.to_string(), home.begin(name).map_err(|e| e.sentence().to_string())?);
        }
        let file = files.get_mut(name).ok_or("a shard has no file")?;
        file.write_all(bytes).map_err(|e| home.cannot(name, e).sentence().to_string())
    };
    let left = members.gather(wanted, patience, &mut write);
    members.end();
    let left = left.map_err(Failure::new)?;
    let mut done = Vec::new();
    for (name, file) in files {
        if left.contains_key(&name) {
            let _ = std::fs::remove_file(home.part(&name));
        } else {
            home.arrived(&missing[&name], file)?;
            done.push(name);
        }
    }
    Ok(done)
}

/// Fails always: this build has no NATS.
#[cfg(not(feature = "nats"))]
fn fetch(
    _: &Home<'_>,
    _: &BTreeMap<String, Shard>,
    _: (&str, &Path),
    _: std::time::Duration,
) -> Result<Vec<String>, Failure> {
    Err(Failure::new(crate::sessions::cluster::WITHOUT_NATS))
}
