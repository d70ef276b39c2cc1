//! What a program finds when it starts: arguments, variables, standard input, files. Concrete or symbolic, in
//! KLEE's words; and how a test makes it concrete.
//!
//! Between the program's own arguments may stand, with one dash or two:
//!
//! | option | stands for | objects of a test |
//! |---|---|---|
//! | `--sym-arg LEN` | one argument of at most LEN bytes | `arg00`, LEN + 1 bytes, read up to its first NUL |
//! | `--sym-args MIN MAX LEN` | MIN to MAX such arguments | `n_args`, 4 bytes; then as above |
//! | `--sym-stdin LEN` | standard input of LEN bytes | `stdin` |
//! | `--sym-files N LEN` | files A, B, ... of LEN bytes in the working directory | `A-data`, `B-data`, ... |
//! | `--sym-permissions` | these files may refuse to be read (1) or written (2) | `A-refuses`, a byte, behind `A-data` |
//! | `--sym-read-only` | as `--sym-permissions`, of writing alone | |
//! | `--max-fail N` | at most N system calls fail at will on a path | `call_fails`, a byte for each call up to the last that fails |
//! | `--fd-fail` | `--max-fail 1` | |
//! | `--sym-stdout` | accepted; output is always recorded | |
//!
//! Arguments are numbered as they come to exist on a path: of a range of 0 to 2 of which one exists, the next
//! symbolic argument after the range is `arg01`. A second range counts in `n_args_1`, a third in `n_args_2`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use crate::inode::{READING, WRITING};
use crate::world::VARIABLES;

/// The name of the object that holds standard input.
pub const STDIN_OBJECT: &str = "stdin";
/// The name of the inputs that say whether a call fails: one byte each, not zero where it does.
pub const FAILING_CALL_OBJECT: &str = "call_fails";
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

/// The name of the object with the contents of the `n`-th symbolic file.
pub fn file_object(n: u32) -> String {
    format!("{}-data", file_name(n))
}

/// The name of the object that says what the `n`-th symbolic file refuses.
pub fn refusal_object(n: u32) -> String {
    format!("{}-refuses", file_name(n))
}

/// One entry of the argument list, or a range of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgSpec {
    /// These bytes, without the NUL at the end.
    Concrete(Vec<u8>),
    /// An argument of at most `len` bytes.
    Symbolic {
        /// The longest it can be, in bytes, its NUL not counted.
        len: u32,
    },
    /// `min` to `max` arguments of at most `len` bytes each.
    Range {
        /// The fewest.
        min: u32,
        /// The most.
        max: u32,
        /// The longest each can be, in bytes, its NUL not counted.
        len: u32,
    },
}

/// What standard input holds.
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
    /// How many.
    pub count: u32,
    /// Bytes in each.
    pub len: u32,
}

/// The environment of a program, concrete and symbolic parts together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnvSpec {
    /// The argument list, the program's own name first.
    pub args: Vec<ArgSpec>,
    /// Environment variables, name and value; there are no others.
    pub vars: Vec<(Vec<u8>, Vec<u8>)>,
    /// Standard input.
    pub stdin: StdinSpec,
    /// Symbolic files.
    pub files: Option<FilesSpec>,
    /// Whether `--sym-stdout` was given.
    pub sym_stdout: bool,
    /// What symbolic files may refuse: bit 0 to be read, bit 1 to be written.
    pub refusing: u8,
    /// How many system calls may fail at will on a path.
    pub max_fail: u32,
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
    /// What each of these files refuses: bit 0 to be read, bit 1 to be written.
    pub refused: Vec<u8>,
}

/// What is wrong with a program's arguments, or with a test for them, in one sentence without its full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvError(String);

