//! `cleave run --since`: a run that begins with the paths of a finished run of an older version of the program. `run` calls it before
//! workers start.
//!
//! The two versions are compared function by function. All tests of the old run are followed together in the new program, without a
//! solver. Tests that come to a function that differs stop there: all paths through that place are explored. The others come to their
//! ends as before, and their paths are kept. Together that is every path: up to the places where tests stopped, both versions have
//! the same decisions, so a side that no test of the old run takes is infeasible in both. `docs/decisions/134-since.md` has the proof.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use cleave_campaign::{KnownPaths, Shows, Stats, Store, counters};
use cleave_coverage::{MarkId, Marks, Sites};
use cleave_explore::{Leaf, Programs, Space, Stop, Walks};
use cleave_linux::Schedules;
use cleave_program::code::Program;
use cleave_region::{PathRecord, Region, Test, Weight};

use crate::failure::Failure;
use crate::process::number_words::counted;
use crate::programs::changes::{Changes, changes};
use crate::programs::loading::Image;
use crate::sessions::run_dir::{recorded, test_of};
use crate::sessions::saved::{Saved, Since, space_of};
use crate::sessions::since_account::{bugs_of_paths, old_bug};

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
    let mut paths = OldPaths::of(&store)?;
    // A run that kept its paths had no time of its own.
    paths.is_executed |= old.since.as_ref().is_some_and(|since| since.executed && since.kept > 0);
    let mut since = Since {
        executed: paths.is_executed,
        run: std::path::absolute(run).unwrap_or_else(|_| run.to_path_buf()).display().to_string(),
        changed: changes.names.clone(),
        of: paths.paths.len() as u64,
        bugs: bugs_of_paths(&store)?.into_iter().map(old_bug).collect(),
        ..Since::default()
    };
    let known = match &changes.all {
        Some(reason) => Err(reason.clone()),
        None => kept(&paths, Versions { before, after, changes: &changes }, [&old, saved], &mut since)?,
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
    let refuse =
        |why: &str| Err(Failure::new(format!("cannot begin with the paths of {}: {why}", run.display())));
    store.check_paths(run)?;
    if old.merge || new.merge {
        return refuse(
            "its paths are merged (--merge on), and only single paths are compared; leave out --since",
        );
    }
    if old.class.is_some() {
        return refuse("it has the paths of one class only (`cleave expand`); leave out --since");
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

/// Busy time of an old run below which nothing is saved by choosing what is sooner, in seconds.
const SHORT: f64 = 1.0;

/// The paths of the old run.
#[derive(Default)]
struct OldPaths {
    paths: Vec<PathRecord>,
    /// Instructions of the longest.
    longest: u64,
    /// True if the model made something up on some of them: that is counted, and not recorded.
    made_up: bool,
    /// True if the run took some time, and less than half of it in the solver.
    is_executed: bool,
}

impl OldPaths {
    fn of(store: &Store) -> Result<OldPaths, Failure> {
        let account = store.account()?;
        let is_executed = account.busy_seconds > SHORT && 2.0 * account.solver_seconds < account.busy_seconds;
        let made_up = !account.made_up.is_empty();
        let mut all = OldPaths { made_up, is_executed, ..OldPaths::default() };
        store.each_path::<Failure>(0, |path| {
            let test = test_of(path.id, &path.record)?;
            all.longest = all.longest.max(path.record.instructions);
            all.paths.push(path.record.with_test(|_| test));
            Ok(())
        })?;
        Ok(all)
    }
}

/// Two versions of a program.
struct Versions<'a> {
    before: Program,
    after: Program,
    changes: &'a Changes,
}

/// Old paths as they are kept in the new program.
struct Keeping<'a> {
    old: &'a OldPaths,
    /// The paths that are followed, by the index of their test.
    followed: Vec<usize>,
    /// Their records in the new program.
    records: BTreeMap<usize, (PathRecord, Vec<String>)>,
}

impl Keeping<'_> {
    /// Records a path that was followed to its end, which has to be the one that its only test took before.
    fn keep(&mut self, space: &mut Programs, leaf: Leaf<'_, Programs>) -> ControlFlow<()> {
        let &[test] = leaf.tests else { return ControlFlow::Break(()) };
        let path = self.followed[test as usize];
        let made_up = space.made_up(leaf.state);
        match space.record(leaf.end, leaf.state, leaf.witness) {
            Some(record) if record.digest == self.old.paths[path].digest => {
                self.records.insert(path, (record, made_up));
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Break(()),
        }
    }
}

