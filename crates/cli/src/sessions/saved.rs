//! Options that a run keeps, so that `cleave resume` goes on with the same paths.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::Arc;

use cleave_engine::{COMPILE_AFTER, Checks, EngineOptions, Family, Limits, MAX_SYMBOLIC_SIZE};
use cleave_explore::{Programs, TERM_MEMORY};
use cleave_linux::env::EnvSpec;
use cleave_program::Entry;
use cleave_program::code::Program;
use cleave_region::{Object, Test};
use cleave_solver::SolverOptions;
use serde::{Deserialize, Serialize};

use crate::emit;
use crate::entries::drivers;
use crate::failure::Failure;
use crate::inputs::folders;
use crate::options::feasibility::SavedAsking;
use crate::options::mode::ModeOptions;
use crate::options::run::{OnOff, PathOptions, RunOptions};
use crate::options::suppressions;
use crate::programs::build::Build;
use crate::programs::executables::{self, Executable};
use crate::programs::loading::{Changes, Image};

/// Default maximum input of a fuzz target, in bytes. Each path's test has this many, and a loop over all of them has a path
/// for each length.
const MAX_LEN: u32 = 64;

/// Options that a run keeps, to go on later.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// The program as it was named.
    pub program: String,
    /// The command line of the program, its name first, symbolic options among the rest. As text where it is
    /// text, so that people can read it.
    #[serde(with = "texts")]
    pub arguments: Vec<Vec<u8>>,
    /// Function where it begins, if not `main`.
    #[serde(default)]
    pub entry: Option<Entry>,
    /// Functions that are replaced, each `NAME:REPLACEMENT`.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Sources and flags with which C is compiled.
    #[serde(default)]
    pub build: Build,
    /// True if each failing path gets an error file.
    pub all_errors: bool,
    /// The kinds of files that are written, in the words of `--emit`.
    pub emit: Vec<String>,
    /// The tests that they are written for.
    #[serde(default = "emit::Which::of_old_runs")]
    pub tests: emit::Which,
    /// Feasibility policy.
    #[serde(default)]
    pub asking: SavedAsking,
    /// Mode of exploration.
    #[serde(default)]
    pub how: ModeOptions,
    /// The families of checks that are on, in the words of `--check`; see [`Checks`].
    #[serde(default)]
    pub checks: String,
    /// Maximum number of allocations that fail on a path.
    #[serde(default)]
    pub fail_malloc: u32,
    /// Maximum number of functions that run at once; `None` if the stack is the limit.
    #[serde(default)]
    pub max_stack_frames: Option<u32>,
    /// Maximum size up to which an object whose size depends on the input is one object, in bytes. Runs that have not
    /// recorded it had no such objects.
    #[serde(default)]
    pub max_symbolic_size: u64,
    /// More limits on what is one path.
    #[serde(default = "SavedLimits::of_old_runs")]
    pub limits: SavedLimits,
    /// Branches split a path into arms that are joined, instead of forking it.
    #[serde(default)]
    pub merge: bool,
    /// The class of another run that bounds this one.
    #[serde(default)]
    pub class: Option<Class>,
    /// Functions that run often are executed as machine code.
    #[serde(default)]
    pub jit: bool,
    /// Programs that the program can execute.
    #[serde(default)]
    pub programs: Vec<Executable>,
    /// Suppressions: those of the user first, then those that ship with Cleave.
    #[serde(default)]
    pub suppressions: Vec<String>,
    /// Places that race, by the engine's numbers, where orders of threads are explored behind races; see `race_points.rs`.
    #[serde(default)]
    pub race_points: Option<BTreeSet<u32>>,
    /// The run of an older version of the program that this one began with.
    #[serde(default)]
    pub since: Option<Since>,
}

/// A class of a run with `--merge on`, whose paths alone are explored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Class {
    /// The names of the objects of its test.
    names: Vec<String>,
    /// Their bytes.
    #[serde(with = "texts")]
    bytes: Vec<Vec<u8>>,
    /// A sentence about it, which findings rest on.
    pub about: String,
}