impl std::fmt::Display for EnvError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EnvError {}

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
        Ok(spec)
    }

    fn parse_one<'a>(
        &mut self,
        argument: &OsStr,
        rest: &mut impl Iterator<Item = &'a OsStr>,
    ) -> Result<(), EnvError> {
        let text = argument.to_str().unwrap_or("");
        let option = text.strip_prefix("--").or_else(|| text.strip_prefix('-')).unwrap_or("");
        let mut number = |what: &str, most: u32| number(text, what, most, rest.next());
        match option {
            "sym-arg" => self.args.push(ArgSpec::Symbolic { len: number("LEN", MAX_ARG_LEN)? }),
            "sym-args" => {
                let (min, max) = (number("MIN", MAX_ARGS)?, number("MAX", MAX_ARGS)?);
                let len = number("LEN", MAX_ARG_LEN)?;
                if min > max {
                    return Err(EnvError(format!("{text} {min} {max} {len}: MIN is greater than MAX")));
                }
                self.args.push(ArgSpec::Range { min, max, len });
            }
            "sym-stdin" => self.stdin = StdinSpec::Symbolic(number("LEN", MAX_FILE_LEN)?),
            "sym-files" => {
                let count = number("N", MAX_FILES)?;
                self.files = Some(FilesSpec { count, len: number("LEN", MAX_FILE_LEN)? });
            }
            "sym-stdout" => self.sym_stdout = true,
            "sym-permissions" => self.refusing |= READING | WRITING,
            "sym-read-only" => self.refusing |= WRITING,
            "max-fail" => self.max_fail = number("N", MAX_FAILURES)?,
            "fd-fail" => self.max_fail = 1,
            _ => self.args.push(ArgSpec::Concrete(argument.as_bytes().to_vec())),
        }
        Ok(())
    }

    /// Whether anything in it is symbolic.
    pub fn is_symbolic(&self) -> bool {
        self.args.iter().any(|a| !matches!(a, ArgSpec::Concrete(_)))
            || matches!(self.stdin, StdinSpec::Symbolic(_))
            || self.files.is_some_and(|f| f.count > 0)
            || self.max_fail > 0
    }

    /// Whether the object `name` of a test belongs to the environment, not to the program's own inputs.
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
            || self.files.is_some_and(|f| (0..f.count).any(|n| file_object(n) == name))
            || self.refusing != 0
                && self.files.is_some_and(|f| (0..f.count).any(|n| refusal_object(n) == name))
            || self.max_fail > 0 && name == FAILING_CALL_OBJECT
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
        let (mut next_arg, mut next_range) = (0, 0);
        let mut symbolic = |len: u32| {
            let mut arg = bytes(&arg_object(next_arg), len as usize);
            next_arg += 1;
            if let Some(end) = arg.iter().position(|&b| b == 0) {
                arg.truncate(end);
            }
            arg
        };
        for arg in &self.args {
            match arg {
                ArgSpec::Concrete(bytes) => env.argv.push(bytes.clone()),
                ArgSpec::Symbolic { len } => env.argv.push(symbolic(*len)),
                ArgSpec::Range { min, max, len } => {
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
            StdinSpec::Symbolic(len) => bytes(STDIN_OBJECT, *len as usize),
        };
        if let Some(FilesSpec { count, len }) = self.files {
            env.files = (0..count).map(|n| (file_name(n), bytes(&file_object(n), len as usize))).collect();
            if self.refusing != 0 {
                let refused = |n| bytes(&refusal_object(n), 1).first().map_or(0, |b| b & self.refusing);
                env.refused = (0..count).map(refused).collect();
            }
        }
        Ok(env)
    }
}

/// The number that an option takes next.
/// Concrete inputs that are to be written as a test: what somebody would give the program itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// All arguments but the program's name, the concrete ones of the command line among them.
    pub args: Vec<Vec<u8>>,
    /// Standard input.
    pub stdin: Option<Vec<u8>>,
    /// Contents of the files A, B, ... by name.
    pub files: Vec<(String, Vec<u8>)>,
}

