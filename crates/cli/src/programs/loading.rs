//! Reads bitcode in a process of its own: LLVM ends the process on some kinds of damage, and then the parent prints the
//! error. The output of the process is the program's image, which workers get anyway.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitCode, Output, Stdio};

use cleave_program::code::{Place, Program};
use cleave_program::debug::Debuggable;
use cleave_program::{Checked, Entry, LoadError};
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::system::sysinfo;

use crate::failure::Failure;
use crate::process::executable;
use crate::process::messages::note;
use crate::programs::build::Build;
use crate::programs::cache;

/// Exit code of the process when its output is a sentence that says why the bitcode cannot be loaded.
const REFUSED: u8 = 3;

/// Limits of the process: damaged bitcode must not take the machine's memory, of which it gets half at most, nor go on for
/// ever. Real programs take a second and some hundred megabytes.
const MOST_MEMORY: u64 = 16 << 30;
const MOST_SECONDS: u64 = 600;

/// Task of `cleave load`.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// A module that is still to be linked is only checked, and nothing is put out.
    pub module: bool,
    /// Options for loading it.
    pub how: How,
    /// A [`Debuggable`] is put out.
    pub debug: bool,
}

/// Options for loading a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    /// Accesses to arrays inside of structures look at their bounds: see [`cleave_program::load_with`].
    pub members: bool,
    /// Place where its addresses begin.
    pub place: Place,
}

impl How {
    /// As a program that is alone.
    pub fn alone(members: bool) -> How {
        How { members, place: Place::default() }
    }

    /// Arguments of `cleave load`.
    fn arguments(self) -> Vec<String> {
        let Place { function, slot } = self.place;
        let place = (self.place != Place::default()).then(|| format!("--place={function},{slot}"));
        self.members.then(|| "--members".to_string()).into_iter().chain(place).collect()
    }
}

/// `cleave load`: bitcode on standard input, the image of its program on standard output. With an entry or aliases the output
/// is bitcode, and standard error has notes for the user.
pub fn serve(wanted: Wanted, entry: Option<Entry>, aliases: &[String]) -> Result<ExitCode, Failure> {
    let machine = sysinfo();
    let half = (machine.totalram as u64).saturating_mul(machine.mem_unit.into()) / 2;
    for (resource, most) in [(Resource::As, MOST_MEMORY.min(half)), (Resource::Cpu, MOST_SECONDS)] {
        // An error means that there is a lower limit already.
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let mut image = || -> Result<Vec<u8>, LoadError> {
        if entry.is_some() || !aliases.is_empty() {
            return changed(std::mem::take(&mut bytes), entry.as_ref(), aliases);
        }
        if wanted.module && cleave_program::check(&bytes)? == Checked::ToBeLinked {
            return Ok(Vec::new());
        }
        let How { members, place } = wanted.how;
        let image = if wanted.debug {
            cleave_program::load_debuggable(&bytes, members, place)?.to_bytes()
        } else {
            cleave_program::load_at(&bytes, members, place)?.to_bytes()
        };
        image.map_err(|e| LoadError::Unreadable(e.to_string()))
    };
    let (code, output) = match image() {
        Ok(image) => (ExitCode::SUCCESS, image),
        Err(error) => (ExitCode::from(REFUSED), error.to_string().into_bytes()),
    };
    let mut out = std::io::stdout();
    out.write_all(&output)?;
    out.flush()?;
    Ok(code)
}

/// Bitcode with functions replaced, and with a `main` that calls another function.
fn changed(mut bytes: Vec<u8>, entry: Option<&Entry>, aliases: &[String]) -> Result<Vec<u8>, LoadError> {
    if !aliases.is_empty() {
        let replaced = cleave_program::with_aliases(&bytes, aliases)?;
        for line in &replaced.notes {
            eprintln!("{line}");
        }
        bytes = replaced.bitcode;
    }
    entry.map_or(Ok(bytes.clone()), |entry| cleave_program::with_entry(&bytes, entry))
}

/// A program's image; see [`Program::to_bytes`].
pub struct Image(pub Vec<u8>);

impl Image {
    /// The register code, for callers that follow paths themselves; workers read it from the run directory.
    pub fn program(&self) -> Result<Program, Failure> {
        Ok(Program::from_bytes(&self.0)?)
    }

    /// Returns true if the name of a fuzz target is in the image: a cheap test.
    pub fn may_be_fuzz_target(&self) -> bool {
        const NAME: &[u8] = b"LLVMFuzzerTestOneInput";
        self.0.windows(NAME.len()).any(|window| window == NAME)
    }

    /// The register code, to be added to another program's.
    pub fn part(&self) -> Result<Program, Failure> {
        Ok(Program::part_from_bytes(&self.0)?)
    }
}

/// Loads linked bitcode; `path` is where it came from.
pub fn load(path: &Path, bitcode: &[u8], how: How) -> Result<Image, Failure> {
    Ok(Image(loaded(path, bitcode, &how.arguments())?))
}

/// Loads linked bitcode for a debugger; otherwise as [`load`].
pub fn load_debuggable(path: &Path, bitcode: &[u8], how: How) -> Result<Debuggable, Failure> {
    let more = [how.arguments(), vec!["--debug".into()]].concat();
    Ok(Debuggable::part_from_bytes(&loaded(path, bitcode, &more)?)?)
}

/// Checks a module by itself, so that its errors are told in our words and not the linker's. Returns its image if it is
/// linked already.
pub fn check(path: &Path, bitcode: &[u8], how: How) -> Result<Option<Image>, Failure> {
    let more = [how.arguments(), vec!["--module".into()]].concat();
    let image = loaded(path, bitcode, &more)?;
    Ok((!image.is_empty()).then_some(Image(image)))
}

/// Changes to a program before it is loaded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes<'a> {
    /// Its `main` calls this function with symbolic arguments.
    pub entry: Option<&'a Entry>,
    /// Functions that are replaced, each `NAME:REPLACEMENT`.
    pub aliases: &'a [String],
    /// Sources and flags for C that is not compiled as it is written; no change by itself.
    pub build: Option<&'a Build>,
}

