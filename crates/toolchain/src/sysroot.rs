//! Location of the C library and its headers.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ToolchainError;
use crate::language::Language;

/// The C library for explored programs, and what native programs are linked with.
#[derive(Clone, Debug)]
pub struct Sysroot {
    path: PathBuf,
    musl: PathBuf,
    /// gcc's own library; none for i386, as Debian's is for x86-64.
    libgcc: Option<PathBuf>,
    /// Clang's own library, in front of gcc's: the engine has its functions as bitcode.
    builtins: PathBuf,
    compiler_include: PathBuf,
    /// The language whose headers and libraries are used.
    language: Language,
    /// It is for i386.
    narrow: bool,
}

/// The flag for programs of 32 bits.
const NARROW: &str = "-m32";

pub(crate) const CLANG: &str = "clang-19";

/// Runs a tool to its end. Returns its exit status.
pub(crate) fn run(mut command: Command, tool: &'static str) -> Result<i32, ToolchainError> {
    let status = command.status().map_err(|source| ToolchainError::NoTool { tool, source })?;
    Ok(status.code().unwrap_or(1))
}

fn output(tool: &'static str, argument: &str) -> Result<PathBuf, ToolchainError> {
    let out = Command::new(tool).arg(argument).output();
    let out = out.map_err(|source| ToolchainError::NoTool { tool, source })?;
    Ok(PathBuf::from(String::from_utf8_lossy(&out.stdout).trim()))
}

/// The folder of clang's own headers and libraries: beside its executable. clang itself, which takes twenty milliseconds to start, is
/// asked only where that is not so.
fn resources() -> Result<PathBuf, ToolchainError> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let clang = std::env::split_paths(&folders).map(|folder| folder.join(CLANG)).find(|path| path.exists());
    let beside =
        clang.and_then(|path| Some(path.canonicalize().ok()?.parent()?.parent()?.join("lib/clang/19")));
    beside.filter(|path| path.is_dir()).map_or_else(|| output(CLANG, "-print-resource-dir"), Ok)
}

impl Sysroot {
    /// Finds it: in `$CLEAVE_SYSROOT`, beside the installed executable, or in the tree that this was built from.
    ///
    /// # Errors
    /// [`ToolchainError::NoSysroot`] where it is in none of them.
    pub fn find() -> Result<Sysroot, ToolchainError> {
        let mut places = Vec::new();
        if let Some(path) = std::env::var_os("CLEAVE_SYSROOT") {
            places.push(PathBuf::from(path));
        } else {
            if let Some(bin) = std::env::current_exe().ok().as_deref().and_then(Path::parent) {
                places.push(bin.join("../share/cleave/sysroot"));
            }
            places.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/sysroot"));
        }
        let is_there = |p: &&PathBuf| p.join("lib/libc.bc.a").exists() && p.join("stamp").exists();
        let Some(path) = places.iter().find(is_there) else {
            let tried: Vec<_> = places.iter().map(|p| p.display().to_string()).collect();
            return Err(ToolchainError::NoSysroot(format!("looked in {}", tried.join(" and "))));
        };
        let musl = PathBuf::from("/usr/lib/x86_64-linux-musl");
        if !musl.join("libc.a").exists() {
            return Err(ToolchainError::NoSysroot(format!("{} has no libc.a", musl.display())));
        }
        let resources = resources()?;
        let builtins = resources.join("lib/linux/libclang_rt.builtins-x86_64.a");
        if !builtins.exists() {
            return Err(ToolchainError::NoSysroot(format!("there is no {}", builtins.display())));
        }
        Ok(Sysroot {
            path: path.canonicalize().unwrap_or_else(|_| path.clone()),
            musl,
            libgcc: Some(output("gcc", "-print-libgcc-file-name")?),
            builtins,
            compiler_include: resources.join("include"),
            language: Language::C,
            narrow: false,
        })
    }

