//! From C, C++ and Rust to programs that Cleave can explore and replay: `cleave cc`, and bitcode linked with the C library.
//!
//! An executable of `cleave cc` or `cleave c++` is an ordinary static program, linked with Debian's musl (for i386 with one of ours),
//! that carries in the section [`SECTION`] the bitcode of the same objects, linked with musl as bitcode and our start-up code.

mod arguments;
mod atomic_functions;
mod bitcode;
mod build_systems;
mod cc;
mod executor;
mod language;
mod libraries;
mod rust;
mod rustc;
mod sysroot;

pub use bitcode::{SECTION, extract_bitcode};
pub use build_systems::{Tool, cmake_toolchain, meson_cross};
pub use cc::{
    Asked, Symbols, SymbolsToCome, build_native, cc, declarations, defined_functions, language_of,
    link_bitcode, named, named_functions, told_undefined,
};
pub use executor::build_executor;
pub use language::{Language, source_language};
pub use rust::rust_library;
pub use rustc::{cargo, is_of_cargo, rustc, rustc_of_cargo};
pub use sysroot::Sysroot;

/// Errors of the toolchain, each a sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// The C library is not there.
    #[error(
        "the C library for explored programs is not there ({0}); run `make setup`, or set CLEAVE_SYSROOT"
    )]
    NoSysroot(String),
    /// A tool cannot be started.
    #[error("cannot start `{tool}` ({source}); run `make setup`, which installs it")]
    NoTool {
        /// The tool.
        tool: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// The compiler or linker found errors, which it has printed.
    #[error("{0} did not compile or link; see the messages above")]
    Failed(String),
    /// A link that is to make a program, of nothing that begins one.
    #[error(
        "undefined symbol: main: no object defines it, nor `LLVMFuzzerTestOneInput`, which a fuzz target has in its place"
    )]
    NoMain,
    /// A file cannot be read or written.
    #[error("cannot use `{path}` ({source})")]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is no executable.
    #[error(
        "`{0}` is no executable for x86-64 or i386 Linux; give one that `cleave cc` made, or a .bc, .ll or .c file"
    )]
    NoExecutable(std::path::PathBuf),
    /// A source in C++ for the compiler of C.
    #[error("`{0}` is C++; compile and link it with `cleave c++`")]
    CPlusPlus(std::path::PathBuf),
    /// The C++ library is not there.
    #[error(
        "the C++ library for explored programs is not there ({0}); run `make cxx install` in Cleave's own folder"
    )]
    NoCxx(String),
    /// Rust's compiler is not there.
    #[error(
        "the Rust compiler for explored programs is not there ({0}); run `make rust install` in Cleave's own folder"
    )]
    NoRust(String),
    /// The C library of 32 bits is not there.
    #[error(
        "the C library for programs of 32 bits is not there ({0}); run scripts/build-sysroot-i386.sh and `make install` in Cleave's own \
         folder"
    )]
    NoI386(String),
    /// A source in another language than C for 32 bits.
    #[error("only C is explored for 32 bits; leave -m32 out")]
    NarrowLanguage,
    /// A source in a language that is no bitcode.
    #[error(
        "`{0}` is assembly, which cannot be explored; configure the package without it, or give C in its place"
    )]
    Assembly(std::path::PathBuf),
    /// A link that is to make a shared library.
    #[error(
        "`{0}` makes a shared library, and programs of `cleave cc` are static; build static libraries \
         (--disable-shared, -DBUILD_SHARED_LIBS=OFF, -Ddefault_library=static)"
    )]
    Shared(String),
    /// A library is not there for programs of `cleave cc`.
    #[error("no `{file}` to link with: {why}; build it with CC=\"cleave cc\" and name its directory by -L")]
    NoLibrary {
        /// Its file.
        file: String,
        /// Description of the data found instead.
        why: String,
    },
    /// An executable has no bitcode inside.
    #[error("`{0}` has no bitcode inside; build it with CC=\"cleave cc\"")]
    NoBitcode(std::path::PathBuf),
}