impl Class {
    /// The class of a test.
    pub fn of(test: Test, about: String) -> Class {
        let (names, bytes) = test.objects.into_iter().map(|Object { name, bytes }| (name, bytes)).unzip();
        Class { names, bytes, about }
    }

    fn test(&self) -> Test {
        let objects = self.names.iter().cloned().zip(self.bytes.iter().cloned());
        Test { objects: objects.map(|(name, bytes)| Object { name, bytes }).collect() }
    }
}

/// Things that a run has from the run of an older version of its program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Since {
    /// The directory of that run.
    pub run: String,
    /// The functions that differ, by name.
    pub changed: Vec<String>,
    /// Number of paths that were kept.
    pub kept: u64,
    /// Number of paths of that run.
    pub of: u64,
    /// The reason if none could be kept, as the end of a sentence.
    pub reason: Option<String>,
    /// True if that run, or the one that it had most of its paths from, took its time in the program and not in the solver.
    #[serde(default)]
    pub executed: bool,
    /// The bugs of that run.
    pub bugs: Vec<OldBug>,
}

/// A bug of an older version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OldBug {
    /// Its kind by name.
    pub kind: String,
    /// Its place there.
    pub place: String,
    /// Its function.
    pub function: String,
    /// Its message.
    pub message: String,
    /// Its place in this version, if a path into it was kept.
    pub now: Option<String>,
}

/// [`Limits`], as a run keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedLimits {
    table_entries: u64,
    choices: u64,
    nested_reads: u64,
    bounded_size: u64,
}

impl SavedLimits {
    fn of_old_runs() -> SavedLimits {
        Limits::OF_OLD_RUNS.into()
    }
}

impl From<Limits> for SavedLimits {
    fn from(limits: Limits) -> SavedLimits {
        let Limits { table_entries, choices, nested_reads, bounded_size } = limits;
        SavedLimits { table_entries, choices, nested_reads, bounded_size }
    }
}

impl From<SavedLimits> for Limits {
    fn from(saved: SavedLimits) -> Limits {
        let SavedLimits { table_entries, choices, nested_reads, bounded_size } = saved;
        Limits { table_entries, choices, nested_reads, bounded_size }
    }
}

/// Byte strings as JSON: text, or numbers where they are not UTF-8.
mod texts {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Argument {
        Text(String),
        Bytes(Vec<u8>),
    }

    pub fn serialize<S: Serializer>(all: &[Vec<u8>], out: S) -> Result<S::Ok, S::Error> {
        if !out.is_human_readable() {
            return all.serialize(out);
        }
        let argument = |a: &Vec<u8>| match String::from_utf8(a.clone()) {
            Ok(text) => Argument::Text(text),
            Err(_) => Argument::Bytes(a.clone()),
        };
        out.collect_seq(all.iter().map(argument))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Vec<u8>>, D::Error> {
        if !input.is_human_readable() {
            return Vec::deserialize(input);
        }
        let all = Vec::<Argument>::deserialize(input)?;
        let bytes = |a| match a {
            Argument::Text(text) => text.into_bytes(),
            Argument::Bytes(bytes) => bytes,
        };
        Ok(all.into_iter().map(bytes).collect())
    }
}

/// Times that the engine sees a function before it compiles it. `CLEAVE_JIT_AFTER` is for tests, which compile everything.
fn compile_after() -> u32 {
    std::env::var("CLEAVE_JIT_AFTER").ok().and_then(|n| n.parse().ok()).unwrap_or(COMPILE_AFTER)
}

/// True if functions are compiled.
///
/// # Errors
/// If this Cleave cannot.
fn compiles(jit: OnOff) -> Result<bool, Failure> {
    match jit {
        OnOff::On if cfg!(not(feature = "jit")) => Err(Failure::usage(
            "this Cleave was built without its compiler (feature `jit`): leave out --jit on",
        )),
        jit => Ok(jit == OnOff::On),
    }
}

impl Saved {
    /// The environment of the program.
    pub fn environment(&self) -> Result<EnvSpec, Failure> {
        let mut arguments: Vec<OsString> = self.arguments.iter().cloned().map(OsString::from_vec).collect();
        if arguments.is_empty() {
            return Err(Failure::new(
                "the run directory does not say how the program was started; start a new run",
            ));
        }
        let rest = arguments.split_off(1);
        let spec = EnvSpec::parse(&arguments[0], &rest).map_err(Failure::usage)?;
        executables::added(spec, &self.programs)
    }

