//! `cleave doctor`: what holds a run back, the most important first, with the option that helps.

use std::process::ExitCode;

use cleave_campaign::{CampaignError, Store, StoredBug};
use cleave_engine::Family;
use cleave_region::{BugRecord, PathKind};
use serde_json::Value;

use crate::commands::results::allocators::{Allocator, own_allocator};
use crate::failure::Failure;
use crate::options::DirectoryOptions;
use crate::page::data::parting;
use crate::process::number_words::{counted, verb_of};
use crate::process::output::Output;
use crate::sessions::closing::way_past;
use crate::sessions::run_dir::recorded;
use crate::sessions::summary;

/// The most causes that are told.
const MOST: usize = 10;

/// A cause, and how much of the run it is about: from 0 to 1, and above that for what makes results doubtful.
#[derive(Clone, Debug, PartialEq)]
struct Cause {
    weight: f64,
    text: String,
}

/// Facts about a run, which the rules look at.
struct Facts {
    account: Value,
    /// The number of tests whose ways were compared, and the places at which they part, with the number of times.
    ways: u64,
    parting: Vec<(String, u64)>,
    /// The bug in which most paths end, with the number of these.
    bug: Option<(BugRecord, u64)>,
    /// An allocator of the program's own.
    allocator: Option<Allocator>,
    /// The program has inputs that are symbolic.
    has_inputs: bool,
    merge: bool,
    cores: u64,
}

