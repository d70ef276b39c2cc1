//! `cleave cargo` and `cleave rustc`: packages with libraries and build scripts, and what rustc says.

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
    let mut command: Command = command();
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
