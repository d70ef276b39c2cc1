//! `cleave cc` as programs and their build systems use it.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output};

use cleave_toolchain::{Asked, Language, ToolchainError, cc, extract_bitcode};

/// In a process of its own (see [`Place::cc`]): the arguments, a line each.
const ARGUMENTS: &str = "CLEAVE_TEST_CC";

/// No test by itself: `cc` in a process whose messages can be read.
#[test]
fn as_a_process() {
    let Ok(arguments) = std::env::var(ARGUMENTS) else { return };
    let arguments: Vec<OsString> = arguments.lines().map(OsString::from).collect();
    let asked =
        Asked { is_known: &|_| true, shown: &str::to_owned, with_points: &|_| None, with_proofs: &|_| None };
    let status = cc(Language::C, &arguments, asked).unwrap_or_else(|error| {
        eprintln!("cleave: {error}");
        2
    });
    std::process::exit(status);
}

/// A folder with sources.
struct Place(tempfile::TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        for (name, text) in files {
            std::fs::write(place.0.path().join(name), text).unwrap();
        }
        place
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn has(&self, name: &str) -> bool {
        self.at(name).exists()
    }

    /// Runs a program in the folder.
    fn run(&self, program: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
        let mut command = Command::new("timeout");
        command.arg("30").arg(program).args(arguments).envs(environment.iter().copied());
        command.current_dir(self.0.path()).output().unwrap()
    }

    fn cc_with(&self, line: &str, environment: &[(&str, &str)]) -> Output {
        let arguments = line.split_whitespace().collect::<Vec<_>>().join("\n");
        let environment: Vec<_> = environment.iter().copied().chain([(ARGUMENTS, &*arguments)]).collect();
        let this = std::env::current_exe().unwrap();
        self.run(&this, &["--exact", "as_a_process", "--nocapture"], &environment)
    }

    fn cc(&self, line: &str) -> Output {
        self.cc_with(line, &[])
    }

    /// As [`Place::cc`], which is to succeed without a word.
    fn builds(&self, line: &str) {
        let out = self.cc(line);
        let messages = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success() && messages.is_empty(), "cc {line}: {messages}");
    }

    /// As [`Place::cc`], which is to fail; its messages.
    fn fails(&self, line: &str) -> (Option<i32>, String) {
        let out = self.cc(line);
        assert!(!out.status.success(), "cc {line}");
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    }

    /// What a built program prints.
    fn prints(&self, name: &str) -> String {
        let out = self.run(&self.at(name), &[], &[]);
        assert!(out.status.success(), "{name}");
        String::from_utf8(out.stdout).unwrap()
    }
}

const MAIN: (&str, &str) = (
    "main.c",
    "#include <stdio.h>\n#include \"twice.h\"\nint main(void) { printf(\"%d\\n\", twice(21)); return 0; }\n",
);
const TWICE: (&str, &str) = ("twice.c", "#include \"twice.h\"\nint twice(int x) { return 2 * x; }\n");
const HEADER: (&str, &str) = ("twice.h", "int twice(int x);\n");
const HELLO: (&str, &str) =
    ("hello.c", "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n");

#[test]
fn a_program_runs_natively_and_has_its_bitcode_inside() {
    let place = Place::new(&[HELLO]);
    place.builds("hello.c");
    assert_eq!(place.prints("a.out"), "hello\n");
    let bitcode = extract_bitcode(&place.at("a.out")).unwrap();
    assert_eq!(&bitcode[..2], b"BC");
}

#[test]
fn a_program_of_several_files_is_built_at_once_or_by_objects_or_from_a_library() {
    let place = Place::new(&[MAIN, TWICE, HEADER]);
    place.builds("-O1 -oonce main.c twice.c");
    place.builds("-c main.c");
    place.builds("-O2 -c twice.c -o other.o");
    place.builds("main.o other.o -o objects");
    let ar = place.run(Path::new("llvm-ar-19"), &["rcs", "libtwice.a", "other.o"], &[]);
    assert!(ar.status.success());
    place.builds("-o library main.o -L. -ltwice -lm");
    for name in ["once", "objects", "library"] {
        assert_eq!(place.prints(name), "42\n", "{name}");
        assert!(!extract_bitcode(&place.at(name)).unwrap().is_empty(), "{name}");
    }
}

