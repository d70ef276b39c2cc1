//! `cleave rustc` and `cleave cargo`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ToolchainError;
use crate::cc::{Asked, link_module, scratch_directory};
use crate::language::{Language, source_language};
use crate::rust::{PANICS, RUSTC, WHOLE, compiler, emitting};
use crate::sysroot::{Sysroot, run};

/// A call of rustc that makes a program.
#[derive(Debug, PartialEq, Eq)]
struct Program {
    /// The words that are passed on: all but the output and its kinds.
    words: Vec<OsString>,
    /// Kinds of output beside the program, such as `dep-info`.
    also: Vec<String>,
    output: PathBuf,
    /// It says what a panic does.
    says_panics: bool,
}

/// The flag of a harness of tests.
const TEST: &str = "--test";
/// Flags after which rustc makes no program.
const ASKS: [&str; 9] = ["--print", "-V", "--version", "-vV", "-Vv", "--explain", "-h", "--help", "-"];

impl Program {
    /// The program that a call makes; nothing for a library, a question, or where no program is wanted.
    fn of(arguments: &[OsString]) -> Option<Program> {
        let (mut words, mut emitted, mut output) = (Vec::new(), Vec::<String>::new(), None);
        let (mut folder, mut name, mut extra, mut source) =
            (PathBuf::new(), None::<String>, String::new(), None);
        let mut says_panics = false;
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            let text = word.to_str().unwrap_or("");
            if ASKS.iter().any(|ask| text == *ask || text.starts_with(&format!("{ask}="))) {
                return None;
            }
            // Each of these has its value behind `=` or as the next word.
            let long = ["--emit", "--out-dir", "--crate-name", "--crate-type", "-o", "-C", "--codegen"];
            let named = long.iter().find_map(|flag| {
                let behind = text.strip_prefix(flag)?;
                match behind.strip_prefix('=') {
                    Some(value) => Some((*flag, Some(value.to_string()))),
                    None if behind.is_empty() => Some((*flag, None)),
                    None if flag.len() == 2 => Some((*flag, Some(behind.to_string()))),
                    None => None,
                }
            });
            let Some((flag, joined)) = named else {
                if source_language(Path::new(word)) == Some(Language::Rust) && !text.starts_with('-') {
                    source = Some(PathBuf::from(word));
                }
                words.push(word.clone());
                continue;
            };
            let value = match joined {
                Some(value) => value,
                None => rest.next()?.to_str()?.to_string(),
            };
            match flag {
                "--emit" => {
                    emitted.extend(value.split(',').map(String::from));
                    continue;
                }
                "-o" => {
                    output = Some(PathBuf::from(value));
                    continue;
                }
                "--out-dir" => folder = PathBuf::from(&value),
                "--crate-name" => name = Some(value.clone()),
                "--crate-type" if value != "bin" => return None,
                "-C" | "--codegen" => {
                    extra = value.strip_prefix("extra-filename=").map_or(extra, str::to_string);
                    says_panics |= value.starts_with("panic=");
                }
                _ => {}
            }
            words.extend([OsString::from(flag), OsString::from(value)]);
        }
        if emitted.is_empty() {
            emitted.push("link".into());
        }
        let (links, also): (Vec<String>, Vec<String>) = emitted.into_iter().partition(|kind| kind == "link");
        if links.is_empty() {
            return None;
        }
        let source = source?;
        let name = name.or_else(|| Some(source.file_stem()?.to_str()?.replace('-', "_")))?;
        let output = output.unwrap_or_else(|| folder.join(format!("{name}{extra}")));
        Some(Program { words, also, output, says_panics })
    }
}

/// Runs `cleave rustc ARGUMENTS`: rustc, whose programs are static and have their bitcode inside. The exit status for the caller to end
/// with.
///
/// # Errors
/// As of [`crate::cc`]. Errors in the program are rustc's to print.
pub fn rustc(arguments: &[OsString], asked: Asked<'_>) -> Result<i32, ToolchainError> {
    let sysroot = Sysroot::find()?.for_language(Language::Rust)?;
    let mut command = compiler(&sysroot);
    // Only Cargo says which names of configurations there are.
    if arguments.iter().any(|word| word == "--check-cfg") {
        command.args(["--check-cfg", "cfg(cleave)", "--check-cfg", "cfg(kani)"]);
    }
    let is_test = arguments.iter().any(|word| word == TEST);
    if is_test {
        command.args(["--cfg", "kani"]);
    }
    let Some(program) = Program::of(arguments) else {
        command.args(arguments);
        return run(command, RUSTC);
    };
    let scratch = scratch_directory()?;
    let module = scratch.path().join("program.bc");
    // A harness of tests goes on after a panic.
    if !program.says_panics && !is_test {
        command.args(PANICS);
    }
    command.args(&program.words).args(WHOLE).arg(emitting(&module));
    if !program.also.is_empty() {
        command.arg(format!("--emit={}", program.also.join(",")));
    }
    match run(command, RUSTC)? {
        0 => link_module(&sysroot, &module, &program.output, asked),
        status => Ok(status),
    }
}

