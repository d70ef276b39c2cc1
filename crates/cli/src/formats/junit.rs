//! A run as a suite of JUnit, which a service for continuous integration shows as tests.
//!
//! Each bug is a test that fails. A run without bugs has one test that passes. Another test is about completeness: it passes
//! if all paths are explored, and otherwise it is skipped, with the reason.

use cleave_region::BugKind;

use super::bugs::{Found, found};
use super::xml::{Document, document, element, empty, text};
use super::{Format, Wanted};
use crate::failure::Failure;
use crate::findings::gaps::{Gap, gaps};
use crate::sessions::run_dir::recorded;
use crate::sessions::verdict::Verdict;

/// Its line in the table of forms.
pub(super) const FORMAT: Format = Format {
    name: "junit",
    about: "JUnit's XML: each bug a test that fails, and whether all paths are explored",
    file: "junit.xml",
    make,
};

fn make(wanted: &Wanted<'_>) -> Result<Vec<u8>, Failure> {
    let (store, _, _) = recorded(wanted.directory)?;
    let account = store.account()?;
    let (bugs, gaps) = (found(&store)?, gaps(&store, &account)?);
    let program = account.program.rsplit('/').next().unwrap_or(&account.program).to_string();
    let internal: Vec<String> = account.internal_errors.keys().cloned().collect();
    let count = |n: usize| n.to_string();
    let (tests, failures) = (count(bugs.len().max(1) + 1), count(bugs.len()));
    let (errors, skipped) = (
        count(usize::from(!internal.is_empty())),
        count(usize::from(internal.is_empty() && !gaps.is_empty())),
    );
    let time = format!("{:.3}", account.wall_s);
    let counts = [
        ("tests", tests.as_str()),
        ("failures", &failures),
        ("errors", &errors),
        ("skipped", &skipped),
        ("time", &time),
    ];
    let suite = [&[("name", program.as_str())], &counts[..]].concat();
    let ended = account.paths.ended() - account.paths.assumed_away;
    let properties = [
        ("verdict", Verdict::of(&account).name().to_string()),
        ("paths", ended.to_string()),
        ("version", account.version),
    ];
    document(|d| {
        element(d, "testsuites", &[&[("name", "cleave")], &counts[..]].concat(), |d| {
            element(d, "testsuite", &suite, |d| {
                element(d, "properties", &[], |d| {
                    let each = |(name, value): &(&str, String)| {
                        empty(d, "property", &[("name", name), ("value", value)])
                    };
                    properties.iter().try_for_each(each)
                })?;
                explored(d, &program, &time, &gaps, &internal)?;
                if bugs.is_empty() {
                    return empty(d, "testcase", &case(&program, "no bug on any explored path", "0"));
                }
                bugs.iter().try_for_each(|bug| failed(d, &program, bug))
            })
        })
    })
}

fn case<'a>(program: &'a str, name: &'a str, time: &'a str) -> [(&'a str, &'a str); 3] {
    [("classname", program), ("name", name), ("time", time)]
}

/// The test that all paths are explored; it has the time of the run.
fn explored(
    d: &mut Document,
    program: &str,
    time: &str,
    gaps: &[Gap],
    internal: &[String],
) -> std::io::Result<()> {
    let case = case(program, "all paths are explored", time);
    if let Some(first) = internal.first() {
        let message =
            format!("Cleave is wrong somewhere: {first}; do not trust this run, and please report it");
        return element(d, "testcase", &case, |d| {
            empty(d, "error", &[("message", &message), ("type", "internal")])
        });
    }
    if gaps.is_empty() {
        return empty(d, "testcase", &case);
    }
    let lines: Vec<String> = gaps.iter().map(Gap::line).collect();
    element(d, "testcase", &case, |d| {
        empty(d, "skipped", &[("message", &format!("not explored: {}", lines.join("; ")))])
    })
}

/// A bug.
fn failed(d: &mut Document, program: &str, found: &Found) -> std::io::Result<()> {
    let record = &found.bug.record;
    let name = format!("{} at {}", record.kind, record.place);
    let frame = found.frame().filter(|f| !f.file.is_empty());
    let line = frame.map(|f| f.line.to_string());
    let mut attributes = case(program, &name, "0").to_vec();
    if let Some((frame, line)) = frame.zip(line.as_deref()) {
        attributes.extend([("file", frame.file.as_str()), ("line", line)]);
    }
    let (test, paths) = (found.bug.first_path, found.bug.paths);
    let advice = BugKind::advice(found.kind);
    let said = format!(
        "{}\n{}Input: {}\nTest {test}; so many paths end here: {paths}\n{advice}\n",
        found.message(),
        found.stack(),
        found.input()
    );
    element(d, "testcase", &attributes, |d| {
        element(d, "failure", &[("message", found.message()), ("type", &record.kind)], |d| text(d, &said))
    })
}
