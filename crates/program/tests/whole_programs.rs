//! Real programs: their register code keeps to its rules, and survives being written down.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cleave_program::code::{Op, Program};
use cleave_program::load;
use cleave_toolchain::{Asked, Language, cc, extract_bitcode};

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
    let text = std::fs::read_to_string(source).unwrap();
    let flags = text.lines().filter_map(|line| line.strip_prefix("// cleave: flags "));
    let mut arguments: Vec<OsString> = flags.flat_map(str::split_whitespace).map(OsString::from).collect();
    arguments.extend([level.into(), "-c".into(), source.into(), "-o".into(), object.as_os_str().into()]);
    let asked =
        Asked { is_known: &|_| true, shown: &str::to_owned, with_points: &|_| None, with_proofs: &|_| None };
    assert_eq!(cc(Language::C, &arguments, asked).unwrap(), 0, "{}", source.display());
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

/// The checks of the shifts of a function: true if `lazy`.
fn shifts(program: &Program, name: &str) -> Vec<bool> {
    let id = program.functions.iter().position(|f| f.name == name).unwrap();
    let lazy = |op: &Op| match *op {
        Op::Shl { lazy, .. } => Some(lazy),
        _ => None,
    };
    program.functions[id].code.iter().filter_map(lazy).collect()
}

#[test]
fn shifts_are_checked_where_the_program_asks_for_them() {
    let text = "__attribute__((used)) unsigned bounded(unsigned x, unsigned n) { return n < 32 ? x << n : 0; }\n\
        __attribute__((used)) unsigned chosen(unsigned x, unsigned n, int c) {\n\
        unsigned r = 0;\n if (c) r = x << n;\n return r;\n}\n\
        __attribute__((used)) unsigned written(unsigned x, unsigned n) { return (x << n) + 1; }\n\
        void exit(int);\n\
        __attribute__((used)) unsigned after(unsigned x, unsigned n) {\n\
        unsigned y = x << n;\n if (n > 31) exit(1);\n return y;\n}\n\
        int main(void) { return 0; }\n";
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("shifts.c");
    std::fs::write(&source, text).unwrap();
    let fast = compiled(&source, "-O2", &scratch.path().join("fast.bc"));
    // The optimiser itself moves the last one behind its check, where the function returns it.
    for (name, lazy) in [("bounded", true), ("chosen", true), ("written", false), ("after", false)] {
        assert_eq!(shifts(&fast, name), [lazy], "{name}");
    }
    let plain = compiled(&source, "-O0", &scratch.path().join("plain.bc"));
    for name in ["bounded", "chosen", "written", "after"] {
        assert_eq!(shifts(&plain, name), [false], "{name}: it stands where it was written");
    }
}
