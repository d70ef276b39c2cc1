//! `cleave run --since`: a run that begins with the paths of a finished run of an older version of the program. `run` calls it before
//! workers start.
//!
//! The two versions are compared function by function. All tests of the old run are followed together in the new program, without a
//! solver. Tests that come to a function that differs stop there: all paths through that place are explored. The others come to their
//! ends as before, and their paths are kept. Together that is every path: up to the places where tests stopped, both versions have
//! the same decisions, so a side that no test of the old run takes is infeasible in both. `docs/decisions/134-since.md` has the proof.

use std::ops::ControlFlow;
use std::path::Path;

use cleave_campaign::{KnownPaths, Shows, Stats, Store, StoredBug, counters};
use cleave_coverage::{Marks, Sites, Way};
use cleave_explore::{Leaf, Programs, Space, Stop, Walks};
use cleave_linux::Schedules;
use cleave_program::code::Program;
use serde_json::{Value, json};
use cleave_region::{BugRecord, PathDigest, PathKind, Region, Test, Weight};

use crate::failure::Failure;
use crate::process::number_words::counted;
use crate::programs::changes::{Changes, changes};
use crate::programs::loading::Image;
use crate::sessions::run_dir::{recorded, test_of};
use crate::sessions::saved::{OldBug, Saved, Since, space_of};

/// Instructions beyond those of the longest old path that a test is followed.
const BEYOND: u64 = 1 << 20;

/// The paths that a new run of `image` keeps from `run`, and a note of that for its options.
///
/// # Errors
/// If nothing can be said from that run: it is not finished, or was of other options.
pub fn known(run: &Path, saved: &Saved, image: &Image) -> Result<(Since, KnownPaths), Failure> {
    let (store, old, old_image) = recorded(run)?;
    check(run, &store, &old, saved)?;
    let (before, after) = (old_image.program()?, image.program()?);
    let changes = changes(&before, &after);
    let tests = OldTests::of(&store)?;
    let mut since = Since {
        run: std::path::absolute(run).unwrap_or_else(|_| run.to_path_buf()).display().to_string(),
        changed: changes.names.clone(),
        of: tests.tests.len() as u64,
        bugs: store.bugs()?.into_iter().filter(|b| b.path_kind == PathKind::Failed).map(old_bug).collect(),
        ..Since::default()
    };
    let known = match &changes.all {
        Some(reason) => Err(reason.clone()),
        None => kept(&tests, (before, after), &changes, [&old, saved], &mut since)?,
    };
    let known = known.unwrap_or_else(|reason| {
        since.bugs.iter_mut().for_each(|bug| bug.now = None);
        since.reason = Some(reason);
        KnownPaths { remaining: vec![Region::whole()], ..KnownPaths::default() }
    });
    since.kept = known.paths.len() as u64;
    Ok((since, known))
}

/// Refuses a run that does not say everything about its program, or says it about other options.
fn check(run: &Path, store: &Store, old: &Saved, new: &Saved) -> Result<(), Failure> {
    let refuse = |why: &str| Err(Failure::new(format!("cannot begin with the paths of {}: {why}", run.display())));
    store.check_paths(run)?;
    if old.merge || new.merge {
        return refuse("its paths are merged (--merge on), and only single paths are compared; leave out --since");
    }
    if old.environment()?.schedules != Schedules::Fixed || new.environment()?.schedules != Schedules::Fixed {
        return refuse("orders of threads are explored (--explore-schedules); leave out --since");
    }
    let account = store.account()?;
    if !account.internal_errors.is_empty() || account.doubled > 0 {
        return refuse("Cleave met an internal error there, so its paths may be wrong; leave out --since");
    }
    if account.open_regions > 0 {
        return refuse(&format!(
            "{} not explored; finish it with `cleave resume {}`, or leave out --since",
            counted(account.open_regions, "region") + if account.open_regions == 1 { " is" } else { " are" },
            run.display()
        ));
    }
    if account.other.contains_key(counters::SILENT_PATHS) {
        return refuse("some of its paths ended by klee_silent_exit and have no tests; leave out --since");
    }
    if store.paths_away()? > 0 {
        return refuse(&format!(
            "other machines keep some of its paths; bring them with `cleave gather {}`",
            run.display()
        ));
    }
    match other_option(old, new) {
        Some(option) => refuse(&format!("{option} not the same there; give the same, or leave out --since")),
        None => Ok(()),
    }
}

/// The first option that decides about paths and differs, with its verb.
fn other_option(old: &Saved, new: &Saved) -> Option<&'static str> {
    let same = [
        (old.arguments == new.arguments, "the program's name or arguments are"),
        (old.entry == new.entry, "--entry-point is"),
        (old.checks == new.checks, "--check is"),
        (old.fail_malloc == new.fail_malloc, "--fail-malloc is"),
        (old.max_stack_frames == new.max_stack_frames, "--max-stack-frames is"),
        (old.max_symbolic_size == new.max_symbolic_size, "--max-symbolic-size is"),
        (old.limits == new.limits, "a limit on tables or choices is"),
        (old.programs == new.programs, "--program is"),
        (old.suppressions == new.suppressions, "--suppressions are"),
        (old.race_points == new.race_points, "--races is"),
    ];
    same.into_iter().find(|(same, _)| !same).map(|(_, option)| option)
}

