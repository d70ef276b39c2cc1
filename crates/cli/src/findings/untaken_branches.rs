//! Reasons why branch directions were never taken, for the report.
//!
//! A direction is called infeasible only if the run has explored all paths: then no input takes it at any execution of the
//! branch. The condition that contradicts it is sought on one path, and shown with that path's test.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use cleave_campaign::{Store, counters};
use cleave_coverage::{Map, MarkId, Marks};
use cleave_explore::{Met, Programs, Space, WhyNot, walk_closely};
use cleave_expr::Term;
use cleave_linux::env::EnvSpec;
use cleave_program::code::{FuncId, Op, Pc, Program};
use cleave_region::Test;

use crate::explain::{Follower, InputNames};
use crate::failure::Failure;
use crate::sessions::run_dir::test_of;

/// Tests that are followed to find conditions.
const MOST_TESTS: usize = 64;
/// Branches whose conditions are looked for.
const MOST_BRANCHES: usize = 300;
/// Jumps, calls and returns of a test that are followed.
const MOST_STEPS: u64 = 3_000_000;
/// Maximum number of operators of a condition that are shown, and of conditions.
const MOST_OPERATORS: usize = 16;
const MOST_REASONS: usize = 4;

/// The op of a branch.
pub type BranchOp = (FuncId, Pc);

/// Reason for each branch that has a direction that is taken and one that is not.
///
/// # Errors
/// Those of the database.
pub fn why_untaken(
    store: &Store,
    map: &Map,
    marks: &Marks,
    (follower, program, spec): (&mut Follower, &Program, &EnvSpec),
) -> Result<BTreeMap<BranchOp, String>, Failure> {
    let branches = map.branches(marks);
    let partly = branches.iter().filter(|b| b.taken.contains(&true) && b.taken.contains(&false));
    let mut why: BTreeMap<BranchOp, String> = BTreeMap::new();
    let general = doubt(store)?;
    if let Some(doubt) = general {
        why.extend(partly.map(|branch| (branch.at, doubt.clone())));
        return Ok(why);
    }
    let covering = store.covering()?;
    let first: BTreeMap<MarkId, u64> =
        covering.iter().flat_map(|(path, marks)| marks.iter().map(move |mark| (*mark, *path))).collect();
    let mut asked: BTreeMap<u64, BTreeSet<BranchOp>> = BTreeMap::new();
    for (i, branch) in partly.enumerate() {
        why.insert(branch.at, "infeasible: no input takes it on any path".into());
        let path = branch.sides.iter().filter_map(|mark| first.get(mark)).min();
        if let (Some(path), true) = (path, i < MOST_BRANCHES && has_two_sides(program, branch.at)) {
            asked.entry(*path).or_default().insert(branch.at);
        }
    }
    let chosen: BTreeSet<u64> = asked.keys().copied().take(MOST_TESTS).collect();
    if let Some(&last) = chosen.last() {
        let mut tests = Vec::new();
        store.each_path::<Failure>(0, |path| {
            if path.id <= last && chosen.contains(&path.id) {
                tests.push((path.id, test_of(path.id, &path.record)?));
            }
            Ok(())
        })?;
        for (id, test) in tests {
            let names = InputNames::new(spec, &test);
            let reasons = reasons(follower.space(), &test, &names, asked.remove(&id).unwrap_or_default());
            why.extend(reasons.into_iter().map(|(at, reason)| (at, reason.text(id))));
        }
    }
    Ok(why)
}

/// Reason why directions that no path takes may be feasible nevertheless; `None` if they are infeasible.
fn doubt(store: &Store) -> Result<Option<String>, Failure> {
    let account = store.account()?;
    let silent = store.stats()?.get(counters::SILENT_PATHS);
    let all = [
        (account.open_regions, "still open", "of the regions that are not explored may take it"),
        (
            account.paths.unsupported,
            "unknown",
            "of the paths that ended at something not modelled might have taken it",
        ),
        (
            account.paths.suppressed,
            "unknown",
            "of the paths that ended in a suppressed bug might have taken it",
        ),
        (silent, "unknown", "of the paths that klee_silent_exit ended may have taken it"),
    ];
    let doubt = all.into_iter().find(|(n, ..)| *n > 0);
    Ok(doubt.map(|(n, what, why)| format!("{what}: {n} {why}")))
}

fn has_two_sides(program: &Program, (func, pc): BranchOp) -> bool {
    let function = program.functions.get(func as usize);
    let op = function.and_then(|f| f.code.get(pc as usize));
    matches!(op, Some(Op::Branch { .. } | Op::CmpBranch { .. } | Op::PtrBranch { .. }))
}

/// Reason why a branch direction is not taken on the path of one test.
enum Reason {
    /// The condition of the side, and conditions of the path that contradict it.
    Contradiction(String, Vec<String>),
    /// The condition is the same for all inputs.
    Constant,
    /// The solver has an input that takes it, which contradicts the run.
    Doubtful,
    Unknown,
}

impl Reason {
    fn text(&self, test: u64) -> String {
        let infeasible = "infeasible: no input takes it on any path";
        match self {
            Reason::Contradiction(side, path) if path.is_empty() => {
                format!("{infeasible}; in test {test}, {side} contradicts what was decided before")
            }
            Reason::Contradiction(side, path) => {
                format!("{infeasible}; in test {test} it needs {side}, but there {}", path.join(" and "))
            }
            Reason::Constant => {
                format!("{infeasible}; in test {test} the branch does not depend on the input")
            }
            Reason::Doubtful => format!("unknown: in test {test} the solver has an input that takes it"),
            Reason::Unknown => infeasible.into(),
        }
    }
}

/// Follows a test to the first execution of each of these branches.
fn reasons(
    space: &mut Programs,
    test: &Test,
    names: &InputNames,
    mut open: BTreeSet<BranchOp>,
) -> BTreeMap<BranchOp, Reason> {
    let mut found = BTreeMap::new();
    let (witness, mut state) = (space.prepare(test), space.root());
    let near = witness.clone();
    space.hear_branches();
    let walked = walk_closely(space, &mut state, &witness, (1, MOST_STEPS), |space, met| {
        let heard = space.heard_branches();
        let state = match met {
            Met::Place(state) => state,
            Met::Decision(passing) => &*passing.state,
        };
        for (at, cond) in heard {
            // The path does not have the condition yet: either this is its decision, or none was needed.
            if open.remove(&at) {
                let side = !space.decides(&cond, &near);
                let reason = match space.why_not(state, cond, side, &near) {
                    WhyNot::Possible => Reason::Doubtful,
                    WhyNot::Unknown => Reason::Unknown,
                    WhyNot::Never(because) => contradiction(space, cond, side, &because, names),
                };
                found.insert(at, reason);
            }
        }
        if open.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    // The path has ended: each direction that is still open was passed without a condition on the input.
    if matches!(walked, cleave_explore::Walked::Ended(_)) {
        found.extend(open.into_iter().map(|at| (at, Reason::Constant)));
    }
    found
}

fn contradiction(
    space: &mut Programs,
    cond: Term,
    side: bool,
    because: &[Term],
    names: &InputNames,
) -> Reason {
    let needed = space.c_text(cond, side, names, MOST_OPERATORS);
    let few = because.iter().take(MOST_REASONS);
    let mut path: Vec<String> = few.map(|&t| space.c_text(t, true, names, MOST_OPERATORS)).collect();
    // The side's own condition may be among them.
    path.retain(|text| *text != needed);
    if because.len() > MOST_REASONS {
        path.push(format!("{} more conditions", because.len() - MOST_REASONS));
    }
    Reason::Contradiction(needed, path)
}
