//! A suite of Test-Comp: XML, in a zip archive or in a folder.

use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use cleave_report::{COVER_BRANCHES, SuiteMetadata};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::cases::Suite;
use super::{Format, Runs, make_folder, unwritable, write};
use crate::failure::Failure;

/// Its line in the table of formats.
pub(super) const FORMAT: Format = Format {
    name: "testcomp",
    about: "a suite in Test-Comp's XML: an archive where OUT ends in .zip, as testcov takes it; otherwise a folder",
    runs: Runs::No,
    write: archive_or_folder,
};

fn archive_or_folder(suite: &mut Suite, to: &Path) -> Result<(), Failure> {
    if to.extension().is_some_and(|e| e == "zip") { archive(suite, to) } else { folder(suite, to) }
}

/// The files of a suite, one after the other, with their names.
fn each_file(
    suite: &mut Suite,
    put: &mut dyn FnMut(&str, &str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (program, hash) = (&suite.saved.program, suite.program_hash());
    let metadata = SuiteMetadata {
        program,
        hash: &hash,
        specification: COVER_BRANCHES,
        bits: 64,
        made: SystemTime::now(),
    };
    put("metadata.xml", &cleave_report::suite_metadata(&metadata))?;
    suite.each(&mut |case| put(&format!("{}.xml", case.name), &cleave_report::testcase(&case.ktest.objects)))
}

/// Writes a suite into a folder, which may be there.
pub(super) fn folder(suite: &mut Suite, to: &Path) -> Result<(), Failure> {
    make_folder(to)?;
    each_file(suite, &mut |name, text| write(&to.join(name), text))
}

fn archive(suite: &mut Suite, to: &Path) -> Result<(), Failure> {
    let file = std::fs::File::create(to).map_err(|e| unwritable(to, &e))?;
    let mut zip = ZipWriter::new(std::io::BufWriter::new(file));
    each_file(suite, &mut |name, text| {
        let plain = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let started = zip.start_file(name, plain).map_err(std::io::Error::other);
        started.and_then(|()| zip.write_all(text.as_bytes())).map_err(|e| unwritable(to, &e))
    })?;
    let finished = zip.finish().map_err(std::io::Error::other).and_then(|mut file| file.flush());
    finished.map_err(|e| unwritable(to, &e))
}