/// The tests of a run, and the records that they have to come out with.
#[derive(Default)]
struct OldTests {
    tests: Vec<Test>,
    digests: Vec<PathDigest>,
    /// Kind and place of the bug of each.
    bugs: Vec<Option<(String, String)>>,
    /// Instructions of the longest.
    longest: u64,
}

impl OldTests {
    fn of(store: &Store) -> Result<OldTests, Failure> {
        let mut all = OldTests::default();
        store.each_path::<Failure>(0, |path| {
            all.tests.push(test_of(path.id, &path.record)?);
            all.digests.push(path.record.digest);
            all.bugs.push(path.record.bug.map(|bug| (bug.kind, bug.place)));
            all.longest = all.longest.max(path.record.instructions);
            Ok(())
        })?;
        Ok(all)
    }
}

/// The paths that execute no function that differs, and the regions of the others. `Err` with the reason if the old paths say nothing.
fn kept(
    old: &OldTests,
    (before, after): (Program, Program),
    changes: &Changes,
    [old_saved, saved]: [&Saved; 2],
    since: &mut Since,
) -> Result<Result<KnownPaths, String>, Failure> {
    let entries = entries(&after, changes);
    let mut space = space_of(after, saved)?;
    let mut known = KnownPaths::default();
    let most = old.longest.saturating_add(BEYOND);
    let stops = cleave_explore::part(
        &mut space,
        &old.tests,
        most,
        |space: &Programs, state| space.has_passed(state, &entries),
        |space, leaf| keep(space, leaf, old, &mut known, since),
    );
    let other = || {
        if changes.moved {
            "objects have other addresses than before, and paths depend on them".to_string()
        } else {
            "its tests do not take the paths that they took".to_string()
        }
    };
    let Some(stops) = stops else { return Ok(Err(other())) };
    // Without a move, equal code and data give equal decisions. With one, a path that was kept has shown it.
    if changes.moved && !lead_there(&stops, old, space_of(before, old_saved)?) {
        return Ok(Err(other()));
    }
    known.measure = Weight::ONE - stops.iter().map(|stop| stop.weight).sum::<Weight>();
    known.remaining = stops.into_iter().map(|stop| stop.region).collect();
    if old.tests.is_empty() {
        (known.measure, known.remaining) = (Weight::ZERO, vec![Region::whole()]);
    }
    Ok(Ok(known))
}

/// The marks of the entries of functions that differ.
fn entries(program: &Program, changes: &Changes) -> Marks {
    let sites = Sites::new(program);
    let is_meant = |func| changes.functions.binary_search(&func).is_ok();
    let marks = (0..).zip(sites.marks());
    marks.filter(|(_, mark)| mark.way == Way::Entry && is_meant(mark.func)).map(|(id, _)| id).collect()
}

/// Records a path that was followed to its end, which has to be the one that its only test took before.
fn keep(
    space: &mut Programs,
    leaf: Leaf<'_, Programs>,
    old: &OldTests,
    known: &mut KnownPaths,
    since: &mut Since,
) -> ControlFlow<()> {
    let &[test] = leaf.tests else { return ControlFlow::Break(()) };
    let made_up = space.made_up(leaf.state);
    let Some(record) = space.record(leaf.end, leaf.state, leaf.witness) else { return ControlFlow::Break(()) };
    let bug_before = &old.bugs[test as usize];
    if record.digest != old.digests[test as usize] {
        return ControlFlow::Break(());
    }
    if let (Some(bug), Some((kind, place))) = (&record.bug, bug_before)
        && let Some(known) = since.bugs.iter_mut().find(|b| b.kind == *kind && b.place == *place)
    {
        known.now = Some(bug.place.clone());
    }
    let marks = space.news(leaf.state, &record.test);
    if !marks.is_empty() {
        space.show(&marks);
        known.shows.push(Shows { path: known.paths.len() as u32, marks });
    }
    count(&mut known.stats, &record.addresses, &made_up);
    known.paths.push(record);
    ControlFlow::Continue(())
}

/// Counts what an exploration would count of a path.
fn count(stats: &mut Stats, addresses: &[String], made_up: &[String]) {
    for place in addresses {
        stats.add(&format!("{}{place}", counters::ADDRESSES), 1);
    }
    for what in made_up {
        stats.add(&format!("{}{what}", counters::MADE_UP), 1);
    }
}

