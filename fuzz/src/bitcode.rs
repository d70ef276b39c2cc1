//! Bitcode, binary or text. LLVM ends its process on some kinds of damage, so a process of its own reads it, as in
//! Cleave; what it makes of it must be a program that keeps to the rules of register code, and that runs.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use cleave_program::code::Program;
use cleave_region::Region;

/// Loads a module. A panic of the loading process is one here; that LLVM ends it is not, as Cleave says so then.
pub fn run(bytes: &[u8]) -> String {
    let mut command = Command::new(crate::cleave());
    command.arg("load").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("cleave runs");
    if let Some(mut input) = child.stdin.take() {
        // If the process is gone, its exit says why.
        let _ = input.write_all(bytes);
    }
    let output = child.wait_with_output().expect("cleave runs");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(!words.contains("panicked"), "{words}");
    match output.status.code() {
        Some(0) => {
            let program = Program::from_bytes(&output.stdout).expect("what is loaded keeps to the rules");
            format!("runs: {}", crate::explore::briefly(&Arc::new(program), Region::whole()))
        }
        Some(3) => {
            let sentence = String::from_utf8_lossy(&output.stdout);
            assert!(!sentence.trim().is_empty() && !sentence.contains('\n'), "not one sentence: {sentence}");
            // LLVM's own words have no end: their first ones are kind enough.
            crate::kind(&sentence).split_whitespace().take(20).collect::<Vec<_>>().join(" ")
        }
        other => format!("LLVM ended: {other:?}"),
    }
}

/// The modules of the tests, as text and as bitcode.
pub fn seeds() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let prelude = std::fs::read(root.join("engine/tests/prelude.ll")).unwrap_or_default();
    let mut seeds = Vec::new();
    for folder in ["engine/tests/pass", "engine/tests/fail", "program/tests/lowering"] {
        let mut files: Vec<_> =
            std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten().map(|e| e.path()).collect();
        files.sort();
        for file in files {
            let mut text = if folder.starts_with("engine") { prelude.clone() } else { Vec::new() };
            text.extend(std::fs::read(file).unwrap_or_default());
            if folder.starts_with("program") {
                text.extend(b"\ndefine i32 @main() {\n  ret i32 0\n}\n");
            }
            seeds.extend(assembled(&text));
            seeds.push(text);
        }
    }
    seeds
}

/// A text as binary bitcode, where LLVM's assembler is at hand.
fn assembled(text: &[u8]) -> Option<Vec<u8>> {
    let mut command = Command::new("llvm-as-19");
    let mut child =
        command.arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    child.stdin.take()?.write_all(text).ok()?;
    let output = child.wait_with_output().ok()?;
    output.status.success().then_some(output.stdout)
}
