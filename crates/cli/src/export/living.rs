//! A suite that is kept up to date: `cleave tests export --update`.
//!
//! The folder has a list of its tests with their inputs. Each is followed in the program of the run: it keeps its name and its input,
//! and only what is expected of it changes. Tests of the run are added for code that no test covers, and for ends that none has. So a
//! change of the program gives a small difference of the suite, which a person can review.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cleave_coverage::{Marks, Sites};
use cleave_program::code::Program;
use cleave_program::demangled;
use cleave_region::{Object, PathKind, PathRecord, Test};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::cases::{Member, Suite};
use super::folders::put_in_place;
use super::{Format, write};
use crate::failure::Failure;
use crate::findings::outcomes::end_of;
use crate::findings::test_coverage::Follower;
use crate::process::number_words::counted;
use crate::sessions::run_dir::hex;

/// The file with the list of tests, in the folder of the suite.
pub(crate) const LIST: &str = "suite.json";
/// Maximum length of the part of a name that a function gives, in bytes.
const LONGEST_NAME: usize = 60;

/// The tests of a suite, in the order in which they were added.
#[derive(Serialize, Deserialize)]
struct List {
    /// The name of the format.
    format: String,
    tests: Vec<Entry>,
}

impl List {
    /// As JSON, a line a test, so that a difference of two lists can be read.
    fn text(&self) -> String {
        let lines: Vec<String> = self
            .tests
            .iter()
            .map(|test| format!("  {}", serde_json::to_string(test).unwrap_or_default()))
            .collect();
        format!("{{\"format\": {}, \"tests\": [\n{}\n]}}\n", json!(self.format), lines.join(",\n"))
    }
}

/// A test of a suite.
#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    name: String,
    /// Its end, in words.
    ends: String,
    /// SHA-256 of its standard output.
    stdout_sha256: String,
    /// The bug that it once ended in. Such a test is never superfluous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    found: Option<String>,
    /// Name and bytes of each object; a byte is the character with its number.
    inputs: Vec<(String, String)>,
}

impl Entry {
    fn of(name: String, record: &PathRecord, before: Option<&Entry>) -> Entry {
        let bug = record.bug.as_ref().filter(|_| record.kind == PathKind::Failed);
        let inputs = record.test.objects.iter();
        Entry {
            ends: end_of(record),
            stdout_sha256: hex(&record.stdout_sha256),
            found: bug.map(|bug| bug.kind.clone()).or(before.and_then(|before| before.found.clone())),
            inputs: inputs
                .map(|o| (o.name.clone(), o.bytes.iter().map(|&b| char::from(b)).collect()))
                .collect(),
            name,
        }
    }

    /// The input; `None` if a character is no byte.
    fn test(&self) -> Option<Test> {
        let object = |(name, text): &(String, String)| {
            let bytes = text.chars().map(|c| u8::try_from(c).ok()).collect::<Option<Vec<u8>>>()?;
            Some(Object { name: name.clone(), bytes })
        };
        Some(Test { objects: self.inputs.iter().map(object).collect::<Option<_>>()? })
    }
}

/// The end of a path, as far as a suite has a test for each.
type End = (PathKind, Option<i32>, Option<i32>, Option<(String, String)>);

fn end_key(record: &PathRecord) -> End {
    let bug = record.bug.as_ref().map(|bug| (bug.kind.clone(), bug.place.clone()));
    (record.kind, record.exit_status, record.signal, bug)
}

/// A change of a suite: the test, and what is to be said behind its name.
type Change = (String, String);

/// Stands behind the name of a test that was added.
const IS_NEW: &str = " is new";

/// The tests of a suite as they are gathered.
struct Gathering<'a> {
    program: &'a Program,
    sites: Sites,
    members: Vec<Member>,
    entries: Vec<Entry>,
    /// Ends that a test has, and marks that a test passes.
    ends: BTreeSet<End>,
    covered: Marks,
    /// The first test with these marks and this end.
    same: BTreeMap<(Vec<u8>, End), String>,
    changes: Vec<Change>,
    /// Names of tests that were in the suite and are no more.
    removed: Vec<String>,
}

