//! The last lines of a session: counts, bugs, unexplored paths, and advice. Nothing here may claim more than the account has.

use std::path::Path;

use cleave_campaign::{Account, Campaign, StopReason, StoredBug};
use cleave_engine::{Family, Limit};
use cleave_linux::Schedules;
use cleave_region::PathKind;

use crate::failure::Failure;
use crate::findings::gaps::gaps;
use crate::process::messages::note;
use crate::process::number_words::{counted, noun_of, verb_of};
use crate::process::output::Output;
use crate::sessions::run_dir::{IMAGE, saved_of, shown};
use crate::sessions::setup::read_image;
use crate::sessions::since_account;
use crate::sessions::verdict::Verdict;

/// Maximum number of kinds of unexplored paths that are printed; `summary.json` has all.
const MOST_GAPS: usize = 12;

/// Prints the result of the session and returns its verdict; `files` is the number of tests that are files.
pub fn say(campaign: &Campaign, directory: &Path, stop: StopReason, files: u64) -> Result<Verdict, Failure> {
    let account = campaign.account()?;
    let verdict = Verdict::of(&account);
    let mut out = Output::new();
    out.line(counts(&account))?;
    for line in asides(&account, Silent::of(campaign)?) {
        out.line(format_args!("  {line}"))?;
    }
    for line in excuses(&account) {
        out.line(format_args!("  {line}"))?;
    }
    if let Some(line) = slow_lines(&account) {
        out.line(format_args!("  {line}"))?;
    }
    for line in limits(&account) {
        out.line(format_args!("  {line}"))?;
    }
    let bugs = campaign.store().bugs()?;
    // KLEE ends such a path with an error; here it is no bug.
    for assumption in bugs.iter().filter(|bug| bug.path_kind == PathKind::AssumedAway) {
        let (place, what) = (&assumption.record.place, &assumption.record.message);
        note(format_args!("warning: {place}: {what} ({})", counted(assumption.paths, "path")));
    }
    for bug in bugs.iter().filter(|bug| bug.path_kind == PathKind::Failed) {
        out.line(format_args!(
            "  {}: {} ({}, test {})",
            bug.record.place, bug.record.message, bug.record.kind, bug.first_path
        ))?;
    }
    if let Some(hint) = nothing_behind_a_bug(&bugs, account.paths.ended()) {
        note(hint);
    }
    for (what, n) in &account.made_up {
        out.line(format_args!("  the model's own answer on {}: {what}", counted(*n, "path")))?;
    }
    for (place, n) in &account.addresses {
        out.line(format_args!(
            "  {place}: the outcome depends on the addresses of objects, on {}",
            counted(*n, "path")
        ))?;
    }
    let saved = saved_of(&campaign.store().meta()?)?;
    for assumption in saved.rests_on() {
        out.line(format_args!("  {assumption}"))?;
    }
    if let Some(since) = &saved.since {
        for line in since_account::lines(since, campaign.store(), account.paths.ended())? {
            out.line(format_args!("  {line}"))?;
        }
    }
    let gaps = gaps(campaign.store(), &account)?;
    if !gaps.is_empty() {
        out.line("not explored:")?;
        for gap in gaps.iter().take(MOST_GAPS) {
            out.line(format_args!("  {}", gap.line()))?;
        }
        if gaps.len() > MOST_GAPS {
            out.line(format_args!(
                "  and {} more; see summary.json",
                counted((gaps.len() - MOST_GAPS) as u64, "kind")
            ))?;
        }
    }
    for (what, n) in &account.internal_errors {
        out.line(format_args!(
            "  internal error, {}: {what}; please report this line and the command",
            counted(*n, "time")
        ))?;
    }
    if let Some(line) = written(&account, files, &shown(directory)) {
        out.line(line)?;
    }
    out.line(last(&account, stop, &shown(directory)))?;
    out.end()?;
    Ok(verdict)
}

