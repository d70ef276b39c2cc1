//! Inputs of `cleave` from compilers and build systems of others: undefined functions, bitcode that was built on glibc's
//! headers, CMake and meson.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

const CLEAVE: &str = env!("CARGO_BIN_EXE_cleave");

struct Place(tempfile::TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        for (name, text) in files {
            std::fs::write(place.0.path().join(name), text).unwrap();
        }
        place
    }

    fn run(&self, line: &str) -> Output {
        let mut words = line.split_whitespace();
        let mut command = Command::new(words.next().unwrap());
        command.args(words).current_dir(self.0.path()).output().expect("`make test` installs it")
    }

    /// Runs a command line that is to succeed; what it printed, errors last.
    fn succeeds(&self, line: &str) -> String {
        let out = self.run(line);
        let text = said(&out);
        assert!(out.status.success(), "{line}: {text}");
        text
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }
}

fn said(out: &Output) -> String {
    String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr)
}

#[test]
fn functions_without_bitcode_are_named_when_a_program_is_linked() {
    let place = Place::new(&[
        ("native.c", "int native(void) { return 1; }\n"),
        ("main.c", "int native(void);\nint main(int c, char **v) { return c > 5 ? native() : 0; }\n"),
        (
            "clean.c",
            "#include <stdio.h>\n#include <setjmp.h>\n#include <signal.h>\n#include <stdlib.h>\n\
                     int main(void) { jmp_buf b; signal(SIGINT, SIG_IGN); free(calloc(2, 2)); return setjmp(b); }\n",
        ),
    ]);
    place.succeeds("gcc -c native.c");
    let told = place.succeeds(&format!("{CLEAVE} cc main.c native.o -o main"));
    assert!(
        told.contains("no bitcode defines `native`: a path that gets there ends as unsupported"),
        "{told}"
    );
    let told = said(&place.run(&format!("{CLEAVE} run --output-dir out main.c")));
    assert!(told.contains("no bitcode defines `native`"), "{told}");
    assert_eq!(place.succeeds(&format!("{CLEAVE} cc clean.c -o clean")), "");
}

/// Likewise data that only native code defines: natively the program reads it, and the model has none of it.
#[test]
fn data_without_bitcode_ends_a_path_by_its_name() {
    let place = Place::new(&[
        ("native.c", "int native = 5; __thread int own = 6;\n"),
        (
            "main.c",
            "extern int native; extern __thread int own; int main(int c, char **v)\n\
             { return c > 2 ? own : c > 1 ? native : &native == 0; }\n",
        ),
    ]);
    place.succeeds("gcc -c native.c");
    let told = place.succeeds(&format!("{CLEAVE} cc main.c native.o -o main"));
    assert!(told.contains("no bitcode defines `native`, `own`"), "{told}");
    for (arguments, code, name) in [("", 0, None), ("x", 5, Some("native")), ("x y", 5, Some("own"))] {
        let folder = format!("out-{}", name.unwrap_or("none"));
        let out = place.run(&format!("{CLEAVE} run --output-dir {folder} ./main {arguments}"));
        assert_eq!(out.status.code(), Some(code), "{}", said(&out));
        if let Some(name) = name {
            let wanted = format!("an access to the variable `{name}`, which is defined nowhere");
            assert!(said(&out).contains(&wanted), "{}", said(&out));
        }
    }
}

