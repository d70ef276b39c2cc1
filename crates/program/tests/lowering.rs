//! From LLVM to register code, construct by construct: each file of `lowering/` beside the code that it becomes.
//!
//! The snapshots are to be read against the .ll files. `INSTA_UPDATE=always` writes them anew.

use std::path::Path;

use cleave_program::code::Program;
use cleave_program::{LoadError, load};

/// The functions that a text defines.
fn defined(text: &str) -> Vec<&str> {
    let heads = text.lines().filter(|line| line.starts_with("define "));
    heads.filter_map(|line| line.split_once('@')?.1.split('(').next()).collect()
}

/// Loads a text in which every function and global counts as used, and `main` is added where there is none.
fn loaded(text: &str) -> Result<Program, LoadError> {
    let mut whole = String::from("target triple = \"x86_64-unknown-linux-musl\"\n");
    whole.push_str("target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n");
    whole.push_str(text);
    let mut used = defined(text);
    let globals = text.lines().filter_map(|l| l.strip_prefix('@')?.split_once(" = "));
    used.extend(
        globals.filter(|(_, how)| !how.contains("ifunc") && !how.starts_with("extern")).map(|(name, _)| name),
    );
    let list: Vec<String> = used.iter().map(|name| format!("ptr @{name}")).collect();
    whole.push_str(&format!(
        "@llvm.used = appending global [{} x ptr] [{}], section \"llvm.metadata\"\n",
        list.len(),
        list.join(", ")
    ));
    if !used.contains(&"main") {
        whole.push_str("define i32 @main() {\n  ret i32 0\n}\n");
    }
    load(whole.as_bytes())
}

/// The globals, and the functions of the text in its order.
fn dumped(text: &str) -> String {
    let program = loaded(text).unwrap();
    program.verify().unwrap();
    let mut out = program.dump_globals();
    for name in defined(text) {
        let id = program.functions.iter().position(|f| f.name == name).unwrap();
        out.push_str(&program.dump(id as u32));
    }
    out
}

#[test]
fn register_code_is_what_the_snapshots_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lowering");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap().to_string();
        insta::assert_snapshot!(name, dumped(&std::fs::read_to_string(&file).unwrap()));
    }
}

#[test]
fn an_initial_value_that_is_not_modelled_is_refused_by_name() {
    // However wide: 2^128 in the second half of 256 bits.
    let long = loaded("@long = global i256 340282366920938463463374607431768211456\n").unwrap();
    let bytes = &long.globals.iter().find(|g| g.name == "long").unwrap().init;
    assert!(bytes.iter().enumerate().all(|(i, &b)| b == (i == 16) as u8), "{bytes:?}");
    let table = "define ptr @resolver() {\n  ret ptr null\n}\n@chosen = ifunc i32 (), ptr @resolver\n\
                 @table = global [2 x ptr] [ptr null, ptr @chosen]\n";
    let table = loaded(table).unwrap_err();
    assert!(table.to_string().contains("`table`"), "{table}");
}

/// Found by fuzzing: a module may call its machine, and its globals, what it likes.
#[test]
fn a_refusal_is_one_line_whatever_names_the_module_has() {
    let machine =
        load(b"target triple = \"x86\\0A\\0D\\01-unknown\"\ndefine i32 @main() {\n  ret i32 0\n}\n")
            .unwrap_err();
    assert!(matches!(machine, LoadError::Target(_)), "{machine:?}");
    let table = "define ptr @resolver() {\n  ret ptr null\n}\n@chosen = ifunc i32 (), ptr @resolver\n\
                 @\"two\\0Alines\" = global ptr @chosen\n";
    let whole = format!(
        "{table}@llvm.used = appending global [1 x ptr] [ptr @\"two\\0Alines\"]\ndefine i32 @main() {{\n  ret i32 0\n}}\n"
    );
    let value = load(whole.as_bytes()).unwrap_err();
    for error in [machine, value] {
        assert!(!error.to_string().contains(char::is_control), "{error}");
    }
}