    /// Changes to the program before it is loaded.
    pub fn changes(&self) -> Changes<'_> {
        Changes { entry: self.entry.as_ref(), aliases: &self.aliases, build: Some(&self.build) }
    }

    /// Returns true if the run began with one function, not with `main`.
    pub fn begins_with_function(&self) -> bool {
        self.entry.is_some()
            || self.build.other.is_none() && self.build.drivers.iter().any(|driver| driver.is_main)
    }

    /// Sentences about assumptions that all findings of the run rest on.
    pub fn rests_on(&self) -> Vec<String> {
        let entry = self.entry.as_ref().map(|entry| {
            let Entry { function, pointer_size } = entry;
            format!("each pointer that `{function}` is given is null or has {pointer_size} bytes")
        });
        let drivers = self.build.drivers.iter().map(|driver| driver.about.clone());
        let class = self.class.iter().map(|class| class.about.clone());
        entry.into_iter().chain(drivers.filter(|about| !about.is_empty())).chain(class).collect()
    }

    /// The checks that are on.
    pub fn checks(&self) -> Result<Checks, Failure> {
        self.checks.parse().map_err(Failure::usage)
    }

    /// Returns true if the program is loaded so that accesses to members of structures are checked.
    pub fn members(&self) -> Result<bool, Failure> {
        Ok(self.checks()?.has(Family::Subobject))
    }

    /// Options of the engine.
    pub fn engine_options(&self) -> Result<EngineOptions, Failure> {
        let (mut env, checks) = (self.environment()?, self.checks()?);
        folders::load(&mut env)?;
        let suppressions = suppressions::parsed(&self.suppressions)?;
        let Saved { fail_malloc, max_stack_frames, max_symbolic_size, limits, merge, jit, .. } = *self;
        let limits = limits.into();
        let race_points = self.race_points.clone();
        Ok(EngineOptions {
            env,
            checks,
            suppressions,
            fail_malloc,
            max_stack_frames,
            max_symbolic_size,
            limits,
            race_points,
            merge,
            class: self.class.as_ref().map(Class::test),
            compile_after: jit.then(compile_after),
        })
    }

    /// Of a program and its arguments, with the defaults of all options; its own name is that of its file.
    pub fn new(program: &Path, arguments: &[OsString]) -> Saved {
        let name = program.file_name().unwrap_or(program.as_os_str());
        let all = std::iter::once(name).chain(arguments.iter().map(OsString::as_os_str));
        let program = std::path::absolute(program).unwrap_or_else(|_| program.to_path_buf());
        Saved {
            program: program.display().to_string(),
            arguments: all.map(|a| a.as_bytes().to_vec()).collect(),
            entry: None,
            aliases: Vec::new(),
            build: Build::default(),
            all_errors: false,
            emit: emit::usual(),
            tests: emit::Which::default(),
            asking: SavedAsking::default(),
            how: ModeOptions::default(),
            checks: String::new(),
            fail_malloc: 0,
            max_stack_frames: None,
            max_symbolic_size: MAX_SYMBOLIC_SIZE,
            limits: Limits::default().into(),
            merge: false,
            class: None,
            jit: false,
            programs: Vec::new(),
            suppressions: suppressions::shipped(),
            race_points: None,
            since: None,
        }
    }

