//! Exploration of a grown tree in leaps: whole subtrees at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cleave_campaign::{Exploration, Found, Stats};
use cleave_region::{Cut, Expected, PathDigest, PathKind, PathRecord, Region};

use super::model::{Load, Segment};
use super::tree::{GrownTree, Place};
use crate::clock::{Picos, VirtualClock};
use crate::costs::Costs;

/// Time of work, in picoseconds: that of a large tree exceeds a clock's range.
type Work = u128;

/// Limit for the steps of a worker, exchanged between the world and the worker's exploration.
#[derive(Debug, Default)]
pub struct Reach {
    until: AtomicU64,
    left: AtomicU64,
}

fn picos(work: Work) -> Picos {
    Picos::try_from(work).unwrap_or(Picos::MAX)
}

impl Reach {
    /// Lets the next step end at this time, or when the region is explored.
    pub fn go_until(&self, time: Picos) {
        self.until.store(time, Ordering::Relaxed);
    }

    /// Work left of the current region, as time on a core of its own.
    pub fn left(&self) -> Picos {
        self.left.load(Ordering::Relaxed)
    }
}

/// Explores regions of a grown tree depth-first. One record stands for all paths of a step: see [`Leaps::paths_of`].
pub struct Leaps {
    tree: Arc<GrownTree>,
    costs: Costs,
    clock: Arc<VirtualClock>,
    reach: Arc<Reach>,
    /// The waiting subtrees, the next one last. They are neighbours.
    waiting: Vec<Place>,
    /// Time already spent on the next one.
    begun: Work,
    /// The end of the region.
    hi: Option<Cut>,
    /// Work of the waiting subtrees as time, including the one begun.
    load: Work,
    /// A path near the worker's last position: the worker still has the states on the way there.
    near: Option<u64>,
    given: f64,
    stats: Stats,
}

impl Leaps {
    /// An exploration of the tree with these costs, on this clock.
    pub fn new(tree: Arc<GrownTree>, costs: Costs, clock: Arc<VirtualClock>, reach: Arc<Reach>) -> Leaps {
        Leaps {
            tree,
            costs,
            clock,
            reach,
            waiting: Vec::new(),
            begun: 0,
            hi: None,
            load: 0,
            near: None,
            given: 0.0,
            stats: Stats::default(),
        }
    }

    /// The paths of a record: the number of the first, and the number of paths.
    pub fn paths_of<T>(record: &PathRecord<T>) -> (u64, u64) {
        (record.stdout_len, record.instructions)
    }

    fn work_of(&self, instructions: u64, questions: u64) -> Work {
        let work = |n: u64, each: Picos| Work::from(n) * Work::from(each);
        work(instructions, self.costs.instruction) + work(questions, self.costs.question)
    }

    fn cost(&self, load: &Load) -> Work {
        self.work_of(load.instructions, load.questions())
    }

    /// Work of a segment that ends at a fork.
    fn cost_of(&self, segment: &Segment) -> Work {
        self.work_of(segment.instructions, segment.one_sided + 1)
    }

    fn tell(&self) {
        self.reach.left.store(picos(self.load.saturating_sub(self.begun)), Ordering::Relaxed);
    }

    /// Sets the waiting subtrees to those between two paths; the way to the first is replayed.
    fn enter(&mut self, from: u64, to: u64) {
        (self.begun, self.load) = (0, 0);
        self.waiting.clear();
        let mut open = vec![self.tree.root()];
        let mut way = 0;
        while let Some(place) = open.pop() {
            if place.end() <= from || to <= place.first {
                continue;
            }
            if from <= place.first && place.end() <= to {
                self.waiting.push(place);
                self.load += self.cost(&place.load);
                continue;
            }
            let (segment, sides) = self.tree.below(&place);
            // Segments on the way to the first path, but not on the way to the worker's last position.
            if place.holds(from) && self.near.is_none_or(|near| !place.holds(near)) {
                way += segment.instructions * self.costs.instruction;
            }
            open.extend(sides.into_iter().flatten());
        }
        self.waiting.reverse();
        self.near = Some(from);
        self.clock.work(way);
        self.stats.add("replays", 1);
        self.stats.add("replay_nanos", way / 1000);
    }