/// Prints the causes.
pub fn doctor(options: &DirectoryOptions) -> Result<ExitCode, Failure> {
    let (store, saved, image) = recorded(&options.directory)?;
    let (ways, places) = parting(&store, &saved, &image)?;
    let parting = places.into_iter().map(|((file, line), n)| (format!("{file}:{line}"), n)).collect();
    let account = summary::account_of(&store, &saved)?;
    let has_inputs = account["decisions"].as_u64().unwrap_or(0) > 0;
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let bug = most_frequent_bug(&store)?;
    let allocator = own_allocator(&image.program()?);
    let facts = Facts { account, ways, parting, bug, allocator, has_inputs, merge: saved.merge, cores };
    let mut out = Output::new();
    for Cause { text, weight } in causes(&facts).into_iter().take(MOST) {
        match options.json {
            true => out.line(serde_json::json!({ "cause": text, "weight": weight }))?,
            false => out.line(text)?,
        }
    }
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

fn most_frequent_bug(store: &Store) -> Result<Option<(BugRecord, u64)>, CampaignError> {
    let ends_early = |bug: &StoredBug| {
        bug.path_kind == PathKind::Failed && Family::of_kind(&bug.record.kind).is_none_or(Family::ends_early)
    };
    let bugs = store.bugs()?.into_iter().filter(ends_early);
    Ok(bugs.max_by_key(|bug| bug.paths).map(|bug| (bug.record, bug.paths)))
}

/// All causes, the heaviest first.
fn causes(facts: &Facts) -> Vec<Cause> {
    let mut all: Vec<Cause> = RULES.iter().flat_map(|rule| rule(facts)).collect();
    all.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    if all.is_empty() {
        let text = match facts.number("open_regions") {
            0.0 => "nothing: every path is explored".to_string(),
            _ => "nothing stands out: there are many paths, and the limit came first; give it more time, or fewer symbolic bytes".into(),
        };
        all.push(Cause { weight: 0.0, text });
    }
    all
}

/// A rule: the causes that it sees.
type Rule = fn(&Facts) -> Vec<Cause>;

/// The rules, in no order that matters.
const RULES: [Rule; 13] = [
    doubts, bug, no_inputs, gaps, solver, many_paths, limits, assumed, memory, covered, loading, workers,
    allocator,
];

impl Facts {
    fn number(&self, name: &str) -> f64 {
        name.split('.').fold(&self.account, |value, part| &value[part]).as_f64().unwrap_or(0.0)
    }

    fn paths(&self) -> f64 {
        ["completed", "failed", "unsupported", "suppressed"]
            .iter()
            .map(|kind| self.number(&format!("paths.{kind}")))
            .sum()
    }

    /// It was stopped by a limit or by a person.
    fn was_stopped(&self) -> bool {
        self.number("open_regions") > 0.0
    }
}

fn cause(weight: f64, text: String) -> Vec<Cause> {
    vec![Cause { weight, text }]
}

fn doubts(facts: &Facts) -> Vec<Cause> {
    let mut all = Vec::new();
    if facts.account["internal_errors"].as_object().is_some_and(|errors| !errors.is_empty()) {
        all.push(Cause {
            weight: 9.0,
            text: "Cleave itself failed (internal errors): please report the lines of `cleave stats`".into(),
        });
    }
    let deaths = facts.number("worker_deaths");
    if deaths > 0.0 {
        all.push(Cause {
            weight: 2.0,
            text: format!(
                "{} died or were killed, most often for want of memory: give --max-memory, or fewer --workers",
                counted(deaths as u64, "worker")
            ),
        });
    }
    all
}

/// A bug in which at least half of the paths end: what lies behind it is not seen.
fn bug(facts: &Facts) -> Vec<Cause> {
    let Some((record, paths)) = &facts.bug else { return Vec::new() };
    let share = *paths as f64 / facts.paths().max(1.0);
    if share < 0.5 {
        return Vec::new();
    }
    let way_out = match way_past(&record.kind) {
        Some(family) => format!("mend it, or go on past it with --check -{family}"),
        None => "mend it first".to_string(),
    };
    let text = format!(
        "{paths} of {} {} in a bug at {} ({}), and what lies behind it is not explored: {way_out}",
        counted(facts.paths() as u64, "path"),
        verb_of(*paths, "ends", "end"),
        record.place,
        record.kind
    );
    cause(if share < 1.0 { 0.4 + 0.5 * share } else { 1.6 }, text)
}

fn no_inputs(facts: &Facts) -> Vec<Cause> {
    if facts.has_inputs || facts.paths() > 1.0 {
        return Vec::new();
    }
    let text = "no decision depends on an input: give the program --sym-arg 4 or --sym-stdin 8 behind its name, or make memory symbolic with \
                klee_make_symbolic";
    cause(1.5, text.into())
}

/// Paths that ended at something unsupported, and regions set aside.
fn gaps(facts: &Facts) -> Vec<Cause> {
    let mut all = Vec::new();
    for gap in facts.account["not_explored"].as_array().into_iter().flatten() {
        let [kind, what, way_out] =
            ["kind", "what", "way_out"].map(|name| gap[name].as_str().unwrap_or_default());
        let count = gap["count"].as_u64().unwrap_or(0);
        let share = count as f64 / (facts.paths() + count as f64).max(1.0);
        match kind {
            "open" => {}
            "unsupported" => {
                let share = count as f64 / facts.paths().max(1.0);
                let text = format!(
                    "{} {} at {what}: {way_out}",
                    counted(count, "path"),
                    verb_of(count, "ends", "end")
                );
                all.push(Cause { weight: 0.5 + share, text });
            }
            _ => {
                let text = format!(
                    "{} {} set aside where {what}: {way_out}",
                    counted(count, "region"),
                    verb_of(count, "is", "are")
                );
                all.push(Cause { weight: 0.3 + share, text });
            }
        }
    }
    all
}

/// The place with the greatest number in a table of the account.
fn greatest<'a>(facts: &'a Facts, table: &str) -> Option<(&'a str, f64, f64)> {
    let table = facts.account[table].as_object()?;
    let sum: f64 = table.values().filter_map(Value::as_f64).sum();
    let greatest = table.iter().filter_map(|(place, n)| Some((place.as_str(), n.as_f64()?)));
    greatest.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(place, n)| (place, n, sum))
}

fn solver(facts: &Facts) -> Vec<Cause> {
    let share = facts.number("solver_seconds") / facts.number("busy_seconds").max(1e-9);
    if share < 0.4 || facts.number("solver_seconds") < 0.5 {
        return Vec::new();
    }
    let Some((place, us, all)) = greatest(facts, "solver_us_at") else { return Vec::new() };
    let text = format!(
        "the solver has {:.0} % of the time, {:.0} % of it for conditions at {place}: fewer symbolic bytes there help, or a contract in the place of that code \
         (--use-contract)",
        100.0 * share.min(1.0),
        100.0 * us / all.max(1.0)
    );
    cause(share.min(1.0), text)
}

