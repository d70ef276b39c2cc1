//! `cleave tests export`: tests of a run in the form that another tool takes. A format is a file with an entry, and its line in
//! [`FORMATS`].

pub(crate) mod c_suite; // Common parts of the suites in C: the program, a header that runs it, and the tests as data.
pub(crate) mod cases; // The tests that are exported: the inputs of each, and the end and output that are expected.
pub(crate) mod chosen_tests; // Chooses the tests of a run that the words of `--select` mean.
pub(crate) mod cmocka; // A suite for CMocka.
pub(crate) mod corpus; // A corpus for libFuzzer and AFL: a file for each input.
pub(crate) mod ctest; // A suite for CTest: a test of CMake for each, which asserts by its exit status.
pub(crate) mod folders; // Puts a folder of tests in the place of an older one.
pub(crate) mod googletest; // A suite for GoogleTest.
pub(crate) mod ktest; // Tests in KLEE's format.
pub(crate) mod living; // A suite that is kept up to date: names stay, few tests come and go.
pub(crate) mod plain; // Tests as a folder of plain files, each with a script that runs it.
pub(crate) mod select_words; // The words of `--select`, which say which tests of a run are meant.
pub(crate) mod testcomp; // A suite of Test-Comp: XML, in a zip archive or in a folder.
pub(crate) mod unity; // A suite for Unity, ThrowTheSwitch's test framework for C.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::process::number_words::{counted, verb_of};
use crate::process::output::Output;
use cases::Suite;

/// Contents of a test in some form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runs {
    /// Inputs alone.
    No,
    /// A native run, in a folder with plain files.
    Files,
    /// A native run, in a folder with directories, links, permissions and times.
    Trees,
}

/// A form of tests, by name.
pub struct Format {
    /// Its name for `--to`.
    name: &'static str,
    /// Description in a few words.
    about: &'static str,
    /// Contents of each test: inputs alone, or a native run with its standard output, among files of some kinds.
    runs: Runs,
    /// Writes the suite; the place does not exist yet.
    write: fn(&mut Suite, &Path) -> Result<(), Failure>,
}

/// All forms.
const FORMATS: &[&Format] = &[
    &plain::FORMAT,
    &ktest::FORMAT,
    &testcomp::FORMAT,
    &ctest::FORMAT,
    &cmocka::FORMAT,
    &googletest::FORMAT,
    &unity::FORMAT,
    &corpus::FORMAT,
];

/// The table of formats and selections, for `--help`.
fn tables() -> String {
    let mut text = String::from("Formats:\n");
    for format in FORMATS {
        text.push_str(&format!("  {:<12} {}\n", format.name, format.about));
    }
    text.push_str("\nSelections:\n");
    for selection in select_words::SELECTIONS {
        text.push_str(&format!("  {:<16} {}\n", selection.form, selection.about));
    }
    text.push_str("\nExample: cleave tests export cleave-last --to ctest --select minimal suite");
    text
}

/// Options of `cleave tests export`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = tables())]
pub struct ExportOptions {
    /// In which form: a name of the table below
    #[arg(long, value_name = "FORMAT", value_parser = known)]
    to: String,
    /// Tests to export: words of the table below, with commas between them for all of either. May be repeated: then each
    /// narrows what the one before it leaves, as in --select exit:0 --select minimal. Default is all
    #[arg(long, value_name = "SELECTION", value_parser = select_words::known)]
    select: Vec<String>,
    /// Make a suite that lives: few tests that cover all code and have all ends. A folder that this made is brought up to
    /// date: its tests keep their names and inputs, and tests are added for what they lack. Default is a new folder or file
    #[arg(long)]
    update: bool,
    /// The run directory
    #[arg(value_name = "RUN")]
    directory: PathBuf,
    /// The folder or file to make
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

fn known(name: &str) -> Result<String, String> {
    if FORMATS.iter().any(|format| format.name == name) {
        return Ok(name.to_string());
    }
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    Err(format!("there is no format `{name}`; the formats are {}", names.join(", ")))
}

/// Writes tests of a run for another tool.
pub fn export(options: &ExportOptions) -> Result<(), Failure> {
    let to = &options.output;
    if to.exists() && !options.update {
        return Err(Failure::new(format!(
            "{} is there already; give another place, or remove it",
            to.display()
        )));
    }
    let Some(format) = FORMATS.iter().find(|format| format.name == options.to) else {
        return Err(Failure::usage(format!("there is no format `{}`", options.to)));
    };
    let mut suite = Suite::of(&options.directory, &options.select, format.runs)?;
    let mut out = Output::new();
    if options.update {
        if to.extension().is_some_and(|e| e == "zip") {
            return Err(Failure::usage("--update needs a folder, and an archive is none; leave out .zip"));
        }
        for line in living::update(&mut suite, format, to)? {
            out.line(line)?;
        }
        tell_left_out(&suite, &mut out)?;
        return out.end();
    }
    (format.write)(&mut suite, to).inspect_err(|_| {
        // It was not there before, so that all of it is a part of a suite.
        let _ = if to.is_dir() { std::fs::remove_dir_all(to) } else { std::fs::remove_file(to) };
    })?;
    let all = suite.all as u64;
    let are = verb_of(suite.given as u64, "is", "are");
    out.line(format_args!("{} of {} {are} in {}", suite.given, counted(all, "test"), to.display()))?;
    tell_left_out(&suite, &mut out)?;
    out.end()
}

/// Says how many tests this form cannot have.
fn tell_left_out(suite: &Suite, out: &mut Output) -> Result<(), Failure> {
    for (why, n) in &suite.left_out {
        let (tests, are) = (counted(*n as u64, "test"), verb_of(*n as u64, "is", "are"));
        out.line(format_args!("{tests} {are} left out: {why}"))?;
    }
    Ok(())
}

/// Writes all tests of a run as a suite of Test-Comp into a folder, which may be there: `cleave tests xml`.
pub fn testcomp_folder(run: &Path, to: &Path) -> Result<(), Failure> {
    testcomp::folder(&mut Suite::of(run, &[], Runs::No)?, to)
}

/// Makes a folder, and those that it is in.
fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|e| unwritable(folder, &e))
}

/// Writes a file.
fn write(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    std::fs::write(file, bytes).map_err(|e| unwritable(file, &e))
}

/// A text that is written piece by piece.
struct Text {
    file: BufWriter<File>,
    path: PathBuf,
}

impl Text {
    fn create(path: PathBuf) -> Result<Text, Failure> {
        let file = File::create(&path).map_err(|e| unwritable(&path, &e))?;
        Ok(Text { file: BufWriter::new(file), path })
    }

    fn put(&mut self, piece: &str) -> Result<(), Failure> {
        self.file.write_all(piece.as_bytes()).map_err(|e| unwritable(&self.path, &e))
    }

    fn end(mut self) -> Result<(), Failure> {
        self.file.flush().map_err(|e| unwritable(&self.path, &e))
    }
}

/// Writes a file that can be executed.
fn write_executable(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    write(file, bytes)?;
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(file, mode).map_err(|e| unwritable(file, &e))
}

fn unwritable(file: &Path, e: &std::io::Error) -> Failure {
    Failure::new(format!("cannot write {}: {e}; give another place, or make room there", file.display()))
}
