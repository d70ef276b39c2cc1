//! Unexplored paths and regions of a run with their reasons: a line for each kind, with its count and the way out.

use std::collections::BTreeMap;

use cleave_campaign::{Account, CampaignError, Store};
use cleave_region::PathKind;
use serde::Serialize;

/// Reason of regions that are set aside because no seed of `--only-seeds` leads to them.
pub const OFF_SEEDS: &str = "no seed leads";

/// Paths or regions that are not explored for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// `unsupported`, or the state of the regions: `open`, `unknown`, `cut`, `diverged`, `crashed`.
    pub kind: String,
    /// Number of paths that ended there (`unsupported`), or number of regions; each may hold many paths.
    pub count: u64,
    /// Their common cause: the feature that is not modelled, or the reason.
    pub what: String,
    /// Advice to the user.
    pub way_out: String,
}

impl Gap {
    /// As one line.
    pub fn line(&self) -> String {
        let Gap { kind, count, what, way_out } = self;
        let unit = match (kind.as_str(), count) {
            ("unsupported", 1) => "path ends at",
            ("unsupported", _) => "paths end at",
            (_, 1) => "region",
            _ => "regions",
        };
        let between = if kind == "unsupported" { "" } else { "where" };
        let words = [unit, between, what].into_iter().filter(|word| !word.is_empty());
        format!("{count} {}: {way_out}", words.collect::<Vec<_>>().join(" "))
    }
}

/// Unexplored paths and regions, the most frequent kinds first.
///
/// # Errors
/// Those of the database.
pub fn gaps(store: &Store, account: &Account) -> Result<Vec<Gap>, CampaignError> {
    let mut unsupported: BTreeMap<String, u64> = BTreeMap::new();
    for bug in store.bugs()?.into_iter().filter(|bug| bug.path_kind == PathKind::Unsupported) {
        *unsupported.entry(bug.record.message).or_default() += bug.paths;
    }
    let mut gaps: Vec<Gap> = unsupported
        .into_iter()
        .map(|(what, count)| Gap {
            kind: "unsupported".into(),
            count,
            way_out: way_around(&what).into(),
            what,
        })
        .collect();
    for (state, reason, count) in store.set_aside()? {
        let (what, way_out) = set_aside(&state, &reason);
        match gaps.iter_mut().find(|gap| gap.kind == state && gap.what == what) {
            Some(gap) => gap.count += count,
            None => gaps.push(Gap { kind: state, count, what, way_out: way_out.into() }),
        }
    }
    let waiting: u64 = ["open", "leased"].iter().filter_map(|state| account.regions.get(*state)).sum();
    if waiting > 0 {
        gaps.push(Gap {
            kind: "open".into(),
            count: waiting,
            what: "the run was stopped".into(),
            way_out: "`cleave resume` goes on there".into(),
        });
    }
    gaps.sort_by_key(|gap| std::cmp::Reverse(gap.count));
    Ok(gaps)
}

/// Advice about a feature that is not modelled, chosen by its name.
fn way_around(what: &str) -> &'static str {
    let has = |part: &str| what.contains(part);
    if has("priority inheritance") {
        "give the mutex no protocol (PTHREAD_PRIO_NONE): nobody has a priority in the model"
    } else if has("a process that shares memory") {
        "processes may share what `mmap` maps to be shared; make the process by `fork`"
    } else if has("another program") || has("running a program") {
        "build it with `cleave cc`, and give it by --program NAME=FILE"
    } else if has("which is defined nowhere") {
        "link what defines it: its sources, or a library, built with `cleave cc`"
    } else if has("which the linker makes") {
        "the model has no file of the program: take what is there from somewhere else"
    } else if has("Intel's syntax") {
        "write it in AT&T's syntax (`options(att_syntax)` in Rust), or choose the version without it"
    } else if has("inline assembly") {
        "build with the C version of this code; most sources have a macro for that"
    } else if has("socket") {
        "this is not modelled of sockets; docs/decisions/099-sockets.md says what is"
    } else if has("waiting for ever") {
        "natively the program would hang here; nobody else is there in the model"
    } else if has("the solver gave up") {
        "give the solver more time with --solver-timeout"
    } else if has("prototype") || has("another type of function") {
        "declare the function in the caller as it is defined"
    } else {
        "this is no bug of the program; please report what is named here"
    }
}

/// Reason why regions are set aside, and advice about it.
fn set_aside(state: &str, reason: &str) -> (String, &'static str) {
    match state {
        "unknown" => {
            let why = if reason.is_empty() { "it gave no reason" } else { reason };
            let way_out = if cfg!(feature = "bitwuzla") {
                "`cleave resume` asks again with ten times the time, or as --solver-timeout says"
            } else {
                "this Cleave was built without Bitwuzla, which answers hard conditions: `make build`, then `cleave resume`"
            };
            (format!("the solver gave up ({why})"), way_out)
        }
        "cut" => {
            let way_out = if reason.contains("depth bound") {
                "`cleave resume --depth-bound unlimited` explores them"
            } else if reason.contains("instructions") {
                "`cleave resume` explores them without --max-path-instructions, or with a larger one"
            } else if reason == OFF_SEEDS {
                "`cleave resume` explores them"
            } else {
                "`cleave resume` explores them without --max-depth, or with a larger one"
            };
            (reason.to_string(), way_out)
        }
        "crashed" => ("workers died".into(), "`cleave resume` tries them again; see `cleave list`"),
        _ => ("a test did not lead where it led before".into(), "see diverged-N.txt in the run's directory"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_one_line_with_its_count_and_a_way_out() {
        let gap = |kind: &str, count, what: &str, way_out: &str| Gap {
            kind: kind.into(),
            count,
            what: what.into(),
            way_out: way_out.into(),
        };
        assert_eq!(gap("unsupported", 1, "a timer", "so").line(), "1 path ends at a timer: so");
        assert_eq!(
            gap("cut", 3, "the limit is reached", "so").line(),
            "3 regions where the limit is reached: so"
        );
        assert_eq!(
            set_aside("cut", "the depth bound is used up").1,
            "`cleave resume --depth-bound unlimited` explores them"
        );
        assert!(way_around("a mutex with priority inheritance").contains("PTHREAD_PRIO_NONE"));
        assert!(way_around("an access to the variable `v`, which is defined nowhere").contains("cleave cc"));
        assert!(way_around("a call of the function `f`, which is defined nowhere").contains("cleave cc"));
    }
}
