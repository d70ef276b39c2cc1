//! How much a worker gives to a thief.

use cleave_campaign::{Exploration, Found, FromWorker, MakeExploration, Pace, Stats, ToWorker, Worker};
use cleave_region::{Encoded, Expected, Region, Test};

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

/// States that are expected to have so many paths, the shallowest first.
struct Sized {
    paths: Vec<f64>,
    given: f64,
}

impl Exploration for Sized {
    fn start(&mut self, _: Region) {}
    fn step(&mut self, _: u64, _: &mut Found) {}
    fn is_done(&self) -> bool {
        self.paths.is_empty()
    }
    fn waiting(&self) -> usize {
        self.paths.len()
    }
    fn give(&mut self, n: usize) -> Vec<Region> {
        self.given += self.paths.drain(..n).sum::<f64>();
        vec![Region::prefix(Test::default(), 1, None); n]
    }
    fn expected(&self) -> Option<Expected> {
        Some(Expected { paths: self.paths.iter().sum(), variance: 0.0 })
    }
    fn take_given(&mut self) -> Option<Expected> {
        Some(Expected { paths: std::mem::take(&mut self.given), variance: 0.0 })
    }
    fn remaining(&mut self) -> Vec<Region> {
        vec![Region::whole()]
    }
    fn take_stats(&mut self) -> Stats {
        Stats::default()
    }
}

/// How many of these states a worker gives, and how many paths are expected of them, when as many as can be are asked for.
fn given_of(paths: &[f64]) -> (usize, f64) {
    let paths = paths.to_vec();
    let make: Box<MakeExploration> =
        Box::new(move |_| Ok(Box::new(Sized { paths: paths.clone(), given: 0.0 })));
    let mut worker = Worker::new(Pace::default());
    worker.handle(ToWorker::Setup { worker: 0, bytes: Vec::new(), shard: None }, &make);
    let regions = vec![Encoded::new(&Region::whole())];
    let lease =
        ToWorker::Lease { lease: 1, regions, careful: false, at_most: None, split: None, expected: None };
    worker.handle(lease, &make);
    match worker.handle(ToWorker::Steal { lease: 1, regions: 1, states: 1024, keep: 4 }, &make) {
        Some(FromWorker::Report(report)) => {
            (report.given.map_or(0, |given| given.len()), report.expected.given.map_or(0.0, |e| e.paths))
        }
        _ => (0, 0.0),
    }
}

#[test]
fn a_thief_gets_half_of_the_expected_paths_however_many_states_it_may_have() {
    // Depth-first the shallowest state has as much as all others: with half of the states the victim would keep one path in 16.
    assert_eq!(given_of(&[64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 1.0]), (1, 64.0));
    assert_eq!(given_of(&[1.0; 10]), (5, 5.0));
    // A chain whose exits come first: they are no half, but all that may be given.
    assert_eq!(given_of(&[1.0, 1.0, 1.0, 1.0, 100.0, 1.0]), (3, 3.0));
}
