//! What Cleave reads that others may have damaged: each is a function of bytes that must not panic, whatever they are.
//!
//! A target gives back the kind of what came out. The driver keeps inputs whose kind is new, which is what it has
//! instead of coverage; libFuzzer, on a nightly toolchain, has its own and ignores it.

pub mod bitcode;
pub mod database;
pub mod explore;
pub mod ktest;
pub mod messages;
pub mod mutate;

/// Something that reads bytes.
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// Reads bytes; gives the kind of what came out.
    ///
    /// # Panics
    /// Where Cleave is wrong.
    pub run: fn(&[u8]) -> String,
    /// Whether LLVM may end the process, which is no finding.
    pub llvm: bool,
    /// Inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All targets.
pub const TARGETS: [Target; 4] = [
    Target { name: "bitcode", llvm: true, run: bitcode::run, seeds: bitcode::seeds },
    Target { name: "ktest", llvm: false, run: ktest::run, seeds: ktest::seeds },
    Target { name: "database", llvm: false, run: database::run, seeds: database::seeds },
    Target { name: "messages", llvm: false, run: messages::run, seeds: messages::seeds },
];

/// An error's text as a kind: without what differs from input to input.
pub(crate) fn kind(text: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    for c in text.chars() {
        quoted ^= matches!(c, '`' | '"');
        if !quoted && !c.is_ascii_digit() {
            out.push(c);
        }
    }
    out
}

/// The executable under test: `CLEAVE`, or the one beside this driver.
pub(crate) fn cleave() -> std::path::PathBuf {
    let beside = || Some(std::env::current_exe().ok()?.with_file_name("cleave"));
    let named = std::env::var_os("CLEAVE").map(Into::into);
    named
        .or_else(beside)
        .filter(|p: &std::path::PathBuf| p.is_file())
        .expect("build `cleave` first, or set CLEAVE")
}
