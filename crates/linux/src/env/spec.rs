//! The environment of a program when it starts: arguments, variables, standard input, files. They are concrete or symbolic, in
//! KLEE's words; a test makes them concrete.
//!
//! Between the program's own arguments may stand, with one dash or two:
//!
//! | option | stands for | objects of a test |
//! |---|---|---|
//! | `--sym-arg LEN` | one argument of at most LEN bytes; `MIN..LEN`: of at least MIN, here and in `--sym-args` | `arg00`, LEN + 1 bytes, read up to its first NUL |
//! | `--sym-args MIN MAX LEN` | MIN to MAX such arguments | `n_args`, 4 bytes; then as above |
//! | `--sym-stdin LEN` | standard input of LEN bytes | `stdin` |
//! | `--sym-stdin MIN..MAX` | standard input of MIN to MAX bytes | `stdin`, MAX bytes; `stdin-length`, 4 bytes: what is below MIN or above MAX means MIN or MAX |
//! | `--sym-files N LEN` | files A, B, ... of LEN bytes in the working directory | `A-data`, `B-data`, ... |
//! | `--sym-files N MIN..MAX` | the same of MIN to MAX bytes each | `A-data`, MAX bytes; `A-data-length`, 4 bytes, as above |
//! | `--sym-permissions` | these files may refuse to be read (1) or written (2) | `A-refuses`, a byte, behind `A-data` |
//! | `--sym-read-only` | as `--sym-permissions`, of writing alone | |
//! | `--sym-stat` | their metadata too: permissions, length, owner, times, see `metadata.rs` | `A-data-stat`, 144 bytes, behind `A-data` |
//! | `--sym-tree N LEN` | entries A, B, ... that are files, directories, links or nothing, see `tree.rs` | `A-data`, `A-kind`, a byte |
//! | `--fs DIR[:AT]` | what the host's folder DIR holds, at AT; once read, `--fs-digest DIGEST DIR[:AT]` | |
//! | `--max-fail N` | at most N system calls fail at will on a path | `call_fails`, a byte for each call up to the last that fails |
//! | `--fd-fail` | `--max-fail 1` | |
//! | `--fail-calls N` | the same with every error that the call's manual page names, see `calls/table.rs` | `call_fails`, the error's number or 0 |
//! | `--short-io N` | at most N reads and writes move one byte where they could move more | `call_short`, a byte as `call_fails` |
//! | `--sym-connection LEN` | one peer that connects to the program, or sends it a datagram, see `peers.rs` | `connection00`, its bytes; `connection00-length`, 4 bytes |
//! | `--sym-connections N LEN` | N such peers | `connection00`, `connection01`, ... |
//! | `--sym-segments` | how many bytes each read from a peer gives | `connection00-segments`, a byte a read |
//! | `--explore-schedules WHICH` | the next thread is chosen at each synchronisation, see `orders.rs` | `schedule`, a byte for each choice |
//! | `--fuzz-data LEN` | the input of a fuzz target, of up to LEN bytes; `cleave run` puts it there, as its `--max-len` says | `data-length`, 4 bytes, then `data` |
//! | `--set-env NAME=VALUE` | a variable of the environment | |
//! | `--sym-env NAME LEN` | a variable that is set or not, with a value of at most LEN bytes, see `variables.rs` | `env-NAME-set`, a byte, 0 if it is not set; `env-NAME`, LEN + 1 bytes, read up to its first NUL |
//! | `--sym-terminal` | which of standard input, output and error are a terminal, see `terminal.rs` | `terminal`, a byte: bits 1, 2 and 4 |
//! | `--sym-stdout` | accepted; output is always recorded | |
//!
//! Arguments are numbered as they come to exist on a path: of a range of 0 to 2 of which one exists, the next
//! symbolic argument after the range is `arg01`. A second range counts in `n_args_1`, a third in `n_args_2`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::calls::errors::Failures;
use crate::env::error::EnvError;
use crate::env::variables::{SymbolicVariable, name_and_value, name_of, up_to_nul};
use crate::env::world::VARIABLES;
use crate::files::inode::{READING, WRITING};
use crate::files::stat_object::{Attributes, STAT_LEN};
use crate::files::tree::{TreeEntry, entries_of};
use crate::processes::execution::ProgramFile;
use crate::processes::orders::Schedules;

