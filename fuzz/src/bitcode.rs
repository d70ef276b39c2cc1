//! Bitcode, binary or text: what is made of it must be a program that keeps to the rules of register code, survives being
//! written down, and runs.
//!
//! LLVM ends its process on some kinds of damage. Cleave reads bitcode in a process of its own and says so then; here the
//! driver goes on with a new process.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use cleave_program::code::Program;
use cleave_region::Region;

/// Loads a module, with accesses to members of structures checked or not.
pub fn run(bytes: &[u8]) -> String {
    match cleave_program::load_with(bytes, bytes.len() % 2 == 1) {
        Ok(program) => {
            let image = program.to_bytes().expect("a program can be written down");
            let again = Program::from_bytes(&image).expect("what is loaded keeps to the rules");
            assert!(again == program, "the image is another program");
            program.dump_all();
            format!("runs: {}", crate::explore::briefly(&Arc::new(program), Region::whole()))
        }
        Err(error) => {
            let sentence = error.to_string();
            assert!(!sentence.trim().is_empty() && !sentence.contains('\n'), "not one sentence: {sentence}");
            // LLVM's own words have no end: their first ones are kind enough.
            crate::kind(&sentence).split_whitespace().take(20).collect::<Vec<_>>().join(" ")
        }
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
