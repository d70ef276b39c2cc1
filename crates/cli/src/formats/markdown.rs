//! A run in a few lines of Markdown, for a comment on a change: its bugs, and, of a run that began with an older version's, what the change
//! does to bugs and to the outcomes of tests.

use std::fmt::Write;
use std::path::Path;

use cleave_region::Test;

use super::bugs::{Found, found};
use super::{Format, Wanted};
use crate::failure::Failure;
use crate::findings::gaps::{Gap, gaps};
use crate::findings::outcomes::{Outcomes, changed_outcomes};
use crate::process::number_words::{counted, verb_of};
use crate::sessions::run_dir::recorded;
use crate::sessions::since_account::{BugChanges, bug_changes, lines};
use crate::sessions::verdict::Verdict;

/// Its line in the table of forms.
pub(super) const FORMAT: Format = Format {
    name: "markdown",
    about: "a few lines for a comment: bugs that are new, fixed or unchanged, and tests with another outcome",
    file: "report.md",
    make,
};

/// The most bugs, and the most tests with another outcome, that are shown.
const MOST: usize = 10;
/// The most characters of an input that are shown.
const LONGEST: usize = 60;

fn make(wanted: &Wanted<'_>) -> Result<Vec<u8>, Failure> {
    let (store, saved, image) = recorded(wanted.directory)?;
    let account = store.account()?;
    let bugs = found(&store)?;
    let changes = saved.since.as_ref().map(|since| bug_changes(since, &store)).transpose()?;
    let mut text = format!("### Cleave: {}\n\n", heading(&account, changes.as_ref()));
    let program = account.program.rsplit('/').next().unwrap_or(&account.program);
    let ended = account.paths.ended() - account.paths.assumed_away;
    // Writing into a string does not fail.
    let _ =
        writeln!(text, "`{program}`: {} explored, {}.", counted(ended, "path"), counted(account.bugs, "bug"));
    for gap in gaps(&store, &account)?.iter().take(MOST).map(Gap::line) {
        let _ = writeln!(text, "Not explored: {gap}.");
    }
    if let Some(since) = &saved.since {
        let told = lines(since, &store, account.paths.ended())?;
        let first = told.first().map_or("", String::as_str).replacen("since", "Since", 1);
        let _ = writeln!(text, "\n{}.", cell(&first, usize::MAX));
    }
    text.push_str(&table_of_bugs(&bugs, changes.as_ref()));
    if let Some(since) = saved.since.as_ref().filter(|since| Path::new(&since.run).is_dir()) {
        text.push_str(&table_of_outcomes(&changed_outcomes(Path::new(&since.run), &store, &saved, &image)?));
    }
    Ok(text.into_bytes())
}

fn heading(account: &cleave_campaign::Account, changes: Option<&BugChanges>) -> String {
    match (changes, Verdict::of(account)) {
        (_, Verdict::Internal) => "wrong somewhere, so do not trust this run".into(),
        (Some(changes), _) if !changes.new.is_empty() => counted(changes.new.len() as u64, "new bug"),
        (Some(_), Verdict::Bugs) => "no new bug".into(),
        (_, Verdict::Bugs) => counted(account.bugs, "bug"),
        (_, Verdict::Incomplete) => "no bug so far".into(),
        (_, Verdict::Unsupported | Verdict::Clean) => "no bug".into(),
    }
}

fn table_of_bugs(bugs: &[Found], changes: Option<&BugChanges>) -> String {
    let mut rows: Vec<[String; 4]> = Vec::new();
    for bug in bugs {
        let state = match changes {
            Some(changes) if changes.new.contains(&bug.bug.id) => "new",
            Some(_) => "unchanged",
            None => "",
        };
        let record = &bug.bug.record;
        let what = format!("{}: {}", record.kind, bug.message());
        rows.push([state.into(), what, record.place.clone(), shown(&bug.test)]);
    }
    for bug in changes.iter().flat_map(|changes| &changes.fixed) {
        rows.push([
            "fixed".into(),
            format!("{}: {}", bug.kind, bug.message),
            bug.place.clone(),
            String::new(),
        ]);
    }
    // What is new comes first.
    rows.sort_by_key(|row| row[0] != "new");
    table(["", "bug", "place", "input"], &rows)
}

fn table_of_outcomes(outcomes: &Outcomes) -> String {
    if outcomes.changed.is_empty() {
        return match outcomes.compared {
            0 => String::new(),
            n => format!("\nAll {} of before end and print as they did.\n", counted(n, "input")),
        };
    }
    let n = outcomes.changed.len() as u64;
    let now = |ends: &[String; 2]| match ends[0] == ends[1] {
        true => format!("{}, with other output", ends[1]),
        false => ends[1].clone(),
    };
    let rows = outcomes.changed.iter().map(|c| [shown(&c.test), c.ends[0].clone(), now(&c.ends)]);
    let rows: Vec<[String; 3]> = rows.collect();
    let of = counted(outcomes.compared, "input");
    let head = format!(
        "\n{n} of {of} of before {} otherwise or {} something else now:\n",
        verb_of(n, "ends", "end"),
        verb_of(n, "prints", "print")
    );
    head + &table(["input", "before", "now"], &rows)
}

fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut text = format!("\n| {} |\n|{}\n", head.join(" | "), "---|".repeat(N));
    for row in rows.iter().take(MOST) {
        let cells: Vec<String> = row.iter().map(|text| cell(text, 4 * LONGEST)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    if rows.len() > MOST {
        let _ = writeln!(text, "\n... and {} more.", rows.len() - MOST);
    }
    text
}

/// An input as a word of code.
fn shown(test: &Test) -> String {
    let object = |o: &cleave_region::Object| format!("{}=\"{}\"", o.name, o.bytes.escape_ascii());
    let text = test.objects.iter().map(object).collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// A text that Markdown and a table leave as it is, up to so many characters.
fn cell(text: &str, most: usize) -> String {
    let mut out = String::new();
    for c in text.chars().take(most) {
        match c {
            '\n' | '\r' => out.push(' '),
            '|' | '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '@' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}