#[test]
fn flags_of_the_preprocessor_and_of_stages_are_the_compilers() {
    let place = Place::new(&[("value.c", "#include \"value.h\"\nint value = VALUE + MORE;\n")]);
    std::fs::create_dir(place.at("include")).unwrap();
    std::fs::write(place.at("include/value.h"), "#define MORE 1\n").unwrap();
    place.builds("-E -DVALUE=7 -Iinclude value.c -o value.i");
    assert!(std::fs::read_to_string(place.at("value.i")).unwrap().contains("int value = 7 + 1;"));
    place.builds("-S -DVALUE=7 -I include value.c -o value.s");
    assert!(std::fs::read_to_string(place.at("value.s")).unwrap().contains("@value"));
    assert!(!place.has("a.out"));
    let version = place.cc("--version");
    assert!(String::from_utf8_lossy(&version.stdout).contains("clang version 19"));
}

#[test]
fn errors_are_the_compilers_own_with_its_exit_status() {
    let place = Place::new(&[("wrong.c", "int main(void) { return x; }\n"), MAIN, HEADER]);
    let (status, text) = place.fails("wrong.c");
    assert!(
        status == Some(1) && text.contains("wrong.c:1:25: error: use of undeclared identifier 'x'"),
        "{text}"
    );
    let (status, text) = place.fails("missing.c -o program");
    assert!(status == Some(1) && text.contains("no such file or directory: 'missing.c'"), "{text}");
    let (status, text) = place.fails("main.c -o program");
    assert!(status == Some(1) && text.contains("undefined symbol: twice"), "{text}");
    assert!(!place.has("program"));
}

#[test]
fn an_object_of_another_compiler_is_named() {
    let place = Place::new(&[MAIN, TWICE, HEADER]);
    assert!(place.run(Path::new("gcc"), &["-c", "twice.c"], &[]).status.success());
    let out = place.cc("main.c twice.o -o mixed");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && text.contains("warning: `twice.o` has no bitcode"), "{text}");
    assert_eq!(place.prints("mixed"), "42\n");
}

#[test]
fn what_has_no_bitcode_is_refused_with_a_sentence() {
    let place = Place::new(&[HELLO]);
    let text = extract_bitcode(&place.at("hello.c")).unwrap_err();
    assert!(matches!(text, ToolchainError::NoExecutable(_)), "{text}");
    let native = extract_bitcode(&std::env::current_exe().unwrap()).unwrap_err();
    assert!(
        native.to_string().ends_with("has no bitcode inside; build it with CC=\"cleave cc\""),
        "{native}"
    );
    let missing = extract_bitcode(&place.at("nothing")).unwrap_err();
    assert!(matches!(missing, ToolchainError::File { .. }), "{missing}");
}

#[test]
fn c_plus_plus_is_refused_with_a_sentence() {
    let place = Place::new(&[("program.cpp", "int main() { return 0; }\n")]);
    let (status, text) = place.fails("program.cpp -o program");
    assert!(
        status == Some(2) && text.contains("`program.cpp` is C++; compile and link it with `cleave c++`"),
        "{text}"
    );
}

#[test]
fn the_questions_of_a_configure_script_are_answered() {
    let place = Place::new(&[(
        "conftest.c",
        "char no_such_function();\nint main() { return no_such_function(); }\n",
    )]);
    let quick = [("CLEAVE_CC_NATIVE_ONLY", "1")];
    assert!(!place.cc_with("-o conftest -g -O2 conftest.c -lm", &quick).status.success());
    std::fs::write(place.at("conftest.c"), "#include <no_such_header.h>\n").unwrap();
    assert!(!place.cc_with("-E conftest.c -o conftest.i", &quick).status.success());
    std::fs::write(place.at("conftest.c"), "int main() { return 0; }\n").unwrap();
    assert!(place.cc_with("-o conftest -g -O2 conftest.c -lm", &quick).status.success());
    place.prints("conftest");
    assert!(matches!(extract_bitcode(&place.at("conftest")), Err(ToolchainError::NoBitcode(_))));
    place.builds("-c -g -O2 conftest.c");
    assert!(place.has("conftest.o"));
}

#[test]
fn a_library_of_the_host_is_not_found_and_what_to_do_is_said() {
    let place = Place::new(&[HELLO]);
    let (_, text) = place.fails("hello.c -lz -o program");
    let parts = ["no `libz.a`", "native code for another C library", "CC=\"cleave cc\"", "-L"];
    assert!(parts.iter().all(|part| text.contains(part)) && text.lines().count() == 1, "{text}");
    let (_, text) = place.fails("hello.c -lnothere -o program");
    assert!(text.contains("no `libnothere.a`") && text.contains("in no directory of `-L`"), "{text}");
    std::fs::write(place.at("libshared.so"), "").unwrap();
    let (_, text) = place.fails("hello.c -L. -lshared -o program");
    assert!(text.contains("`./libshared.so` is a shared library"), "{text}");
    assert!(!place.cc_with("hello.c -lz -o program", &[("CLEAVE_CC_NATIVE_ONLY", "1")]).status.success());
    assert!(!place.has("program"));
    place.builds("hello.c -lm -lpthread -ldl -lrt -lutil -lc -lgcc -pthread -o program");
    assert_eq!(place.prints("program"), "hello\n");
}

