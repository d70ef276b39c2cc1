//! Cache of compiled programs of the corpus: the output of `cleave cc` is kept in `target/tmp/programs`, by a hash of all
//! that it depends on. A compilation takes half a second of processor time, more than most of these programs take to explore.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};

use sha2::{Digest, Sha256};

/// Runs `cleave cc`, or returns the kept result of the same command: the program, and its output. Only successful results are
/// kept.
pub fn compiled(command: &mut Command) -> Output {
    let (Some((key, program)), Some(place)) = (key(command), place()) else {
        return command.output().unwrap();
    };
    let kept = place.join(key);
    if let Some(output) = found(&kept, &program) {
        return output;
    }
    let output = command.output().unwrap();
    if output.status.success() {
        // Another test may do the same at the same time: one of both results is kept, as a whole. Without room none is.
        let _ = keep(&place, &kept, &program, &output);
    }
    output
}

fn found(kept: &Path, program: &Path) -> Option<Output> {
    let stdout = std::fs::read(kept.join("stdout")).ok()?;
    let stderr = std::fs::read(kept.join("stderr")).ok()?;
    std::fs::copy(kept.join("program"), program).ok()?;
    Some(Output { status: ExitStatus::default(), stdout, stderr })
}

fn keep(place: &Path, kept: &Path, program: &Path, output: &Output) -> std::io::Result<()> {
    std::fs::create_dir_all(place)?;
    let new = tempfile::tempdir_in(place)?;
    std::fs::write(new.path().join("stdout"), &output.stdout)?;
    std::fs::write(new.path().join("stderr"), &output.stderr)?;
    std::fs::copy(program, new.path().join("program"))?;
    std::fs::rename(new.path(), kept)
}

/// A folder for this Cleave, this C library and this clang. Results of others are removed: they are out of date.
fn place() -> Option<PathBuf> {
    let mut stamp = Sha256::new();
    for file in [env!("CARGO_BIN_EXE_cleave"), "/usr/bin/clang-19", "/usr/bin/ld.lld-19"] {
        let about = std::fs::metadata(file).ok()?;
        stamp.update(format!("{file} {} {} {}\n", about.len(), about.mtime(), about.mtime_nsec()));
    }
    stamp.update(std::fs::read(root().join("build/sysroot/stamp")).ok()?);
    for of_few in ["stamp-cxx", "i386/stamp"] {
        stamp.update(std::fs::read(root().join("build/sysroot").join(of_few)).unwrap_or_default());
    }
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
    let place = all.join(format!("{:x}", stamp.finalize()));
    if !place.exists() {
        for other in std::fs::read_dir(&all).into_iter().flatten().flatten() {
            if other.path() != place {
                let _ = std::fs::remove_dir_all(other.path());
            }
        }
    }
    Some(place)
}

/// Hash of the command without its output's name and with the texts of its sources, and the place of the program. `None` if a
/// source lies outside of `programs`, or an option may read another file.
fn key(command: &Command) -> Option<(String, PathBuf)> {
    let programs = root().join("programs").canonicalize().unwrap();
    let (mut hash, mut program, mut read) = (Sha256::new(), None, BTreeSet::new());
    let mut arguments = command.get_args();
    // These variables change the compiler and its output for all commands.
    if ["CLEAVE_SYSROOT", "CLEAVE_CC_NATIVE_ONLY"].iter().any(|name| std::env::var_os(name).is_some()) {
        return None;
    }
    // The limit on time before it is no part.
    arguments.find(|a| *a == "cc" || *a == "c++")?;
    while let Some(argument) = arguments.next() {
        let text = argument.to_str()?;
        if text == "-o" {
            program = Some(PathBuf::from(arguments.next()?));
            continue;
        }
        if ["-I", "-include", "-c", "@"].iter().any(|option| text.starts_with(option)) {
            return None;
        }
        hash.update(format!("{}:{text}\n", text.len()));
        if !text.starts_with('-') && [".c", ".cpp"].iter().any(|end| text.ends_with(end)) {
            let source = Path::new(text).canonicalize().ok()?;
            if !source.starts_with(&programs) {
                return None;
            }
            add(&source, &mut read, &mut hash)?;
        }
    }
    for (name, value) in command.get_envs() {
        hash.update(format!("{name:?}={value:?}\n"));
    }
    (!read.is_empty()).then_some((format!("{:x}", hash.finalize()), program?))
}

/// Adds a source and the files beside it that it includes, each once.
fn add(source: &Path, read: &mut BTreeSet<PathBuf>, hash: &mut Sha256) -> Option<()> {
    if !read.insert(source.canonicalize().ok()?) {
        return Some(());
    }
    let code = std::fs::read_to_string(source).ok()?;
    hash.update(format!("{}:{code}", code.len()));
    let included = code.lines().filter_map(|line| {
        let directive = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        directive.trim_start().strip_prefix('"')?.split('"').next()
    });
    for name in included {
        add(&source.with_file_name(name), read, hash)?;
    }
    Some(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
