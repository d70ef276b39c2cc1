//! Strategies of a session's search, with the reason for them.

use std::fmt;
use std::path::Path;

use cleave_explore::{Feasibility, MutatedShare, Search};

use crate::failure::Failure;
use crate::options::session::ExplorationOptions;
use crate::process::messages::note;
use crate::sessions::saved::Saved;

/// Strategies that cover most code in a limited time (bench/results, the tables of `search`).
const BROAD: [&str; 5] =
    ["ending:random-path", "ending:covnew", "ending:generational", "ending:novelty", "ending:guards"];
/// The part of the work for mutated inputs beside these, in percent (bench/results/2026-11-28-planted.txt, 2026-11-30-shares.txt).
const MUTATED: MutatedShare = MutatedShare { least: 5, most: 75 };
/// Number of basic blocks above which a program is large: exploration of all its paths is not expected.
const LARGE: u64 = 20_000;

/// The strategies of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Their names; none for depth-first.
    pub names: Vec<String>,
    why: Why,
}

/// Reason for the strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// The user said so.
    Asked,
    /// A profile has its own.
    Profile,
    /// All workers run concrete inputs.
    Concolic,
    /// An option limits the session.
    Limit(&'static str),
    /// Finds of executions are followed.
    Mutates,
    /// The program is large: it has this many basic blocks.
    Large(u64),
    /// Nothing speaks against finishing.
    Whole,
}

