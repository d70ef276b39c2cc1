//! `cleave svcomp`: a verdict, and a witness of a violation.

use std::process::ExitCode;

use cleave_campaign::{Account, Store, StoredBug};
use cleave_region::{BugKind, PathKind, SUPPRESSED_BY};

use super::options::TaskOptions;
use super::property::{Asked, Property};
use super::task::{TaskRun, answer, stop_at};
use super::witness;
use crate::failure::Failure;
use crate::process::messages::note;
use crate::sessions::verdict::Verdict;

/// Violations of `valid-deref`.
const DEREF: [BugKind; 7] = [
    BugKind::NullPointer,
    BugKind::OutOfBounds,
    BugKind::WildPointer,
    BugKind::UseAfterFree,
    BugKind::UseAfterScope,
    BugKind::BadLength,
    BugKind::ReadOnly,
];
/// Violations of `valid-free`.
const FREE: [BugKind; 3] = [BugKind::DoubleFree, BugKind::InvalidFree, BugKind::MismatchedFree];

/// Ends of paths at which the program ends, by the rules of C: what it did before counts, and nothing comes after them.
const ENDS: [BugKind; 3] = [BugKind::Abort, BugKind::Assertion, BugKind::Reported];

/// A verdict of SV-COMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    True,
    /// The name of the property that is violated.
    False(&'static str),
    Unknown,
}

impl Property {
    /// The bugs that violate it, each kind with the property's name in verdicts.
    fn violations(self) -> Vec<(BugKind, &'static str)> {
        let all = |kinds: &[BugKind], name| kinds.iter().map(|kind| (*kind, name)).collect::<Vec<_>>();
        match self {
            Property::UnreachCall => all(&[BugKind::Reported], "unreach-call"),
            Property::MemorySafety { free, deref, track } => {
                let mut kinds = Vec::new();
                kinds.extend(if free { all(&FREE, "valid-free") } else { Vec::new() });
                kinds.extend(if deref { all(&DEREF, "valid-deref") } else { Vec::new() });
                kinds.extend(if track { all(&[BugKind::Leak], "valid-memtrack") } else { Vec::new() });
                kinds
            }
            Property::MemoryCleanup => all(&[BugKind::Leak], "valid-memcleanup"),
            Property::NoOverflow => all(&[BugKind::Overflow], "no-overflow"),
            Property::NoDataRace => all(&[BugKind::DataRace], "no-data-race"),
            Property::CoverError | Property::CoverBranches | Property::Termination => Vec::new(),
        }
    }

    /// The bugs at which a path may end in a run that proves it; `None` if no run does. Lost memory is looked for where a program
    /// ends by itself; memory that something still points to is no bug there.
    fn ends(self) -> Option<&'static [BugKind]> {
        match self {
            Property::MemoryCleanup | Property::Termination => None,
            Property::MemorySafety { track: true, .. } => Some(&[]),
            _ => Some(&ENDS),
        }
    }
}

/// Answers if a task has a property. The last line is `TRUE`, `FALSE(NAME)` or `UNKNOWN`.
///
/// # Errors
/// If the property is none of SV-COMP.
pub fn svcomp(options: &TaskOptions) -> Result<ExitCode, Failure> {
    let asked = options.asked()?;
    if matches!(asked.property, Property::CoverError | Property::CoverBranches) {
        return Err(Failure::usage(format!(
            "{} asks for tests; give a property of SV-COMP, or use `cleave testcomp`",
            options.property.display()
        )));
    }
    TaskOptions::hash(options.source())?;
    if asked.property == Property::Termination {
        note("termination is not decided: that all paths end follows from no exploration of some");
        answer("UNKNOWN")?;
        return Ok(ExitCode::SUCCESS);
    }
    let (line, code) = match judged(options, &asked) {
        Ok(Answer::True) => ("TRUE".to_string(), ExitCode::SUCCESS),
        Ok(Answer::False(name)) => (format!("FALSE({name})"), ExitCode::SUCCESS),
        Ok(Answer::Unknown) => ("UNKNOWN".into(), ExitCode::SUCCESS),
        Err(failure) => ("UNKNOWN".into(), failure.report()),
    };
    answer(&line)?;
    Ok(code)
}

/// Explores the task and judges what was found.
fn judged(options: &TaskOptions, asked: &Asked) -> Result<Answer, Failure> {
    let violations = asked.property.violations();
    let kinds: Vec<BugKind> = violations.iter().map(|(kind, _)| *kind).collect();
    let mut words = stop_at(&kinds);
    words.push("--emit=none".into());
    // Nothing is known of a path behind a use of a value that was never set: it ends there.
    let checks = ["none", "uninitialised", "termination", "deadlock", "scope", "overlap", "division", "race"];
    words.extend(checks.map(|name| format!("--check={name}")));
    if kinds.contains(&BugKind::Leak) {
        words.push("--check=leak".into());
    }
    let mut flags = Vec::new();
    if asked.property == Property::NoOverflow {
        words.push("--check=overflow".into());
        flags.push("-fsanitize=signed-integer-overflow");
    }
    let source = std::fs::read_to_string(options.source()).unwrap_or_default();
    let behind: &[&str] =
        if source.contains("pthread_create") { &["--explore-schedules", "all"] } else { &[] };
    let run = TaskRun::explore(options, &words, &flags, behind)?;
    let store = Store::read(&run.directory)?;
    let (bugs, account) = (store.bugs()?, store.account()?);
    let violation = bugs.iter().find_map(|bug| {
        let failed = bug.path_kind == PathKind::Failed;
        let name = |(kind, name): &(BugKind, &'static str)| (kind.name() == bug.record.kind).then_some(*name);
        if failed { violations.iter().find_map(name).map(|name| (name, bug)) } else { None }
    });
    if let Some((name, bug)) = violation {
        witness::write(options, asked, bug)?;
        return Ok(Answer::False(name));
    }
    let is_proved = asked.property.ends().is_some_and(|ends| is_whole(&account, &bugs, ends));
    Ok(if is_proved { Answer::True } else { Answer::Unknown })
}

/// Returns true if all that the task can do was seen: each path came to its end, or to one of these bugs.
fn is_whole(account: &Account, bugs: &[StoredBug], ends: &[BugKind]) -> bool {
    let ended = |bug: &StoredBug| match bug.path_kind {
        PathKind::AssumedAway => true,
        PathKind::Suppressed => {
            let by = bug.record.kind.strip_prefix(SUPPRESSED_BY).unwrap_or("");
            let kind = by.split(':').next().and_then(BugKind::from_name);
            kind.is_some_and(|kind| ends.contains(&kind))
        }
        PathKind::Completed | PathKind::Failed | PathKind::Unsupported => false,
    };
    Verdict::of(account) == Verdict::Clean
        && account.made_up.is_empty()
        && account.addresses.is_empty()
        && account.excused_reads.is_empty()
        && bugs.iter().all(ended)
}