    /// For the machine that flags name: i386 with `-m32`. Its library is built when it is first asked for.
    ///
    /// # Errors
    /// [`ToolchainError::NoI386`] where it is not there and cannot be built.
    pub(crate) fn for_flags(self, flags: &[OsString]) -> Result<Sysroot, ToolchainError> {
        if !flags.iter().any(|flag| flag == NARROW) {
            return Ok(self);
        }
        if self.language != Language::C {
            return Err(ToolchainError::NarrowLanguage);
        }
        self.ready("i386/stamp", "scripts/build-sysroot-i386.sh", ToolchainError::NoI386)?;
        let path = self.path.join("i386");
        let builtins = self.builtins.with_file_name("libclang_rt.builtins-i386.a");
        if !builtins.exists() {
            return Err(ToolchainError::NoI386(format!("there is no {}", builtins.display())));
        }
        Ok(Sysroot { musl: path.join("lib"), path, libgcc: None, builtins, narrow: true, ..self })
    }

    /// The machine, as clang names it.
    pub(crate) fn triple(&self) -> &'static str {
        if self.narrow { "i386-linux-musl" } else { "x86_64-linux-musl" }
    }

    /// The flag for its processor, where clang would choose one whose `double` is the 80 bits of the x87.
    pub(crate) fn processor(&self) -> Option<&'static str> {
        self.narrow.then_some("-march=pentium4")
    }

    /// For sources of a language. Its library is built when it is first asked for.
    ///
    /// # Errors
    /// [`ToolchainError::NoCxx`], [`ToolchainError::NoRust`] where it is not there and cannot be built.
    pub(crate) fn for_language(self, language: Language) -> Result<Sysroot, ToolchainError> {
        if language != Language::C {
            self.ready("stamp-cxx", "scripts/build-cxx.sh", ToolchainError::NoCxx)?;
        }
        if language == Language::Rust {
            self.ready("stamp-rust", "scripts/build-rust.sh", ToolchainError::NoRust)?;
        }
        // Rust is linked as C++ is.
        let language = if language == Language::C { Language::C } else { Language::Cxx };
        Ok(Sysroot { language, ..self })
    }

    /// Where a stamp is missing, runs the script that makes it, in the tree that this was built from.
    fn ready(
        &self,
        stamp: &str,
        script: &str,
        missing: fn(String) -> ToolchainError,
    ) -> Result<(), ToolchainError> {
        let stamp = self.path.join(stamp);
        if stamp.exists() {
            return Ok(());
        }
        let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let script = tree.join(script);
        let is_of_tree = tree.join("build/sysroot").canonicalize().is_ok_and(|own| own == self.path);
        if !is_of_tree || !script.exists() {
            return Err(missing(format!("there is no {}", stamp.display())));
        }
        // The script's words are no output of the compiler.
        let status = Command::new("bash").args(["-c", "exec \"$0\" >&2"]).arg(&script).status();
        match status {
            Ok(status) if status.success() && stamp.exists() => Ok(()),
            Ok(status) => Err(missing(format!("{} failed: {status}", script.display()))),
            Err(source) => Err(ToolchainError::NoTool { tool: "bash", source }),
        }
    }

    /// The folder of Rust's compiler, and of the crate `cleave`.
    pub(crate) fn rust(&self) -> PathBuf {
        self.path.join("rust")
    }

    pub(crate) fn language(&self) -> Language {
        self.language
    }

    /// Folders of headers, in the order in which they are looked into.
    pub(crate) fn includes(&self) -> Vec<PathBuf> {
        let of_cxx = (self.language == Language::Cxx).then(|| self.path.join("include/c++/v1"));
        of_cxx.into_iter().chain([self.path.join("include"), self.compiler_include.clone()]).collect()
    }

    /// The folder of the sysroot.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn lib(&self, name: &str) -> PathBuf {
        self.path.join("lib").join(name)
    }

    pub(crate) fn musl(&self) -> &Path {
        &self.musl
    }

    pub(crate) fn builtins(&self) -> &Path {
        &self.builtins
    }

    pub(crate) fn libgcc(&self) -> Option<&Path> {
        self.libgcc.as_deref()
    }
}
