//! Prints what a fork costs the explorer itself, on a space whose states are two words.

use std::time::Instant;

use cleave_explore::{Answer, Explorer, Limits, Outcome, Space};
use cleave_region::{PathDigest, Region, Test};

/// A full tree of this depth.
const DEPTH: u32 = 20;

struct Full;

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
        if state.1 == DEPTH { Outcome::Ended(()) } else { Outcome::Decision { cond: state.1, assume: false } }
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

fn main() {
    let start = Instant::now();
    let mut explorer = Explorer::new(&mut Full, Region::whole(), Limits::default());
    let (mut events, mut paths) = (Vec::new(), 0u64);
    while !explorer.is_done() {
        explorer.step(&mut Full, 100, &mut events);
        paths += events.drain(..).count() as u64;
    }
    let nanos = start.elapsed().as_nanos() as f64;
    let decisions = explorer.counters().decisions;
    println!(
        "{paths} paths, {decisions} forks, {:.0} ns a fork with its share of the ends",
        nanos / decisions as f64
    );
}
