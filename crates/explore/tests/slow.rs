//! States whose ops are hard work: they have a part of the work, and the search goes on with the others.

use cleave_explore::{Answer, Event, Explorer, Limits, Outcome, Search, Space};
use cleave_region::{PathDigest, Region, Test};

use crate::sides::{Path, path_of, test_of};

/// Decisions on each path.
const DECISIONS: usize = 10;
/// Slices that a slow path takes to its end, and the work of each, in instructions.
const SLICES: u32 = 2000;
const SLICE: u64 = 1 << 24;

/// Each fourth path computes for long behind its last decision.
#[derive(Default)]
struct QuarterSlow {
    work: u64,
}

#[derive(Clone, Default)]
struct State {
    sides: Path,
    slices: u32,
}

impl Space for QuarterSlow {
    type State = State;
    type Cond = ();
    type Witness = Path;
    type End = ();
    fn root(&mut self) -> State {
        State::default()
    }
    fn prepare(&mut self, test: &Test) -> Path {
        path_of(test)
    }
    fn write_down(&mut self, _: &State, witness: &Path) -> Test {
        test_of(witness)
    }
    fn run(&mut self, state: &mut State, _: &Path, _: u64) -> Outcome<(), ()> {
        let is_slow = state.sides.ends_with(&[0, 0]);
        match state.sides.len() {
            DECISIONS if is_slow && state.slices < SLICES => {
                state.slices += 1;
                self.work += SLICE;
                Outcome::OutOfFuel
            }
            DECISIONS => Outcome::Ended(()),
            _ => Outcome::Decision { cond: (), assume: false },
        }
    }
    fn decides(&mut self, (): &(), _: &Path) -> bool {
        true
    }
    fn ask(&mut self, state: &State, (): &(), side: bool, _: &Path) -> Answer<Path> {
        Answer::Feasible([state.sides.as_slice(), &[u8::from(!side)]].concat())
    }
    fn take(&mut self, state: &mut State, (): &(), side: bool) {
        state.sides.push(u8::from(!side));
    }
    fn depth(&self, state: &State) -> u32 {
        state.sides.len() as u32
    }
    fn site(&self, state: &State) -> u64 {
        state.sides.len() as u64 + 1
    }
    fn work(&self) -> u64 {
        self.work
    }
    fn digest(&self, state: &State) -> PathDigest {
        state.sides.iter().fold(PathDigest::default(), |d, side| d.extend(u64::from(*side), *side == 0))
    }
}

#[test]
fn a_search_goes_on_with_states_whose_ops_are_easy() {
    for name in ["random-path", "covnew"] {
        let mut space = QuarterSlow::default();
        let strategy = Search::new(&[name.to_string()], 1).unwrap().strategy(None);
        let mut explorer = Explorer::with_strategy(&mut space, Region::whole(), Limits::default(), strategy);
        let mut events = Vec::new();
        let paths = |events: &[Event<QuarterSlow>]| {
            events.iter().filter(|event| matches!(event, Event::Path { .. })).count()
        };
        // The easy ones are 768.
        while paths(&events) < 700 {
            explorer.step(&mut space, 10, &mut events);
        }
        // That one of the 256 slow ones is slow shows with its first slice.
        let slices = space.work / SLICE;
        assert!(slices <= 256 + 16, "{name}: {slices} slices of hard work");
        // None is lost.
        while !explorer.is_done() {
            explorer.step(&mut space, 10, &mut events);
        }
        assert_eq!(paths(&events), 1 << DECISIONS, "{name}");
    }
}
