//! A suite for Unity, ThrowTheSwitch's test framework for C.

use std::path::Path;

use super::c_suite::{self, Framework};
use super::cases::Suite;
use super::{Format, Runs};
use crate::failure::Failure;

/// Its line in the table of formats.
pub(super) const FORMAT: Format = Format {
    name: "unity",
    about: "unit tests in C for Unity (ThrowTheSwitch), with a CMake project; -DUNITY= says where unity.c is",
    runs: Runs::Files,
    write,
};

fn write(suite: &mut Suite, to: &Path) -> Result<(), Failure> {
    c_suite::folder(suite, to, &FRAMEWORK)
}

const FRAMEWORK: Framework = Framework {
    file: "tests.c",
    head: "// Tests of a program, by `cleave tests export`.\n#include \"cases.h\"\n#include <unity.h>\n\n\
           // Unity calls them around each test.\nvoid setUp(void) {}\nvoid tearDown(void) {}\n",
    tail: |names| {
        let mut text = "\nint main(void) {\n  UNITY_BEGIN();\n".to_string();
        for name in names {
            text.push_str(&format!("  RUN_TEST(run_{name});\n"));
        }
        text + "  return UNITY_END();\n}\n"
    },
    open: |case| format!("static void run_{}(void) {{", case.name),
    close: "}",
    equal: |seen, expected| format!("TEST_ASSERT_EQUAL_INT({expected}, {seen});"),
    same_bytes: |seen, expected, size| format!("TEST_ASSERT_EQUAL_MEMORY({expected}, {seen}, {size});"),
    cmake: |_| {
        "cmake_minimum_required(VERSION 3.13)\nproject(suite C)\nenable_testing()\n\
         set(PROGRAM ${CMAKE_CURRENT_SOURCE_DIR}/program CACHE FILEPATH \"The program under test\")\n\
         set(UNITY \"\" CACHE PATH \"The folder with unity.c and unity.h; nothing where Unity is installed\")\n\
         add_executable(tests tests.c)\n\
         target_compile_definitions(tests PRIVATE PROGRAM=\"${PROGRAM}\")\n\
         if(UNITY)\n  add_library(unity STATIC ${UNITY}/unity.c)\n  \
         target_include_directories(unity SYSTEM PUBLIC ${UNITY})\n  target_link_libraries(tests unity)\n\
         else()\n  find_package(unity REQUIRED)\n  target_link_libraries(tests unity::framework)\nendif()\n\
         add_test(NAME tests COMMAND tests)\n"
            .to_string()
    },
};