/// A section whose bounds are named has the variables of all files in the order of the link, natively and in the model, whether they are
/// objects or members of an archive that something else brings in.
#[test]
fn a_section_of_several_files_lies_in_the_order_of_the_link() {
    let entry = "struct entry { const char *name; int (*run)(int); };\n\
                 #define ENTRY(n) static int n(int x); \\\n\
                 static const struct entry e_##n __attribute__((section(\"entries\"), used)) = { #n, n }; \\\n\
                 static const struct entry *p_##n __attribute__((section(\"pointers\"), used)) = &e_##n; \\\n\
                 static int n(int x)\n";
    let main = "#include <stdio.h>\n#include \"entry.h\"\nint third_is_linked(void);\n\
                extern const struct entry __start_entries[], __stop_entries[];\n\
                extern const struct entry *__start_pointers[], *__stop_pointers[];\n\
                ENTRY(first) { return 2 * x; }\n\
                int main(void) {\n  int x = 1;\n\
                for (const struct entry *e = __start_entries; e < __stop_entries; e++)\n\
                printf(\"%s \", e->name), x = e->run(x);\n\
                for (const struct entry **p = __start_pointers; p < __stop_pointers; p++)\n\
                printf(\"%d\", (int)(*p - __start_entries));\n\
                puts(\"\");\n  return x + third_is_linked();\n}\n";
    let place = Place::new(&[
        ("entry.h", entry),
        ("main.c", main),
        (
            "second.c",
            "#include \"entry.h\"\nENTRY(second) { return x + 3; }\nENTRY(next) { return x * 5; }\n",
        ),
        (
            "third.c",
            "#include \"entry.h\"\nENTRY(third) { return x - 4; }\nint third_is_linked(void) { return 0; }\n",
        ),
    ]);
    for level in ["-O0", "-O2"] {
        place.succeeds(&format!("{CLEAVE} cc {level} -c third.c -o third{level}.o"));
        place.succeeds(&format!("{CLEAVE} ar crs libthird{level}.a third{level}.o"));
        let link = format!("{CLEAVE} cc {level} second.c main.c -L. -lthird{level} -o main{level}");
        assert_eq!(place.succeeds(&link), "");
        let native = place.run(&format!("./main{level}"));
        assert_eq!(said(&native), "second next first third 0123\n");
        assert_eq!(native.status.code(), Some(((1 + 3) * 5 * 2) - 4));
        let explored = place.run(&format!("{CLEAVE} run --output-dir out{level} main{level}"));
        assert_eq!(explored.status.code(), Some(0), "{}", said(&explored));
        let replayed = place.run(&format!("{CLEAVE} replay main{level} out{level}"));
        assert!(said(&replayed).contains("1 as foretold"), "{}", said(&replayed));
    }
}

/// The handlers of clang's checks are the engine's: a link has nothing to say of them.
#[test]
fn a_checked_build_is_linked_without_a_warning() {
    let text =
        "int table[3]; int main(int c, char **v) { return table[c] / (c - 1) + (1 << c) + *v[0] * c; }\n";
    let place = Place::new(&[("main.c", text)]);
    assert_eq!(place.succeeds(&format!("{CLEAVE} cc --checked main.c -o main")), "");
    let trap = format!("{CLEAVE} cc -fsanitize=undefined -fsanitize-minimal-runtime main.c -o main");
    assert_eq!(place.succeeds(&trap), "");
    let told = said(&place.run(&format!("{CLEAVE} run --output-dir out main.c")));
    assert!(!told.contains("no bitcode defines"), "{told}");
}