impl EnvSpec {
    /// The objects of the test that stands for `inputs`, by name and in the order in which a path creates them.
    /// Standard input and files that are shorter than their symbolic length are filled up with zeros.
    ///
    /// # Errors
    /// That the inputs are none that the options allow.
    pub fn objects_of(&self, inputs: &Inputs) -> Result<Vec<(String, Vec<u8>)>, EnvError> {
        let mut objects = self.argument_objects(&inputs.args)?;
        let sized = |what: &str, bytes: &[u8], len: u32| {
            if bytes.len() > len as usize {
                return Err(EnvError(format!(
                    "{what} has {} bytes, but the program's arguments make at most {len} of them symbolic; give a \
                     larger LEN",
                    bytes.len()
                )));
            }
            let mut bytes = bytes.to_vec();
            bytes.resize(len as usize, 0);
            Ok(bytes)
        };
        let files = self.files.unwrap_or(FilesSpec { count: 0, len: 0 });
        let known = |name: &String| (0..files.count).any(|n| file_name(n) == *name);
        if let Some((name, _)) = inputs.files.iter().find(|(name, _)| !known(name)) {
            return Err(EnvError(format!(
                "there is no symbolic file {name}; --sym-files {} LEN makes A, B, ...",
                files.count
            )));
        }
        for n in 0..files.count {
            let name = file_name(n);
            let given = inputs.files.iter().find(|(given, _)| *given == name);
            let bytes = given.map_or(&[][..], |(_, bytes)| bytes);
            objects.push((file_object(n), sized(&format!("the file {name}"), bytes, files.len)?));
            if self.refusing != 0 {
                objects.push((refusal_object(n), vec![0]));
            }
        }
        match (&self.stdin, &inputs.stdin) {
            (StdinSpec::Symbolic(len), given) => {
                let bytes = given.as_deref().unwrap_or_default();
                objects.push((STDIN_OBJECT.into(), sized("standard input", bytes, *len)?));
            }
            (_, Some(_)) => {
                return Err(EnvError("standard input is not symbolic; add --sym-stdin LEN".into()));
            }
            (_, None) => {}
        }
        Ok(objects)
    }

    /// All arguments but the program's name, the symbolic ones empty and as few as there can be.
    pub fn plain_arguments(&self) -> Vec<Vec<u8>> {
        let one = |spec: &ArgSpec| match spec {
            ArgSpec::Concrete(bytes) => vec![bytes.clone()],
            ArgSpec::Symbolic { .. } => vec![Vec::new()],
            ArgSpec::Range { min, .. } => vec![Vec::new(); *min as usize],
        };
        self.args.iter().skip(1).flat_map(one).collect()
    }

    /// The objects of the arguments. A range takes as many as leave enough for what follows it.
    fn argument_objects(&self, given: &[Vec<u8>]) -> Result<Vec<(String, Vec<u8>)>, EnvError> {
        let least = |args: &[ArgSpec]| -> usize {
            let one = |a: &ArgSpec| if let ArgSpec::Range { min, .. } = a { *min as usize } else { 1 };
            args.iter().map(one).sum()
        };
        let specs = self.args.get(1..).unwrap_or_default();
        let mut rest = given;
        let mut take = || -> Result<Vec<u8>, EnvError> {
            let (first, others) = rest
                .split_first()
                .ok_or_else(|| EnvError("there are fewer arguments than the options ask for".into()))?;
            rest = others;
            Ok(first.clone())
        };
        let (mut objects, mut named, mut ranges, mut left) = (Vec::new(), 0, 0, given.len());
        let mut symbolic = |arg: Vec<u8>, len: u32, objects: &mut Vec<(String, Vec<u8>)>| {
            if arg.len() > len as usize || arg.contains(&0) {
                let arg = arg.escape_ascii();
                return Err(EnvError(format!(
                    "the argument {arg} is longer than its symbolic length, {len}"
                )));
            }
            let mut bytes = arg;
            bytes.resize(len as usize + 1, 0);
            objects.push((arg_object(named), bytes));
            named += 1;
            Ok(())
        };
        for (i, spec) in specs.iter().enumerate() {
            match spec {
                ArgSpec::Concrete(expected) => {
                    let arg = take()?;
                    left -= 1;
                    if arg != *expected {
                        let (arg, expected) = (arg.escape_ascii(), expected.escape_ascii());
                        return Err(EnvError(format!(
                            "the argument {arg} stands where {expected} has to be"
                        )));
                    }
                }
                ArgSpec::Symbolic { len } => {
                    symbolic(take()?, *len, &mut objects)?;
                    left -= 1;
                }
                ArgSpec::Range { min, max, len } => {
                    let spare = left.saturating_sub(least(&specs[i + 1..]));
                    let count = spare.clamp(*min as usize, *max as usize);
                    objects.push((count_object(ranges), (count as u32).to_le_bytes().to_vec()));
                    ranges += 1;
                    for _ in 0..count {
                        symbolic(take()?, *len, &mut objects)?;
                        left -= 1;
                    }
                }
            }
        }
        if left > 0 {
            return Err(EnvError(format!("{left} arguments are more than the options allow")));
        }
        Ok(objects)
    }
}

