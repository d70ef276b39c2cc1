//! Real programs: their register code keeps to its rules, and survives being written down.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cleave_program::code::Program;
use cleave_program::load;
use cleave_toolchain::{cc, extract_bitcode};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).filter(|p| p.is_file()).collect();
    files.sort();
    files
}

fn check(name: &Path, program: &Program) {
    if let Err(error) = program.verify() {
        panic!("{}: {error}", name.display());
    }
    let again = Program::from_bytes(&program.to_bytes().unwrap()).unwrap();
    assert!(&again == program && again.dump_all() == program.dump_all(), "{}", name.display());
}

/// The programs of GNU coreutils with their C library; `make test` builds them.
#[test]
fn linked_programs_keep_to_the_rules_of_register_code() {
    for path in files(&root().join("build/coreutils/bin")) {
        check(&path, &load(&extract_bitcode(&path).unwrap()).unwrap());
    }
}

fn compiled(source: &Path, level: &str, object: &Path) -> Program {
    let arguments: [OsString; 5] =
        [level.into(), "-c".into(), source.into(), "-o".into(), object.as_os_str().into()];
    assert_eq!(cc(&arguments).unwrap(), 0, "{}", source.display());
    load(&std::fs::read(object).unwrap()).unwrap()
}

fn check_sources(level: &str) {
    let scratch = tempfile::tempdir().unwrap();
    let mut count = 0;
    for folder in ["bench", "bugs", "features", "oracles"] {
        for source in files(&root().join("programs").join(folder)) {
            if source.extension().is_some_and(|e| e == "c") {
                check(&source, &compiled(&source, level, &scratch.path().join("object.bc")));
                count += 1;
            }
        }
    }
    assert!(count > 50);
}

#[test]
fn sources_compiled_as_they_are_written_keep_to_the_rules_of_register_code() {
    check_sources("-O0");
}

#[test]
fn sources_compiled_with_optimisation_keep_to_the_rules_of_register_code() {
    check_sources("-O2");
}

#[test]
fn the_same_bitcode_gives_the_same_register_code() {
    let source = root().join("programs/features/varargs.c");
    let scratch = tempfile::tempdir().unwrap();
    let object = scratch.path().join("object.bc");
    let once = compiled(&source, "-O1", &object).dump_all();
    let twice = load(&std::fs::read(&object).unwrap()).unwrap().dump_all();
    assert_eq!(once, twice);
}

/// The lines of a function's text that are shifts, or narrow their amount.
fn shifts(program: &Program, name: &str) -> Vec<String> {
    let id = program.functions.iter().position(|f| f.name == name).unwrap();
    let text = program.dump(id as u32);
    let after_number = |line: &str| line.split_once(": ").map(|(_, op)| op.to_string());
    let ops: Vec<String> = text.lines().skip(1).filter_map(after_number).collect();
    let is_one = |op: &&String| op.contains(" = shl.") || op.contains(" = and.") || op.contains(", 0, r1");
    ops.iter().filter(is_one).map(|op| op.split("    ").next().unwrap().to_string()).collect()
}

/// What the optimiser moved is told from what was written by the positions that it leaves.
#[test]
fn shifts_are_checked_where_they_were_written() {
    let text = "__attribute__((used)) unsigned bounded(unsigned x, unsigned n) { return n < 32 ? x << n : 0; }\n\
        __attribute__((used)) unsigned chosen(unsigned x, unsigned n, int c) {\n\
        unsigned r = 0;\n if (c) r = x << n;\n return r;\n}\n\
        __attribute__((used)) unsigned written(unsigned x, unsigned n, int c) {\n\
        unsigned y = x << n;\n return c ? y : 0;\n}\n\
        int main(void) { return 0; }\n";
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("shifts.c");
    std::fs::write(&source, text).unwrap();
    let program = compiled(&source, "-O2", &scratch.path().join("shifts.bc"));
    let bounded = shifts(&program, "bounded");
    assert!(bounded[0].contains("and.32 r1, 31") && bounded.len() == 2, "{bounded:?}");
    let chosen = shifts(&program, "chosen");
    assert!(chosen[0].contains("select.32") && chosen.len() == 2, "{chosen:?}");
    let written = shifts(&program, "written");
    assert!(written.len() == 1 && written[0].contains("shl.32 r0, r1"), "{written:?}");
}
