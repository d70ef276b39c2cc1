//! A suite for GoogleTest.

use std::path::Path;

use super::c_suite::{self, Framework};
use super::cases::Suite;
use super::{Format, Runs};
use crate::failure::Failure;

/// Its line in the table of formats.
pub(super) const FORMAT: Format = Format {
    name: "googletest",
    about: "unit tests in C++ for GoogleTest, with a CMake project",
    runs: Runs::Files,
    write,
};

fn write(suite: &mut Suite, to: &Path) -> Result<(), Failure> {
    c_suite::folder(suite, to, &FRAMEWORK)
}

const FRAMEWORK: Framework = Framework {
    file: "tests.cpp",
    head: "// Tests of a program, by `cleave tests export`.\n#include \"cases.h\"\n#include <gtest/gtest.h>\n",
    tail: |_| String::new(),
    open: |case| format!("TEST(Program, {}) {{", case.name),
    close: "}",
    equal: |seen, expected| format!("ASSERT_EQ({seen}, {expected});"),
    same_bytes: |seen, expected, size| format!("ASSERT_EQ(memcmp({seen}, {expected}, {size}), 0);"),
    cmake: |_| {
        "cmake_minimum_required(VERSION 3.13)\nproject(suite CXX)\nenable_testing()\nfind_package(GTest REQUIRED)\n\
         include(GoogleTest)\n\
         set(PROGRAM ${CMAKE_CURRENT_SOURCE_DIR}/program CACHE FILEPATH \"The program under test\")\n\
         add_executable(tests tests.cpp)\n\
         target_compile_definitions(tests PRIVATE PROGRAM=\"${PROGRAM}\")\n\
         target_link_libraries(tests GTest::gtest_main)\ngtest_discover_tests(tests)\n"
            .to_string()
    },
};
