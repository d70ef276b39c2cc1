//! The program that a user names: an executable from `cleave cc` or `cleave c++`, a .bc, a .ll, or a source in C or C++.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use cleave_program::debug::Debuggable;
use cleave_toolchain::{Language, SymbolsToCome, source_language};

use crate::failure::Failure;
use crate::process::messages::note;
use crate::programs::build::{Build, Other};
use crate::programs::loading::{self, Changes, How, Image};

/// The kind of a file, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Source(Language),
    /// A .bc or .ll.
    Module,
    Executable,
}

fn kind(path: &Path) -> Kind {
    match (source_language(path), path.extension().and_then(OsStr::to_str)) {
        (Some(language), _) => Kind::Source(language),
        (None, Some("bc" | "ll")) => Kind::Module,
        (None, _) => Kind::Executable,
    }
}

fn is_source(path: &Path) -> bool {
    matches!(kind(path), Kind::Source(_))
}

fn scratch() -> Result<tempfile::TempDir, Failure> {
    tempfile::tempdir().map_err(unwritable)
}

fn unwritable(error: std::io::Error) -> Failure {
    let place = std::env::temp_dir();
    Failure::new(format!("cannot write to {}: {error}; make room there, or set TMPDIR", place.display()))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|e| Failure::new(format!("cannot read {}: {e}", path.display())))
}

/// The program with changes.
pub fn load_changed(path: &Path, changes: Changes<'_>, how: How) -> Result<Image, Failure> {
    if changes.is_empty() {
        return load(path, changes.build(), how);
    }
    let bytes = match kind(path) {
        Kind::Source(_) | Kind::Module => changed(path, changes)?,
        Kind::Executable => {
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
    let bytes = match kind(path) {
        Kind::Source(_) | Kind::Module if changes.is_empty() => linked_once(path, changes.build())?,
        Kind::Source(_) | Kind::Module => {
            let scratch = scratch()?;
            linked_once(&written(scratch.path(), path, &changed(path, changes)?)?, &Build::default())?
        }
        Kind::Executable if changes.is_empty() => cleave_toolchain::extract_bitcode(path)?,
        Kind::Executable => changes.made(path, &cleave_toolchain::extract_bitcode(path)?)?,
    };
    loading::load_debuggable(path, &bytes, how)
}

/// The bitcode of the source in C that this process linked last, and its path: a native executor is made of it.
static LINKED: Mutex<Option<(PathBuf, Vec<u8>)>> = Mutex::new(None);

/// The bitcode of a program in C, linked with the C library: that of an executable, or of a source that this process has loaded.
/// `None` for all others.
pub fn bitcode_of(path: &Path) -> Option<Vec<u8>> {
    if kind(path) == Kind::Executable {
        return cleave_toolchain::extract_bitcode(path).ok();
    }
    let mut linked = LINKED.lock().ok()?;
    linked.take_if(|(of, _)| of == path).map(|(_, bytes)| bytes)
}

/// A source or a module, linked with the C library if it is not yet.
fn linked_once(path: &Path, build: &Build) -> Result<Vec<u8>, Failure> {
    if !is_source(path) {
        let bytes = read(path)?;
        if loading::check(path, &bytes, How::default())?.is_some() {
            return Ok(bytes);
        }
    }
    linked(path, build)?.told()
}

/// The bitcode of a source or a module, with changes.
fn changed(path: &Path, changes: Changes<'_>) -> Result<Vec<u8>, Failure> {
    if !is_source(path) {
        return changes.made(path, &read(path)?);
    }
    let scratch = scratch()?;
    let object = scratch.path().join("program.bc");
    let (sources, arguments) = sources_of(path, changes.build(), scratch.path())?;
    compiled_to(&object, &sources, arguments)?;
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
    if kind(path) != Kind::Executable {
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
        "the tests {what}, and the executable {path} {own}; give the source, or the .bc or .ll file, to replay them"
    )))
}

/// The program, read and linked with the C library; `how` as in [`loading::load`].
pub fn load(path: &Path, build: &Build, how: How) -> Result<Image, Failure> {
    let linked = match kind(path) {
        Kind::Source(_) => linked(path, build)?,
        Kind::Module => match loading::check(path, &read(path)?, how)? {
            Some(image) => return Ok(image),
            None => linked(path, build)?,
        },
        Kind::Executable => return loading::load(path, &cleave_toolchain::extract_bitcode(path)?, how),
    };
    let image = loading::load(path, &linked.bytes, how);
    let bytes = linked.told()?;
    if kind(path) == Kind::Source(Language::C)
        && let (Ok(mut last), Ok(path)) = (LINKED.lock(), std::path::absolute(path))
    {
        *last = Some((path, bytes));
    }
    image
}

/// Linked bitcode.
struct Linked {
    bytes: Vec<u8>,
    symbols: SymbolsToCome,
    /// The folder of the file whose symbols are listed.
    _scratch: tempfile::TempDir,
}

impl Linked {
    /// The bitcode, after a warning if names are defined nowhere.
    fn told(self) -> Result<Vec<u8>, Failure> {
        let undefined = self.symbols.all()?.undefined(&cleave_program::is_known);
        if let Some(sentence) = cleave_toolchain::told_undefined(&undefined, &cleave_program::demangled) {
            note(format!("warning: {sentence}"));
        }
        Ok(self.bytes)
    }
}

