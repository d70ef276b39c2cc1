//! The words of `--select`, which say which tests of a run are meant.

use cleave_region::BugKind;

/// A word of `--select`, for people.
pub(super) struct Selection {
    pub(super) form: &'static str,
    pub(super) about: &'static str,
}

/// All words.
pub(super) const SELECTIONS: &[Selection] = &[
    Selection { form: "all", about: "every test" },
    Selection {
        form: "covering",
        about: "those that are the first to cover something, to show a bug or what is not modelled",
    },
    Selection { form: "minimal", about: "few that together cover what all do: lines, branch sides, blocks" },
    Selection { form: "errors", about: "one for each bug: the first that ends in it" },
    Selection { form: "bug:KIND", about: "those that end in a bug of this kind, as in bug:division" },
    Selection { form: "bug:N", about: "those that end in the same bug as test N" },
    Selection { form: "function:NAME", about: "those that call this function of the program" },
    Selection { form: "line:FILE:N", about: "those that cover this line; FILE may be the end of a path" },
    Selection { form: "exit:N", about: "those that end with this exit status" },
    Selection { form: "signal:N", about: "those that a signal which they send themselves ends" },
    Selection { form: "outputs", about: "one for each distinct end and output" },
    Selection { form: "distinct-output", about: "one for each distinct output, however it ends" },
    Selection { form: "N, N-M", about: "those of these numbers" },
];

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    All,
    Covering,
    Minimal,
    Errors,
    BugKind(&'static str),
    /// The bug that this test ends in.
    BugOf(u64),
    Function(String),
    Line(String, u32),
    Exit(i32),
    Signal(i32),
    Outputs,
    DistinctOutput,
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
        Some(("bug", n)) if n.starts_with(|c: char| c.is_ascii_digit()) => Ok(Word::BugOf(id(n)?)),
        Some(("bug", kind)) => {
            let known = BugKind::from_name(kind).ok_or_else(|| {
                let names: Vec<&str> = BugKind::ALL.iter().map(|kind| kind.name()).collect();
                format!("there is no kind of bug `{kind}`; the kinds are {}", names.join(", "))
            })?;
            Ok(Word::BugKind(known.name()))
        }
        Some(("function", name)) if !name.is_empty() => Ok(Word::Function(name.to_string())),
        Some(("line", place)) => match place.rsplit_once(':') {
            Some((file, line)) if !file.is_empty() => {
                Ok(Word::Line(file.to_string(), line.parse().map_err(|_| unknown())?))
            }
            _ => Err(unknown()),
        },
        Some(("exit", n)) => Ok(Word::Exit(number(n)?)),
        Some(("signal", n)) => Ok(Word::Signal(number(n)?)),
        Some(_) => Err(unknown()),
        None => match text {
            "all" => Ok(Word::All),
            "covering" => Ok(Word::Covering),
            "minimal" => Ok(Word::Minimal),
            "errors" => Ok(Word::Errors),
            "outputs" => Ok(Word::Outputs),
            "distinct-output" => Ok(Word::DistinctOutput),
            _ => match text.split_once('-') {
                Some((from, to)) => Ok(Word::Numbers(id(from)?, id(to)?)),
                None => id(text).map(|n| Word::Numbers(n, n)),
            },
        },
    }
}

/// The words of a value of `--select`.
///
/// # Errors
/// A sentence with all words, if one is unknown.
pub(super) fn words(text: &str) -> Result<Vec<Word>, String> {
    text.split(',').map(word).collect()
}

/// A value of `--select`.
pub(super) fn known(text: &str) -> Result<String, String> {
    words(text).map(|_| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_others_refused_with_a_list() {
        assert_eq!(
            words("errors,bug:division,exit:2,7,3-5,bug:12,minimal").unwrap(),
            [
                Word::Errors,
                Word::BugKind("division"),
                Word::Exit(2),
                Word::Numbers(7, 7),
                Word::Numbers(3, 5),
                Word::BugOf(12),
                Word::Minimal
            ]
        );
        assert_eq!(
            words("function:main,line:src/a:b.c:7").unwrap(),
            [Word::Function("main".into()), Word::Line("src/a:b.c".into(), 7)]
        );
        for wrong in [
            "",
            "bug:nothing",
            "exit:x",
            "0",
            "3-",
            "-3",
            "every",
            "x:y",
            "1-x",
            "all,",
            "bug:0",
            "bug:1x",
            "function:",
            "line:7",
            "line:a.c:x",
            "line::7",
            "minimum",
        ] {
            let said = words(wrong).unwrap_err();
            assert!(said.starts_with("there is no "), "{wrong}: {said}");
        }
    }
}