/// The options that [`EnvSpec::parse`] reads, and how many values each takes.
pub const OPTIONS: [(&str, usize); 23] = [
    ("sym-arg", 1),
    ("sym-args", 3),
    ("sym-stdin", 1),
    ("sym-files", 2),
    ("sym-permissions", 0),
    ("sym-read-only", 0),
    ("sym-stat", 0),
    ("sym-stdout", 0),
    ("sym-terminal", 0),
    ("sym-tree", 2),
    ("sym-connection", 1),
    ("sym-connections", 2),
    ("sym-segments", 0),
    ("fs", 1),
    ("fs-digest", 2),
    ("max-fail", 1),
    ("fd-fail", 0),
    ("fail-calls", 1),
    ("short-io", 1),
    ("explore-schedules", 1),
    ("fuzz-data", 1),
    ("set-env", 1),
    ("sym-env", 2),
];

/// The name of the object that holds standard input.
pub const STDIN_OBJECT: &str = "stdin";
/// The name of the object with the length of standard input in bytes, if that is an input.
pub const STDIN_LENGTH_OBJECT: &str = "stdin-length";
/// The name of the object that says which of the standard streams are a terminal: a byte, bit 0 for standard input, then output
/// and error.
pub const TERMINAL_OBJECT: &str = "terminal";
/// The name of the object with the input of a fuzz target; see runtime/fuzz.c.
pub const FUZZ_OBJECT: &str = "data";
/// The name of the object that says how many of its bytes there are: 4 bytes, in little-endian order.
pub const FUZZ_LENGTH_OBJECT: &str = "data-length";
/// The name of the inputs that make calls fail: one byte each, not zero if its call fails.
pub const FAILING_CALL_OBJECT: &str = "call_fails";
/// The name of the inputs that shorten reads and writes: one byte each, not zero if its call moves one byte only.
pub const SHORT_CALL_OBJECT: &str = "call_short";
/// The most peers that connect.
pub const MAX_CONNECTIONS: u32 = 100;
/// The name of the inputs that say which thread goes on: one byte each, 0 for the one that goes on by itself.
pub const SCHEDULE_OBJECT: &str = "schedule";
/// The longest symbolic argument, in bytes.
pub const MAX_ARG_LEN: u32 = 1 << 16;
/// The most arguments of one range.
pub const MAX_ARGS: u32 = 1000;
/// The longest symbolic file or standard input, in bytes.
pub const MAX_FILE_LEN: u32 = 1 << 20;
/// The most system calls that fail at will on a path.
pub const MAX_FAILURES: u32 = 1000;
/// The most symbolic files: one for each letter.
pub const MAX_FILES: u32 = 26;

/// The name of the `n`-th symbolic argument that exists on a path, from 0.
pub fn arg_object(n: usize) -> String {
    format!("arg{n:02}")
}

/// The name of the object with the number of arguments of the `n`-th range, from 0. It holds 4 bytes, the
/// number of arguments in little-endian order.
pub fn count_object(n: usize) -> String {
    if n == 0 { "n_args".into() } else { format!("n_args_{n}") }
}

/// The name, in the working directory, of the `n`-th symbolic file, from 0: A, B, ...
pub fn file_name(n: u32) -> String {
    char::from(b'A' + (n % MAX_FILES) as u8).to_string()
}

/// The name of the entry of `--sym-tree` behind the `n`-th of `count`; the first is behind the last.
pub(crate) fn next_name(n: u32, count: u32) -> String {
    file_name((n + 1) % count.max(1))
}

