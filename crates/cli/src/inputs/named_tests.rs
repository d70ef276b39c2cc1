//! Tests that a user names: files, folders of files, and runs. The tests of a run are those of its database, whether or not
//! they are files. Each goes by the name that its file has, or would have.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cleave_campaign::Store;
use cleave_region::{Encoded, PathKind, Test};
use cleave_report::{KTest, read_test};

use crate::failure::Failure;
use crate::inputs::ktests::to_ktest;
use crate::sessions::run_dir::{decoded, is_run_directory, opened, saved_of, test_file};

/// A test that is named.
#[derive(Clone, Debug)]
pub enum GivenTest {
    /// A .ktest file.
    File(PathBuf),
    /// A test that a run has recorded.
    Recorded(Recorded),
}

/// A test that a run has recorded.
#[derive(Clone, Debug)]
pub struct Recorded {
    run: Arc<Run>,
    id: u64,
    test: Encoded<Test>,
    /// The file that the run has written of it, or would have.
    file: PathBuf,
}

/// The run of recorded tests.
#[derive(Debug)]
struct Run {
    directory: PathBuf,
    arguments: Vec<Vec<u8>>,
}

impl GivenTest {
    /// Its file: of a recorded test the one that the run has written, or would have.
    pub fn file(&self) -> &Path {
        match self {
            GivenTest::File(file) => file,
            GivenTest::Recorded(test) => test.file(),
        }
    }

    /// The test in KLEE's format.
    ///
    /// # Errors
    /// If the file cannot be read or is no test, or the run's database is damaged.
    pub fn read(&self) -> Result<KTest, Failure> {
        match self {
            GivenTest::File(file) => Ok(read_test(file)?),
            GivenTest::Recorded(test) => test.read(),
        }
    }

    /// The run that it belongs to, and its number there.
    pub fn origin(&self) -> Option<(PathBuf, u64)> {
        match self {
            GivenTest::File(file) => number_in_run(file),
            GivenTest::Recorded(test) => Some((test.run.directory.clone(), test.id)),
        }
    }
}

impl Recorded {
    /// The file that the run has written of it, or would have.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The test in KLEE's format.
    ///
    /// # Errors
    /// If the run's database is damaged.
    pub fn read(&self) -> Result<KTest, Failure> {
        Ok(to_ktest(&self.run.arguments, &decoded(self.id, &self.test)?))
    }
}

/// The tests that `given` names, in order: all recorded tests of a run; the .ktest files of another folder, or of its folder
/// `tests`.
///
/// # Errors
/// If a folder or a database cannot be read, or has no test.
pub fn given_tests(given: &[PathBuf]) -> Result<Vec<GivenTest>, Failure> {
    let (mut tests, mut runs) = (Vec::new(), BTreeMap::new());
    for path in given {
        if is_run_directory(path) {
            tests.extend(recorded_tests(path)?.into_iter().map(GivenTest::Recorded));
        } else if path.is_dir() {
            tests.extend(files_of(path)?.into_iter().map(GivenTest::File));
        } else {
            tests.push(one(path, &mut runs)?);
        }
    }
    Ok(tests)
}

/// The test that a file is, or that the file of a recorded test would be if its run had written it.
///
/// # Errors
/// If the database of its run cannot be read, or has no such test.
pub fn given_test(path: &Path) -> Result<GivenTest, Failure> {
    one(path, &mut BTreeMap::new())
}

/// All tests that a run has recorded.
///
/// # Errors
/// If the database cannot be read, or has no test.
pub fn recorded_tests(directory: &Path) -> Result<Vec<Recorded>, Failure> {
    let (store, run) = open(directory)?;
    let mut tests = Vec::new();
    store.each_path::<Failure>(0, |path| {
        if path.record.kind != PathKind::AssumedAway {
            let file = test_file(directory, path.id);
            tests.push(Recorded { run: run.clone(), id: path.id, test: path.record.test, file });
        }
        Ok(())
    })?;
    if tests.is_empty() {
        let message = format!(
            "the run {} has no tests yet; go on with it by `cleave resume`, or give another",
            directory.display()
        );
        return Err(Failure::new(message));
    }
    Ok(tests)
}

fn open(directory: &Path) -> Result<(Store, Arc<Run>), Failure> {
    let store = opened(directory)?;
    let arguments = saved_of(&store.meta()?)?.arguments;
    Ok((store, Arc::new(Run { directory: directory.to_path_buf(), arguments })))
}

/// A file; or a recorded test by the name of a file that its run has not written.
fn one(path: &Path, runs: &mut BTreeMap<PathBuf, (Store, Arc<Run>)>) -> Result<GivenTest, Failure> {
    let Some((directory, id)) = number_in_run(path).filter(|_| !path.exists()) else {
        return Ok(GivenTest::File(path.to_path_buf()));
    };
    if !runs.contains_key(&directory) {
        runs.insert(directory.clone(), open(&directory)?);
    }
    let (store, run) = &runs[&directory];
    let recorded = store.path(id)?.filter(|path| path.record.kind != PathKind::AssumedAway);
    let recorded = recorded.ok_or_else(|| {
        let run = directory.display();
        Failure::new(format!("the run {run} has no test {id}; see `cleave list`"))
    })?;
    Ok(GivenTest::Recorded(Recorded {
        run: run.clone(),
        id,
        test: recorded.record.test,
        file: path.to_path_buf(),
    }))
}

/// The run that a file lies in, and the number in the file's name.
fn number_in_run(file: &Path) -> Option<(PathBuf, u64)> {
    let id = file.file_name()?.to_str()?.strip_prefix("test")?.strip_suffix(".ktest")?.parse().ok()?;
    let folder = std::path::absolute(file).ok()?.parent()?.to_owned();
    let run = folder.parent()?;
    (folder.file_name()? == "tests" && is_run_directory(run)).then(|| (run.to_owned(), id))
}

/// The tests in a folder that is no run's, by name.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let inner = folder.join("tests");
    let folder = if inner.is_dir() { inner } else { folder.to_path_buf() };
    let unreadable = |e| Failure::new(format!("cannot read the directory {}: {e}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|e| e == "ktest") {
            files.push(file);
        }
    }
    if files.is_empty() {
        let message = format!("there are no tests (.ktest) in {}; give a run directory", folder.display());
        return Err(Failure::new(message));
    }
    files.sort();
    Ok(files)
}
