//! Tests as files: turned into tests and back, and held against the command line that they are for.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use cleave_linux::env::EnvSpec;
use cleave_region::Test;
use cleave_report::KTest;

use crate::failure::Failure;
use crate::process::messages::note;

/// Maximum length of a path along which tests are followed or compared, in instructions.
pub const LONGEST_PATH: u64 = 1 << 33;

/// The objects of a test, by name.
pub type Objects = Vec<(String, Vec<u8>)>;

/// A test as a .ktest file has it.
pub fn to_ktest(arguments: &[Vec<u8>], test: &Test) -> KTest {
    KTest {
        args: arguments.to_vec(),
        sym_argvs: 0,
        sym_argv_len: 0,
        objects: test.objects.iter().map(|o| (o.name.clone(), o.bytes.clone())).collect(),
    }
}

/// A .ktest file's test.
pub fn from_ktest(ktest: &KTest) -> Test {
    let object = |(name, bytes): &(String, Vec<u8>)| cleave_region::Object {
        name: name.clone(),
        bytes: bytes.clone(),
    };
    Test { objects: ktest.objects.iter().map(object).collect() }
}

/// Refuses a test of another command line.
pub fn check_command_line(path: &Path, ktest: &KTest, arguments: &[Vec<u8>]) -> Result<(), Failure> {
    if same_environment(&ktest.args, arguments) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the test {} is for another command line ({}); give tests of a run with the same program and arguments",
        path.display(),
        command_line(ktest)
    )))
}

/// Returns true if two command lines stand for the same environment; the program's name does not count.
pub fn same_environment(a: &[Vec<u8>], b: &[Vec<u8>]) -> bool {
    let spec = |line: &[Vec<u8>]| {
        let rest: Vec<OsString> = line.iter().skip(1).cloned().map(OsString::from_vec).collect();
        EnvSpec::parse(OsStr::new("program"), &rest).ok()
    };
    spec(a).is_some_and(|a| Some(a) == spec(b))
}

/// The command line of a test, in words.
pub fn command_line(test: &KTest) -> String {
    let words: Vec<String> = test.args.iter().map(|a| a.escape_ascii().to_string()).collect();
    if words.is_empty() { "none".into() } else { words.join(" ") }
}

/// Warns if a test was made for a program of another name: it is of little use then.
pub fn warn_of_other_program(program: &Path, path: &Path, test: &KTest) {
    let stem = |name: &Path| name.file_stem().map(ToOwned::to_owned);
    let Some(name) = test.args.first() else { return };
    let name = OsString::from_vec(name.clone());
    if stem(Path::new(&name)) != stem(program) {
        note(format_args!(
            "warning: the test {} was made for `{}`, not for `{}`",
            path.display(),
            name.display(),
            program.display()
        ));
    }
}
