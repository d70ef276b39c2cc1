//! `cleave cargo` and `cleave rustc`: packages with libraries and build scripts, proofs and those that `cleave harness` prints, and what rustc says.

use std::path::Path;
use std::process::{Command, Output};

use crate::session::*;

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// `cleave ARGUMENTS` in a folder, without the settings of the Cargo that runs this test.
fn within(folder: &Path, arguments: &[&str]) -> Output {
    // std is compiled with each program, which takes a minute on a machine that does much else.
    let mut command: Command = command_within("300");
    for (name, _) in std::env::vars_os() {
        let text = name.to_str().unwrap_or("");
        if text.starts_with("CARGO_") && text != "CARGO_HOME"
            || text.starts_with("RUST") && text != "RUSTUP_HOME"
        {
            command.env_remove(&name);
        }
    }
    command.args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn a_package_with_a_library_and_a_build_script_is_built_and_explored() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(
        root,
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nparts = { path = \"parts\" }\n",
            ),
            (
                "parts/Cargo.toml",
                "[package]\nname = \"parts\"\nversion = \"0.1.0\"\nedition = \"2021\"\nbuild = \"build.rs\"\n",
            ),
            ("parts/build.rs", "fn main() {\n    println!(\"cargo::rustc-env=LIMIT={}\", 100 + 23);\n}\n"),
            (
                "parts/src/lib.rs",
                "pub fn checked(n: u8) -> u8 {\n    let limit: u8 = env!(\"LIMIT\").parse().unwrap();\n    \
                 assert!(n != limit, \"the limit\");\n    n\n}\npub fn input() -> u8 {\n    cleave::any()\n}\n",
            ),
            ("src/main.rs", "fn main() {\n    println!(\"{}\", parts::checked(parts::input()) > 200);\n}\n"),
        ],
    );
    succeeded(&within(root, &["cargo", "build", "--offline"]));
    let program = "target/x86_64-unknown-linux-gnu/debug/demo";
    let native = Command::new(root.join(program)).output().unwrap();
    assert_eq!(text(&native.stdout), "false\n", "without a test inputs are zeros");
    let run = within(root, &["run", "--output-dir", "out", program]);
    let said = text(&run.stdout) + &text(&run.stderr);
    assert!(said.contains("parts/src/lib.rs:3: panic: the limit"), "{said}");
    assert!(said.contains("2 completed, 1 failed"), "{said}");
    let replayed = within(root, &["replay", program, "out"]);
    assert!(text(&replayed.stdout).contains("3 as foretold"), "{}", text(&replayed.stdout));
    // `cargo run` explores.
    let run = within(root, &["cargo", "run", "--offline"]);
    let said = text(&run.stdout) + &text(&run.stderr);
    assert!(said.contains("2 completed, 1 failed"), "{said}");
}

#[test]
fn rustc_makes_libraries_and_tells_its_errors_itself() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(
        root,
        &[
            ("one.rs", "pub fn one() -> u8 { 1 }\n"),
            ("two.rs", "fn main() { assert_eq!(one::one(), cleave::any::<u8>() & 1 | 1); }\n"),
            ("bad.rs", "fn main() { let n: u8 = \"text\"; }\n"),
        ],
    );
    let version = within(root, &["rustc", "--version"]);
    assert!(text(&version.stdout).starts_with("rustc 1.85"), "{}", text(&version.stdout));
    succeeded(&within(root, &["rustc", "--edition=2021", "--crate-type=rlib", "one.rs"]));
    assert!(root.join("libone.rlib").exists());
    succeeded(&within(
        root,
        &["rustc", "--edition=2021", "--extern", "one=libone.rlib", "two.rs", "-o", "two"],
    ));
    let run = within(root, &["run", "--output-dir", "out", "two"]);
    assert!(text(&run.stdout).contains("1 completed, 0 failed"), "{}", text(&run.stdout));
    let bad = within(root, &["rustc", "bad.rs"]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(text(&bad.stderr).contains("mismatched types"), "{}", text(&bad.stderr));
    let bad = within(root, &["run", "bad.rs"]);
    assert!(text(&bad.stderr).contains("cleave: error: `bad.rs` did not compile"), "{}", text(&bad.stderr));
}