/// The name of the object with the contents of the `n`-th symbolic file.
pub fn file_object(n: u32) -> String {
    format!("{}-data", file_name(n))
}

/// The name of the object with the refusals of the `n`-th symbolic file.
pub fn refusal_object(n: u32) -> String {
    format!("{}-refuses", file_name(n))
}

/// The name of the object with the length of the `n`-th symbolic file in bytes, if that is an input.
pub fn file_length_object(n: u32) -> String {
    format!("{}-length", file_object(n))
}

/// The name of the object with the data that the `n`-th peer sends.
pub fn connection_object(n: u32) -> String {
    format!("connection{n:02}")
}

/// The name of the object that says how much of that it sends: 4 bytes, in little-endian order.
pub fn length_object(n: u32) -> String {
    format!("{}-length", connection_object(n))
}

/// The name of the object that says how many bytes each read from it gives.
pub fn segments_object(n: u32) -> String {
    format!("{}-segments", connection_object(n))
}

/// The name of the object with the metadata of the `n`-th symbolic file.
pub fn stat_object(n: u32) -> String {
    format!("{}-stat", file_object(n))
}

/// The name of the object with the kind of the `n`-th entry of `--sym-tree`.
pub fn kind_object(n: u32) -> String {
    format!("{}-kind", file_name(n))
}

/// A folder of the host that the program finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderSpec {
    /// Its path on the host.
    pub folder: PathBuf,
    /// Its path for the program, which is absolute.
    pub at: PathBuf,
    /// Digest of its contents when the run began, in hexadecimal.
    pub digest: Option<String>,
}

impl FolderSpec {
    /// Reads `DIR[:AT]`. Without AT the program finds the folder at its path on the host.
    fn parse(given: &OsStr, digest: Option<String>) -> Result<FolderSpec, EnvError> {
        let bytes = given.as_bytes();
        let (folder, at) = match bytes.iter().rposition(|&b| b == b':') {
            Some(i) => (&bytes[..i], Some(&bytes[i + 1..])),
            None => (bytes, None),
        };
        let folder = Path::new(OsStr::from_bytes(folder));
        let absolute = std::path::absolute(folder)
            .map_err(|_| EnvError(format!("--fs {}: name a folder", given.display())))?;
        let at = at.map_or(absolute.clone(), |at| Path::new(OsStr::from_bytes(at)).to_path_buf());
        let plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
        if !at.is_absolute() || !at.components().all(plain) {
            return Err(EnvError(format!(
                "--fs {}: the program finds it at {}; give an absolute path without ..",
                given.display(),
                at.display()
            )));
        }
        Ok(FolderSpec { folder: absolute, at, digest })
    }
}

/// One entry of the argument list, or a range of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgSpec {
    /// These bytes, without the NUL at the end.
    Concrete(Vec<u8>),
    /// An argument of `least` to `len` bytes.
    Symbolic {
        /// The shortest it can be, in bytes, its NUL not counted.
        least: u32,
        /// The longest it can be, in bytes, its NUL not counted.
        len: u32,
    },
    /// `min` to `max` arguments of `least` to `len` bytes each.
    Range {
        /// The shortest each can be, in bytes, its NUL not counted.
        least: u32,
        /// The fewest.
        min: u32,
        /// The most.
        max: u32,
        /// The longest each can be, in bytes, its NUL not counted.
        len: u32,
    },
}

/// Contents of standard input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StdinSpec {
    /// Nothing.
    #[default]
    Empty,
    /// These bytes.
    Concrete(Vec<u8>),
    /// This many symbolic bytes.
    Symbolic(u32),
}

/// Symbolic files in the working directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilesSpec {
    /// Number of files, or of peers.
    pub count: u32,
    /// Bytes in each.
    pub len: u32,
}