/// Paths that part at one place again and again.
fn many_paths(facts: &Facts) -> Vec<Cause> {
    let sum: u64 = facts.parting.iter().map(|(_, n)| n).sum();
    let Some((place, n)) = facts.parting.first().filter(|_| facts.was_stopped() && facts.ways >= 20) else {
        return Vec::new();
    };
    let share = *n as f64 / sum.max(1) as f64;
    let way_out = if facts.merge {
        "fewer symbolic bytes help, or a part of the program alone (--entry-point)"
    } else {
        "--merge on joins what meets again; fewer symbolic bytes, or a part of the program alone (--entry-point), help as well"
    };
    let text = format!("{:.0} % of the paths part at {place}: {way_out}", 100.0 * share);
    cause(0.3 + 0.5 * share, text)
}

fn limits(facts: &Facts) -> Vec<Cause> {
    let Some((place, n, _)) = greatest(facts, "decided_by_value").filter(|(_, n, _)| *n >= 64.0) else {
        return Vec::new();
    };
    let share = n / facts.paths().max(1.0);
    let text = format!(
        "{n:.0} paths differ only in a value at {place}: the last lines of `cleave run` name the option that moves this limit, or bound the value"
    );
    cause(0.4 + 0.6 * share.min(1.0), text)
}

fn assumed(facts: &Facts) -> Vec<Cause> {
    let away = facts.number("paths.assumed_away");
    let share = away / (away + facts.paths()).max(1.0);
    if share < 0.5 || away < 2.0 {
        return Vec::new();
    }
    let text = format!(
        "{away:.0} of {:.0} paths are assumed away: put the assumption in front of the branches that it excludes",
        away + facts.paths()
    );
    cause(share, text)
}

fn memory(facts: &Facts) -> Vec<Cause> {
    if facts.account["stop_reason"] != "max_memory" {
        return Vec::new();
    }
    cause(1.2, "the limit of memory stopped the run: give a larger --max-memory, or --search dfs, which keeps few states".into())
}

/// All lines are covered, and paths go on.
fn covered(facts: &Facts) -> Vec<Cause> {
    let (lines, covered) = (facts.number("coverage.lines"), facts.number("coverage.lines_covered"));
    if !facts.was_stopped() || lines == 0.0 || covered < lines || facts.paths() < 1000.0 {
        return Vec::new();
    }
    let text = format!(
        "all {lines:.0} lines are covered, and {:.0} paths differ in what no line shows: a bug behind them is found by --merge on, or by --mutate 50 beside the search",
        facts.paths()
    );
    cause(0.35, text)
}

fn loading(facts: &Facts) -> Vec<Cause> {
    let share = facts.number("loading_s") / facts.number("wall_s").max(1e-9);
    if share < 0.5 || facts.number("wall_s") < 2.0 {
        return Vec::new();
    }
    let text = format!(
        "{:.0} % of the time went into loading the program: the next run has it from the cache (CLEAVE_CACHE names its folder), or give it more time",
        100.0 * share
    );
    cause(0.2 + 0.3 * share, text)
}

fn workers(facts: &Facts) -> Vec<Cause> {
    let workers = facts.number("workers");
    if !facts.was_stopped() || workers >= facts.cores as f64 {
        return Vec::new();
    }
    cause(0.1, format!("{workers:.0} of {} cores work: --workers {} takes all", facts.cores, facts.cores))
}

