//! Databases of runs: damaged files, and rows in them that are not what Cleave wrote. All of a run is read as `list`,
//! `stats` and `resume` read it.

use std::path::Path;
use std::process::Command;

use cleave_campaign::{Campaign, CampaignError, DATABASE, Store};

fn scratch() -> tempfile::TempDir {
    // In memory where there is such a place.
    let shared = Path::new("/dev/shm");
    let made = if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() };
    made.expect("a scratch directory")
}

fn read(directory: &Path) -> Result<String, CampaignError> {
    let store = Store::read(directory)?;
    let (mut paths, mut regions) = (0, 0);
    store.each_path(0, |path| {
        // What writes files of it does.
        let _ = path.record.test.decode();
        paths += 1;
        Ok::<(), CampaignError>(())
    })?;
    let bugs = store.bugs()?.len();
    store.each_region(|_| {
        regions += 1;
        Ok::<(), CampaignError>(())
    })?;
    let (aside, meta) = (store.set_aside()?.len(), store.meta()?);
    store.stats()?;
    store.account()?;
    drop(store);
    let campaign = Campaign::open(directory)?;
    campaign.account()?;
    Ok(format!(
        "{paths} paths, {bugs} bugs, {regions} regions, {aside} set aside, {}",
        meta.options.is_object()
    ))
}

/// Reads a database.
pub fn run(bytes: &[u8]) -> String {
    let scratch = scratch();
    std::fs::write(scratch.path().join(DATABASE), bytes).expect("room for a database");
    match read(scratch.path()) {
        Ok(text) => text,
        Err(error) => {
            let text = error.to_string();
            assert!(!text.trim().is_empty() && !text.contains('\n'), "not one sentence: {text}");
            crate::kind(&text.replace(&*scratch.path().to_string_lossy(), ""))
        }
    }
}

/// The databases of a finished run and of one that was stopped.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for more in [&[][..], &["--max-paths", "2"]] {
        let scratch = scratch();
        let program = scratch.path().join("branches.ll");
        std::fs::write(&program, include_str!("../seeds/branches.ll")).expect("room for a program");
        let run = scratch.path().join("run");
        let mut command = Command::new(crate::cleave());
        command.args(["run", "--workers", "1", "--output-dir"]).arg(&run).args(more).arg(&program);
        let output = command.output().expect("cleave runs");
        let database = run.join(DATABASE);
        let made = std::fs::read(&database);
        seeds.push(made.unwrap_or_else(|_| panic!("no run: {}", String::from_utf8_lossy(&output.stderr))));
    }
    seeds
}
