//! Tests in KLEE's format: `test000001.ktest`.

use cleave_report::KTest;

use super::Output;
use super::test_files::TestFiles;

/// Its line in the table of outputs.
pub const OUTPUT: Output = Output {
    name: "ktest",
    about: "the test, in KLEE's format",
    usual: true,
    is_test: true,
    open: |place| {
        let bytes = |test: &KTest| test.to_bytes().map_err(|e| e.to_string());
        Box::new(TestFiles::new(place, place.files.clone(), OUTPUT.name, bytes))
    },
};