/// Services of the engine for links.
pub fn of_links() -> cleave_toolchain::Asked<'static> {
    cleave_toolchain::Asked {
        is_known: &cleave_program::is_known,
        shown: &cleave_program::demangled,
        with_points: &|own| cleave_program::with_points(own).ok().flatten(),
        with_proofs: &|module| cleave_program::with_proofs(module).ok().flatten(),
    }
}

/// A source or a module, linked with the C library.
fn linked(path: &Path, build: &Build) -> Result<Linked, Failure> {
    let scratch = scratch()?;
    let output = scratch.path().join("program.bc");
    let (sources, flags) = sources_of(path, build, scratch.path())?;
    let symbols = cleave_toolchain::link_bitcode(&sources, &flags, &output)
        .map_err(|error| of_contracts(error.into(), path, build))?;
    Ok(Linked { bytes: read(&output)?, symbols, _scratch: scratch })
}

/// Files to be compiled, and flags for them: a module is whole by itself.
fn sources_of(path: &Path, build: &Build, scratch: &Path) -> Result<(Vec<PathBuf>, Vec<OsString>), Failure> {
    if !is_source(path) {
        return Ok((vec![path.to_path_buf()], build.all_flags()));
    }
    let (files, mut flags) = build.compiled(path, scratch).map_err(unwritable)?;
    let Some(other) = &build.other else { return Ok((files, flags)) };
    // One module of each version: their languages need not be the same.
    let module = scratch.join("own.bc");
    compiled_to(&module, &files, flags.clone()).map_err(|failure| of_contracts(failure, path, build))?;
    rewritten(&module, path, ending_itself)?;
    let mut modules = vec![module];
    modules.extend(renamed(other, scratch)?);
    flags.extend(["-Wno-override-module", "-Wl,--no-warnings"].map(OsString::from));
    Ok((modules, flags))
}

/// The failure of a compilation, told of the contracts if there are some: what they become is no file of the user's.
fn of_contracts(failure: Failure, path: &Path, build: &Build) -> Failure {
    if build.drivers.is_empty() {
        return failure;
    }
    Failure::new(format!(
        "{} did not compile with the C that is made of contracts, which is `harness.c` in the messages above; mend the contract",
        path.display()
    ))
}

/// Another version as one module, in which all names have its prefix, and what it is linked with.
fn renamed(other: &Other, scratch: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut modules = vec![scratch.join("other.bc")];
    let files: Vec<PathBuf> = other.files.iter().map(PathBuf::from).collect();
    let flags: Vec<OsString> = other.flags.iter().map(Into::into).collect();
    if kind(&files[0]) == Kind::Source(Language::Rust) {
        modules = cleave_toolchain::rust_library(&files[0], &flags, scratch)?.to_vec();
    } else {
        compiled_to(&modules[0], &files, flags)?;
    }
    rewritten(&modules[0], &files[0], |bytes| {
        ending_itself(&cleave_program::with_prefix(bytes, Other::PREFIX, &other.shared)?)
    })?;
    Ok(modules)
}

/// Functions that end a program. Of two versions that are compared each ends itself alone.
const ENDS: [&str; 4] = ["exit", "_exit", "_Exit", "quick_exit"];

fn ending_itself(bytes: &[u8]) -> Result<Vec<u8>, cleave_program::LoadError> {
    cleave_program::with_calls(bytes, &ENDS, Other::EXIT)
}

/// Rewrites a module in its place; `of` is the file that it was made of.
fn rewritten(
    module: &Path,
    of: &Path,
    rewrite: impl Fn(&[u8]) -> Result<Vec<u8>, cleave_program::LoadError>,
) -> Result<(), Failure> {
    let bytes =
        rewrite(&read(module)?).map_err(|e| Failure::new(format!("cannot use {}: {e}", of.display())))?;
    std::fs::write(module, bytes).map_err(unwritable)
}

/// Compiles files to one module.
fn compiled_to(module: &Path, files: &[PathBuf], mut arguments: Vec<OsString>) -> Result<(), Failure> {
    let language = cleave_toolchain::language_of(files);
    // Several become one module.
    arguments.push(if files.len() > 1 { "-r" } else { "-c" }.into());
    arguments.extend(cleave_toolchain::named(language, files));
    arguments.extend(["-o".into(), module.into()]);
    match cleave_toolchain::cc(language, &arguments, of_links())? {
        0 => Ok(()),
        _ => Err(Failure::new(format!("clang could not compile {}; see its messages", files[0].display()))),
    }
}

/// A native executable of the program, and the temporary folder that keeps it on disk if it was made for this.
pub fn native(path: &Path, build: &Build) -> Result<(PathBuf, Option<tempfile::TempDir>), Failure> {
    match kind(path) {
        Kind::Source(_) | Kind::Module => {
            if !is_source(path) {
                loading::check(path, &read(path)?, How::default())?;
            }
            let scratch = scratch()?;
            let name = path.file_stem().unwrap_or(OsStr::new("program"));
            let output = scratch.path().join(name);
            let (sources, flags) = sources_of(path, build, scratch.path())?;
            cleave_toolchain::build_native(&sources, &flags, &output, of_links())?;
            Ok((output, Some(scratch)))
        }
        Kind::Executable => Ok((path.to_path_buf(), None)),
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
