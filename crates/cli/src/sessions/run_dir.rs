//! A run directory: the program's image, and the records of the run in its database.

use std::path::{Path, PathBuf};

use cleave_campaign::{CampaignError, Meta, Store};
use cleave_region::{Encoded, EncodedPath, Test};
use cleave_replay::sha256;
use serde_json::Value;

use crate::failure::Failure;
use crate::process::messages::note;
use crate::programs::images;
use crate::programs::loading::Image;
use crate::sessions::saved::Saved;
use crate::sessions::summary;

/// The file with the program's register code, in the run directory.
pub const IMAGE: &str = "program.image";

/// Checks that the image is the one that the run began with. A run goes on with it, even if the program's file has changed.
pub fn check_image(path: &Path, meta: &Meta) -> Result<(), Failure> {
    let why = match std::fs::read(path) {
        Ok(image) if hex(&sha256(&image)) == meta.program_hash => return Ok(()),
        Ok(_) => "it is damaged, or of another run".to_string(),
        Err(e) => e.to_string(),
    };
    Err(Failure::new(format!(
        "cannot use {}, the program as the run began with it ({why}); restore it from a copy, or start a new run",
        path.display()
    )))
}

/// Reads the options saved in a run's metadata.
pub fn saved_of(meta: &Meta) -> Result<Saved, Failure> {
    serde_json::from_value(meta.options.clone())
        .map_err(|e| Failure::new(format!("the run's options are damaged ({e}); start a new run")))
}

/// The database of a run, to read its paths; prints a note if some are not here.
///
/// # Errors
/// If there is no run in the directory, or its database cannot be read.
pub fn opened(directory: &Path) -> Result<Store, Failure> {
    let store = Store::read(directory)?;
    let away = store.paths_away()?;
    if away > 0 {
        let directory = directory.display();
        note(format_args!(
            "{away} paths are kept by machines that found them, and only those that show something new are here; bring the \
             others with: cleave gather {directory}"
        ));
    }
    Ok(store)
}

/// A run to look at: its database, its options, and its program's image.
pub fn recorded(directory: &Path) -> Result<(Store, Saved, Image), Failure> {
    let store = opened(directory)?;
    let meta = store.meta()?;
    let saved = saved_of(&meta)?;
    let path = directory.join(IMAGE);
    check_image(&path, &meta)?;
    let image =
        std::fs::read(&path).map_err(|e| Failure::new(format!("cannot read {}: {e}", path.display())))?;
    Ok((store, saved, Image(image)))
}

/// The account of a run.
pub fn account(directory: &Path) -> Result<Value, Failure> {
    let store = Store::read(directory)?;
    summary::account_of(&store, &saved_of(&store.meta()?)?)
}

/// Warns if a run was of other code than the program has now.
pub fn warn_of_other_build(program: &Path, run: &Path) {
    let recorded = Store::read(run).and_then(|store| store.meta());
    let Ok(meta) = recorded else { return };
    let Ok(saved) = saved_of(&meta) else { return };
    let Ok(image) = images::load(program, &saved) else { return };
    if hex(&sha256(&image.0)) != meta.program_hash {
        note(format_args!(
            "warning: the tests in {} were made for other code than {} has now (another program or another build of \
             it), so what differs may come of that; explore it again",
            run.display(),
            program.display()
        ));
    }
}

/// Notes if the paths of a run are of another format than this version's: its tests are still good inputs, but its regions
/// and digests mean nothing here.
pub fn note_other_paths(run: &Path) {
    if let Err(CampaignError::PathFormat { found, version, expected, .. }) =
        Store::read(run).and_then(|store| store.check_paths(run))
    {
        note(format_args!(
            "the seeds in {} are used as inputs alone: their run has paths of format {found} (Cleave {version}), and this version \
             explores paths of format {expected}",
            run.display()
        ));
    }
}

/// The test of a path that a run has recorded.
pub fn test_of(id: u64, path: &EncodedPath) -> Result<Test, Failure> {
    decoded(id, &path.test)
}

/// The test of this number as a run has recorded it.
pub fn decoded(id: u64, test: &Encoded<Test>) -> Result<Test, Failure> {
    let damaged =
        |e| Failure::new(format!("test {id} of the run's database is damaged ({e}); start a new run"));
    test.decode().map_err(damaged)
}

/// The file of a test of a run, whether or not it is written.
pub fn test_file(run: &Path, id: u64) -> PathBuf {
    run.join(format!("tests/test{id:06}.ktest"))
}

/// Returns true if `directory` is a run directory of `cleave run`.
pub fn is_run_directory(directory: &Path) -> bool {
    cleave_campaign::is_run_directory(directory)
}

/// A directory relative to the working directory, if it is below that.
pub fn shown(directory: &Path) -> PathBuf {
    let here =
        std::env::current_dir().ok().and_then(|d| directory.strip_prefix(d).ok().map(Path::to_path_buf));
    here.unwrap_or_else(|| directory.to_path_buf())
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
