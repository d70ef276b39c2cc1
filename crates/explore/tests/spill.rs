//! States that are given up for memory: those whose questions are hard go first, so that the search goes on with the others.

use cleave_explore::{Answer, Asking, Event, Explorer, Feasibility, Limits, Outcome, Search, Space};
use cleave_region::{PathDigest, Region, Test};

use crate::sides::{Path, path_of, test_of};

/// Decisions on each path.
const DECISIONS: usize = 16;
/// Work of a hard question, in instructions.
const HARD: u64 = 1 << 24;

/// The false side of each second decision is infeasible, which takes long to find. `state` is the sides that were taken, 0 for true.
#[derive(Default)]
struct HalfHard {
    work: u64,
}

impl Space for HalfHard {
    type State = Path;
    type Cond = ();
    type Witness = Path;
    type End = ();
    fn root(&mut self) -> Path {
        Path::new()
    }
    fn prepare(&mut self, test: &Test) -> Path {
        path_of(test)
    }
    fn write_down(&mut self, _: &Path, witness: &Path) -> Test {
        test_of(witness)
    }
    fn run(&mut self, state: &mut Path, _: &Path, _: u64) -> Outcome<(), ()> {
        match state.len() {
            DECISIONS => Outcome::Ended(()),
            _ => Outcome::Decision { cond: (), assume: false },
        }
    }
    fn decides(&mut self, (): &(), _: &Path) -> bool {
        true
    }
    fn ask(&mut self, state: &Path, (): &(), side: bool, _: &Path) -> Answer<Path> {
        if !side && state.len().is_multiple_of(2) {
            self.work += HARD;
            return Answer::Infeasible;
        }
        Answer::Feasible([state.as_slice(), &[u8::from(!side)]].concat())
    }
    fn take(&mut self, state: &mut Path, (): &(), side: bool) {
        state.push(u8::from(!side));
    }
    fn depth(&self, state: &Path) -> u32 {
        state.len() as u32
    }
    fn site(&self, state: &Path) -> u64 {
        state.len() as u64 + 1
    }
    fn work(&self) -> u64 {
        self.work
    }
    fn digest(&self, state: &Path) -> PathDigest {
        state.iter().fold(PathDigest::default(), |d, side| d.extend(u64::from(*side), *side == 0))
    }
}

#[test]
fn a_search_goes_on_with_states_whose_questions_are_easy() {
    for name in ["random-path", "covnew"] {
        let mut space = HalfHard::default();
        let strategy = Search::new(&[name.to_string()], 1).unwrap().strategy(None);
        let asking = Asking { feasibility: Feasibility::Lazy, ..Asking::default() };
        let explorer = Explorer::with_strategy(&mut space, Region::whole(), Limits::default(), strategy);
        let mut explorer = explorer.asking(asking);
        let mut events = Vec::new();
        let paths = |events: &[Event<HalfHard>]| {
            events.iter().filter(|event| matches!(event, Event::Path { .. })).count()
        };
        // Of the 256 paths.
        while paths(&events) < 64 && !explorer.is_done() {
            explorer.step(&mut space, 10, &mut events);
        }
        let most = explorer.frontier() / 4 * 3;
        assert!(most > 16, "{name}: {most}");
        explorer.spill(&mut space, most);
        events.clear();
        let before = space.work;
        for _ in 0..200 {
            explorer.step(&mut space, 10, &mut events);
            if paths(&events) >= 8 {
                break;
            }
        }
        let hard = (space.work - before) / HARD;
        assert!(paths(&events) >= 8 && hard < 16, "{name}: {} paths, {hard} hard questions", paths(&events));
    }
}