impl Choice {
    /// For a session with these options, of a program of `blocks` basic blocks.
    pub fn of(options: &ExplorationOptions, saved: &Saved, blocks: u64) -> Choice {
        let asking = saved.asking.with(&options.asking);
        let limits = [("--max-time", options.max_time.is_some()), ("--max-bugs", options.max_bugs.is_some())];
        let limit = limits.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name);
        let broad = |why| (BROAD.map(String::from).to_vec(), why);
        let (names, why) = if !options.search.is_empty() {
            (options.search.clone(), Why::Asked)
        } else if asking.is_depth_first() || !asking.search().is_empty() {
            (asking.search(), Why::Profile)
        } else if options.how.or(&saved.how).is_concolic() {
            (Vec::new(), Why::Concolic)
        } else if let Some(limit) = limit {
            broad(Why::Limit(limit))
        } else if options.mutate.is_some_and(|percent| percent > 0) {
            broad(Why::Mutates)
        } else if blocks > LARGE {
            broad(Why::Large(blocks))
        } else {
            (Vec::new(), Why::Whole)
        };
        Choice { names, why }
    }

    /// Tells the search of a run in `directory`.
    pub fn tell(&self, directory: &Path) {
        note(format_args!("{}: searching {self}", directory.display()));
    }

    /// The part of the work for mutated inputs. An error if it was asked for and their finds cannot be followed.
    pub fn mutated(
        &self,
        options: &ExplorationOptions,
        saved: &Saved,
    ) -> Result<Option<MutatedShare>, Failure> {
        let is_broad = matches!(self.why, Why::Limit(_) | Why::Large(_));
        let share = match options.mutate {
            Some(percent) => (percent > 0).then_some(MutatedShare::always(percent)),
            None => is_broad.then_some(MUTATED),
        };
        if share.is_none() {
            return Ok(None);
        }
        let asking = saved.asking.with(&options.asking).asking(false);
        let is_in_order = || Search::new(&self.names, 0).is_ok_and(|search| search.strategy(None).in_order());
        let why = if options.how.or(&saved.how).is_concolic() {
            "concrete runs leave no states that wait; leave --mode concolic out"
        } else if matches!(asking.feasibility, Feasibility::Speculative { .. }) {
            "speculation runs ahead of states that wait; leave it out"
        } else if is_in_order() {
            "depth-first search keeps its order; give another --search"
        } else {
            return Ok(share);
        };
        if options.mutate.is_none() {
            return Ok(None);
        }
        Err(Failure::usage(format!("--mutate cannot follow what it finds: {why}")))
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = match self.names.as_slice() {
            [] => "depth-first".to_string(),
            [one] => format!("by {one}"),
            [first @ .., last] => {
                format!("by {} and {last}, more often by what finds more code", first.join(", "))
            }
        };
        match self.why {
            Why::Asked | Why::Profile => write!(f, "{names}"),
            Why::Concolic => write!(f, "by concrete runs"),
            Why::Limit(option) => {
                write!(f, "{names}, to cover much within {option} (--search dfs: depth-first)")
            }
            Why::Mutates => write!(f, "{names}, to follow what --mutate finds"),
            Why::Large(blocks) => {
                write!(
                    f,
                    "{names}, as the program is large: {blocks} basic blocks (--search dfs: depth-first)"
                )
            }
            Why::Whole => write!(f, "{names}, to the last path (Ctrl-C stops)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::run::tests::run_options;

    fn said(line: &str, blocks: u64) -> String {
        let options = run_options(&format!("cleave run {line} prog"));
        let saved = Saved::of(&options).unwrap();
        Choice::of(&options.exploration, &saved, blocks).to_string()
    }

    #[test]
    fn a_limit_or_a_large_program_calls_for_breadth_and_what_the_user_says_counts_first() {
        let broad = "by ending:random-path, ending:covnew, ending:generational, ending:novelty and ending:guards, \
                     more often by what finds more code";
        assert_eq!(said("--max-paths 9", LARGE), said("", LARGE));
        assert_eq!(said("", LARGE), "depth-first, to the last path (Ctrl-C stops)");
        assert!(
            said("", LARGE + 1).starts_with(&format!("{broad}, as the program is large: 20001 basic blocks"))
        );
        for limit in ["--max-time 5s", "--max-bugs 1"] {
            let (option, _) = limit.split_once(' ').unwrap();
            let expected = format!("{broad}, to cover much within {option} (--search dfs: depth-first)");
            assert_eq!(said(limit, 1), expected);
            for (more, how) in [
                ("--search dfs", "by dfs"),
                ("--search bfs --search icnt", "by bfs and icnt, more often by what finds more code"),
                ("--profile s2pf-b", "depth-first"),
                ("--profile s2pf-d", "by deepest"),
                ("--feasibility speculative", "depth-first"),
                ("--mode concolic", "by concrete runs"),
            ] {
                assert_eq!(said(&format!("{limit} {more}"), LARGE + 1), how, "{limit} {more}");
            }
        }
    }

    /// The part of the work for mutated inputs; nothing where they are refused.
    fn mutated(line: &str, blocks: u64) -> Option<Option<MutatedShare>> {
        let options = run_options(&format!("cleave run {line} prog"));
        let saved = Saved::of(&options).unwrap();
        Choice::of(&options.exploration, &saved, blocks).mutated(&options.exploration, &saved).ok()
    }

    #[test]
    fn searches_in_turn_mutate_and_others_where_they_are_asked_to() {
        assert_eq!(mutated("", 1), Some(None));
        assert_eq!(mutated("", LARGE + 1), Some(Some(MUTATED)));
        assert_eq!(mutated("--max-time 5s", 1), Some(Some(MUTATED)));
        assert_eq!(mutated("--max-time 5s --mutate 0", 1), Some(None));
        assert_eq!(mutated("--max-time 5s --search bfs", 1), Some(None));
        assert_eq!(mutated("--max-time 5s --mode concolic", 1), Some(None));
        assert_eq!(mutated("--mutate 20", 1), Some(Some(MutatedShare::always(20))));
        assert_eq!(mutated("--search bfs --mutate 20", 1), Some(Some(MutatedShare::always(20))));
        assert_eq!(mutated("--search dfs --mutate 20", 1), None);
        assert_eq!(mutated("--max-time 5s --mode concolic --mutate 20", 1), None);
    }
}
