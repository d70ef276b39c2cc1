//! Bugs that a user excuses: the options for it, files of suppressions, and those that ship with Cleave.

use std::path::{Path, PathBuf};

use clap::Args;
use cleave_engine::{Suppression, Suppressions, WORD_READ};
use cleave_region::BugKind;

use crate::failure::Failure;

/// Places of gnulib that are undefined on purpose: they read a string by aligned words, and so beyond its end ("this test
/// can read beyond the end of a string", says lib/rawmemchr.c).
const SHIPPED: [&str; 2] = ["word-read:rawmemchr:rawmemchr.c", "word-read:strchrnul:strchrnul.c"];

/// Options for suppressions.
#[derive(Clone, Debug, Default, Args)]
pub struct SuppressingOptions {
    /// Do not report bugs of this kind in this function, like division:checksum or out-of-bounds:scan*:lib/text.c; `*`
    /// stands for any characters, and kinds are those of `cleave list`. A path ends where it meets one and counts as
    /// suppressed, but an aligned word that begins or ends beyond its object (also by itself: the kind word-read) is read as if
    /// zeros were there, and the path goes on. May be repeated; `resume` keeps them. Default is what ships with Cleave
    #[arg(long, value_name = "KIND:FUNCTION[:FILE]")]
    pub suppress: Vec<String>,
    /// Files with suppressions, one a line; what begins with # is a comment. May be repeated. Default is none
    #[arg(long, value_name = "FILE")]
    pub suppressions: Vec<PathBuf>,
    /// Report also what is known of gnulib (word-read:rawmemchr:rawmemchr.c and word-read:strchrnul:strchrnul.c).
    /// Default is to excuse it
    #[arg(long)]
    pub no_shipped_suppressions: bool,
}

impl SuppressingOptions {
    /// All suppressions in their order, each checked.
    pub fn all(&self) -> Result<Vec<String>, Failure> {
        let mut all = Vec::new();
        for line in &self.suppress {
            all.push(checked(line, "--suppress")?);
        }
        for file in &self.suppressions {
            let text = std::fs::read_to_string(file)
                .map_err(|e| Failure::new(format!("cannot read the suppressions {}: {e}", file.display())))?;
            for (number, line) in (1..).zip(text.lines()) {
                let line = line.trim();
                if !line.is_empty() && !line.starts_with('#') {
                    all.push(checked(line, &place(file, number))?);
                }
            }
        }
        if !self.no_shipped_suppressions {
            all.extend(shipped());
        }
        Ok(all)
    }
}

fn place(file: &Path, line: u32) -> String {
    format!("{} line {line}", file.display())
}

/// Checks that the kind of a suppression exists.
fn checked(line: &str, place: &str) -> Result<String, Failure> {
    let suppression: Suppression = line.parse().map_err(|e| Failure::usage(format!("{place}: {e}")))?;
    let kind = suppression.kind();
    if kind.contains('*') || kind == WORD_READ {
        return Ok(suppression.to_string());
    }
    match BugKind::from_name(kind) {
        Some(kind) if kind.is_bug() => Ok(suppression.to_string()),
        Some(_) => {
            Err(Failure::usage(format!("{place}: what is not modelled is no bug that could be suppressed")))
        }
        None => {
            let bugs = BugKind::ALL.iter().filter(|kind| kind.is_bug());
            let kinds: Vec<&str> = bugs.map(|kind| kind.name()).collect();
            Err(Failure::usage(format!(
                "{place}: there is no kind `{kind}` of bugs; the kinds are {WORD_READ}, {}, and * for all",
                kinds.join(", ")
            )))
        }
    }
}

/// The suppressions that ship with Cleave.
pub fn shipped() -> Vec<String> {
    SHIPPED.map(String::from).into()
}

/// Parses suppressions for the engine.
pub fn parsed(lines: &[String]) -> Result<Suppressions, Failure> {
    let all: Result<Vec<Suppression>, String> = lines.iter().map(|line| line.parse()).collect();
    all.map(Suppressions).map_err(Failure::new)
}