/// Commands of Cargo that execute tests.
const COMMANDS_OF_TESTS: [&str; 2] = ["test", "t"];
/// The target for which Cargo compiles programs; without one it is the host's, of build scripts and macros.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// `cleave cargo ARGUMENTS`: Cargo with our rustc, to be executed in place of this process. `cargo run` explores the program that it
/// builds, and `cargo test` the proofs of its tests. `cleave` is the executable of Cleave, as a path that stays.
///
/// # Errors
/// As of [`rustc`].
pub fn cargo(cleave: &Path, arguments: &[OsString]) -> Result<Command, ToolchainError> {
    let sysroot = Sysroot::find()?.for_language(Language::Rust)?;
    let mut command = Command::new("cargo");
    command.args(arguments);
    command.env("RUSTC", sysroot.rust().join(RUSTC)).env("RUSTC_WRAPPER", cleave);
    command.env("RUSTDOC", sysroot.rust().join("rustdoc"));
    command.env("CARGO_BUILD_TARGET", TARGET).env("CARGO_INCREMENTAL", "0");
    let of_target = |name: &str| format!("CARGO_TARGET_{}_{name}", TARGET.replace('-', "_").to_uppercase());
    let tests = arguments.iter().any(|word| COMMANDS_OF_TESTS.iter().any(|test| word == test));
    if tests {
        // In libraries that tests use, too. Cargo looks at RUSTFLAGS first.
        let names = ["RUSTFLAGS".into(), of_target("RUSTFLAGS")];
        let name = names.iter().find(|name| std::env::var_os(name).is_some()).unwrap_or(&names[1]);
        let flags = std::env::var_os(name).unwrap_or_default();
        command.env(name, OsString::from_iter([&flags, OsStr::new(" --cfg kani")]));
    }
    let runner = of_target("RUNNER");
    if std::env::var_os(&runner).is_none() {
        let explores = if tests { " proofs" } else { " run" };
        command.env(runner, OsString::from_iter([cleave.as_os_str(), OsStr::new(explores)]));
    }
    for profile in ["DEV", "RELEASE"] {
        command.env(format!("CARGO_PROFILE_{profile}_LTO"), "fat");
        command.env(format!("CARGO_PROFILE_{profile}_PANIC"), "abort");
    }
    // std's generic functions are ten times as long without.
    command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "1");
    Ok(command)
}

/// Returns true if these arguments are a call of our rustc by Cargo, which puts it in front of rustc's arguments.
pub fn is_of_cargo(arguments: &[OsString]) -> bool {
    arguments.first().is_some_and(|first| Path::new(first).ends_with("rust/rustc"))
}

/// Runs rustc for Cargo. What is for the host, such as build scripts, stays as it is.
///
/// # Errors
/// As of [`rustc`].
pub fn rustc_of_cargo(arguments: &[OsString], asked: Asked<'_>) -> Result<i32, ToolchainError> {
    let Some((first, rest)) = arguments.split_first() else { return rustc(arguments, asked) };
    if rest.iter().any(|word| word == "--target") {
        return rustc(rest, asked);
    }
    let mut command = Command::new(first);
    command.args(rest);
    run(command, RUSTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(arguments: &str) -> Option<Program> {
        let words: Vec<OsString> = arguments.split(' ').map(OsString::from).collect();
        Program::of(&words)
    }

    #[test]
    fn a_program_is_told_from_libraries_and_questions() {
        for none in [
            "-vV",
            "- --print=sysroot",
            "--print cfg a.rs",
            "--crate-type lib a.rs",
            "--crate-type=rlib a.rs",
            "--emit=metadata a.rs",
            "-C opt-level=2",
        ] {
            assert_eq!(program(none), None, "{none}");
        }
        assert_eq!(program("a.rs").unwrap().output, Path::new("a"));
        assert_eq!(program("src/a-b.rs -o x/y").unwrap().output, Path::new("x/y"));
        assert_eq!(program("-ox a.rs").unwrap().output, Path::new("x"));
    }

    #[test]
    fn a_call_of_cargo_keeps_all_but_the_output() {
        let call = "--crate-name demo --edition=2021 src/main.rs --crate-type bin --emit=dep-info,link -C panic=abort \
                    -C extra-filename=-abc --out-dir target/deps -L dependency=target/deps";
        let found = program(call).unwrap();
        assert_eq!(found.output, Path::new("target/deps/demo-abc"));
        assert_eq!(found.also, ["dep-info"]);
        assert!(found.says_panics);
        let words: Vec<&str> = found.words.iter().map(|word| word.to_str().unwrap()).collect();
        assert_eq!(
            words.join(" "),
            "--crate-name demo --edition=2021 src/main.rs --crate-type bin -C panic=abort -C extra-filename=-abc --out-dir \
             target/deps -L dependency=target/deps"
        );
    }
}