/// The environment of a program, concrete and symbolic parts together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnvSpec {
    /// The argument list, the program's own name first.
    pub args: Vec<ArgSpec>,
    /// Environment variables with known values, name and value.
    pub vars: Vec<(Vec<u8>, Vec<u8>)>,
    /// Environment variables whose values are inputs, behind those.
    pub symbolic_vars: Vec<SymbolicVariable>,
    /// Standard input.
    pub stdin: StdinSpec,
    /// The fewest bytes of a symbolic standard input, if their number is an input.
    pub least_stdin: Option<u32>,
    /// Symbolic files.
    pub files: Option<FilesSpec>,
    /// The fewest bytes of a symbolic file, if their number is an input.
    pub least_file: Option<u32>,
    /// True if `--sym-stdout` was given.
    pub sym_stdout: bool,
    /// Rights that symbolic files may refuse: bit 0 to be read, bit 1 to be written.
    pub refusing: u8,
    /// True if the metadata of the symbolic files are inputs.
    pub stat: bool,
    /// Entries whose kind is an input.
    pub tree: Option<FilesSpec>,
    /// Folders of the host.
    pub folders: Vec<FolderSpec>,
    /// Their entries, once they have been read.
    pub entries: Arc<Vec<TreeEntry>>,
    /// Maximum number of system calls that fail at will on a path.
    pub max_fail: u32,
    /// The calls that may fail, and their errors.
    pub failures: Failures,
    /// Maximum number of reads and writes that move one byte only on a path.
    pub short_io: u32,
    /// Peers that connect.
    pub connections: Option<FilesSpec>,
    /// True if the number of bytes that each read from them gives is an input.
    pub segments: bool,
    /// True if it is an input which of the standard streams are a terminal.
    pub terminal: bool,
    /// The orders of threads that are explored.
    pub schedules: Schedules,
    /// Programs that can be executed.
    pub programs: Vec<ProgramFile>,
    /// The longest input of a fuzz target, in bytes; nothing for other programs.
    pub fuzz_data: Option<u32>,
}

/// Data that a peer outside of the program sends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// Its bytes; then it ends.
    pub bytes: Vec<u8>,
    /// Number of bytes for each read; 0, a number above the remaining ones, or a missing entry means all.
    pub segments: Vec<u8>,
}

/// The environment under one test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConcreteEnv {
    /// The argument list, the program's own name first.
    pub argv: Vec<Vec<u8>>,
    /// Environment variables, name and value.
    pub vars: Vec<(Vec<u8>, Vec<u8>)>,
    /// Standard input.
    pub stdin: Vec<u8>,
    /// Files in the working directory, name and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// Rights that each of these files refuses: bit 0 to be read, bit 1 to be written.
    pub refused: Vec<u8>,
    /// Metadata of each of these files; the usual ones if an entry is missing.
    pub attributes: Vec<Attributes>,
    /// Other entries of the file system.
    pub tree: Vec<TreeEntry>,
    /// Data of the peers that connect.
    pub connections: Vec<Connection>,
    /// The standard streams that are the terminal: bit 0 for standard input, then output and error.
    pub terminal: u8,
}

