//! Prints what a fork costs the explorer itself under each strategy, on a space whose states are two words, and
//! how many states waited at most. An argument is the depth of the tree.

use std::time::Instant;

use cleave_explore::{Answer, Explorer, Limits, Outcome, STRATEGIES, Search, Space};
use cleave_region::{PathDigest, Region, Test};

/// A full tree of this depth.
struct Full(u32);

impl Space for Full {
    type State = (u64, u32);
    type Cond = u32;
    type Witness = u64;
    type End = ();
    fn root(&mut self) -> (u64, u32) {
        (0, 0)
    }
    fn prepare(&mut self, _: &Test) -> u64 {
        0
    }
    fn write_down(&mut self, _: &(u64, u32), _: &u64) -> Test {
        Test::default()
    }
    fn run(&mut self, state: &mut (u64, u32), _: &u64, _: u64) -> Outcome<u32, ()> {
        if state.1 == self.0 {
            Outcome::Ended(())
        } else {
            Outcome::Decision { cond: state.1, assume: false }
        }
    }
    fn decides(&mut self, cond: &u32, witness: &u64) -> bool {
        witness >> cond & 1 == 0
    }
    fn ask(&mut self, _: &(u64, u32), cond: &u32, side: bool, near: &u64) -> Answer<u64> {
        Answer::Feasible(if side { near & !(1 << cond) } else { near | 1 << cond })
    }
    fn take(&mut self, state: &mut (u64, u32), cond: &u32, side: bool) {
        *state = (state.0 | u64::from(!side) << cond, state.1 + 1);
    }
    fn depth(&self, state: &(u64, u32)) -> u32 {
        state.1
    }
    fn digest(&self, _: &(u64, u32)) -> PathDigest {
        PathDigest::default()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let depth: u32 = std::env::args().nth(1).map_or(Ok(20), |a| a.parse())?;
    for entry in STRATEGIES {
        let start = Instant::now();
        let mut space = Full(depth.min(40));
        let strategy = Search::new(&[entry.name.to_string()], 0)?.strategy(None);
        let mut explorer = Explorer::with_strategy(&mut space, Region::whole(), Limits::default(), strategy);
        let (mut events, mut paths, mut most) = (Vec::new(), 0u64, 0);
        while !explorer.is_done() {
            explorer.step(&mut space, 100, &mut events);
            paths += events.drain(..).count() as u64;
            most = most.max(explorer.frontier());
        }
        let nanos = start.elapsed().as_nanos() as f64;
        let decisions = explorer.counters().decisions;
        let each = nanos / decisions.max(1) as f64;
        println!(
            "{:12} {paths} paths, {decisions} forks, {most} states at once, {each:.0} ns a fork with its share of the ends",
            entry.name
        );
    }
    Ok(())
}