/// A package with a test, and proofs in the words of Kani and of Cleave.
const PROOFS: &str = r#"#![forbid(unsafe_code)]
pub fn half(n: u8) -> u8 {
    n / 2
}

pub fn longest(text: &[u8]) -> usize {
    text.split(|byte| *byte == b' ').map(<[u8]>::len).max().unwrap_or(0)
}

#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(cleave, derive(cleave::Arbitrary))]
pub enum Shape {
    Dot,
    Circle(u8),
    Box { width: u8, height: u8 },
}

pub fn area(shape: Shape) -> u8 {
    match shape {
        Shape::Dot => 0,
        Shape::Circle(radius) => radius,
        Shape::Box { width, height } => width * height,
    }
}

#[cfg(kani)]
mod verification {
    use super::*;

    #[kani::proof]
    #[kani::unwind(9)]
    fn words_fit() {
        let text: [u8; 3] = kani::any();
        kani::assume(text[0] != b' ');
        assert!(longest(&text) >= 1 && longest(&text) <= 3);
    }

    #[kani::proof]
    #[kani::should_panic]
    fn an_area_overflows() {
        area(kani::any());
    }

    #[kani::proof]
    #[kani::should_panic]
    fn nothing_panics() {
        half(kani::any());
    }
}

#[cfg(all(test, cleave))]
mod proofs {
    #[cleave::proof]
    fn half_is_less() {
        let n: u8 = cleave::any();
        assert!(super::half(n) < n, "half of {n}");
    }

    #[cleave::proof]
    #[cleave::should_panic]
    fn an_assumption_is_no_bug() {
        let n: u8 = cleave::any();
        if n == 200 {
            cleave::assume(false);
        }
        assert!(super::half(n) < 100);
    }

    #[cleave::proof]
    fn an_error_is_a_failure() -> Result<(), u8> {
        let n = cleave::any();
        cleave::assume(n > 3 && n < 10);
        if super::half(n) < 4 { Ok(()) } else { Err(n) }
    }

    #[derive(cleave::Arbitrary, cleave::BoundedArbitrary, cleave::Invariant)]
    struct Range {
        low: u8,
        #[safety_constraint(low <= high)]
        high: u8,
    }

    #[cleave::proof]
    fn bounds_and_constraints_hold() {
        use cleave::Invariant;
        let range: Range = cleave::any();
        assert!(range.low <= range.high && range.is_safe());
        let some: Vec<u8> = cleave::bounded_any::<_, 2>();
        assert!(some.len() <= 2);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn half_of_four() {
        assert_eq!(super::half(4), 2);
    }
}
"#;

#[test]
fn proofs_of_a_package_are_explored_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let manifest = "[package]\nname = \"shapes\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    write(root, &[("Cargo.toml", manifest), ("src/lib.rs", PROOFS)]);
    let all = within(root, &["cargo", "test", "--offline", "--lib"]);
    let said = text(&all.stdout);
    assert!(!all.status.success(), "{said}");
    for line in [
        "test tests::half_of_four ... ok",
        "proof verification::words_fit ... holds (",
        "proof verification::an_area_overflows ... panics, as it should (",
        "proof verification::nothing_panics ... FAILED: no path panics (1 path)",
        "proof proofs::half_is_less ... FAILED (2 paths)",
        "src/lib.rs:56: panic: half of ? (panic, test ",
        "proof proofs::an_assumption_is_no_bug ... panics, as it should (2 paths)",
        "proof proofs::an_error_is_a_failure ... FAILED (",
        "panic: the proof returned an error (panic, test ",
        "proof proofs::bounds_and_constraints_hold ... holds (",
        "4 proofs hold for all inputs, 3 do not",
    ] {
        assert!(said.contains(line), "{line}: {said}{}", text(&all.stderr));
    }
    assert!(!said.contains("assumed-away"), "{said}");
    let some = within(root, &["cargo", "test", "--offline", "--lib", "verification::words"]);
    let said = text(&some.stdout);
    assert!(some.status.success(), "{said}{}", text(&some.stderr));
    assert!(said.contains("1 proof holds for all inputs, 0 do not"), "{said}");
    // A counterexample is a test of the program that was explored.
    let run = directories_of(root).into_iter().find(|run| run.ends_with("proofs.half_is_less")).unwrap();
    let program = run.parent().unwrap().with_extension("");
    let replayed = within(root, &["replay", program.to_str().unwrap(), run.to_str().unwrap()]);
    assert!(text(&replayed.stdout).contains("2 as foretold"), "{}", text(&replayed.stdout));
}