/// The check to switch off for what lies behind bugs of this kind.
pub fn way_past(kind: &str) -> Option<&'static str> {
    let family = Family::of_kind(kind).filter(|family| family.ends_early() && family.has_switch());
    family.map(Family::name)
}

/// A hint if all paths ended in one bug, of a family of checks that can be switched off.
fn nothing_behind_a_bug(bugs: &[StoredBug], ended: u64) -> Option<String> {
    let all_end_in_it = bugs.iter().find(|bug| bug.path_kind == PathKind::Failed && bug.paths == ended)?;
    let family = way_past(&all_end_in_it.record.kind)?;
    Some(format!(
        "hint: every path ends in this bug, and nothing behind it is explored; --check -{family} goes on past it"
    ))
}

fn counts(account: &Account) -> String {
    let p = account.paths;
    let ended = p.ended() - p.assumed_away;
    let rate = ended as f64 / account.wall_s.max(0.001);
    format!(
        "{} in {:.1} s ({rate:.0} a second; loading {:.1} s, exploring {:.1} s, writing {:.1} s): {} completed, {} failed, {} unsupported; {} cut, {} unknown; {}",
        counted(ended, "path"),
        account.wall_s,
        account.loading_s,
        account.exploring_s,
        account.writing_s,
        p.completed,
        p.failed,
        p.unsupported,
        p.cut,
        p.unknown,
        counted(account.bugs, "bug"),
    )
}

/// Line that names the source lines with most solver time; `None` if the solver took less than one second or less than half
/// of the busy time.
fn slow_lines(account: &Account) -> Option<String> {
    const LINES: usize = 3;
    if account.solver_seconds < 1.0 || account.solver_seconds * 2.0 < account.busy_seconds {
        return None;
    }
    let share = |us: u64| (us as f64 / 1e4 / account.solver_seconds.max(1e-6)).min(100.0);
    let mut lines: Vec<(&String, &u64)> = account.solver_us_at.iter().collect();
    lines.sort_by_key(|(_, us)| std::cmp::Reverse(**us));
    let lines: Vec<String> =
        lines.into_iter().take(LINES).map(|(place, us)| format!("{place} ({:.0} %)", share(*us))).collect();
    let whole = (100.0 * account.solver_seconds / account.busy_seconds.max(1e-6)).min(100.0);
    (!lines.is_empty())
        .then(|| format!("the solver took {whole:.0} % of the time, of this for {}", lines.join(", ")))
}

/// Lines about the limits that made most paths: number of paths, place, limit, and how to move it.
fn limits(account: &Account) -> Vec<String> {
    const LINES: usize = 3;
    /// Minimum number of values at a place that is reported; a program's own branches make fewer.
    const WORTH: u64 = 64;
    let mut all: Vec<(&String, u64)> = account.decided_by_value.iter().map(|(at, &n)| (at, n)).collect();
    all.retain(|&(_, n)| n >= WORTH);
    all.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
    let line = |(at, n): (&String, u64)| {
        let (place, name) = at.rsplit_once(": ")?;
        let most = account.decided_among.get(at).copied().unwrap_or(n);
        let told = Limit::of_name(name)?.told(most);
        Some(format!("{} {} at {place}: {told}", counted(n, "path"), verb_of(n, "parts", "part")))
    };
    all.into_iter().take(LINES).filter_map(line).collect()
}

/// Line that says which tests were written as files, and how to get the others.
fn written(account: &Account, files: u64, directory: &Path) -> Option<String> {
    let tests = account.paths.ended() - account.paths.assumed_away;
    let directory = directory.display();
    let left = tests.saturating_sub(files);
    let written = match files {
        _ if tests == 0 => return None,
        0 => format!("none of {} written", counted(tests, "test")),
        n => format!("{n} of {} written to {directory}/tests", counted(tests, "test")),
    };
    if files >= tests {
        return Some(written);
    }
    Some(format!("{written}; the {}: cleave tests export {directory} OUT --to ktest", noun_of(left, "other")))
}

