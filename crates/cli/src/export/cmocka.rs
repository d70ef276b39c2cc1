//! A suite for CMocka.

use std::path::Path;

use super::c_suite::{self, Framework};
use super::cases::Suite;
use super::{Format, Runs};
use crate::failure::Failure;

/// Its line in the table of formats.
pub(super) const FORMAT: Format = Format {
    name: "cmocka",
    about: "unit tests in C for CMocka, with a CMake project",
    runs: Runs::Files,
    write,
};

fn write(suite: &mut Suite, to: &Path) -> Result<(), Failure> {
    c_suite::folder(suite, to, &FRAMEWORK)
}

const FRAMEWORK: Framework = Framework {
    file: "tests.c",
    head: "// Tests of a program, by `cleave tests export`.\n#include \"cases.h\"\n#include <stdarg.h>\n#include <stddef.h>\n\
           #include <stdint.h>\n#include <setjmp.h>\n#include <cmocka.h>\n",
    tail: |names| {
        let mut text = "\nint main(void) {\n  const struct CMUnitTest tests[] = {\n".to_string();
        for name in names {
            text.push_str(&format!("    {{\"{name}\", run_{name}, NULL, NULL, NULL}},\n"));
        }
        text + "  };\n  return cmocka_run_group_tests(tests, NULL, NULL);\n}\n"
    },
    open: |case| format!("static void run_{}(void **state) {{\n  (void)state;", case.name),
    close: "}",
    equal: |seen, expected| format!("assert_int_equal({seen}, {expected});"),
    same_bytes: |seen, expected, size| format!("assert_memory_equal({seen}, {expected}, {size});"),
    cmake: |_| {
        "cmake_minimum_required(VERSION 3.13)\nproject(suite C)\nenable_testing()\n\
         set(PROGRAM ${CMAKE_CURRENT_SOURCE_DIR}/program CACHE FILEPATH \"The program under test\")\n\
         add_executable(tests tests.c)\n\
         target_compile_definitions(tests PRIVATE PROGRAM=\"${PROGRAM}\")\n\
         target_link_libraries(tests cmocka)\nadd_test(NAME tests COMMAND tests)\n"
            .to_string()
    },
};