    /// As [`Saved::new`], with options that decide the set of paths.
    ///
    /// # Errors
    /// If they make no sense.
    pub fn with(program: &Path, arguments: &[OsString], paths: &PathOptions) -> Result<Saved, Failure> {
        let pointer_size = paths.pointer_size;
        let entry = |function: &String| Entry { function: function.clone(), pointer_size };
        let mut build = paths.build(program)?;
        match (&paths.entry_point, &paths.against) {
            (Some(text), Some(against)) => {
                let (driver, other) = drivers::for_comparison(text, program, &build, against)?;
                (build.drivers, build.other) = (vec![driver], Some(other));
            }
            (Some(text), None) => build.drivers.extend(drivers::for_entry(text, program, &build)?),
            (None, _) => {}
        }
        let has_main = !build.drivers.is_empty();
        let mut aliases = paths.function_alias.clone();
        if paths.check_contracts || !paths.use_contract.is_empty() {
            let made = drivers::for_contracts(program, &build, paths.check_contracts, &paths.use_contract)?;
            build.drivers.extend(made.drivers);
            aliases.extend(made.aliases);
        }
        Ok(Saved {
            entry: paths.entry_point.as_ref().filter(|_| !has_main).map(entry),
            aliases,
            build,
            checks: paths.checks()?.to_string(),
            fail_malloc: paths.fail_malloc.unwrap_or(0),
            max_stack_frames: paths.max_stack_frames,
            max_symbolic_size: paths.max_symbolic_size,
            limits: SavedLimits {
                table_entries: paths.max_table_entries,
                choices: paths.max_choices,
                nested_reads: paths.max_nested_reads,
                bounded_size: Limits::default().bounded_size,
            },
            merge: paths.merge == OnOff::On,
            jit: compiles(paths.jit)?,
            programs: executables::parsed(program, &paths.executables)?,
            ..Saved::new(program, &folders::sealed(arguments)?)
        })
    }

    /// Adds the maximum length of the input to the arguments of a fuzz target.
    ///
    /// # Errors
    /// If the image cannot be read, or the program has no such input.
    pub fn of_program(mut self, image: &Image, max_len: Option<u32>) -> Result<Saved, Failure> {
        let is_target = image.may_be_fuzz_target() && image.program()?.is_fuzz_target();
        if is_target && self.environment()?.fuzz_data.is_none() {
            let most = max_len.unwrap_or(MAX_LEN).to_string();
            self.arguments.extend([b"--fuzz-data".to_vec(), most.into_bytes()]);
        } else if max_len.is_some() && !is_target {
            return Err(Failure::usage(
                "--max-len is the longest input of a fuzz target, and this program has no LLVMFuzzerTestOneInput, or a main \
                 of its own; leave it out",
            ));
        }
        Ok(self)
    }

    /// Of the options that begin a run.
    ///
    /// # Errors
    /// If they make no sense, or a file of suppressions cannot be read.
    pub fn of(options: &RunOptions) -> Result<Saved, Failure> {
        let (kept, exploration) = (&options.kept, &options.exploration);
        exploration.how.check(exploration.deal)?;
        let plain = Saved::with(options.program(), options.arguments(), &kept.paths)?;
        let saved = Saved {
            all_errors: kept.all_errors,
            emit: kept.outputs()?,
            tests: kept.tests,
            asking: plain.asking.with(&exploration.asking),
            how: exploration.how.clone(),
            suppressions: kept.suppressing.all()?,
            ..plain
        };
        folders::load(&mut saved.environment()?)?;
        Ok(saved)
    }
}

/// A space to follow tests in, with an open solver.
pub fn space_of(program: Program, saved: &Saved) -> Result<Programs, Failure> {
    space_with(program, saved, TERM_MEMORY)
}

/// As [`space_of`], with `terms` bytes for conditions.
pub fn space_with(program: Program, saved: &Saved, terms: usize) -> Result<Programs, Failure> {
    let options = SolverOptions::default();
    Programs::new(Arc::new(program), saved.engine_options()?, options, terms).map_err(Failure::new)
}
