//! Chooses the tests of a run that the words of `--select` mean.

use std::collections::BTreeSet;

use cleave_campaign::{RecordedPath, Store, StoredPath};
use cleave_coverage::{Map, Marks};
use cleave_region::PathKind;

use super::select_words::{Word, words};
use crate::emit::Which;
use crate::failure::Failure;
use crate::findings::test_coverage::Follower;
use crate::programs::loading::Image;
use crate::sessions::run_dir::test_of;
use crate::sessions::saved::Saved;

/// Minimum similarity (Jaro-Winkler) of a name that is suggested.
const NEAR: f64 = 0.6;

/// A run to choose from.
pub(super) struct Run<'a> {
    pub(super) store: &'a Store,
    pub(super) saved: &'a Saved,
    pub(super) image: &'a Image,
}

/// Key that distinguishes ends and outputs.
type Output = (PathKind, Option<i32>, Option<i32>, [u8; 32], u64, Option<u64>);

/// A word as a predicate on tests, which sees each test in their order.
enum Question {
    /// Selects the tests of these numbers.
    Among(BTreeSet<u64>),
    Numbers(u64, u64),
    FirstOfBug,
    BugKind(&'static str),
    /// A bug by its number in the database.
    Bug(u64),
    Exit(i32),
    Signal(i32),
    /// Selects a test if its end or output differs from those of all tests before it.
    Outputs(BTreeSet<Output>),
    DistinctOutput(BTreeSet<([u8; 32], u64)>),
    /// Selects the tests that pass one of these marks.
    Passes(Marks),
}

impl Run<'_> {
    /// The tests that are chosen, by number; none is all. Each value narrows what the one before it leaves.
    ///
    /// # Errors
    /// Words that mean nothing in this run; those of the database.
    pub(super) fn chosen(&self, selections: &[String]) -> Result<Option<BTreeSet<u64>>, Failure> {
        let mut left = None;
        for selection in selections {
            let words = words(selection).map_err(Failure::usage)?;
            if !words.contains(&Word::All) {
                left = Some(self.narrowed(&words, left.as_ref())?);
            }
        }
        Ok(left)
    }

    /// Selects those of these tests that one of the words matches.
    fn narrowed(&self, words: &[Word], left: Option<&BTreeSet<u64>>) -> Result<BTreeSet<u64>, Failure> {
        let questions = words.iter().map(|word| self.question(word, left));
        let mut questions = questions.collect::<Result<Vec<_>, Failure>>()?;
        let follows = questions.iter().any(|question| matches!(question, Question::Passes(_)));
        let mut follower = if follows { Some(self.follower()?) } else { None };
        let mut chosen = BTreeSet::new();
        self.store.each_path::<Failure>(0, |path| {
            let out = left.is_some_and(|left| !left.contains(&path.id));
            if out || path.record.kind == PathKind::AssumedAway {
                return Ok(());
            }
            let marks = follower.as_mut().map(|follower| marks(follower, &path)).transpose()?;
            let mut meant = false;
            // Each word sees each test, as some count.
            for question in &mut questions {
                meant |= question.answer(&path, marks.as_ref());
            }
            if meant {
                chosen.insert(path.id);
            }
            Ok(())
        })?;
        Ok(chosen)
    }

    fn follower(&self) -> Result<Follower, Failure> {
        Follower::new(self.image, self.saved)
    }

    fn question(&self, word: &Word, left: Option<&BTreeSet<u64>>) -> Result<Question, Failure> {
        Ok(match word {
            Word::All => Question::Numbers(1, u64::MAX),
            Word::Covering => Question::Among(self.covering()?),
            Word::Minimal => Question::Among(self.follower()?.minimal(self.store, left)?),
            Word::Errors => Question::FirstOfBug,
            Word::BugKind(kind) => Question::BugKind(kind),
            Word::BugOf(id) => Question::Bug(self.bug_of(*id)?),
            Word::Function(name) => self.passing(self.function(name)?)?,
            Word::Line(file, line) => self.passing(self.line(file, *line)?)?,
            Word::Exit(status) => Question::Exit(*status),
            Word::Signal(signal) => Question::Signal(*signal),
            Word::Outputs => Question::Outputs(BTreeSet::new()),
            Word::DistinctOutput => Question::DistinctOutput(BTreeSet::new()),
            Word::Numbers(from, to) => Question::Numbers(*from, *to),
        })
    }

    /// The tests that get files with `--tests covering`.
    fn covering(&self) -> Result<BTreeSet<u64>, Failure> {
        let covering = self.store.covering_paths()?;
        let mut chosen = BTreeSet::new();
        self.store.each_path::<Failure>(0, |path| {
            let (id, record) = (path.id, &path.record);
            let covers = covering.contains(&id);
            if Which::Covering.has(&RecordedPath { id, record, new_bug: path.first_of_bug, covers }, false) {
                chosen.insert(id);
            }
            Ok(())
        })?;
        Ok(chosen)
    }