#[test]
fn a_library_without_bitcode_is_named_however_it_is_given() {
    let place = Place::new(&[MAIN, TWICE, HEADER]);
    assert!(place.run(Path::new("gcc"), &["-c", "twice.c"], &[]).status.success());
    for (name, kind) in [("libwhole.a", "rcs"), ("libthin.a", "rcsT")] {
        assert!(place.run(Path::new("llvm-ar-19"), &[kind, name, "twice.o"], &[]).status.success());
    }
    for (inputs, named) in [
        ("-L. -lwhole", "./libwhole.a"),
        ("-L . -lthin", "./libthin.a"),
        ("libwhole.a", "libwhole.a"),
        ("-L. -l:libthin.a", "./libthin.a"),
    ] {
        let out = place.cc(&format!("main.c {inputs} -o program"));
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(
            out.status.success() && text.contains(&format!("warning: `{named}` has no bitcode")),
            "{text}"
        );
        assert_eq!(place.prints("program"), "42\n");
    }
    place.builds("-c twice.c");
    assert!(place.run(Path::new("llvm-ar-19"), &["rcs", "libgood.a", "twice.o"], &[]).status.success());
    place.builds("main.c -L. -lgood -o program");
}

#[test]
fn assembly_and_shared_libraries_are_refused_with_a_sentence() {
    let place = Place::new(&[HELLO, ("f.S", "#define NAME f\n.globl NAME\nNAME: ret\n")]);
    for line in ["-c f.S", "f.S hello.c -o program", "-c -x assembler-with-cpp f.S"] {
        let (_, text) = place.fails(line);
        assert!(text.contains("`f.S` is assembly, which cannot be explored"), "{text}");
    }
    place.builds("-E f.S -o f.s");
    let native = place.cc_with("f.S hello.c -o program", &[("CLEAVE_CC_NATIVE_ONLY", "1")]);
    assert!(native.status.success());
    let (_, text) = place.fails("-shared -fPIC hello.c -o libhello.so");
    assert!(text.contains("shared library") && text.contains("--disable-shared"), "{text}");
    assert!(!place.has("libhello.so"));
}

#[test]
fn objects_of_any_flags_are_bitcode_and_link() {
    let place = Place::new(&[MAIN, TWICE, HEADER, ("words", "-o \"by words\" main.c 'twice.c'")]);
    place.builds("-flto=auto -ffat-lto-objects -fPIC -c twice.c");
    place.builds("-fno-lto -c main.c -O2");
    for object in ["main.o", "twice.o"] {
        assert_eq!(&std::fs::read(place.at(object)).unwrap()[..4], b"BC\xc0\xde", "{object}");
    }
    place.builds("-r main.o twice.o -o both.o");
    place.builds("both.o -pie -rdynamic -Wl,-z,relro -Wl,--as-needed -Wl,-rpath,/x -o program");
    place.builds("-Wl,--start-group main.o -Wl,-Bstatic twice.o -Wl,--end-group -o group");
    place.builds("@words");
    for name in ["program", "group", "by words"] {
        assert_eq!(place.prints(name), "42\n", "{name}");
        extract_bitcode(&place.at(name)).unwrap();
    }
    place.builds("-MMD main.c twice.c -o depends");
    let rule = std::fs::read_to_string(place.at("depends.d")).unwrap();
    assert_eq!(rule.trim_end(), "depends: twice.c twice.h");
    let loud = place.cc("-v main.o twice.o -o loud");
    assert!(loud.status.success() && String::from_utf8_lossy(&loud.stderr).contains("ld.lld-19"));
    assert_eq!(place.prints("loud"), "42\n");
}

#[test]
fn archives_with_members_of_one_name_are_linked_whole() {
    let place = Place::new(&[
        ("one.c", "int one(void) { return 1; }\n"),
        ("two.c", "int two(void) { return 2; }\n"),
        ("main.c", "int one(void), two(void);\nint main(void) { return one() + two() - 3; }\n"),
    ]);
    for name in ["one", "two"] {
        std::fs::create_dir(place.at(name)).unwrap();
        place.builds(&format!("-c {name}.c -o {name}/same.o"));
    }
    let members = ["qc", "libsame.a", "one/same.o", "two/same.o"];
    assert!(place.run(Path::new("llvm-ar-19"), &members, &[]).status.success());
    place.builds("main.c -L. -lsame -o program");
    place.prints("program");
}