    /// Explores for this time; returns the first path passed, and the number of paths.
    fn leap(&mut self, time: Picos) -> (u64, u64) {
        let mut time = Work::from(time);
        let mut passed = (self.waiting.last().map_or(0, |next| next.first), 0);
        while let Some(next) = self.waiting.last() {
            let all = self.cost(&next.load);
            if all - self.begun <= time {
                self.clock.work(picos(all - self.begun));
                time -= all - self.begun;
                self.near = Some(next.end() - 1);
                passed.1 += next.load.paths;
                (self.load, self.begun) = (self.load - all, 0);
                self.waiting.pop();
                continue;
            }
            let (segment, sides) = self.tree.below(next);
            let own = self.cost_of(&segment);
            match sides {
                Some(sides) if own - self.begun <= time => {
                    self.clock.work(picos(own - self.begun));
                    time -= own - self.begun;
                    (self.load, self.begun) = (self.load - own, 0);
                    self.waiting.pop();
                    self.waiting.extend(sides);
                }
                _ => {
                    self.clock.work(picos(time));
                    self.begun += time;
                    break;
                }
            }
        }
        self.tell();
        passed
    }

    /// Returns the regions, after the time to export them.
    fn written(&self, regions: Vec<Region>) -> Vec<Region> {
        self.clock.work(regions.len() as u64 * self.costs.region);
        regions
    }
}

impl Exploration for Leaps {
    fn start(&mut self, region: Region) {
        let from = region.lo.as_ref().map_or(0, |cut| self.tree.behind(cut));
        let to = region.hi.as_ref().map_or(self.tree.root().end(), |cut| self.tree.behind(cut));
        self.enter(from, to);
        self.hi = region.hi;
        self.tell();
    }

    fn step(&mut self, fuel: u64, found: &mut Found) {
        let now = self.clock.picos();
        let until = self.reach.until.load(Ordering::Relaxed);
        let (first, n) = self.leap(until.saturating_sub(now).max(fuel.min(1) * self.costs.instruction));
        self.stats.add("instructions", 1);
        if n == 0 {
            return;
        }
        // This mostly continues the last record of the current report.
        let last = found.paths.last_mut().filter(|last| {
            let (from, paths) = Leaps::paths_of(last);
            from + paths == first
        });
        match last {
            Some(last) => {
                last.instructions += n;
                last.digest = last.digest.extend(n, true);
            }
            None => found.paths.push(PathRecord {
                digest: PathDigest::default().extend(first, true).extend(n, true),
                depth: 0,
                kind: PathKind::Completed,
                exit_status: Some(0),
                signal: None,
                stdout_sha256: [0; 32],
                stdout_len: first,
                test: self.tree.test(first),
                instructions: n,
                bug: None,
                addresses: Vec::new(),
                passed: Vec::new(),
            }),
        }
    }

    fn is_done(&self) -> bool {
        self.waiting.is_empty()
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn give(&mut self, n: usize) -> Vec<Region> {
        let n = n.min(self.waiting.len().saturating_sub(1));
        let mut regions = Vec::with_capacity(n);
        for place in self.waiting.drain(..n).collect::<Vec<_>>() {
            let lo = Some(self.tree.before(&place));
            regions.push(Region::of(lo.clone(), std::mem::replace(&mut self.hi, lo)));
            self.load -= self.cost(&place.load);
            self.given += place.load.paths as f64;
        }
        self.tell();
        self.written(regions)
    }

    fn expected(&self) -> Option<Expected> {
        let paths = self.waiting.iter().map(|place| place.load.paths as f64).sum();
        Some(Expected { paths, variance: 0.0 })
    }

    fn take_given(&mut self) -> Option<Expected> {
        Some(Expected { paths: std::mem::take(&mut self.given), variance: 0.0 })
    }

    fn remaining(&mut self) -> Vec<Region> {
        let next = self.waiting.last().map(|next| Region::of(Some(self.tree.before(next)), self.hi.clone()));
        self.written(next.into_iter().collect())
    }

    fn take_stats(&mut self) -> Stats {
        std::mem::take(&mut self.stats)
    }
}
