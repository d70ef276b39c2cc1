//! Rust: Debian's rustc in the sysroot makes one module of a program, its libraries and std; then it is linked as C++ is, with our
//! unwinder and musl in place of glibc. std's layouts for glibc on x86-64 are musl's too.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ToolchainError;
use crate::language::{Language, source_language};
use crate::sysroot::{Sysroot, run};

/// Flags of a link of modules of rustc, whose target is called after another C library, and whose debug information has another version.
/// rustc has optimised them. Natively std's functions are most of the code, and fast instruction selection halves the link.
const FOR_CLANG: [&str; 3] = ["-Wno-override-module", "-Wl,--no-warnings", "-Wl,--lto-CGO0"];
/// Its name.
pub(crate) const RUSTC: &str = "rustc";
/// The `main` of programs with proofs.
pub(crate) const MAIN: &str = "main.bc";
/// LLVM's optimiser.
const OPT: &str = "opt-19";
/// Functions of glibc that std calls and musl does not have.
const OF_GLIBC: &str = "libglibc.bc.a";
/// The names by which programs know the crate for inputs: our own, and that of Kani.
const NAMES: [&str; 2] = ["cleave", "kani"];

/// For every program: one module with std in it, in which nothing is vectorised, so that the engine and the processor compute the same.
pub(crate) const WHOLE: [&str; 12] = [
    "-C",
    "lto=fat",
    "-C",
    "codegen-units=1",
    "-C",
    "debuginfo=2",
    "-C",
    "no-vectorize-loops",
    "-C",
    "no-vectorize-slp",
    "-C",
    "relocation-model=static",
];
/// A panic ends the program, where nobody says otherwise: then it is a bug.
pub(crate) const PANICS: [&str; 2] = ["-C", "panic=abort"];
/// Of a source that `cleave run` compiles: code that std's generic functions do not make ten times as long.
const PLAIN: [&str; 4] = ["--edition=2021", "-C", "opt-level=1", "-Awarnings"];
/// Where checks are wanted: as in Cargo's profile `dev`.
const CHECKED: [&str; 4] = ["-C", "debug-assertions=yes", "-C", "overflow-checks=yes"];
/// The flags of `cleave run` for sources in C, which say this.
const OF_C: [&str; 2] = ["-O0", "-g"];
const CHECKED_C: &str = "-fsanitize=undefined";

/// The words of a link of modules of rustc.
pub(crate) fn words(sysroot: &Sysroot, modules: &[PathBuf]) -> Vec<OsString> {
    let all = modules.iter().cloned().chain([sysroot.rust().join(OF_GLIBC)]);
    FOR_CLANG.into_iter().map(OsString::from).chain(all.map(PathBuf::into_os_string)).collect()
}

/// rustc, which knows the crate `cleave`, also where only a library that it links uses it.
pub(crate) fn compiler(sysroot: &Sysroot) -> Command {
    let (folder, library) = (sysroot.rust(), sysroot.rust().join("libcleave.rlib"));
    let mut command = Command::new(folder.join(RUSTC));
    for name in NAMES {
        command.arg("--extern").arg(OsString::from_iter([
            OsStr::new(name),
            OsStr::new("="),
            library.as_os_str(),
        ]));
    }
    command.args(["--cfg", "cleave"]);
    command.arg("-L").arg(OsString::from_iter([OsStr::new("dependency="), folder.as_os_str()]));
    command
}

/// A module of rustc as an object, which clang passes on to the linker as it is, without the functions of std that nothing calls: those are
/// two thirds of it, and every further step takes a third of its time. Without the threads among them, the program has none.
///
/// # Errors
/// [`ToolchainError`] where LLVM's optimiser is not there, or cannot read the module.
pub(crate) fn object(module: &Path) -> Result<PathBuf, ToolchainError> {
    let object = module.with_extension("o");
    let mut command = Command::new(OPT);
    command.arg("-passes=globaldce").arg(module).arg("-o").arg(&object);
    match run(command, OPT)? {
        0 => Ok(object),
        _ => Err(ToolchainError::Failed(format!("`{}`", module.display()))),
    }
}

pub(crate) fn emitting(module: &Path) -> OsString {
    OsString::from_iter([OsStr::new("--emit=llvm-bc="), module.as_os_str()])
}

/// Flags of a source whose functions others call: one module with std in it, too.
const LIBRARY: [&str; 1] = ["--crate-type=staticlib"];

/// A source in Rust as a module whose functions another language calls, and what it is to be linked with. Flags are those of `cleave run`.
///
/// # Errors
/// [`ToolchainError`] where the compiler is not there, or the source has errors, which rustc has printed.
pub fn rust_library(
    source: &Path,
    flags: &[OsString],
    folder: &Path,
) -> Result<[PathBuf; 2], ToolchainError> {
    let sysroot = Sysroot::find()?.for_language(Language::Rust)?;
    let flags: Vec<OsString> = LIBRARY.into_iter().map(OsString::from).chain(flags.iter().cloned()).collect();
    let mut modules = without_rust(&sysroot, &[source.to_path_buf()], &flags, folder)?;
    Ok([modules.swap_remove(0), sysroot.rust().join(OF_GLIBC)])
}

/// The inputs of a link, each source in Rust replaced by its module in `folder`. Flags are those of `cleave run`.
pub(crate) fn without_rust(
    sysroot: &Sysroot,
    inputs: &[PathBuf],
    flags: &[OsString],
    folder: &Path,
) -> Result<Vec<PathBuf>, ToolchainError> {
    let mut all = Vec::with_capacity(inputs.len());
    for (n, input) in inputs.iter().enumerate() {
        if source_language(input) != Some(Language::Rust) {
            all.push(input.clone());
            continue;
        }
        let module = folder.join(format!("{n}.bc"));
        let is_checked = flags.iter().any(|flag| flag == CHECKED_C);
        let of_c = |flag: &&OsString| *flag == CHECKED_C || OF_C.iter().any(|c| *flag == c);
        let mut command = compiler(sysroot);
        command.args(PLAIN).args(WHOLE).args(PANICS);
        if is_checked {
            command.args(CHECKED);
        }
        command.args(flags.iter().filter(|flag| !of_c(flag))).arg(emitting(&module)).arg(input);
        if run(command, RUSTC)? != 0 {
            return Err(ToolchainError::Failed(format!("`{}`", input.display())));
        }
        all.push(object(&module)?);
    }
    Ok(all)
}