/// The run directories of the proofs of a package.
fn directories_of(root: &Path) -> Vec<std::path::PathBuf> {
    let all = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let programs = all(&root.join("target/x86_64-unknown-linux-gnu/debug/deps"));
    let proofs = programs.filter(|path| path.extension().is_some_and(|end| end == "proofs"));
    proofs.flat_map(|path| all(&path).collect::<Vec<_>>()).collect()
}

#[test]
fn a_function_that_is_no_proof_is_refused_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (name, code, told) in [
        ("parameters", "#[cleave::proof]\nfn f(n: u8) {}\nfn main() {}\n", "a proof has no parameters"),
        ("options", "#[cleave::proof(slow)]\nfn f() {}\nfn main() {}\n", "a proof has no options"),
        ("stub", "#[kani::proof]\n#[kani::stub(a, b)]\nfn f() {}\nfn main() {}\n", "Cleave has no `stub`"),
        ("alone", "#[kani::should_panic]\nfn f() {}\nfn main() {}\n", "stands at no proof"),
    ] {
        let file = format!("{name}.rs");
        write(root, &[(&file, code)]);
        let refused = within(root, &["rustc", "--edition=2021", &file]);
        let said = text(&refused.stderr);
        assert!(!refused.status.success() && said.contains(told), "{name}: {said}");
        assert!(!said.contains("panicked"), "{name}: {said}");
    }
}

/// Functions whose parameters have many types.
const FUNCTIONS: &str = r#"use std::collections::BTreeMap;
use std::io::{Read, Write};

#[cfg_attr(cleave, derive(cleave::Arbitrary))]
pub struct Header {
    kind: u8,
    length: u8,
}

impl Header {
    fn is_short(&self, most: u8) -> bool {
        self.length < most
    }

    pub fn parse<'a>(data: &'a [u8]) -> (Header, &'a [u8]) {
        (Header { kind: data[0], length: 1 }, &data[1..])
    }
}

#[derive(Default)]
struct Counter {
    seen: u8,
}

impl Counter {
    fn add(&mut self, words: Vec<u16>) {
        self.seen += words.len() as u8;
    }
}

impl From<Header> for Counter {
    fn from(header: Header) -> Counter {
        Counter { seen: header.kind }
    }
}

fn first_word(text: &str, upper: &mut String) -> usize {
    upper.make_ascii_uppercase();
    text.split(' ').next().unwrap().len()
}

fn copied<W: Write>(mut from: impl Read, to: &mut W) -> std::io::Result<u64> {
    std::io::copy(&mut from, to)
}

fn sum_of<I>(all: I, name: Option<&str>) -> u8
where
    I: Iterator<Item = u8>,
{
    all.fold(name.map_or(0, |name| name.len() as u8), |sum, n| sum.saturating_add(n))
}