/// True if a test of each place makes the decisions in the old program that it makes in the new one up to there.
fn lead_there(stops: &[Stop], old: &OldTests, mut space: Programs) -> bool {
    let mut walks = Walks::default();
    stops.iter().all(|stop| {
        let Some(cut) = &stop.region.lo else { return false };
        if space.is_full() {
            space.renew();
            walks = Walks::default();
        }
        let (test, depth) = (&old.tests[stop.tests[0] as usize], cut.depth.unwrap_or(0));
        let mut digest = None;
        let (_, end) = walks.walk_test(&mut space, test, u64::MAX, |space, passing| {
            if space.depth(passing.state) < depth {
                return ControlFlow::Continue(());
            }
            digest = Some(space.digest(passing.state)).filter(|_| space.depth(passing.state) == depth);
            ControlFlow::Break(())
        });
        let at_end = || Some(space.digest(&end)).filter(|_| space.depth(&end) == depth);
        cut.digest.is_some() && cut.digest == digest.or_else(at_end)
    })
}

/// A bug of the old run.
fn old_bug(bug: StoredBug) -> OldBug {
    let function = function_of(&bug.record);
    let BugRecord { kind, message, place, .. } = bug.record;
    OldBug { kind, place, function, message, now: None }
}

/// The function that a bug is in: that of its place.
fn function_of(bug: &BugRecord) -> String {
    let here = |f: &&cleave_region::FrameRecord| {
        format!("{}:{}", f.file, f.line) == bug.place || f.function == bug.place
    };
    let frame = bug.trace.iter().find(here).or(bug.trace.first());
    frame.map_or_else(String::new, |frame| frame.function.clone())
}

/// The bugs of a run beside those of the run it began with.
#[derive(Default)]
pub struct BugChanges {
    /// The numbers of bugs that were not there before.
    pub new: Vec<u64>,
    /// The numbers of bugs that were.
    pub unchanged: Vec<u64>,
    /// The bugs of the old run that are gone.
    pub fixed: Vec<OldBug>,
}

/// Compares the bugs of two versions: those that end the same kept paths, then those of the same kind and message in the same function.
///
/// # Errors
/// Those of the database.
pub fn bug_changes(since: &Since, store: &Store) -> Result<BugChanges, Failure> {
    let (mut changes, mut left) = (BugChanges::default(), since.bugs.clone());
    let bugs: Vec<StoredBug> =
        store.bugs()?.into_iter().filter(|bug| bug.path_kind == PathKind::Failed).collect();
    let is_kept = |old: &OldBug, bug: &BugRecord| old.kind == bug.kind && old.now.as_ref() == Some(&bug.place);
    let is_alike = |old: &OldBug, bug: &BugRecord| {
        old.now.is_none() && old.kind == bug.kind && old.function == function_of(bug) && old.message == bug.message
    };
    let mut others = Vec::new();
    for bug in bugs {
        match left.iter().position(|old| is_kept(old, &bug.record)) {
            Some(i) => {
                left.remove(i);
                changes.unchanged.push(bug.id);
            }
            None => others.push(bug),
        }
    }
    for bug in others {
        match left.iter().position(|old| is_alike(old, &bug.record)) {
            Some(i) => {
                left.remove(i);
                changes.unchanged.push(bug.id);
            }
            None => changes.new.push(bug.id),
        }
    }
    changes.unchanged.sort_unstable();
    changes.fixed = left;
    Ok(changes)
}

/// The part of a run's account about the one it began with; `ended` is the number of its paths.
///
/// # Errors
/// Those of the database.
pub fn account_of(since: &Since, store: &Store, ended: u64) -> Result<Value, Failure> {
    let bugs = bug_changes(since, store)?;
    Ok(json!({
        "run": since.run,
        "changed": since.changed,
        "of": since.of,
        "kept": since.kept,
        "explored": ended.saturating_sub(since.kept),
        "reason": since.reason,
        "new_bugs": bugs.new.len(),
        "fixed_bugs": bugs.fixed.len(),
        "unchanged_bugs": bugs.unchanged.len(),
    }))
}

/// The last lines of a run about the one it began with; `ended` is the number of its paths.
///
/// # Errors
/// Those of the database.
pub fn lines(since: &Since, store: &Store, ended: u64) -> Result<Vec<String>, Failure> {
    const NAMES: usize = 5;
    let changes = bug_changes(since, store)?;
    let n = since.changed.len();
    let mut names = since.changed.iter().take(NAMES).cloned().collect::<Vec<_>>().join(", ");
    if n > NAMES {
        names.push_str(&format!(" and {} more", n - NAMES));
    }
    let differ = match n {
        0 => "no function differs".to_string(),
        1 => format!("1 function differs ({names})"),
        n => format!("{n} functions differ ({names})"),
    };
    let kept = match &since.reason {
        Some(reason) => format!("no path is kept, because {reason}"),
        None => format!(
            "{} of its {} kept, {} explored",
            since.kept,
            counted(since.of, "path"),
            ended.saturating_sub(since.kept)
        ),
    };
    let bugs = format!(
        "bugs: {} new, {} fixed, {} unchanged",
        changes.new.len(),
        changes.fixed.len(),
        changes.unchanged.len()
    );
    let mut lines = vec![format!("since {}: {differ}; {kept}; {bugs}", since.run)];
    lines.extend(changes.fixed.iter().map(|bug| format!("  fixed: {}: {} ({})", bug.place, bug.message, bug.kind)));
    Ok(lines)
}
