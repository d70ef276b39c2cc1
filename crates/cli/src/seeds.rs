//! Inputs that users have: tests, files, folders of a fuzzer.

use std::path::{Path, PathBuf};

use cleave_linux::env::{EnvSpec, Inputs, StdinSpec};
use cleave_region::{Object, Test};
use cleave_report::KTest;

use crate::failure::Failure;
use crate::ktests::{self, LONGEST_PATH, Objects};
use crate::loading::Image;
use crate::note::note;
use crate::saved::{self, Saved};

/// Where a run keeps its seeds, in the run directory.
const FOLDER: &str = "seeds";

/// Folders that inputs are kept in, below the one that is named: those of our runs, and AFL's.
const INNER: [&str; 4] = ["tests", "queue", "default/queue", "main/queue"];

/// An input as a test of the program.
pub struct Seed {
    /// Its file.
    pub path: PathBuf,
    /// Its test.
    pub test: Test,
}

/// Reads what `given` names: .ktest files, other files as the program's symbolic standard input or file, and folders of
/// both.
/// With `by_name` tests may be of any command line.
pub fn read(given: &[PathBuf], saved: &Saved, by_name: bool) -> Result<Vec<Seed>, Failure> {
    let env = saved.environment()?;
    let (mut seeds, mut long) = (Vec::new(), 0);
    for path in files(given)? {
        let bytes = std::fs::read(&path)
            .map_err(|e| Failure::new(format!("cannot read the seed {}: {e}", path.display())))?;
        let test = if path.extension().is_some_and(|e| e == "ktest") || KTest::parse(&bytes).is_ok() {
            let ktest = cleave_report::read_test(&path)?;
            if !by_name {
                ktests::check_command_line(&path, &ktest, &saved.arguments)?;
            }
            ktests::from_ktest(&ktest)
        } else {
            let (objects, cut) = objects(&env, bytes)
                .map_err(|why| Failure::usage(format!("cannot use {} as a seed: {why}", path.display())))?;
            long += usize::from(cut);
            let object = |(name, bytes)| Object { name, bytes };
            Test { objects: objects.into_iter().map(object).collect() }
        };
        seeds.push(Seed { path, test });
    }
    if long > 0 {
        note(format_args!(
            "warning: {long} seed files have more bytes than the program's arguments make symbolic; what is beyond is \
             left out (a larger LEN of --sym-stdin or --sym-files takes it in)"
        ));
    }
    Ok(seeds)
}

/// The objects of a test whose symbolic standard input, or where there is none whose first symbolic file, is `bytes`; and
/// whether it had more than there is room for.
fn objects(env: &EnvSpec, mut bytes: Vec<u8>) -> Result<(Objects, bool), String> {
    // A file says nothing of arguments.
    let mut inputs = Inputs { args: env.plain_arguments(), ..Inputs::default() };
    let room = match (&env.stdin, &env.files) {
        (StdinSpec::Symbolic(len), _) => *len,
        (_, Some(files)) if files.count > 0 => files.len,
        _ => {
            return Err(
                "it is no .ktest file, and the program has neither --sym-stdin nor --sym-files".into()
            );
        }
    };
    let long = bytes.len() > room as usize;
    bytes.truncate(room as usize);
    match env.stdin {
        StdinSpec::Symbolic(_) => inputs.stdin = Some(bytes),
        _ => inputs.files = vec![("A".into(), bytes)],
    }
    let objects = env.objects_of(&inputs).map_err(|e| e.to_string())?;
    Ok((objects, long))
}

/// The files that are meant, those of a folder by name.
fn files(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut all = Vec::new();
    for path in given {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let inner = INNER.iter().map(|name| path.join(name)).find(|inner| inner.is_dir());
        let folder = inner.unwrap_or_else(|| path.clone());
        let before = all.len();
        let unreadable = |e| Failure::new(format!("cannot read the directory {}: {e}", folder.display()));
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            if file.is_file() && !is_note(&file) {
                all.push(file);
            }
        }
        if all.len() == before {
            return Err(Failure::new(format!("there are no files in {}; give seeds", folder.display())));
        }
        all[before..].sort();
    }
    Ok(all)
}

/// Files that fuzzers put beside inputs.
fn is_note(file: &Path) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.starts_with('.') || name == "README.txt"
}

/// The tests of seeds in the order of their paths, one of each path.
pub fn sorted(tests: Vec<Test>, saved: &Saved, image: &Image, option: &str) -> Result<Vec<Test>, Failure> {
    let mut space = saved::space_of(image.program()?, saved)?;
    let (tests, endless) = cleave_explore::sort(&mut space, tests, LONGEST_PATH);
    if !endless.is_empty() {
        let n = endless.len();
        note(format_args!(
            "warning: {n} tests of {option} are on paths too long to be compared, and are left out"
        ));
    }
    Ok(tests)
}

/// The tests with their objects in the order of the program's objects of the same names.
pub fn by_name(tests: Vec<Test>, saved: &Saved, image: &Image) -> Result<Vec<Test>, Failure> {
    let mut space = saved::space_of(image.program()?, saved)?;
    let named = |test: Test| cleave_explore::by_name(&mut space, &test, LONGEST_PATH);
    Ok(tests.into_iter().map(named).collect())
}

/// Keeps the seeds of a run in its directory.
pub fn keep(directory: &Path, saved: &Saved, seeds: &[Test]) -> Result<(), Failure> {
    if seeds.is_empty() {
        return Ok(());
    }
    let folder = directory.join(FOLDER);
    let write = || -> std::io::Result<()> {
        std::fs::create_dir(&folder)?;
        for (i, seed) in seeds.iter().enumerate() {
            let bytes = ktests::to_ktest(&saved.arguments, seed).to_bytes().map_err(std::io::Error::other)?;
            std::fs::write(folder.join(format!("seed{i:06}.ktest")), bytes)?;
        }
        Ok(())
    };
    write().map_err(|e| Failure::new(format!("cannot write the seeds to {}: {e}", folder.display())))
}

/// The objects of the seeds that a run has kept, in their order.
pub fn kept(directory: &Path) -> Result<Vec<Objects>, Failure> {
    let folder = directory.join(FOLDER);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    files(&[folder])?.into_iter().map(|path| Ok(cleave_report::read_test(&path)?.objects)).collect()
}