impl EnvSpec {
    /// Reads the arguments of a program, KLEE's options among them.
    ///
    /// # Errors
    /// An option without its numbers, or with numbers that make no sense.
    pub fn parse(argv0: &OsStr, arguments: &[OsString]) -> Result<Self, EnvError> {
        let vars =
            VARIABLES.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()));
        let mut spec = EnvSpec {
            args: vec![ArgSpec::Concrete(argv0.as_bytes().to_vec())],
            vars: vars.collect(),
            ..EnvSpec::default()
        };
        let mut rest = arguments.iter().map(OsString::as_os_str);
        while let Some(argument) = rest.next() {
            spec.parse_one(argument, &mut rest)?;
        }
        spec.checked()
    }

    /// Options that say different things of the same files are refused.
    fn checked(self) -> Result<Self, EnvError> {
        let wrong = match () {
            () if self.tree.is_some() && self.files.is_some() => {
                "--sym-tree makes the files A, B, ... that --sym-files makes; give one of the two"
            }
            () if self.stat && self.files.is_none() => {
                "--sym-stat says what the files of --sym-files are; give --sym-files N LEN too"
            }
            () if self.stat && self.refusing != 0 => {
                "--sym-stat says what files refuse; leave --sym-permissions and --sym-read-only out"
            }
            () if self.stat && self.least_file.is_some() => {
                "--sym-stat makes the lengths of files inputs; give --sym-files N MAX"
            }
            () if self.segments && self.connections.is_none() => {
                "--sym-segments says how the bytes of --sym-connection come; give --sym-connection LEN too"
            }
            () => return Ok(self),
        };
        Err(EnvError(wrong.into()))
    }

    fn parse_one<'a>(
        &mut self,
        argument: &OsStr,
        rest: &mut impl Iterator<Item = &'a OsStr>,
    ) -> Result<(), EnvError> {
        let text = argument.to_str().unwrap_or("");
        let option = text.strip_prefix("--").or_else(|| text.strip_prefix('-')).unwrap_or("");
        match option {
            "sym-arg" => {
                let (least, len) = length(text, MAX_ARG_LEN, rest.next())?;
                self.args.push(ArgSpec::Symbolic { least: least.unwrap_or(0), len });
            }
            "sym-args" => {
                let (min, max) = (
                    number(text, "MIN", MAX_ARGS, rest.next())?,
                    number(text, "MAX", MAX_ARGS, rest.next())?,
                );
                let (least, len) = length(text, MAX_ARG_LEN, rest.next())?;
                if min > max {
                    return Err(EnvError(format!("{text} {min} {max} {len}: MIN is greater than MAX")));
                }
                self.args.push(ArgSpec::Range { least: least.unwrap_or(0), min, max, len });
            }
            "sym-stdin" => {
                let (least, len) = length_of_file(text, rest.next())?;
                (self.least_stdin, self.stdin) = (least, StdinSpec::Symbolic(len));
            }
            "sym-files" => {
                let count = number(text, "N", MAX_FILES, rest.next())?;
                let (least, len) = length_of_file(text, rest.next())?;
                (self.least_file, self.files) = (least, Some(FilesSpec { count, len }));
            }
            "sym-connection" => {
                let len = number(text, "LEN", MAX_ARG_LEN, rest.next())?;
                self.connections = Some(FilesSpec { count: 1, len });
            }
            "sym-connections" => {
                let count = number(text, "N", MAX_CONNECTIONS, rest.next())?;
                let len = number(text, "LEN", MAX_ARG_LEN, rest.next())?;
                self.connections = Some(FilesSpec { count, len });
            }
            "sym-segments" => self.segments = true,
            "sym-stdout" => self.sym_stdout = true,
            "sym-terminal" => self.terminal = true,
            "sym-permissions" => self.refusing |= READING | WRITING,
            "sym-read-only" => self.refusing |= WRITING,
            "sym-stat" => self.stat = true,
            "sym-tree" => {
                let count = number(text, "N", MAX_FILES, rest.next())?;
                self.tree = Some(FilesSpec { count, len: number(text, "LEN", MAX_FILE_LEN, rest.next())? });
            }
            "fs" | "fs-digest" => {
                let mut next = || {
                    rest.next()
                        .ok_or_else(|| EnvError(format!("{text} lacks its folder; give DIR or DIR:AT")))
                };
                let digest = if option == "fs" { None } else { Some(next()?.to_string_lossy().into_owned()) };
                self.folders.push(FolderSpec::parse(next()?, digest)?);
            }
            "max-fail" => {
                (self.max_fail, self.failures) =
                    (number(text, "N", MAX_FAILURES, rest.next())?, Failures::Klee)
            }
            "fd-fail" => (self.max_fail, self.failures) = (1, Failures::Klee),
            "fail-calls" => {
                (self.max_fail, self.failures) =
                    (number(text, "N", MAX_FAILURES, rest.next())?, Failures::Named)
            }
            "explore-schedules" => self.schedules = Schedules::parse(text, rest.next())?,
            "fuzz-data" => self.fuzz_data = Some(number(text, "LEN", MAX_FILE_LEN, rest.next())?),
            "set-env" => {
                let (name, value) = name_and_value(text, rest.next())?;
                self.forget_variable(&name);
                self.vars.push((name.into_bytes(), value));
            }
            "sym-env" => {
                let name = name_of(text, rest.next().unwrap_or_default())?;
                let len = number(text, "LEN", MAX_ARG_LEN, rest.next())?;
                self.forget_variable(&name);
                self.symbolic_vars.push(SymbolicVariable { name, len });
            }
            "short-io" => self.short_io = number(text, "N", MAX_FAILURES, rest.next())?,
            _ => self.args.push(ArgSpec::Concrete(argument.as_bytes().to_vec())),
        }
        Ok(())
    }

    fn forget_variable(&mut self, name: &str) {
        self.vars.retain(|(other, _)| other != name.as_bytes());
        self.symbolic_vars.retain(|other| other.name != name);
    }

    /// Returns true if anything in it is symbolic.
    pub fn is_symbolic(&self) -> bool {
        self.args.iter().any(|a| !matches!(a, ArgSpec::Concrete(_)))
            || matches!(self.stdin, StdinSpec::Symbolic(_))
            || self.files.or(self.tree).is_some_and(|f| f.count > 0)
            || self.connections.is_some_and(|c| c.count > 0)
            || !self.symbolic_vars.is_empty()
            || self.terminal
            || self.max_fail > 0
            || self.short_io > 0
            || self.fuzz_data.is_some()
            || self.schedules != Schedules::Fixed
    }

    /// Returns true if the object `name` of a test belongs to the environment, not to the program's own inputs. The input of a
    /// fuzz target is its own: natively its driver reads it out of the test.
    pub fn owns(&self, name: &str) -> bool {
        let mut ranges = 0;
        let mut most_args = 0;
        for arg in &self.args {
            match arg {
                ArgSpec::Concrete(_) => {}
                ArgSpec::Symbolic { .. } => most_args += 1,
                ArgSpec::Range { max, .. } => {
                    ranges += 1;
                    most_args += *max as usize;
                }
            }
        }
        (0..ranges).any(|n| count_object(n) == name)
            || (0..most_args).any(|n| arg_object(n) == name)
            || (matches!(self.stdin, StdinSpec::Symbolic(_)) && name == STDIN_OBJECT)
            || self.least_stdin.is_some() && name == STDIN_LENGTH_OBJECT
            || self.least_file.is_some()
                && self.files.is_some_and(|f| (0..f.count).any(|n| file_length_object(n) == name))
            || self.files.or(self.tree).is_some_and(|f| (0..f.count).any(|n| file_object(n) == name))
            || self.tree.is_some_and(|f| (0..f.count).any(|n| kind_object(n) == name))
            || self.stat && self.files.is_some_and(|f| (0..f.count).any(|n| stat_object(n) == name))
            || self.refusing != 0
                && self.files.is_some_and(|f| (0..f.count).any(|n| refusal_object(n) == name))
            || self.connections.is_some_and(|c| {
                (0..c.count).any(|n| {
                    connection_object(n) == name
                        || length_object(n) == name
                        || self.segments && segments_object(n) == name
                })
            })
            || self.symbolic_vars.iter().any(|var| var.object() == name || var.set_object() == name)
            || self.terminal && name == TERMINAL_OBJECT
            || self.max_fail > 0 && name == FAILING_CALL_OBJECT
            || self.short_io > 0 && name == SHORT_CALL_OBJECT
            || self.schedules != Schedules::Fixed && name == SCHEDULE_OBJECT
    }

    /// Data that the `n`-th peer sends under a test.
    fn connection(&self, n: u32, bytes: &dyn Fn(&str, usize) -> Vec<u8>) -> Connection {
        let len = self.connections.map_or(0, |c| c.len);
        let sent = bytes(&length_object(n), 4).iter().rev().fold(0, |n, &b| n << 8 | u32::from(b));
        let mut all = bytes(&connection_object(n), len as usize);
        all.truncate(sent.min(len) as usize);
        let segments = if self.segments { bytes(&segments_object(n), len as usize) } else { Vec::new() };
        Connection { bytes: all, segments }
    }

    /// The environment under a test, whose objects `object` finds by name. Bytes that the test does not have
    /// are zero.
    ///
    /// # Errors
    /// A number of arguments outside of its range: the test is for another environment.
    pub fn expand<'a>(&self, object: impl Fn(&str) -> Option<&'a [u8]>) -> Result<ConcreteEnv, EnvError> {
        let bytes = |name: &str, len: usize| -> Vec<u8> {
            let mut bytes = object(name).unwrap_or_default().to_vec();
            bytes.resize(len, 0);
            bytes
        };
        let mut env = ConcreteEnv { vars: self.vars.clone(), ..ConcreteEnv::default() };
        let value = |var: &SymbolicVariable| Some((var.name.clone().into_bytes(), var.value(&bytes)?));
        env.vars.extend(self.symbolic_vars.iter().filter_map(value));
        let (mut next_arg, mut next_range) = (0, 0);
        let mut symbolic = |len: u32| {
            let arg = bytes(&arg_object(next_arg), len as usize);
            next_arg += 1;
            up_to_nul(arg)
        };
        for arg in &self.args {
            match arg {
                ArgSpec::Concrete(bytes) => env.argv.push(bytes.clone()),
                ArgSpec::Symbolic { len, .. } => env.argv.push(symbolic(*len)),
                ArgSpec::Range { min, max, len, .. } => {
                    let name = count_object(next_range);
                    next_range += 1;
                    let held = bytes(&name, 4);
                    let count = held.iter().rev().fold(0, |n, &b| n << 8 | u32::from(b));
                    if !(*min..=*max).contains(&count) {
                        return Err(EnvError(format!(
                            "the test has {count} in {name}, but the program's arguments say {min} to {max}; it is a \
                             test for other arguments"
                        )));
                    }
                    env.argv.extend((0..count).map(|_| symbolic(*len)));
                }
            }
        }
        env.stdin = match &self.stdin {
            StdinSpec::Empty => Vec::new(),
            StdinSpec::Concrete(bytes) => bytes.clone(),
            StdinSpec::Symbolic(len) => {
                let name = STDIN_LENGTH_OBJECT;
                let least = self.least_stdin.map(|least| (least, bytes(name, 4)));
                of_length(bytes(STDIN_OBJECT, *len as usize), least)
            }
        };
        if let Some(FilesSpec { count, len }) = self.files {
            let file = |n| {
                let least = self.least_file.map(|least| (least, bytes(&file_length_object(n), 4)));
                (file_name(n), of_length(bytes(&file_object(n), len as usize), least))
            };
            env.files = (0..count).map(file).collect();
            if self.refusing != 0 {
                let refused = |n| bytes(&refusal_object(n), 1).first().map_or(0, |b| b & self.refusing);
                env.refused = (0..count).map(refused).collect();
            }
            if self.stat {
                for (n, (_, contents)) in (0..count).zip(&mut env.files) {
                    let (attributes, size) =
                        Attributes::read(&bytes(&stat_object(n), STAT_LEN as usize), len);
                    contents.truncate(size as usize);
                    env.attributes.push(attributes);
                }
            }
        }
        let of_peers = |n| self.connection(n, &bytes);
        env.connections = (0..self.connections.map_or(0, |c| c.count)).map(of_peers).collect();
        if self.terminal {
            env.terminal = bytes(TERMINAL_OBJECT, 1).first().map_or(0, |byte| byte & 7);
        }
        env.tree = self.entries.to_vec();
        if let Some(FilesSpec { count, len }) = self.tree {
            for n in 0..count {
                let kind = bytes(&kind_object(n), 1).first().copied().unwrap_or(0);
                env.tree.extend(entries_of(
                    file_name(n),
                    next_name(n, count),
                    kind,
                    bytes(&file_object(n), len as usize),
                ));
            }
        }
        Ok(env)
    }
}