impl<'a> Changes<'a> {
    /// Sources and flags with which C is compiled.
    pub fn build(&self) -> &'a Build {
        static PLAIN: Build =
            Build { more: Vec::new(), flags: Vec::new(), checked: false, drivers: Vec::new(), other: None };
        self.build.unwrap_or(&PLAIN)
    }

    /// Returns true if there are no changes.
    pub fn is_empty(&self) -> bool {
        self.entry.is_none() && self.aliases.is_empty()
    }

    /// Makes the module with the changes, and prints notes about them.
    pub fn made(&self, path: &Path, bitcode: &[u8]) -> Result<Vec<u8>, Failure> {
        let size = self.entry.map_or(0, |entry| entry.pointer_size).to_string();
        let mut more: Vec<String> = Vec::new();
        if let Some(entry) = self.entry {
            more.extend(["--entry".into(), entry.function.clone(), "--pointer-size".into(), size]);
        }
        more.extend(self.aliases.iter().flat_map(|alias| ["--alias".into(), alias.clone()]));
        let output = ask(path, bitcode, &more)?;
        for line in String::from_utf8_lossy(&output.stderr).lines() {
            note(line);
        }
        Ok(output.stdout)
    }
}

/// As [`ask`], or as it answered before. It has no notes for the user.
fn loaded(path: &Path, bitcode: &[u8], more: &[String]) -> Result<Vec<u8>, Failure> {
    let entry = cache::Entry::of(bitcode, more);
    if let Some(image) = entry.as_ref().and_then(cache::Entry::read) {
        return Ok(image);
    }
    let image = ask(path, bitcode, more)?.stdout;
    if let Some(entry) = entry {
        entry.write(&image);
    }
    Ok(image)
}

fn ask(path: &Path, bitcode: &[u8], more: &[String]) -> Result<Output, Failure> {
    let cannot = |e| Failure::new(format!("cannot start a process to read {}: {e}", path.display()));
    let mut child = executable::command("load")
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(cannot)?;
    if let Some(mut input) = child.stdin.take() {
        // It reads everything before it puts anything out. If it is gone, its exit says why.
        let _ = input.write_all(bitcode);
    }
    let output = child.wait_with_output().map_err(cannot)?;
    match output.status.code() {
        Some(0) => Ok(output),
        Some(code) if code == i32::from(REFUSED) => {
            let sentence = String::from_utf8_lossy(&output.stdout);
            Err(Failure::new(format!("cannot load {}: {sentence}", path.display())))
        }
        _ => Err(Failure::new(format!(
            "the bitcode in {} is damaged, or LLVM cannot deal with it ({}); build it again with `cleave cc`",
            path.display(),
            last_words(&output)
        ))),
    }
}

/// Reason why the process ended, as far as it is known.
fn last_words(output: &Output) -> String {
    let words = String::from_utf8_lossy(&output.stderr);
    let line = words.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("");
    let line = line.trim_start_matches("LLVM ERROR: ").trim_start_matches("cleave: ");
    let line: String = line.chars().take(200).collect();
    match (line.is_empty(), output.status.signal()) {
        (false, _) => line,
        (true, Some(signal)) => format!("reading it ended with signal {signal}"),
        (true, None) => format!("reading it ended with {}", output.status),
    }
}
