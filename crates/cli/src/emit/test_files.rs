//! A file for each test, in some format, written beside the exploration.

use std::time::Duration;

use cleave_campaign::RecordedPath;
use cleave_region::{Encoded, Test};
use cleave_report::{KTest, RunFiles};

use super::writers::Writers;
use super::{OutputPlace, Sink};
use crate::inputs::ktests::to_ktest;

/// A format of tests.
type Format = fn(&KTest) -> Result<Vec<u8>, String>;

/// Writes a file for each test.
pub(super) struct TestFiles {
    arguments: Vec<Vec<u8>>,
    files: RunFiles,
    suffix: &'static str,
    format: Format,
    writers: Writers<Encoded<Test>>,
}

impl TestFiles {
    /// Files in a folder with such a suffix.
    pub(super) fn new(
        place: &OutputPlace<'_>,
        files: RunFiles,
        suffix: &'static str,
        format: Format,
    ) -> TestFiles {
        let (arguments, folder) = (place.arguments.to_vec(), files.clone());
        let writers = Writers::new(move |id, test: &Encoded<Test>| {
            let bytes = format(&to_ktest(&arguments, &decoded(id, test)?))?;
            folder.write(id, suffix, &bytes).map_err(|e| e.to_string())
        });
        TestFiles { arguments: place.arguments.to_vec(), files, suffix, format, writers }
    }
}

fn decoded(id: u64, test: &Encoded<Test>) -> Result<Test, String> {
    test.decode().map_err(|e| format!("test {id} of the run's database is damaged ({e}); start a new run"))
}

impl Sink for TestFiles {
    fn path(&mut self, path: &RecordedPath<'_>) -> Result<(), String> {
        self.writers.write(path.id, path.record.test.clone())
    }

    fn complete(&mut self, path: &RecordedPath<'_>) -> Result<(), String> {
        let test = decoded(path.id, &path.record.test)?;
        let bytes = (self.format)(&to_ktest(&self.arguments, &test))?;
        if self.files.has(path.id, self.suffix, bytes.len()) { Ok(()) } else { self.path(path) }
    }

    fn flush(&mut self) -> Result<(), String> {
        self.writers.flush()
    }

    fn is_full(&self) -> bool {
        self.writers.is_full()
    }

    fn waiting(&self) -> usize {
        self.writers.waiting()
    }

    fn behind(&self) -> Duration {
        self.writers.behind()
    }

    fn finish(&mut self, look: &mut dyn FnMut(usize)) -> Result<(), String> {
        self.writers.finish(look)
    }
}
