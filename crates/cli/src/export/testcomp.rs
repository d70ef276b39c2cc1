//! A suite of Test-Comp: a zip archive of XML.

use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::cases::Suite;
use super::{Format, unwritable};
use crate::failure::Failure;

/// Its line in the table of formats.
pub(super) const FORMAT: Format = Format {
    name: "testcomp",
    about: "a zip archive of a suite in Test-Comp's XML, for testcov",
    runs: false,
    write: archive,
};

fn archive(suite: &Suite, to: &Path) -> Result<(), Failure> {
    let file = std::fs::File::create(to).map_err(|e| unwritable(to, &e))?;
    let mut zip = ZipWriter::new(std::io::BufWriter::new(file));
    let mut put = |name: &str, text: &str| {
        let plain = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let started = zip.start_file(name, plain).map_err(std::io::Error::other);
        started.and_then(|()| zip.write_all(text.as_bytes())).map_err(|e| unwritable(to, &e))
    };
    let metadata =
        cleave_report::suite_metadata(&suite.saved.program, &suite.program_hash(), SystemTime::now());
    put("metadata.xml", &metadata)?;
    for case in &suite.cases {
        put(&format!("{}.xml", case.name), &cleave_report::testcase(&case.ktest.objects))?;
    }
    let finished = zip.finish().map_err(std::io::Error::other).and_then(|mut file| file.flush());
    finished.map_err(|e| unwritable(to, &e))
}
