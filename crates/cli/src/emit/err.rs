//! Reports of bugs, with KLEE's names: `test000001.ptr.err`.

use cleave_campaign::RecordedPath;
use cleave_region::{BugKind, BugRecord, FrameRecord, SUPPRESSED_BY};
use cleave_report::{ErrorReport, Frame, RunFiles};

use super::{Output, Sink};

/// Its line in the table of outputs.
pub const OUTPUT: Output = Output {
    name: "err",
    about: "a report for each bug, with KLEE's suffixes",
    usual: true,
    is_test: false,
    open: |place| {
        Box::new(Reports {
            program: place.program.to_string(),
            all: place.all_errors,
            files: place.files.clone(),
        })
    },
};

/// Writes reports: they are few, so at once.
struct Reports {
    program: String,
    /// One for each path, not for each bug.
    all: bool,
    files: RunFiles,
}

impl Sink for Reports {
    fn path(&mut self, path: &RecordedPath<'_>) -> Result<(), String> {
        let bug = path.record.bug.as_ref().filter(|bug| !bug.kind.starts_with(SUPPRESSED_BY));
        let Some(bug) = bug.filter(|_| path.new_bug || self.all) else { return Ok(()) };
        let written = self.files.write_error(path.id, &self.program, &report(bug));
        written.map(drop).map_err(|e| e.to_string())
    }
}

fn report(bug: &BugRecord) -> ErrorReport {
    let frame = |f: &FrameRecord| Frame {
        function: f.function.clone(),
        file: (!f.file.is_empty()).then(|| f.file.clone()),
        line: f.line,
        arguments: f.arguments.clone(),
    };
    ErrorReport {
        kind: BugKind::from_name(&bug.kind).unwrap_or(BugKind::Reported),
        message: bug.message.clone(),
        stack: bug.trace.iter().map(frame).collect(),
        at: bug.trace.iter().position(|f| format!("{}:{}", f.file, f.line) == bug.place).unwrap_or(0),
        info: Vec::new(),
    }
}
