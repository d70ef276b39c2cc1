//! A recorded tree as a space: the explorer and the worker run on it as they run on a program, but instructions and
//! questions take virtual time.

use std::sync::Arc;

use cleave_campaign::{Exploration, Exploring, Found, Recorded, Stats};
use cleave_explore::{Answer, Concrete, Limits, Outcome, Space};
use cleave_region::{PathDigest, PathRecord, Region, Test, Weight};

use crate::clock::{Picos, VirtualClock};
use crate::costs::Costs;
use crate::tree::{NodeId, Tree};

/// A recorded tree, explored on virtual time.
pub(crate) struct TreeSpace {
    tree: Arc<Tree>,
    costs: Costs,
    clock: Arc<VirtualClock>,
    instructions: u64,
}

/// A place in the tree.
#[derive(Clone, Copy)]
pub(crate) struct TreePosition {
    node: NodeId,
    /// Executed instructions of the node's segment, and instructions before it.
    done: u64,
    before: u64,
    digest: PathDigest,
}

impl Space for TreeSpace {
    type State = TreePosition;
    type Cond = NodeId;
    /// A path's number.
    type Witness = u32;
    type End = ();

    fn root(&mut self) -> TreePosition {
        TreePosition { node: 0, done: 0, before: 0, digest: PathDigest::default() }
    }

    fn prepare(&mut self, test: &Test) -> u32 {
        self.tree.path_of(test)
    }

    fn write_down(&mut self, _: &TreePosition, witness: &u32) -> Test {
        self.tree.paths()[*witness as usize].test.clone()
    }

    fn run(&mut self, state: &mut TreePosition, _: &u32, fuel: u64) -> Outcome<NodeId, ()> {
        let node = self.tree.node(state.node);
        let n = (node.instructions - state.done).min(fuel);
        state.done += n;
        self.instructions += n;
        self.clock.work(n * self.costs.instruction);
        if state.done < node.instructions {
            Outcome::OutOfFuel
        } else if node.children == [None, None] {
            Outcome::Ended(())
        } else {
            Outcome::Decision { cond: state.node, assume: node.assume }
        }
    }

    fn decides(&mut self, cond: &NodeId, witness: &u32) -> bool {
        self.tree.side(*cond, *witness)
    }

    fn ask(&mut self, _: &TreePosition, cond: &NodeId, side: bool, _: &u32) -> Answer<u32> {
        self.clock.work(self.costs.question);
        match self.tree.node(*cond).child(side) {
            Some(child) => Answer::Feasible(self.tree.node(child).leaves.0),
            None => Answer::Infeasible,
        }
    }

    /// As for programs, so that a kept state on the way to a region is used here too.
    fn leads(&mut self, witness: &u32, state: &TreePosition) -> bool {
        let (first, end) = self.tree.node(state.node).leaves;
        (first..end).contains(witness)
    }

    fn take(&mut self, state: &mut TreePosition, cond: &NodeId, side: bool) {
        let child = self.tree.node(*cond).child(side).expect("a side is taken only if a path takes it");
        let (before, digest) = (state.before + state.done, state.digest.extend(u64::from(*cond), side));
        *state = TreePosition { node: child, done: 0, before, digest };
    }

    fn instructions(&self, state: &TreePosition) -> u64 {
        state.before + state.done
    }

    fn depth(&self, state: &TreePosition) -> u32 {
        self.tree.node(state.node).depth
    }

    fn digest(&self, state: &TreePosition) -> PathDigest {
        state.digest
    }

    /// Placeholders that nobody reads: with them messages are as large as real ones.
    fn decisions(&self, state: &TreePosition) -> Vec<u8> {
        vec![0; self.depth(state) as usize]
    }
}

impl Recorded for TreeSpace {
    fn record(&mut self, (): (), _: &TreePosition, &witness: &u32) -> Option<PathRecord> {
        self.tree.paths().get(witness as usize).cloned()
    }

    fn total_stats(&self) -> Stats {
        let mut stats = Stats::default();
        stats.add("instructions", self.instructions);
        stats
    }
}

/// The campaign's own exploration of the tree, without the times that it measures on this machine.
pub(crate) struct Simulated {
    exploring: Exploring<TreeSpace>,
    /// Cost of the export of a region.
    cost: Picos,
    clock: Arc<VirtualClock>,
}

impl Simulated {
    pub(crate) fn new(
        tree: Arc<Tree>,
        costs: Costs,
        clock: Arc<VirtualClock>,
        concolic: Option<Concrete>,
    ) -> Simulated {
        let (cost, space) = (costs.region, TreeSpace { tree, costs, clock: clock.clone(), instructions: 0 });
        let exploring = Exploring::new(space, Limits::default());
        let exploring = match concolic {
            Some(how) => exploring.concolic(how),
            None => exploring,
        };
        Simulated { exploring, cost, clock }
    }

    /// Returns the regions, after the time to export them.
    fn written(&self, regions: Vec<Region>) -> Vec<Region> {
        self.clock.work(regions.len() as u64 * self.cost);
        regions
    }
}

impl Exploration for Simulated {
    fn start(&mut self, region: Region) {
        self.exploring.start(region);
    }
    fn start_broad(&mut self, region: Region) {
        self.exploring.start_broad(region);
    }
    fn step(&mut self, fuel: u64, found: &mut Found) {
        self.exploring.step(fuel, found);
    }
    fn is_done(&self) -> bool {
        self.exploring.is_done()
    }
    fn waiting(&self) -> usize {
        self.exploring.waiting()
    }
    fn give(&mut self, n: usize) -> Vec<Region> {
        let regions = self.exploring.give(n);
        self.written(regions)
    }
    fn spill(&mut self, n: usize) -> Vec<Region> {
        let regions = self.exploring.spill(n);
        self.written(regions)
    }
    fn remaining(&mut self) -> Vec<Region> {
        let regions = self.exploring.remaining();
        self.written(regions)
    }
    fn take_stats(&mut self) -> Stats {
        let mut stats = Stats::default();
        for (name, n) in self.exploring.take_stats().iter().filter(|(name, _)| !name.ends_with("_nanos")) {
            stats.add(name, n);
        }
        // A report of a real worker has some twenty counters: this adds the same number of bytes.
        stats.merge(&ballast());
        stats
    }
    fn take_measure(&mut self) -> Option<Weight> {
        self.exploring.take_measure()
    }
    fn failure(&mut self) -> Option<String> {
        self.exploring.failure()
    }
}

/// Counters of a real worker that a simulated one does not have, so that messages are as large.
fn ballast() -> Stats {
    const NAMES: &[&str] = &[
        "answered_by.bytes",
        "answered_by.cores",
        "answered_by.models",
        "answered_by.patch",
        "answered_by.rewriting",
        "answered_by.smt",
        "answered_by.words",
        "peak_memory_bytes",
        "smt_calls",
        "smt_nanos",
        "solver_nanos",
        "solver_questions",
    ];
    let mut stats = Stats::default();
    NAMES.iter().for_each(|name| stats.add(name, 100_000));
    stats
}