fn number(option: &str, what: &str, most: u32, given: Option<&OsStr>) -> Result<u32, EnvError> {
    let Some(given) = given else {
        return Err(EnvError(format!("{option} lacks its {what}; give a number from 0 to {most}")));
    };
    match given.to_str().and_then(|g| g.parse().ok()) {
        Some(n) if n <= most => Ok(n),
        _ => Err(EnvError(format!("{option}: {what} is {given:?}; give a number from 0 to {most}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(line: &str) -> EnvSpec {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        EnvSpec::parse(OsStr::new("program"), &words).unwrap()
    }

    fn inputs(args: &[&str], stdin: Option<&str>, files: &[(&str, &str)]) -> Inputs {
        Inputs {
            args: args.iter().map(|a| a.as_bytes().to_vec()).collect(),
            stdin: stdin.map(|s| s.as_bytes().to_vec()),
            files: files.iter().map(|(n, b)| (n.to_string(), b.as_bytes().to_vec())).collect(),
        }
    }

    #[test]
    fn inputs_written_as_objects_are_the_inputs_again() {
        for (line, args) in [
            ("--sym-args 0 2 4", &[][..]),
            ("--sym-args 0 2 4", &["a", "bcde"][..]),
            ("-n --sym-arg 3 --sym-args 0 2 4 x", &["-n", "abc", "de", "x"][..]),
            ("--sym-args 1 3 2 --sym-args 0 1 2 --sym-arg 2", &["a", "b", "c", "d", "e"][..]),
        ] {
            let spec = spec(&format!("{line} --sym-stdin 4 --sym-files 2 3"));
            let given = inputs(args, Some("in"), &[("B", "xyz")]);
            let objects = spec.objects_of(&given).unwrap();
            let find = |name: &str| objects.iter().find(|(n, _)| n == name).map(|(_, b)| b.as_slice());
            let env = spec.expand(find).unwrap();
            assert_eq!(env.argv[1..], given.args, "{line}");
            assert_eq!(env.stdin, b"in\0\0");
            assert_eq!(env.files, [("A".into(), vec![0; 3]), ("B".into(), b"xyz".to_vec())]);
        }
    }

    #[test]
    fn inputs_that_the_options_do_not_allow_are_refused() {
        let refused = |line: &str, given: Inputs| spec(line).objects_of(&given).unwrap_err().to_string();
        assert!(refused("--sym-arg 2", inputs(&["abc"], None, &[])).contains("longer"));
        assert!(refused("--sym-arg 2", inputs(&[], None, &[])).contains("fewer"));
        assert!(refused("--sym-arg 2", inputs(&["a", "b"], None, &[])).contains("more"));
        assert!(refused("-n --sym-arg 2", inputs(&["-x", "b"], None, &[])).contains("-n"));
        assert!(refused("", inputs(&[], Some("x"), &[])).contains("--sym-stdin"));
        assert!(refused("--sym-stdin 1", inputs(&[], Some("xy"), &[])).contains("larger LEN"));
        assert!(refused("--sym-files 1 1", inputs(&[], None, &[("B", "")])).contains("file B"));
    }
}
