//! Common parts of the suites in C: the program, a header that runs it, and the tests as data. A framework's own file
//! asserts the predicted end of each test.

use std::fmt::Write;
use std::path::Path;

use super::cases::{Case, Ends, Suite};
use super::{Text, make_folder, write};
use crate::failure::Failure;

/// Runs a program on a test.
const RUN_CASE: &str = include_str!("run_case.h");

/// Templates of a test framework.
pub(super) struct Framework {
    /// The name of the file with the tests.
    pub(super) file: &'static str,
    /// Text before the tests, and text after the tests of these names.
    pub(super) head: &'static str,
    pub(super) tail: fn(&[String]) -> String,
    /// A test's first and last line.
    pub(super) open: fn(&Case) -> String,
    pub(super) close: &'static str,
    /// An assertion that two numbers are equal; arguments: the observed one, the expected one.
    pub(super) equal: fn(&str, &str) -> String,
    /// An assertion about bytes; arguments: the observed ones, the expected ones, their number.
    pub(super) same_bytes: fn(&str, &str, &str) -> String,
    /// CMake text that builds and runs the tests of these names.
    pub(super) cmake: fn(&[String]) -> String,
}

/// Writes the folder of a suite.
pub(super) fn folder(suite: &mut Suite, to: &Path, framework: &Framework) -> Result<(), Failure> {
    make_folder(to)?;
    suite.put_program(&to.join("program"))?;
    write(&to.join("run_case.h"), RUN_CASE)?;
    let (mut data, mut tests) = (Text::create(to.join("cases.h"))?, Text::create(to.join(framework.file))?);
    data.put(
        "// What the program is given in each test, and what it writes then.\n#include \"run_case.h\"\n",
    )?;
    tests.put(framework.head)?;
    let mut names = Vec::new();
    suite.each(&mut |case| {
        data.put(&data_of(case))?;
        tests.put(&test(case, framework))?;
        names.push(case.name.clone());
        Ok(())
    })?;
    tests.put(&(framework.tail)(&names))?;
    data.end()?;
    tests.end()?;
    write(&to.join("CMakeLists.txt"), (framework.cmake)(&names))
}

/// A test of the framework.
fn test(case: &Case, framework: &Framework) -> String {
    let mut text = String::from("\n");
    if let Some(bug) = &case.bug {
        let said = format!("{}: {}", bug.kind, bug.message).replace(['\n', '\r', '\\'], " ");
        // Writing into a string does not fail, here and below.
        let _ = writeln!(text, "// {said}");
    }
    let _ = writeln!(text, "{}", (framework.open)(case));
    let _ = writeln!(text, "  struct cleave_seen seen = cleave_run(&{}, PROGRAM);", case.name);
    match case.end {
        Some(Ends::Exit(status)) => {
            let _ = writeln!(text, "  {}", (framework.equal)("seen.status", &status.to_string()));
        }
        Some(Ends::Signal(signal)) => {
            let _ = writeln!(text, "  {}", (framework.equal)("seen.signal", &signal.to_string()));
        }
        None => text.push_str("  // How it ends natively is not certain, so that nothing is asserted.\n"),
    }
    if let Some(stdout) = &case.stdout {
        let size = stdout.len().to_string();
        let _ = writeln!(text, "  {}", (framework.equal)("(int)seen.output.size", &size));
        if !stdout.is_empty() {
            let expected = format!("{}_output", case.name);
            let _ = writeln!(text, "  {}", (framework.same_bytes)("seen.output.data", &expected, &size));
        }
    }
    let _ = writeln!(text, "  free((void *)seen.output.data);\n{}", framework.close);
    text
}

/// A test as data.
fn data_of(case: &Case) -> String {
    let (name, job) = (&case.name, &case.job);
    let list = |items: &mut dyn Iterator<Item = Vec<u8>>| -> String {
        let items: String = items.map(|item| format!("{}, ", literal(&item))).collect();
        format!("{{{items}NULL}}")
    };
    let arguments = list(&mut job.argv.iter().cloned());
    let joined = |(name, value): &(Vec<u8>, Vec<u8>)| [name.as_slice(), b"=", value].concat();
    let environment = list(&mut job.env.iter().map(joined));
    let mut files = String::new();
    for (file, contents) in &job.files {
        let _ = write!(files, "{{{}, {}}}, ", literal(file.as_bytes()), bytes(contents));
    }
    let objects = job.ktest.as_deref().unwrap_or_default();
    let mut text = format!(
        "\nstatic const char *const {name}_arguments[] = {arguments};\n\
         static const char *const {name}_environment[] = {environment};\n\
         static const struct cleave_file {name}_files[] = {{{files}{{NULL, {{NULL, 0}}}}}};\n\
         static const struct cleave_case {name} = {{\"{name}\", {name}_arguments, {name}_environment,\n    {},\n    \
         {name}_files, {}}};\n",
        bytes(&job.stdin),
        bytes(objects),
    );
    if let Some(stdout) = case.stdout.as_ref().filter(|stdout| !stdout.is_empty()) {
        let _ = writeln!(text, "static const char {name}_output[] = {};", literal(stdout));
    }
    text
}

fn bytes(bytes: &[u8]) -> String {
    format!("{{{}, {}}}", literal(bytes), bytes.len())
}

/// Bytes as a literal of C. Octal escapes have three digits at most, so that what follows is not taken for a part of them.
fn literal(bytes: &[u8]) -> String {
    const LINE: usize = 100;
    let mut text = String::from("\"");
    let mut width = 0;
    for &byte in bytes {
        if width >= LINE {
            text.push_str("\"\n    \"");
            width = 0;
        }
        let before = text.len();
        match byte {
            b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
            b'\n' => text.push_str("\\n"),
            // Two question marks may begin a trigraph.
            b' '..=b'~' if byte != b'?' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\{byte:03o}");
            }
        }
        width += text.len() - before;
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_hold_all_bytes() {
        assert_eq!(literal(b"a\"\\\n\x001?\xff"), r#""a\"\\\n\0001\077\377""#);
        assert_eq!(literal(&[b'x'; 101]).matches('x').count(), 101);
    }
}