impl Schedules {
    fn parse(option: &str, given: Option<&OsStr>) -> Result<Schedules, EnvError> {
        let wrong =
            |what: String| EnvError(format!("{option} {what}; give all, every, or a number of preemptions"));
        let Some(given) = given else { return Err(wrong("lacks its WHICH".into())) };
        match given.to_str() {
            Some("all") => Ok(Schedules::All),
            Some("every") => Ok(Schedules::Every),
            Some(number) if number.parse::<u32>().is_ok_and(|n| n <= MAX_FAILURES) => {
                number.parse().map(Schedules::Preempted).map_err(|_| wrong(format!("{given:?}")))
            }
            _ => Err(wrong(format!("{given:?} is none of its values"))),
        }
    }
}

/// The input of a fuzz target under a test, whose objects `object` finds by name.
pub fn fuzz_input<'a>(object: impl Fn(&str) -> Option<&'a [u8]>) -> Option<Vec<u8>> {
    let length = object(FUZZ_LENGTH_OBJECT)?.iter().rev().fold(0usize, |n, &b| n << 8 | usize::from(b));
    let mut bytes = object(FUZZ_OBJECT)?.to_vec();
    bytes.truncate(length);
    Some(bytes)
}

/// The bytes of an input that exist: the number in the object behind them, but not fewer than the least.
fn of_length(mut bytes: Vec<u8>, least: Option<(u32, Vec<u8>)>) -> Vec<u8> {
    if let Some((least, length)) = least {
        let length = length.iter().rev().fold(0, |n, &b| n << 8 | u32::from(b));
        bytes.truncate(length.max(least) as usize);
    }
    bytes
}