/// The program has an allocator of its own.
fn allocator(facts: &Facts) -> Vec<Cause> {
    let Some(Allocator { gives, takes, parameters }) = &facts.allocator else { return Vec::new() };
    let [before_size, before_pointer] = parameters.map(|n| "_, ".repeat(n.saturating_sub(1)));
    let text = format!(
        "`{gives}` seems to give out memory of its own, inside of which no overflow is seen: --function-alias '{gives}({before_size}n):malloc(n)' and \
         '{takes}({before_pointer}p):free(p)' put the C library's heap in its place"
    );
    cause(0.15, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn facts(account: Value) -> Facts {
        let (parting, has_inputs) = (Vec::new(), true);
        Facts { account, ways: 0, parting, bug: None, allocator: None, has_inputs, merge: false, cores: 2 }
    }

    /// The first cause of a run with this account.
    fn first(account: Value) -> String {
        causes(&facts(account)).remove(0).text
    }

    #[test]
    fn a_whole_run_has_no_cause() {
        assert_eq!(
            first(json!({ "open_regions": 0, "paths": { "completed": 3 } })),
            "nothing: every path is explored"
        );
        assert!(
            first(json!({ "open_regions": 4, "workers": 2, "paths": { "completed": 3 } }))
                .contains("nothing stands out")
        );
    }

    #[test]
    fn each_rule_sees_its_cause() {
        for (account, part) in [
            (json!({ "internal_errors": { "x": 1 } }), "Cleave itself failed"),
            (json!({ "worker_deaths": 2 }), "2 workers died"),
            (json!({ "stop_reason": "max_memory" }), "--max-memory"),
            (
                json!({ "paths": { "completed": 1, "unsupported": 3 }, "not_explored":
                    [{ "kind": "unsupported", "count": 3, "what": "`f`", "way_out": "link it" }] }),
                "3 paths end at `f`: link it",
            ),
            (
                json!({ "not_explored": [{ "kind": "cut", "count": 1, "what": "--max-depth", "way_out": "resume" }] }),
                "1 region is set aside where --max-depth: resume",
            ),
            (
                json!({ "solver_seconds": 8.0, "busy_seconds": 10.0, "solver_us_at": { "a.c:1": 3, "b.c:2": 9 } }),
                "80 % of the time, 75 % of it for conditions at b.c:2",
            ),
            (
                json!({ "decided_by_value": { "a.c:3: x": 100 }, "paths": { "completed": 120 } }),
                "100 paths differ only in a value at a.c:3",
            ),
            (json!({ "paths": { "completed": 1, "assumed_away": 9 } }), "9 of 10 paths are assumed away"),
            (
                json!({ "open_regions": 1, "workers": 2, "coverage": { "lines": 5, "lines_covered": 5 }, "paths": { "completed": 2000 } }),
                "all 5 lines are covered",
            ),
            (json!({ "loading_s": 4.0, "wall_s": 5.0 }), "80 % of the time went into loading"),
            (json!({ "open_regions": 1, "workers": 1 }), "1 of 2 cores work"),
        ] {
            let told = first(account);
            assert!(told.contains(part), "{told}");
        }
        let idle = Facts { has_inputs: false, ..facts(json!({ "paths": { "completed": 1 } })) };
        assert!(causes(&idle)[0].text.contains("no decision depends on an input"));
        for (kind, part) in [
            (
                "uninitialised",
                "(uninitialised), and what lies behind it is not explored: mend it, or go on past it with --check -uninitialised",
            ),
            ("out-of-bounds", "mend it first"),
        ] {
            let record = BugRecord {
                kind: kind.into(),
                message: String::new(),
                place: "a.c:4".into(),
                trace: Vec::new(),
            };
            let account = json!({ "paths": { "failed": 7, "completed": 1 } });
            let told = causes(&Facts { bug: Some((record, 7)), ..facts(account) })[0].text.clone();
            assert!(told.starts_with("7 of 8 paths end in a bug at a.c:4") && told.contains(part), "{told}");
        }
        let account = json!({ "open_regions": 1, "workers": 2 });
        let parting = vec![("a.c:7".to_string(), 30), ("a.c:9".to_string(), 10)];
        let many = Facts { ways: 41, parting, ..facts(account.clone()) };
        assert!(causes(&many)[0].text.contains("75 % of the paths part at a.c:7: --merge on"));
        let own = Allocator { gives: "get_alloc".into(), takes: "get_free".into(), parameters: [3, 1] };
        let told = causes(&Facts { allocator: Some(own), ..facts(account) })[0].text.clone();
        assert!(told.contains("'get_alloc(_, _, n):malloc(n)' and 'get_free(p):free(p)'"), "{told}");
    }
}