impl<'a> Gathering<'a> {
    fn new(program: &'a Program) -> Gathering<'a> {
        Gathering {
            program,
            sites: Sites::new(program),
            members: Vec::new(),
            entries: Vec::new(),
            ends: BTreeSet::new(),
            covered: Marks::default(),
            same: BTreeMap::new(),
            changes: Vec::new(),
            removed: Vec::new(),
        }
    }

    /// Keeps a test of the suite, if it has a use.
    fn keep(&mut self, follower: &mut Follower, entry: &Entry) {
        let name = entry.name.clone();
        let followed = entry.test().and_then(|test| follower.record(&test));
        let Some((record, marks)) = followed.filter(|(record, _)| record.kind != PathKind::AssumedAway)
        else {
            return self.remove(name, "the program takes no such input any more");
        };
        let twin = self.same.entry((marks.to_bytes(), end_key(&record))).or_insert_with(|| name.clone());
        if *twin != name && entry.found.is_none() {
            let reason = format!("{twin} does the same");
            return self.remove(name, &reason);
        }
        let now = Entry::of(name, &record, Some(entry));
        if now.ends != entry.ends {
            self.changes.push((now.name.clone(), format!(": {}, before {}", now.ends, entry.ends)));
        } else if now.stdout_sha256 != entry.stdout_sha256 {
            self.changes.push((now.name.clone(), format!(": {}, with other output than before", now.ends)));
        }
        self.take(now, record, &marks);
    }

    fn remove(&mut self, name: String, reason: &str) {
        self.changes.push((name.clone(), format!(" is removed: {reason}")));
        self.removed.push(name);
    }

    fn take(&mut self, entry: Entry, record: PathRecord, marks: &Marks) {
        self.ends.insert(end_key(&record));
        self.covered.extend(marks.iter());
        self.members.push(Member { name: entry.name.clone(), record });
        self.entries.push(entry);
    }

    /// Adds a test of the run.
    fn add(&mut self, record: PathRecord, marks: &Marks) {
        let name = self.new_name(&record, marks);
        let entry = Entry::of(name, &record, None);
        self.changes.push((entry.name.clone(), format!("{IS_NEW}: {}", entry.ends)));
        self.same.entry((marks.to_bytes(), end_key(&record))).or_insert_with(|| entry.name.clone());
        self.take(entry, record, marks);
    }

    /// A name for a test: the function in which it covers most that is new, and the kind of its bug.
    fn new_name(&self, record: &PathRecord, marks: &Marks) -> String {
        let bug = record.bug.as_ref().filter(|_| record.kind == PathKind::Failed);
        let own = |name: &str| self.program.functions.iter().any(|f| f.name == name && !f.library);
        let of_bug = bug.and_then(|bug| bug.trace.iter().map(|frame| &frame.function).find(|name| own(name)));
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for mark in marks.iter().filter(|&mark| !self.covered.contains(mark)) {
            *counts.entry(self.sites.marks()[mark as usize].func).or_default() += 1;
        }
        let most = counts
            .iter()
            .max_by_key(|(_, n)| **n)
            .map(|(func, _)| &self.program.functions[*func as usize].name);
        let function = of_bug.or(most).map_or("main", String::as_str);
        let mut base = format!("test_{}", identifier(&demangled(function)));
        if let Some(bug) = bug {
            base.push('_');
            base.push_str(&identifier(&bug.kind));
        }
        let is_free = |name: &String| self.entries.iter().all(|entry| entry.name != *name);
        let further = (2..).map(|n| format!("{base}_{n}"));
        std::iter::once(base.clone()).chain(further).find(is_free).unwrap_or(base)
    }

    /// Adds tests of the run: one for each end that no test has, and few that cover the code that none covers.
    fn add_what_lacks(&mut self, suite: &Suite, follower: &mut Follower) -> Result<(), Failure> {
        let first_to_cover = suite.first_to_cover()?;
        let mut candidates: BTreeMap<u64, (PathRecord, Marks)> = BTreeMap::new();
        suite.each_chosen(|id, record| {
            let is_new_end = !self.ends.contains(&end_key(&record));
            if !is_new_end && first_to_cover.as_ref().is_some_and(|first| !first.contains(&id)) {
                return Ok(());
            }
            // A path that is too long to be followed is none of a suite that is followed at each update.
            let Some((record, marks)) = follower.record(&record.test) else { return Ok(()) };
            if is_new_end {
                self.add(record, &marks);
            } else if !marks.is_within(&self.covered) {
                candidates.insert(id, (record, marks));
            }
            Ok(())
        })?;
        loop {
            let gain = |marks: &Marks| marks.iter().filter(|&mark| !self.covered.contains(mark)).count();
            // Among tests that cover equally many marks, the first one is taken.
            let best = candidates.iter().map(|(id, (_, marks))| (gain(marks), u64::MAX - id)).max();
            let Some((1.., id)) = best else { return Ok(()) };
            let Some((record, marks)) = candidates.remove(&(u64::MAX - id)) else { return Ok(()) };
            self.add(record, &marks);
        }
    }
}

/// The part of a name in C that a text gives: what stands in front of parameters, with `_` for all that is no letter or digit.
fn identifier(text: &str) -> String {
    let text = text.split(['(', '<']).next().unwrap_or_default();
    text.chars().take(LONGEST_NAME).map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Makes a suite in a folder, or brings the one that is there up to date. Returns the changes of the suite, a line each.
///
/// # Errors
/// If the folder has something else than a suite of this format; those of the run and of files.
pub(super) fn update(suite: &mut Suite, format: &Format, folder: &Path) -> Result<Vec<String>, Failure> {
    let list = read(format, folder)?;
    let program = suite.program()?;
    let mut follower = suite.new_follower()?;
    let mut gathered = Gathering::new(&program);
    for entry in &list.tests {
        gathered.keep(&mut follower, entry);
    }
    gathered.add_what_lacks(suite, &mut follower)?;
    let Gathering { members, mut entries, mut changes, removed, .. } = gathered;
    suite.give(members);
    let beside = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let new = tempfile::tempdir_in(beside).map_err(|e| super::unwritable(beside, &e))?;
    let new = new.path().join("suite");
    (format.write)(suite, &new)?;
    let given = suite.given_names();
    // Some tests have no native run in this form; `left_out` says why.
    entries.retain(|entry| given.contains(&entry.name));
    changes.retain(|(name, _)| given.contains(name) || removed.contains(name));
    let tests: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    put_in_place(&new, folder, &tests, &removed)?;
    let added = changes.iter().filter(|(_, what)| what.starts_with(IS_NEW)).count();
    let first = format!(
        "{}: {}, {added} new, {} removed",
        folder.display(),
        counted(tests.len() as u64, "test"),
        removed.len()
    );
    write(&folder.join(LIST), List { format: format.name.to_string(), tests: entries }.text())?;
    let said = changes.into_iter().map(|(name, what)| format!("  {name}{what}"));
    Ok(std::iter::once(first).chain(said).collect())
}

/// The list of the suite in a folder; no tests if the folder is not there.
fn read(format: &Format, folder: &Path) -> Result<List, Failure> {
    let name = format.name.to_string();
    if !folder.exists() {
        return Ok(List { format: name, tests: Vec::new() });
    }
    let text = std::fs::read_to_string(folder.join(LIST)).map_err(|_| {
        Failure::new(format!(
            "{} is there already, and is no suite that `cleave tests export --update` made; give another place",
            folder.display()
        ))
    })?;
    let damaged = |e: &dyn std::fmt::Display| {
        Failure::new(format!(
            "{} is damaged ({e}); restore it, or give another place",
            folder.join(LIST).display()
        ))
    };
    let list: List = serde_json::from_str(&text).map_err(|e| damaged(&e))?;
    if list.format != name {
        return Err(Failure::usage(format!(
            "{} is a suite in the form {}; give --to {}, or another place",
            folder.display(),
            list.format,
            list.format
        )));
    }
    let mut names = BTreeSet::new();
    for entry in &list.tests {
        let is_plain = entry.name.starts_with("test_") && entry.name.chars().all(is_of_name);
        if !is_plain || !names.insert(&entry.name) {
            return Err(damaged(&format!("`{}` is no name of one of its tests", entry.name)));
        }
    }
    Ok(list)
}

/// Returns true for a character of a test's name: the name is a part of paths, so that a list cannot lead out of its folder.
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
