//! The program that a user names: an executable from `cleave cc`, a .bc, a .ll, or a .c file.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use cleave_program::debug::Debuggable;

use crate::failure::Failure;
use crate::process::messages::note;
use crate::programs::build::Build;
use crate::programs::loading::{self, Changes, How, Image};

fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(OsStr::to_str)
}

fn scratch() -> Result<tempfile::TempDir, Failure> {
    tempfile::tempdir().map_err(|e| {
        let place = std::env::temp_dir();
        Failure::new(format!("cannot write to {}: {e}; make room there, or set TMPDIR", place.display()))
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|e| Failure::new(format!("cannot read {}: {e}", path.display())))
}

/// The program with changes.
pub fn load_changed(path: &Path, changes: Changes<'_>, how: How) -> Result<Image, Failure> {
    if changes.is_empty() {
        return load(path, changes.build(), how);
    }
    let bytes = match extension(path) {
        Some("c" | "bc" | "ll") => changed(path, changes)?,
        _ => {
            let whole = cleave_toolchain::extract_bitcode(path)?;
            return loading::load(path, &changes.made(path, &whole)?, how);
        }
    };
    let scratch = scratch()?;
    let module = written(scratch.path(), path, &bytes)?;
    load(&module, &Build::default(), how)
}

/// The program with changes, for a debugger.
pub fn load_debuggable(path: &Path, changes: Changes<'_>, how: How) -> Result<Debuggable, Failure> {
    let bytes = match extension(path) {
        Some("c" | "bc" | "ll") if changes.is_empty() => linked_once(path, changes.build())?,
        Some("c" | "bc" | "ll") => {
            let scratch = scratch()?;
            linked_once(&written(scratch.path(), path, &changed(path, changes)?)?, &Build::default())?
        }
        _ if changes.is_empty() => cleave_toolchain::extract_bitcode(path)?,
        _ => changes.made(path, &cleave_toolchain::extract_bitcode(path)?)?,
    };
    loading::load_debuggable(path, &bytes, how)
}

/// A source or a module, linked with the C library if it is not yet.
fn linked_once(path: &Path, build: &Build) -> Result<Vec<u8>, Failure> {
    if extension(path) != Some("c") {
        let bytes = read(path)?;
        if loading::check(path, &bytes, How::default())?.is_some() {
            return Ok(bytes);
        }
    }
    linked(path, build)
}

/// The bitcode of a source or a module, with changes.
fn changed(path: &Path, changes: Changes<'_>) -> Result<Vec<u8>, Failure> {
    if extension(path) != Some("c") {
        return changes.made(path, &read(path)?);
    }
    let scratch = scratch()?;
    let object = scratch.path().join("program.bc");
    let (build, sources) = (changes.build(), changes.build().sources(path));
    let mut arguments = build.all_flags();
    // Several become one module.
    arguments.push(if sources.len() > 1 { "-r" } else { "-c" }.into());
    arguments.extend(sources.into_iter().map(Into::into));
    arguments.extend(["-o".into(), object.clone().into()]);
    if cleave_toolchain::cc(&arguments, of_links())? != 0 {
        return Err(Failure::new(format!("clang could not compile {}; see its messages", path.display())));
    }
    changes.made(path, &read(&object)?)
}

fn written(directory: &Path, path: &Path, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let name = Path::new(path.file_stem().unwrap_or(OsStr::new("program"))).with_extension("bc");
    let module = directory.join(name);
    std::fs::write(&module, bytes)
        .map_err(|e| Failure::new(format!("cannot write {}: {e}; make room there", module.display())))?;
    Ok(module)
}

/// As [`native`], of a program with changes.
pub fn native_changed(
    path: &Path,
    changes: Changes<'_>,
) -> Result<(PathBuf, Option<tempfile::TempDir>), Failure> {
    if changes.is_empty() {
        return native(path, changes.build());
    }
    if let Some("c" | "bc" | "ll") = extension(path) {
        let scratch = scratch()?;
        return native(&written(scratch.path(), path, &changed(path, changes)?)?, &Build::default());
    }
    let (what, own) = match (changes.entry, changes.aliases.first()) {
        (Some(entry), _) => (format!("begin with `{}`", entry.function), "begins with main"),
        (None, alias) => {
            (format!("are of --function-alias {}", alias.map_or("", String::as_str)), "has it not")
        }
    };
    let path = path.display();
    Err(Failure::new(format!(
        "the tests {what}, and the executable {path} {own}; give the .c, .bc or .ll file to replay them"
    )))
}

/// The program, read and linked with the C library; `how` as in [`loading::load`].
pub fn load(path: &Path, build: &Build, how: How) -> Result<Image, Failure> {
    let bytes = match extension(path) {
        Some("c") => linked(path, build)?,
        Some("bc" | "ll") => match loading::check(path, &read(path)?, how)? {
            Some(image) => return Ok(image),
            None => linked(path, build)?,
        },
        _ => cleave_toolchain::extract_bitcode(path)?,
    };
    loading::load(path, &bytes, how)
}

/// Services of the engine for links.
pub fn of_links() -> cleave_toolchain::Asked<'static> {
    cleave_toolchain::Asked {
        is_known: &cleave_program::is_known,
        with_points: &|own| cleave_program::with_points(own).ok().flatten(),
    }
}

/// A source or a module, linked with the C library.
fn linked(path: &Path, build: &Build) -> Result<Vec<u8>, Failure> {
    let scratch = scratch()?;
    let output = scratch.path().join("program.bc");
    let (sources, flags) = (sources_of(path, build), build.all_flags());
    cleave_toolchain::link_bitcode(&sources, &flags, &output)?;
    let undefined = cleave_toolchain::undefined(&output, &cleave_program::is_known)?;
    if let Some(sentence) = cleave_toolchain::told_undefined(&undefined) {
        note(format!("warning: {sentence}"));
    }
    read(&output)
}

/// Files to be compiled: a module is whole by itself.
fn sources_of(path: &Path, build: &Build) -> Vec<PathBuf> {
    if extension(path) == Some("c") { build.sources(path) } else { vec![path.to_path_buf()] }
}

/// A native executable of the program, and the temporary folder that keeps it on disk if it was made for this.
pub fn native(path: &Path, build: &Build) -> Result<(PathBuf, Option<tempfile::TempDir>), Failure> {
    match extension(path) {
        Some(kind @ ("c" | "bc" | "ll")) => {
            if kind != "c" {
                loading::check(path, &read(path)?, How::default())?;
            }
            let scratch = scratch()?;
            let name = path.file_stem().unwrap_or(OsStr::new("program"));
            let output = scratch.path().join(name);
            let (sources, flags) = (sources_of(path, build), build.all_flags());
            cleave_toolchain::build_native(&sources, &flags, &output, of_links())?;
            Ok((output, Some(scratch)))
        }
        _ => Ok((path.to_path_buf(), None)),
    }
}

/// Refuses a program that is no file.
pub fn check_program(program: &Path) -> Result<(), Failure> {
    match std::fs::metadata(program) {
        Ok(data) if data.is_file() => Ok(()),
        Ok(_) => Err(Failure::new(format!("{} is not a file; give a program", program.display()))),
        Err(e) => Err(Failure::new(format!("cannot read the program {}: {e}", program.display()))),
    }
}
