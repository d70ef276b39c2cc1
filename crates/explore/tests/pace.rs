//! A strategy that ends no path is put in pace with depth-first search.

use cleave_explore::{Answer, Event, Explorer, Limits, Outcome, Search, Space};
use cleave_region::{PathDigest, Region, Test};

use crate::sides::{Path, path_of, test_of};

/// Behind the true side of the first decision each further decision ends a path, behind its false side no path ever ends. `state` is the
/// sides that were taken, 0 for true.
#[derive(Default)]
struct Skewed {
    steps: usize,
}

impl Space for Skewed {
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
        self.steps += 1;
        match state.as_slice() {
            [0, .., 0] if state.len() > 1 => Outcome::Ended(()),
            _ => Outcome::Decision { cond: (), assume: false },
        }
    }
    fn decides(&mut self, (): &(), _: &Path) -> bool {
        true
    }
    fn ask(&mut self, state: &Path, (): &(), side: bool, _: &Path) -> Answer<Path> {
        Answer::Feasible([state.as_slice(), &[u8::from(!side)]].concat())
    }
    fn take(&mut self, state: &mut Path, (): &(), side: bool) {
        state.push(u8::from(!side));
    }
    fn depth(&self, state: &Path) -> u32 {
        state.len() as u32
    }
    fn digest(&self, state: &Path) -> PathDigest {
        state.iter().fold(PathDigest::default(), |d, side| d.extend(u64::from(*side), *side == 0))
    }
}

/// Paths for a thousand steps.
fn rate(name: &str, limits: Limits) -> usize {
    const STEPS: usize = 12_000;
    let mut space = Skewed::default();
    let strategy = Search::new(&[name.to_string()], 1).unwrap().strategy(None);
    let mut explorer = Explorer::with_strategy(&mut space, Region::whole(), limits, strategy);
    let mut events = Vec::new();
    while space.steps < STEPS {
        explorer.step(&mut space, 10, &mut events);
    }
    let ended = |event: &&Event<Skewed>| matches!(event, Event::Path { .. });
    events.iter().filter(ended).count() * 1000 / STEPS
}

#[test]
fn a_search_that_ends_no_path_ends_them_at_three_quarters_of_depth_firsts_rate() {
    let of_dfs = rate("dfs", Limits::default());
    for name in ["bfs", "deepest", "ending=20:bfs"] {
        let limits = Limits { paced_from: 64, ..Limits::default() };
        assert!(rate(name, Limits::default()) < of_dfs / 5, "{name} alone is slow");
        for live_states in [0, 2048] {
            let rate = rate(name, Limits { live_states, ..limits });
            assert!(
                4 * rate + 30 >= 3 * of_dfs,
                "{name} with {live_states} states: {rate}, depth-first {of_dfs}"
            );
        }
    }
}
