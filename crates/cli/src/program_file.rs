//! The program that a user names: an executable from `cleave cc`, a .bc, a .ll, or a .c file.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use cleave_program::debug::Debuggable;

use crate::failure::Failure;
use crate::loading::{self, Changes, How, Image};
use crate::note::note;

/// Flags for a single .c file: as it is written, so that every condition of the source is a decision.
const C_FLAGS: [&str; 2] = ["-O0", "-g"];

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
        return load(path, how);
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
    load(&module, how)
}

/// The program with changes, for a debugger.
pub fn load_debuggable(path: &Path, changes: Changes<'_>, how: How) -> Result<Debuggable, Failure> {
    let bytes = match extension(path) {
        Some("c" | "bc" | "ll") if changes.is_empty() => linked_once(path)?,
        Some("c" | "bc" | "ll") => {
            let scratch = scratch()?;
            linked_once(&written(scratch.path(), path, &changed(path, changes)?)?)?
        }
        _ if changes.is_empty() => cleave_toolchain::extract_bitcode(path)?,
        _ => changes.made(path, &cleave_toolchain::extract_bitcode(path)?)?,
    };
    loading::load_debuggable(path, &bytes, how)
}

/// A source or a module, linked with the C library if it is not yet.
fn linked_once(path: &Path) -> Result<Vec<u8>, Failure> {
    if extension(path) != Some("c") {
        let bytes = read(path)?;
        if loading::check(path, &bytes, How::default())?.is_some() {
            return Ok(bytes);
        }
    }
    linked(path)
}

/// The bitcode of a source or a module, with changes.
fn changed(path: &Path, changes: Changes<'_>) -> Result<Vec<u8>, Failure> {
    if extension(path) != Some("c") {
        return changes.made(path, &read(path)?);
    }
    let scratch = scratch()?;
    let object = scratch.path().join("program.bc");
    let flags = C_FLAGS.map(OsString::from);
    let mut arguments = flags.to_vec();
    arguments.extend(["-c".into(), path.into(), "-o".into(), object.clone().into()]);
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
        return native(path);
    }
    if let Some("c" | "bc" | "ll") = extension(path) {
        let scratch = scratch()?;
        return native(&written(scratch.path(), path, &changed(path, changes)?)?);
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
pub fn load(path: &Path, how: How) -> Result<Image, Failure> {
    let bytes = match extension(path) {
        Some("c") => linked(path)?,
        Some("bc" | "ll") => match loading::check(path, &read(path)?, how)? {
            Some(image) => return Ok(image),
            None => linked(path)?,
        },
        _ => cleave_toolchain::extract_bitcode(path)?,
    };
    loading::load(path, &bytes, how)
}

/// What links ask of the engine.
pub fn of_links() -> cleave_toolchain::Asked<'static> {
    cleave_toolchain::Asked {
        is_known: &cleave_program::is_known,
        with_points: &|own| cleave_program::with_points(own).ok().flatten(),
    }
}

/// A source or a module, linked with the C library.
fn linked(path: &Path) -> Result<Vec<u8>, Failure> {
    let scratch = scratch()?;
    let output = scratch.path().join("program.bc");
    let flags = C_FLAGS.map(Into::into);
    cleave_toolchain::link_bitcode(&[path.to_path_buf()], &flags, &output)?;
    let undefined = cleave_toolchain::undefined(&output, &cleave_program::is_known)?;
    if let Some(sentence) = cleave_toolchain::told_undefined(&undefined) {
        note(format!("warning: {sentence}"));
    }
    read(&output)
}

/// A native executable of the program, and what keeps it on disk if it was made for this.
pub fn native(path: &Path) -> Result<(PathBuf, Option<tempfile::TempDir>), Failure> {
    match extension(path) {
        Some(kind @ ("c" | "bc" | "ll")) => {
            if kind != "c" {
                loading::check(path, &read(path)?, How::default())?;
            }
            let scratch = scratch()?;
            let name = path.file_stem().unwrap_or(OsStr::new("program"));
            let output = scratch.path().join(name);
            let flags = C_FLAGS.map(Into::into);
            cleave_toolchain::build_native(&[path.to_path_buf()], &flags, &output, of_links())?;
            Ok((output, Some(scratch)))
        }
        _ => Ok((path.to_path_buf(), None)),
    }
}

/// A program that is no file is refused.
pub fn check_program(program: &Path) -> Result<(), Failure> {
    match std::fs::metadata(program) {
        Ok(data) if data.is_file() => Ok(()),
        Ok(_) => Err(Failure::new(format!("{} is not a file; give a program", program.display()))),
        Err(e) => Err(Failure::new(format!("cannot read the program {}: {e}", program.display()))),
    }
}
