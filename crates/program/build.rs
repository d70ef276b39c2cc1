//! Links LLVM's archives, and of these what reads, rewrites and writes modules. With LLVM's shared library each process of Cleave
//! maps and relocates 130 MB before it begins, also those that never touch a module (bench/results/2026-11-29-start.txt).

use std::path::PathBuf;
use std::process::Command;

/// The program that knows where LLVM is; Debian's package `llvm-19-dev` has it.
const CONFIG: &str = "llvm-config-19";
/// Components of LLVM. The passes need most of the others.
const COMPONENTS: [&str; 7] = ["passes", "linker", "irreader", "bitwriter", "bitreader", "analysis", "core"];
/// Libraries that LLVM's own archives need.
const SYSTEM: [&str; 3] = ["z", "zstd", "stdc++"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Err(error) = link() {
        println!("cargo:warning={error}");
        std::process::exit(1);
    }
}

fn link() -> Result<(), String> {
    let folder = PathBuf::from(asked(&["--libdir"])?);
    println!("cargo:rustc-link-search=native={}", folder.display());
    let names = asked(&[&["--link-static", "--libs"][..], &COMPONENTS].concat())?;
    for name in names.split_whitespace().filter_map(|word| word.strip_prefix("-l")) {
        if !folder.join(format!("lib{name}.a")).exists() {
            return Err(format!("{} has no lib{name}.a; install Debian's llvm-19-dev", folder.display()));
        }
        // Not a part of this crate's own archive, which would have all of LLVM then.
        println!("cargo:rustc-link-lib=static:-bundle={name}");
    }
    for name in SYSTEM {
        println!("cargo:rustc-link-lib=dylib={name}");
    }
    Ok(())
}

/// The output of [`CONFIG`] for these arguments, which is one line.
fn asked(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(CONFIG).args(arguments).output();
    let output =
        output.map_err(|e| format!("{CONFIG} does not start ({e}); install Debian's llvm-19-dev"))?;
    if !output.status.success() {
        return Err(format!("{CONFIG} {} failed; install Debian's llvm-19-dev", arguments.join(" ")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}