/// Lines about paths that are no results: paths that the program assumes away, silent exits, and equivalent thread orders.
fn asides(account: &Account, silent: Silent) -> Vec<String> {
    let mut lines = Vec::new();
    let assumed = account.paths.assumed_away;
    if assumed > 0 {
        let them = verb_of(assumed, "it", "them");
        let assumed = counted(assumed, "path");
        lines.push(format!(
            "beside them {assumed} assumed away by the program: there is no input for {them} that it allows"
        ));
    }
    let n = account.other.get("silent_paths").copied().unwrap_or(0);
    if n > 0 {
        let was = verb_of(n, "was", "were");
        lines.push(match silent {
            Silent::Exits => {
                format!("{} ended by klee_silent_exit: no results, and no tests", counted(n, "path"))
            }
            Silent::Orders => format!("{} {was} skipped", counted(n, "equivalent thread order")),
            Silent::Both => {
                format!(
                    "{} {was} ended by klee_silent_exit, or skipped as an equivalent thread order",
                    counted(n, "path")
                )
            }
        });
    }
    lines
}

/// Reasons for which paths end without a result.
#[derive(Clone, Copy)]
enum Silent {
    /// `klee_silent_exit`.
    Exits,
    /// Orders of threads that are explored elsewhere.
    Orders,
    /// One or the other.
    Both,
}

impl Silent {
    /// Finds the reasons that apply to a run: its options say if orders are explored, its image says if the program can call
    /// `klee_silent_exit`.
    fn of(campaign: &Campaign) -> Result<Silent, Failure> {
        const EXIT: &[u8] = b"klee_silent_exit";
        let orders = saved_of(&campaign.store().meta()?)?.environment()?.schedules != Schedules::Fixed;
        if !orders {
            return Ok(Silent::Exits);
        }
        let image = read_image(&campaign.directory().join(IMAGE)).unwrap_or_default();
        let exits = image.windows(EXIT.len()).any(|window| window == EXIT);
        Ok(if exits { Silent::Both } else { Silent::Orders })
    }
}

/// Lines about suppressed paths and excused reads, one for each suppression.
fn excuses(account: &Account) -> Vec<String> {
    let paths = account.suppressed.iter().map(|(by, n)| {
        format!("{} {} in a bug suppressed by {by}", counted(*n, "path"), verb_of(*n, "ends", "end"))
    });
    let reads = account
        .excused_reads
        .iter()
        .map(|(by, n)| format!("{} of words beyond their object excused by {by}", counted(*n, "read")));
    paths.chain(reads).collect()
}

fn last(account: &Account, stop: StopReason, directory: &Path) -> String {
    let directory = directory.display();
    if !account.internal_errors.is_empty() {
        return format!("Cleave is wrong somewhere, so do not trust what this run says; see {directory}");
    }
    let waiting: u64 = ["open", "leased"].iter().filter_map(|state| account.regions.get(*state)).sum();
    let (open, bugs) = (account.open_regions, account.bugs);
    if waiting > 0 {
        let (open, are) = (counted(open, "region"), verb_of(open, "is", "are"));
        return format!("stopped: {stop}; {open} {are} open; go on with: cleave resume {directory}");
    }
    if open > 0 {
        let (them, were) = (verb_of(open, "it", "them"), verb_of(open, "was", "were"));
        let open = counted(open, "region");
        return format!("{open} {were} set aside; try {them} again with: cleave resume {directory}");
    }
    match account.paths.unsupported {
        0 if bugs == 0 && account.paths.suppressed > 0 => {
            format!("all paths are explored to their end or to a bug that is suppressed; see {directory}")
        }
        0 if bugs == 0 => format!("every path is explored; see {directory}"),
        0 => format!("all paths are explored to their end or to their first bug; see {directory}"),
        n => format!(
            "{n} of {} {} not explored to {} end; nothing else is open; see {directory}",
            counted(account.paths.ended() - account.paths.assumed_away, "path"),
            verb_of(n, "is", "are"),
            verb_of(n, "its", "their")
        ),
    }
}