/// The paths that execute nothing that differs, and the regions of the others. `Err` with the reason if the old paths say nothing.
fn kept(
    old: &OldPaths,
    versions: Versions<'_>,
    [old_saved, saved]: [&Saved; 2],
    since: &mut Since,
) -> Result<Result<KnownPaths, String>, Failure> {
    let Versions { before, after, changes } = versions;
    let (differing, marks) = (differing(&after, changes), MarkMap::new(&before, &after, changes));
    // Following tests spares questions to the solver, and executes their paths up to the places twice.
    let entering = old.paths.iter().filter(|path| marks.differ(path)).count();
    if old.is_executed && 2 * entering > old.paths.len() {
        let reason = "most of its paths execute what differs, and exploring all of them anew takes less time";
        return Ok(Err(reason.into()));
    }
    // The record of a path that is not followed is the old one.
    let is_settled = |path: &PathRecord| {
        let is_plain = path.bug.is_none() && path.addresses.is_empty() && !path.passed.is_empty();
        is_plain && !old.made_up && !changes.moved && !marks.differ(path)
    };
    let followed: Vec<usize> = (0..old.paths.len()).filter(|&i| !is_settled(&old.paths[i])).collect();
    let tests: Vec<Test> = followed.iter().map(|&i| old.paths[i].test.clone()).collect();
    let mut keeping = Keeping { old, followed, records: BTreeMap::new() };
    let mut space = space_of(after, saved)?;
    let stops = cleave_explore::part(
        &mut space,
        &tests,
        old.longest.saturating_add(BEYOND),
        |space: &Programs, state| space.has_passed(state, &differing),
        |space, leaf| keeping.keep(space, leaf),
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
    if changes.moved && !lead_there(&stops, &tests, space_of(before, old_saved)?) {
        return Ok(Err(other()));
    }
    let stopped: BTreeSet<usize> =
        stops.iter().flat_map(|stop| &stop.tests).map(|&test| keeping.followed[test as usize]).collect();
    let mut known = KnownPaths::default();
    let mut shown = Marks::default();
    for (i, path) in old.paths.iter().enumerate().filter(|(i, _)| !stopped.contains(i)) {
        let (record, made_up) = match keeping.records.remove(&i) {
            Some(followed) => followed,
            None => (PathRecord { passed: marks.new_ones(path).to_bytes(), ..path.clone() }, Vec::new()),
        };
        note_bug(since, path, &record);
        let passed = Marks::from_bytes(&record.passed);
        let news: Vec<MarkId> = passed.iter().filter(|&mark| shown.insert(mark)).collect();
        if !news.is_empty() {
            known.shows.push(Shows { path: known.paths.len() as u32, marks: news });
        }
        count(&mut known.stats, &record.addresses, &made_up);
        known.paths.push(record);
    }
    known.measure = Weight::ONE - stops.iter().map(|stop| stop.weight).sum::<Weight>();
    known.remaining = stops.into_iter().map(|stop| stop.region).collect();
    if old.paths.is_empty() {
        (known.measure, known.remaining) = (Weight::ZERO, vec![Region::whole()]);
    }
    Ok(Ok(known))
}

/// Notes that a bug of the old run is one of the new program too.
fn note_bug(since: &mut Since, before: &PathRecord, after: &PathRecord) {
    let (Some(before), Some(after)) = (&before.bug, &after.bug) else { return };
    if let Some(known) = since.bugs.iter_mut().find(|b| b.kind == before.kind && b.place == before.place) {
        known.now = Some(after.place.clone());
    }
}

/// The marks behind which the new program does something else: those of functions that differ, without the parts that do not.
fn differing(program: &Program, changes: &Changes) -> Marks {
    let sites = Sites::new(program);
    let alike: BTreeSet<MarkId> = changes.alike.values().copied().collect();
    let is_meant = |func| changes.functions.binary_search(&func).is_ok();
    let marks = (0..).zip(sites.marks());
    marks.filter(|(id, mark)| is_meant(mark.func) && !alike.contains(id)).map(|(id, _)| id).collect()
}

/// The marks of the old program in the new one: functions that do not differ have the same ones in the same order.
struct MarkMap {
    /// Nothing for marks behind which the programs differ.
    new: Vec<Option<MarkId>>,
}

impl MarkMap {
    fn new(before: &Program, after: &Program, changes: &Changes) -> MarkMap {
        let (sites, new_sites) = (Sites::new(before), Sites::new(after));
        let mut firsts: BTreeMap<&str, MarkId> = BTreeMap::new();
        for (id, mark) in (0..).zip(new_sites.marks()) {
            if changes.functions.binary_search(&mark.func).is_err() {
                firsts.entry(after.functions[mark.func as usize].name.as_str()).or_insert(id);
            }
        }
        let (mut new, mut number, mut last) = (Vec::new(), 0, None);
        for (id, mark) in (0..).zip(sites.marks()) {
            number = if last == Some(mark.func) { number + 1 } else { 0 };
            last = Some(mark.func);
            let first = firsts.get(before.functions[mark.func as usize].name.as_str());
            new.push(first.map(|first| first + number).or_else(|| changes.alike.get(&id).copied()));
        }
        MarkMap { new }
    }

    fn of(&self, mark: MarkId) -> Option<MarkId> {
        self.new.get(mark as usize).copied().flatten()
    }

    /// True if an old path executes what differs.
    fn differ(&self, path: &PathRecord) -> bool {
        Marks::from_bytes(&path.passed).iter().any(|mark| self.of(mark).is_none())
    }

    /// The marks of an old path in the new program.
    fn new_ones(&self, path: &PathRecord) -> Marks {
        Marks::from_bytes(&path.passed).iter().filter_map(|mark| self.of(mark)).collect()
    }
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
fn lead_there(stops: &[Stop], tests: &[Test], mut space: Programs) -> bool {
    let mut walks = Walks::default();
    stops.iter().all(|stop| {
        let Some(cut) = &stop.region.lo else { return false };
        if space.is_full() {
            space.renew();
            walks = Walks::default();
        }
        let (test, depth) = (&tests[stop.tests[0] as usize], cut.depth.unwrap_or(0));
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