fn looked_up(of: &BTreeMap<u8, bool>, keys: [u8; 2], shape: (char, Option<u8>)) -> usize {
    keys.iter().filter(|key| of.contains_key(key)).count() + shape.1.map_or(0, usize::from)
}

unsafe fn total(data: *const u8, n: usize) -> u32 {
    (0..n).map(|i| u32::from(unsafe { *data.add(i) })).sum()
}

mod inner {
    fn private(out: &mut u8, by: u8) {
        *out /= by;
    }
    // PROOFS OF INNER
}

fn applied(f: fn(u8) -> u8) -> u8 {
    f(1)
}

fn shown<T: std::fmt::Debug>(value: T) -> String {
    format!("{value:?}")
}
"#;

#[test]
fn a_harness_of_a_rust_function_is_a_proof_to_edit() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, &[("functions.rs", FUNCTIONS)]);
    let harness = |function: &str| within(root, &["harness", function, "functions.rs"]);
    let (mut source, mut explored) = (FUNCTIONS.to_string(), Vec::new());
    // Those without a verdict are compiled alone.
    for (function, told) in [
        ("is_short", ""),
        ("Header::parse", "FAILED"),
        ("Counter::add", "holds"),
        ("Counter::from", ""),
        ("first_word(text: string <= 3, upper: string <= 2)", ""),
        ("copied", "holds"),
        ("sum_of(all[2], name: string <= 2)", "holds"),
        ("looked_up", ""),
        ("total(data[n], 0 < n <= 3)", "holds"),
        ("private", "FAILED"),
    ] {
        let made = succeeded(&harness(function));
        let name = function.split('(').next().unwrap().rsplit("::").next().unwrap();
        if !told.is_empty() {
            explored.push((format!("proof_of_{name}::holds"), told));
        }
        if name == "private" {
            assert!(made.contains("at the end of the module inner in functions.rs"), "{made}");
            let indented: String = made.lines().map(|line| format!("    {line}\n")).collect();
            source = source.replace("    // PROOFS OF INNER\n", &indented);
        } else {
            source += &made;
        }
    }
    let asked = succeeded(&harness("Counter::add"));
    for line in [
        "// A proof of Counter::add. It stands at the end of functions.rs.",
        "// Guessed: `counter` is Counter::default().",
        "// Guessed: `words` has at most 4 elements.",
        "// Explore it: cleave rustc --test functions.rs -o proofs && cleave proofs ./proofs proof_of_add",
        "        let words = cleave::vec::any_vec::<u16, 4>();",
    ] {
        assert!(asked.contains(line), "{line} is missing:\n{asked}");
    }
    write(root, &[("functions.rs", &source)]);
    succeeded(&within(root, &["rustc", "--edition=2021", "--test", "functions.rs", "-o", "proofs"]));
    let names = explored.iter().map(|(name, _)| name.as_str());
    let run = within(root, &["proofs", "./proofs"].into_iter().chain(names).collect::<Vec<_>>());
    let said = text(&run.stdout) + &text(&run.stderr);
    for (name, told) in explored {
        let line = format!("{name} ... {told} (");
        assert!(said.contains(&line), "{line} is missing:\n{said}");
    }
    assert!(said.contains("functions.rs:16: panic: index out of bounds"), "{said}");
    assert!(said.contains("attempt to divide by zero"), "{said}");
    for (function, told) in [
        ("applied", "nothing makes a `fn(u8) -> u8` for `f`"),
        ("shown", "nothing says which type `T` is"),
        ("parse(data[n])", "nothing bounds `data[n]` by a number"),
        ("first_word(words: string <= 3)", "`words: string <= 3` names no parameter"),
        ("nowhere", "`nowhere` is defined nowhere in functions.rs"),
    ] {
        let refused = harness(function);
        assert_eq!(refused.status.code(), Some(2), "{function}");
        assert!(text(&refused.stderr).contains(told), "{function}: {}", text(&refused.stderr));
    }
}
