//! A suite for CTest: a test of CMake for each, which asserts by its exit status.

use std::path::Path;

use super::c_suite::{self, Framework};
use super::cases::Suite;
use super::{Format, Runs};
use crate::failure::Failure;

/// Its line in the table of formats.
pub(super) const FORMAT: Format = Format {
    name: "ctest",
    about: "a CMake project with a test for each, in C without a framework",
    runs: Runs::Files,
    write,
};

fn write(suite: &mut Suite, to: &Path) -> Result<(), Failure> {
    c_suite::folder(suite, to, &FRAMEWORK)
}

const FRAMEWORK: Framework = Framework {
    file: "tests.c",
    head: "// Tests of a program, by `cleave tests export`. `tests NAME` runs one of them.\n#include \"cases.h\"\n\n\
           static int failures;\n\n\
           static void expect(int holds, const char *what) {\n  if (!holds) {\n    failures++;\n    \
           fprintf(stderr, \"not as expected: %s\\n\", what);\n  }\n}\n",
    tail: |names| {
        let mut text =
            "\nint main(int argc, char **argv) {\n  const char *name = argc > 1 ? argv[1] : \"\";\n"
                .to_string();
        for (i, name) in names.iter().enumerate() {
            let otherwise = if i == 0 { "" } else { "else " };
            text.push_str(&format!("  {otherwise}if (!strcmp(name, \"{name}\")) run_{name}();\n"));
        }
        let unknown = "  {\n    fprintf(stderr, \"there is no test %s\\n\", name);\n    return 2;\n  }\n";
        text.push_str(if names.is_empty() { "" } else { "  else\n" });
        text + unknown + "  return failures > 0;\n}\n"
    },
    open: |case| format!("static void run_{}(void) {{", case.name),
    close: "}",
    equal: |seen, expected| format!("expect({seen} == {expected}, \"{seen} is {expected}\");"),
    same_bytes: |seen, expected, size| {
        format!("expect(seen.output.size == {size} && !memcmp({seen}, {expected}, {size}), \"the output\");")
    },
    cmake: |names| {
        let mut text = "cmake_minimum_required(VERSION 3.13)\nproject(suite C)\nenable_testing()\n\
                        set(PROGRAM ${CMAKE_CURRENT_SOURCE_DIR}/program CACHE FILEPATH \"The program under test\")\n\
                        add_executable(tests tests.c)\n\
                        target_compile_definitions(tests PRIVATE PROGRAM=\"${PROGRAM}\")\n"
            .to_string();
        for name in names {
            text.push_str(&format!("add_test(NAME {name} COMMAND tests {name})\n"));
        }
        text
    },
};