    fn bug_of(&self, id: u64) -> Result<u64, Failure> {
        let path = self.store.path(id)?.filter(|path| path.record.kind != PathKind::AssumedAway);
        let path = path.ok_or_else(|| {
            Failure::usage(format!("bug:{id}: the run has no test {id}; see `cleave list`"))
        })?;
        path.bug.ok_or_else(|| {
            Failure::usage(format!("bug:{id}: test {id} ends in no bug; `cleave list` shows the bugs"))
        })
    }

    /// Predicate for the tests that pass one of these marks. If no test of the run has passed one, no test is followed.
    fn passing(&self, marks: Marks) -> Result<Question, Failure> {
        let passed = self.store.marks()?;
        let some = marks.iter().any(|mark| passed.contains(mark));
        Ok(if some { Question::Passes(marks) } else { Question::Among(BTreeSet::new()) })
    }

    fn map(&self) -> Result<Map, Failure> {
        Ok(Map::new(&self.image.program()?))
    }

    /// The marks of the entries of a function.
    fn function(&self, name: &str) -> Result<Marks, Failure> {
        let map = self.map()?;
        if let Some(marks) = map.entries_of(name) {
            return Ok(marks);
        }
        let functions = map.functions(&Marks::default());
        let near = nearest(functions.iter().map(|function| function.name.as_str()), name);
        let near = near.map_or("`cleave coverage --json` names them".into(), |near| {
            format!("the nearest name is `{near}`")
        });
        Err(Failure::usage(format!("the program has no function `{name}` of its own; {near}")))
    }

    /// The marks that cover a line.
    fn line(&self, file: &str, line: u32) -> Result<Marks, Failure> {
        let map = self.map()?;
        if let Some(marks) = map.marks_of_line(file, line) {
            return Ok(marks);
        }
        let lines = map.lines(&Marks::default());
        let of_file = lines.iter().filter(|(name, _)| cleave_coverage::is_called(name, file));
        let with_code: Vec<u32> = of_file.flat_map(|(_, lines)| lines.keys().copied()).collect();
        let why = if let Some(near) = with_code.iter().min_by_key(|other| other.abs_diff(line)) {
            format!("line {line} of {file} has no code; the nearest line that has some is {near}")
        } else if lines.is_empty() {
            "the program has no debug information, so its lines are not known; compile it with -g".into()
        } else {
            let names = lines.keys().map(|name| name.rsplit('/').next().unwrap_or(name));
            let near = nearest(names, file.rsplit('/').next().unwrap_or(file));
            let near = near.map_or("`cleave coverage` names them".into(), |near| {
                format!("the nearest name is `{near}`")
            });
            format!("the program has no source file `{file}`; {near}")
        };
        Err(Failure::usage(why))
    }
}

fn marks(follower: &mut Follower, path: &StoredPath) -> Result<Marks, Failure> {
    let marks = follower.marks(&test_of(path.id, &path.record)?);
    let id = path.id;
    marks.ok_or_else(|| {
        Failure::new(format!("the path of test {id} is too long to be followed; choose tests by number"))
    })
}

fn nearest<'a>(names: impl Iterator<Item = &'a str>, name: &str) -> Option<&'a str> {
    let near = names.map(|other| (strsim::jaro_winkler(other, name), other));
    near.filter(|(near, _)| *near >= NEAR).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, other)| other)
}

impl Question {
    fn answer(&mut self, path: &StoredPath, passed: Option<&Marks>) -> bool {
        let record = &path.record;
        let failed = record.kind == PathKind::Failed;
        match self {
            Question::Among(these) => these.contains(&path.id),
            Question::Numbers(from, to) => (*from..=*to).contains(&path.id),
            Question::FirstOfBug => failed && path.first_of_bug,
            Question::BugKind(kind) => failed && record.bug.as_ref().is_some_and(|bug| bug.kind == *kind),
            Question::Bug(bug) => path.bug == Some(*bug),
            Question::Exit(status) => record.exit_status == Some(*status),
            Question::Signal(signal) => record.signal == Some(*signal),
            Question::Outputs(seen) => seen.insert((
                record.kind,
                record.exit_status,
                record.signal,
                record.stdout_sha256,
                record.stdout_len,
                path.bug,
            )),
            Question::DistinctOutput(seen) => seen.insert((record.stdout_sha256, record.stdout_len)),
            Question::Passes(marks) => {
                passed.is_some_and(|passed| marks.iter().any(|mark| passed.contains(mark)))
            }
        }
    }
}
