//! Instructions of a run's paths by stack, as folded stacks: a line for each stack, its functions from the entry inwards with
//! `;` between them, then the number of LLVM instructions executed in it. `flamegraph.pl`, inferno and speedscope draw them.
//!
//! Tests are followed, and their common parts count once, as the exploration executes them once. The stack is looked at
//! every [`SLICE`] instructions, at each decision and at the end, and has all instructions since the last look. So the sum is
//! exact, and a stack's share is a sample.

use std::collections::{BTreeMap, HashSet};

use cleave_explore::{Outcome, Programs, Space};
use cleave_program::code::{FuncId, Program};
use cleave_region::{PathDigest, PathKind, Test};

use super::{Format, Wanted};
use crate::failure::Failure;
use crate::findings::test_coverage::Chosen;
use crate::inputs::ktests::LONGEST_PATH;
use crate::sessions::run_dir::{recorded, test_of};
use crate::sessions::saved::space_of;

/// Its line in the table of forms.
pub(super) const FORMAT: Format = Format {
    name: "folded",
    about: "folded stacks for flame graphs: LLVM instructions of the paths, by stack; not the solver's time",
    file: "stacks.folded",
    make,
};

/// Instructions between two looks at the stack of a path.
const SLICE: u64 = 64;
/// Distance between two looks at a long path: its instructions so far, divided by 2 to this power.
const LOOKS: u32 = 20;

/// Functions, the innermost first, and the instructions executed in them.
type Counts = BTreeMap<Vec<FuncId>, u64>;

fn make(wanted: &Wanted<'_>) -> Result<Vec<u8>, Failure> {
    let (store, saved, image) = recorded(wanted.directory)?;
    let (program, mut space) = (image.program()?, space_of(image.program()?, &saved)?);
    let (mut chosen, mut seen, mut counts) = (Chosen::new(&store)?, HashSet::new(), Counts::new());
    store.each_path::<Failure>(0, |path| {
        if path.record.kind != PathKind::AssumedAway && chosen.takes(path.id) {
            count(&mut space, &test_of(path.id, &path.record)?, &mut seen, &mut counts);
            if space.is_full() {
                space.renew();
            }
        }
        Ok(())
    })?;
    let mut lines: Vec<String> =
        counts.iter().map(|(stack, n)| format!("{} {n}\n", named(&program, stack))).collect();
    lines.sort();
    Ok(lines.concat().into_bytes())
}

/// Follows a test, and counts the instructions that no test before it has executed.
fn count(space: &mut Programs, test: &Test, seen: &mut HashSet<PathDigest>, counts: &mut Counts) {
    let (witness, mut state) = (space.prepare(test), space.root());
    let mut is_new = seen.insert(space.digest(&state));
    while state.instructions() < LONGEST_PATH {
        let before = state.instructions();
        let outcome = space.run(&mut state, &witness, SLICE.max(before >> LOOKS));
        let ran = state.instructions() - before;
        if is_new && ran > 0 {
            *counts.entry(state.stack().map(|(func, _)| func).collect()).or_default() += ran;
        }
        match outcome {
            Outcome::Ended(_) => return,
            Outcome::OutOfFuel => {}
            Outcome::Decision { cond, assume } => {
                let side = space.decides(&cond, &witness);
                if assume && !side {
                    return;
                }
                space.take(&mut state, &cond, side);
                is_new = seen.insert(space.digest(&state));
            }
        }
    }
}

fn named(program: &Program, stack: &[FuncId]) -> String {
    let name = |func: &FuncId| {
        let name = program.functions.get(*func as usize).map_or("?", |function| function.name.as_str());
        name.replace([';', ' ', '\n'], "_")
    };
    stack.iter().rev().map(name).collect::<Vec<_>>().join(";")
}
