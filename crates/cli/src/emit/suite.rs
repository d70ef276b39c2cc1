//! Tests in Test-Comp's XML: `test000001.xml`. A suite is a folder of these, so it is whole whenever the run is killed.

use cleave_report::{KTest, RunFiles};

use super::Output;
use super::test_files::TestFiles;

/// Its line in the table of outputs.
pub const OUTPUT: Output = Output {
    name: "testcomp",
    about: "the test in Test-Comp's XML",
    usual: false,
    is_test: true,
    open: |place| {
        let files = place.suite.map_or_else(|| place.files.clone(), RunFiles::in_folder);
        let xml = |test: &KTest| Ok(cleave_report::testcase(&test.objects).into_bytes());
        Box::new(TestFiles::new(place, files, "xml", xml))
    },
};
