//! Which tests of a run are meant: the words of `--select`.

use std::collections::BTreeSet;

use cleave_campaign::StoredPath;
use cleave_region::{BugKind, PathKind};

/// A word of `--select`, for people.
pub(super) struct Selection {
    pub(super) form: &'static str,
    pub(super) about: &'static str,
}

/// All words.
pub(super) const SELECTIONS: &[Selection] = &[
    Selection { form: "all", about: "every test" },
    Selection { form: "errors", about: "one for each bug: the first that ends in it" },
    Selection { form: "bug:KIND", about: "those that end in a bug of this kind, as in bug:division" },
    Selection { form: "exit:N", about: "those that end with this exit status" },
    Selection { form: "signal:N", about: "those that a signal which they send themselves ends" },
    Selection { form: "outputs", about: "one for each distinct end and output" },
    Selection { form: "N, N-M", about: "those of these numbers" },
];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    All,
    Errors,
    Bug(&'static str),
    Exit(i32),
    Signal(i32),
    Outputs,
    Numbers(u64, u64),
}

fn word(text: &str) -> Result<Word, String> {
    let unknown = || {
        let forms: Vec<&str> = SELECTIONS.iter().map(|selection| selection.form).collect();
        format!("there is no selection `{text}`; the selections are {}", forms.join(", "))
    };
    let number = |n: &str| n.parse().map_err(|_| unknown());
    let id = |n: &str| n.parse::<u64>().ok().filter(|&n| n > 0).ok_or_else(unknown);
    match text.split_once(':') {
        Some(("bug", kind)) => {
            let known = BugKind::from_name(kind).ok_or_else(|| {
                let names: Vec<&str> = BugKind::ALL.iter().map(|kind| kind.name()).collect();
                format!("there is no kind of bug `{kind}`; the kinds are {}", names.join(", "))
            })?;
            Ok(Word::Bug(known.name()))
        }
        Some(("exit", n)) => Ok(Word::Exit(number(n)?)),
        Some(("signal", n)) => Ok(Word::Signal(number(n)?)),
        Some(_) => Err(unknown()),
        None => match text {
            "all" => Ok(Word::All),
            "errors" => Ok(Word::Errors),
            "outputs" => Ok(Word::Outputs),
            _ => match text.split_once('-') {
                Some((from, to)) => Ok(Word::Numbers(id(from)?, id(to)?)),
                None => id(text).map(|n| Word::Numbers(n, n)),
            },
        },
    }
}

fn words(text: &str) -> Result<Vec<Word>, String> {
    text.split(',').map(word).collect()
}

/// A value of `--select`.
pub(super) fn known(text: &str) -> Result<String, String> {
    words(text).map(|_| text.to_string())
}

/// What tells one end and output from another.
type Output = (PathKind, Option<i32>, Option<i32>, [u8; 32], u64, Option<u64>);

/// Chooses tests, which come in their order.
pub(super) struct Chooser {
    /// All of these must choose a test, each by one of its words.
    narrowing: Vec<Vec<Word>>,
    /// For each of them what was there before.
    seen: Vec<BTreeSet<Output>>,
}

impl Chooser {
    /// By the values of `--select`.
    pub(super) fn new(selections: &[String]) -> Result<Chooser, String> {
        let narrowing = selections.iter().map(|text| words(text)).collect::<Result<Vec<_>, _>>()?;
        let seen = vec![BTreeSet::new(); narrowing.len()];
        Ok(Chooser { narrowing, seen })
    }

    /// Whether a test is chosen.
    pub(super) fn chooses(&mut self, path: &StoredPath) -> bool {
        let Chooser { narrowing, seen } = self;
        narrowing.iter().zip(seen).all(|(words, seen)| {
            // Each word looks at each test, as some count.
            let mut chosen = false;
            for word in words {
                chosen |= matches(word, path, seen);
            }
            chosen
        })
    }
}

fn matches(word: &Word, path: &StoredPath, seen: &mut BTreeSet<Output>) -> bool {
    let record = &path.record;
    let failed = record.kind == PathKind::Failed;
    match word {
        Word::All => true,
        Word::Errors => failed && path.first_of_bug,
        Word::Bug(kind) => failed && record.bug.as_ref().is_some_and(|bug| bug.kind == *kind),
        Word::Exit(status) => record.exit_status == Some(*status),
        Word::Signal(signal) => record.signal == Some(*signal),
        Word::Outputs => seen.insert((
            record.kind,
            record.exit_status,
            record.signal,
            record.stdout_sha256,
            record.stdout_len,
            path.bug,
        )),
        Word::Numbers(from, to) => (*from..=*to).contains(&path.id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_others_refused_with_a_list() {
        assert_eq!(
            words("errors,bug:division,exit:2,7,3-5").unwrap(),
            [Word::Errors, Word::Bug("division"), Word::Exit(2), Word::Numbers(7, 7), Word::Numbers(3, 5)]
        );
        for wrong in ["", "bug:nothing", "exit:x", "0", "3-", "-3", "every", "x:y", "1-x", "all,"] {
            let said = words(wrong).unwrap_err();
            assert!(said.starts_with("there is no "), "{wrong}: {said}");
        }
    }
}