/// The length that an option takes next: LEN, or MIN..MAX, where MIN is given.
fn length(option: &str, most: u32, given: Option<&OsStr>) -> Result<(Option<u32>, u32), EnvError> {
    let Some((min, max)) = given.and_then(OsStr::to_str).and_then(|given| given.split_once("..")) else {
        return Ok((None, number(option, "LEN", most, given)?));
    };
    let least = number(option, "MIN", most, Some(OsStr::new(min)))?;
    let len = number(option, "MAX", most, Some(OsStr::new(max.trim_start_matches('='))))?;
    if least > len {
        return Err(EnvError(format!("{option} {least}..{len}: MIN is greater than MAX")));
    }
    Ok((Some(least), len))
}

/// As [`length`], of a file; MIN where it has several lengths.
fn length_of_file(option: &str, given: Option<&OsStr>) -> Result<(Option<u32>, u32), EnvError> {
    let (least, len) = length(option, MAX_FILE_LEN, given)?;
    Ok((least.filter(|&least| least < len), len))
}

/// The number that an option takes next.
fn number(option: &str, what: &str, most: u32, given: Option<&OsStr>) -> Result<u32, EnvError> {
    let Some(given) = given else {
        return Err(EnvError(format!("{option} lacks its {what}; give a number from 0 to {most}")));
    };
    match given.to_str().and_then(|g| g.parse().ok()) {
        Some(n) if n <= most => Ok(n),
        _ => Err(EnvError(format!("{option}: {what} is {given:?}; give a number from 0 to {most}"))),
    }
}