/// Bitcode of clang on Debian's own headers, with checked functions: an overflow is told by the check, on the path that
/// has it and on no other; natively likewise.
#[test]
fn bitcode_of_glibcs_checked_functions_runs_and_an_overflow_is_told() {
    let program = |room: usize| {
        format!(
            "#include <ctype.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
             static char name[{room}], line[20];\n\
             int main(int c, char **v) {{\n\
             if (c < 2) return 2;\n\
             strcpy(name, v[1]);\n\
             snprintf(line, 2 + (unsigned)strlen(v[1]), \"%s\", name);\n\
             printf(\"%d %ld %s\\n\", isdigit((unsigned char)line[0]) != 0, strtol(\"12\", 0, 10), line);\n\
             return name[0] == 'x';\n}}\n"
        )
    };
    let place = Place::new(&[("over.c", &program(3)), ("fits.c", &program(4))]);
    for name in ["over", "fits"] {
        place
            .succeeds(&format!("clang-19 -w -O2 -g -D_FORTIFY_SOURCE=2 -emit-llvm -c {name}.c -o {name}.bc"));
        assert!(place.succeeds(&format!("llvm-nm-19 -u {name}.bc")).contains("__strcpy_chk"));
        let told = said(&place.run(&format!("{CLEAVE} run --output-dir {name} {name}.bc --sym-arg 3")));
        assert!(!told.contains("defines"), "{told}");
        assert_eq!(told.contains("buffer overflow: more is written"), name == "over", "{told}");
        let replayed = said(&place.run(&format!("{CLEAVE} replay {name}.bc {name}")));
        assert!(replayed.contains("as foretold") && !replayed.contains("differ"), "{replayed}");
    }
}

/// Names of checked functions in the headers of a folder and those below it.
fn checked_names(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            checked_names(&path, names);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let checked =
                |w: &&str| w.starts_with("__") && w.ends_with("_chk") && !w.starts_with("__builtin");
            names.extend(words.filter(checked).map(String::from));
        }
    }
}

#[test]
fn every_checked_function_that_glibcs_headers_name_is_there() {
    let mut names = BTreeSet::new();
    checked_names(Path::new("/usr/include/x86_64-linux-gnu/bits"), &mut names);
    assert!(names.len() > 60, "{names:?}");
    // A part of names in a macro, and what musl has nothing for.
    names.retain(|n| n != "__f_chk" && !n.starts_with("__obstack"));
    let sysroot = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/sysroot/lib");
    for library in ["libc.bc.a", "libcleave-native.a"] {
        let listed = Command::new("llvm-nm-19").arg("--defined-only").arg(sysroot.join(library)).output();
        let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
        let defined: BTreeSet<&str> = listed.lines().filter_map(|l| l.split_whitespace().nth(2)).collect();
        let missing: Vec<_> = names.iter().filter(|n| !defined.contains(n.as_str())).collect();
        assert!(missing.is_empty(), "{library}: {missing:?}");
    }
}

const PROJECT: [(&str, &str); 4] = [
    ("twice.c", "int twice(int x) { return 2 * x; }\n"),
    (
        "main.c",
        "int twice(int);\nint main(int c, char **v) { return c > 1 && v[1][0] == '7' ? twice(21) : 0; }\n",
    ),
    (
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(small C)\nfind_package(ZLIB)\nfind_library(MATH m)\n\
         if(ZLIB_FOUND OR NOT MATH)\n  message(FATAL_ERROR \"zlib ${ZLIB_FOUND} ${MATH}\")\nendif()\n\
         add_library(twice twice.c)\nadd_executable(main main.c)\ntarget_link_libraries(main twice ${MATH})\n",
    ),
    (
        "meson.build",
        "project('small', 'c')\nif dependency('zlib', required: false).found()\n  error('zlib')\nendif\n\
         m = meson.get_compiler('c').find_library('m')\nt = library('twice', 'twice.c')\n\
         executable('main', 'main.c', link_with: t, dependencies: m)\n",
    ),
];

/// Both paths of the project are there: the library is bitcode too.
fn explored(place: &Place, program: &str) {
    let told = place.succeeds(&format!("{CLEAVE} run --output-dir {program}.out {program} --sym-arg 1"));
    assert!(told.contains("2 completed, 0 failed, 0 unsupported"), "{told}");
}

#[test]
fn a_cmake_project_is_built_by_the_toolchain_file() {
    let place = Place::new(&PROJECT);
    place.write("cleave.cmake", &place.succeeds(&format!("{CLEAVE} toolchain cmake")));
    place.succeeds("cmake -S . -B built --toolchain cleave.cmake");
    place.succeeds("cmake --build built");
    explored(&place, "built/main");
}

#[test]
fn a_meson_project_is_built_by_the_cross_file() {
    let place = Place::new(&PROJECT);
    place.write("cleave.ini", &place.succeeds(&format!("{CLEAVE} toolchain meson")));
    place.succeeds("meson setup built --cross-file cleave.ini");
    place.succeeds("ninja -C built");
    explored(&place, "built/main");
}

#[test]
fn ar_ranlib_and_nm_read_the_objects_of_cleave_cc() {
    let place = Place::new(&PROJECT);
    place.succeeds(&format!("{CLEAVE} cc -c twice.c main.c"));
    place.succeeds(&format!("{CLEAVE} ar qcS libtwice.a twice.o"));
    place.succeeds(&format!("{CLEAVE} ranlib libtwice.a"));
    assert!(place.succeeds(&format!("{CLEAVE} nm --print-armap libtwice.a")).contains("T twice"));
    place.succeeds(&format!("{CLEAVE} cc main.o -L. -ltwice -o main"));
    explored(&place, "main");
}
