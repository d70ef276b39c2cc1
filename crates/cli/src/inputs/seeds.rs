//! Inputs that users have: tests, files, folders of a fuzzer.

use std::path::{Path, PathBuf};

use cleave_explore::Reach;
use cleave_linux::env::{EnvSpec, Inputs, StdinSpec};
use cleave_region::{Object, Test};
use cleave_report::KTest;

use crate::export::living::LIST;
use crate::failure::Failure;
use crate::inputs::ktests::{self, Objects};
use crate::inputs::named_tests::{GivenTest, Recorded, given_test, recorded_tests};
use crate::process::messages::note;
use crate::process::number_words::{counted, verb_of};
use crate::programs::loading::Image;
use crate::sessions::run_dir::{is_run_directory, note_other_paths};
use crate::sessions::saved::{self, Saved};

/// Folder of a run's seeds, in the run directory.
const FOLDER: &str = "seeds";

/// Folders that inputs are kept in, below the one that is named: KLEE's way, and AFL's.
const INNER: [&str; 4] = ["tests", "queue", "default/queue", "main/queue"];

/// An input as a test of the program.
pub struct Seed {
    /// Its file; of a run's test the one that the run has written, or would have.
    pub path: PathBuf,
    /// The contents of the file.
    pub bytes: Vec<u8>,
    /// Its test.
    pub test: Test,
}

/// Reads the inputs that `given` names: .ktest files, other files as the input of a fuzz target or the program's symbolic
/// standard input or file, folders of both, and the tests of runs. With `by_name` tests may be of any command line.
pub fn read(given: &[PathBuf], saved: &Saved, by_name: bool) -> Result<Vec<Seed>, Failure> {
    let env = saved.environment()?;
    let (mut seeds, mut long) = (Vec::new(), 0);
    for input in inputs(given)? {
        let (path, bytes) = input.read()?;
        let test = if path.extension().is_some_and(|e| e == "ktest") || KTest::parse(&bytes).is_ok() {
            let ktest = KTest::parse(&bytes)
                .map_err(|e| Failure::new(format!("cannot use the test {}: {e}", path.display())))?;
            if !by_name {
                ktests::check_command_line(&path, &ktest, &saved.arguments)?;
            }
            ktests::from_ktest(&ktest)
        } else {
            let (objects, cut) = objects(&env, bytes.clone())
                .map_err(|why| Failure::usage(format!("cannot use {} as a seed: {why}", path.display())))?;
            long += u64::from(cut);
            let object = |(name, bytes)| Object { name, bytes };
            Test { objects: objects.into_iter().map(object).collect() }
        };
        seeds.push(Seed { path, bytes, test });
    }
    if long > 0 {
        note(format_args!(
            "warning: {} {} more bytes than the program's arguments make symbolic; what is beyond is \
             left out (a larger LEN of --sym-stdin or --sym-files, or --max-len, takes it in)",
            counted(long, "seed file"),
            verb_of(long, "has", "have")
        ));
    }
    Ok(seeds)
}

/// The objects of a test whose input of a fuzz target, else symbolic standard input, else first symbolic file, is `bytes`;
/// and true if there were more bytes than room for them.
fn objects(env: &EnvSpec, mut bytes: Vec<u8>) -> Result<(Objects, bool), String> {
    // A plain file has no arguments in it.
    let mut inputs = Inputs { args: env.plain_arguments(), ..Inputs::default() };
    let room = match (env.fuzz_data, &env.stdin, &env.files) {
        (Some(most), ..) => most,
        (_, StdinSpec::Symbolic(len), _) => *len,
        (_, _, Some(files)) if files.count > 0 => files.len,
        _ => {
            return Err(
                "it is no .ktest file, and the program has neither --sym-stdin nor --sym-files".into()
            );
        }
    };
    let long = bytes.len() > room as usize;
    bytes.truncate(room as usize);
    match env.stdin {
        _ if env.fuzz_data.is_some() => inputs.data = Some(bytes),
        StdinSpec::Symbolic(_) => inputs.stdin = Some(bytes),
        _ => inputs.files = vec![("A".into(), bytes)],
    }
    let objects = env.objects_of(&inputs).map_err(|e| e.to_string())?;
    Ok((objects, long))
}

/// Place of an input.
enum Input {
    File(PathBuf),
    Recorded(Recorded),
}

impl Input {
    /// Its file, and the contents that the file has or would have.
    fn read(self) -> Result<(PathBuf, Vec<u8>), Failure> {
        match self {
            Input::File(path) => {
                let bytes = std::fs::read(&path)
                    .map_err(|e| Failure::new(format!("cannot read the seed {}: {e}", path.display())))?;
                Ok((path, bytes))
            }
            Input::Recorded(test) => {
                Ok((test.file().to_path_buf(), test.read()?.to_bytes().map_err(Failure::new)?))
            }
        }
    }
}

/// The inputs that are meant: the tests of a run, the files of another folder by name.
fn inputs(given: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    let mut all = Vec::new();
    for path in given {
        if is_run_directory(path) {
            note_other_paths(path);
            all.extend(recorded_tests(path)?.into_iter().map(Input::Recorded));
        } else if path.is_dir() {
            all.extend(files_of(path)?.into_iter().map(Input::File));
        } else if let GivenTest::Recorded(test) = given_test(path)? {
            all.push(Input::Recorded(test));
        } else {
            all.push(Input::File(path.clone()));
        }
    }
    Ok(all)
}

/// The files of a folder, by name.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let inner = INNER.iter().map(|name| folder.join(name)).find(|inner| inner.is_dir());
    let folder = inner.unwrap_or_else(|| folder.to_path_buf());
    let unreadable = |e| Failure::new(format!("cannot read the directory {}: {e}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.is_file() && !is_note(&file) {
            files.push(file);
        }
    }
    if files.is_empty() {
        return Err(Failure::new(format!("there are no files in {}; give seeds", folder.display())));
    }
    files.sort();
    Ok(files)
}

/// Files that fuzzers, and suites that are kept up to date, put beside inputs.
fn is_note(file: &Path) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.starts_with('.') || name == "README.txt" || name == LIST
}

/// The tests of seeds in the order of their paths, one of each path.
pub fn sorted(
    tests: Vec<Test>,
    saved: &Saved,
    image: &Image,
    (option, reach): (&str, Reach),
) -> Result<Vec<Test>, Failure> {
    let mut space = saved::space_of(image.program()?, saved)?;
    let (tests, endless) = cleave_explore::sort(&mut space, tests, reach);
    if !endless.is_empty() {
        let n = endless.len() as u64;
        let (tests, are) = (counted(n, "test"), verb_of(n, "is", "are"));
        note(format_args!(
            "warning: {tests} of {option} {are} on paths too long to be compared, and left out"
        ));
    }
    Ok(tests)
}

/// The tests with their objects in the order of the program's objects of the same names.
pub fn by_name(tests: Vec<Test>, saved: &Saved, image: &Image, reach: Reach) -> Result<Vec<Test>, Failure> {
    let mut space = saved::space_of(image.program()?, saved)?;
    let named = |test: Test| cleave_explore::by_name(&mut space, &test, reach);
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
    files_of(&folder)?.into_iter().map(|path| Ok(cleave_report::read_test(&path)?.objects)).collect()
}
