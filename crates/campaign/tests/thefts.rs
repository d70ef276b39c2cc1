//! How much a worker gives to a thief.

use cleave_campaign::{Exploration, Found, FromWorker, MakeExploration, Pace, Stats, ToWorker, Worker};
use cleave_region::{Encoded, Region, Test};

/// States that wait for ever.
struct Waits {
    states: usize,
    broad: bool,
}

impl Exploration for Waits {
    fn start(&mut self, _: Region) {}
    fn step(&mut self, _: u64, _: &mut Found) {}
    fn is_done(&self) -> bool {
        self.states == 0
    }
    fn waiting(&self) -> usize {
        self.states
    }
    fn give(&mut self, n: usize) -> Vec<Region> {
        self.states -= n;
        vec![Region::prefix(Test::default(), 1, None); n]
    }
    fn is_broad(&self) -> bool {
        self.broad
    }
    fn remaining(&mut self) -> Vec<Region> {
        vec![Region::whole(); self.states]
    }
    fn take_stats(&mut self) -> Stats {
        Stats::default()
    }
}

/// How many regions a worker gives of so many states, when one region of one state is asked for.
fn given(states: usize, broad: bool) -> usize {
    let make: Box<MakeExploration> = Box::new(move |_| Ok(Box::new(Waits { states, broad })));
    let mut worker = Worker::new(Pace::default());
    assert_eq!(
        worker.handle(ToWorker::Setup { worker: 0, bytes: Vec::new(), shard: None }, &make),
        Some(FromWorker::Ready)
    );
    let regions = [Region::whole()];
    let lease = ToWorker::Lease {
        lease: 1,
        regions: regions.iter().map(Encoded::new).collect(),
        careful: false,
        at_most: None,
        split: None,
        expected: None,
    };
    assert_eq!(worker.handle(lease, &make), None);
    match worker.handle(ToWorker::Steal { lease: 1, regions: 1, states: 1, keep: 4 }, &make) {
        Some(FromWorker::Report(report)) => report.given.map_or(0, |given| given.len()),
        _ => 0,
    }
}

#[test]
fn half_of_a_broad_frontier_is_given_and_of_another_what_is_asked_for() {
    assert_eq!(given(1000, true), 500);
    assert_eq!(given(1000, false), 1);
    assert_eq!(given(1 << 20, true), 16_384, "a message has an end");
    assert_eq!(given(1, true), 0, "the last state stays");
}
