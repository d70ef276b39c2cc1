//! A grown tree as a space: the explorer goes through it path by path, as through a program.

use std::sync::Arc;

use cleave_campaign::Recorded;
use cleave_explore::{Answer, Outcome, Space};
use cleave_region::{PathDigest, PathKind, PathRecord, Test};

use super::model::Segment;
use super::tree::{GrownTree, Place};
use crate::clock::VirtualClock;
use crate::costs::Costs;

/// A grown tree, explored on virtual time. A decision is a fork; queries at decisions of one side are made on the way there.
pub struct GrownSpace {
    tree: Arc<GrownTree>,
    costs: Costs,
    clock: Arc<VirtualClock>,
}

impl GrownSpace {
    /// The space of the tree with these costs, on this clock.
    pub fn new(tree: Arc<GrownTree>, costs: Costs, clock: Arc<VirtualClock>) -> GrownSpace {
        GrownSpace { tree, costs, clock }
    }
}

/// A place of the tree.
#[derive(Clone, Copy)]
pub struct GrownPosition {
    place: Place,
    segment: Segment,
    sides: Option<[Place; 2]>,
    /// Executed instructions of the segment, and instructions before it.
    done: u64,
    before: u64,
}

impl Space for GrownSpace {
    type State = GrownPosition;
    type Cond = [Place; 2];
    /// A path's number.
    type Witness = u64;
    type End = ();

    fn root(&mut self) -> GrownPosition {
        let place = self.tree.root();
        let (segment, sides) = self.tree.below(&place);
        GrownPosition { place, segment, sides, done: 0, before: 0 }
    }

    fn prepare(&mut self, test: &Test) -> u64 {
        self.tree.path_of(test)
    }

    fn write_down(&mut self, _: &GrownPosition, witness: &u64) -> Test {
        self.tree.test(*witness)
    }

    fn run(&mut self, state: &mut GrownPosition, _: &u64, fuel: u64) -> Outcome<[Place; 2], ()> {
        let n = (state.segment.instructions - state.done).min(fuel);
        if state.done == 0 {
            self.clock.work(state.segment.one_sided * self.costs.question);
        }
        state.done += n;
        self.clock.work(n * self.costs.instruction);
        match state.sides {
            _ if state.done < state.segment.instructions => Outcome::OutOfFuel,
            None => Outcome::Ended(()),
            Some(sides) => Outcome::Decision { cond: sides, assume: false },
        }
    }

    fn decides(&mut self, [_, on_true]: &[Place; 2], witness: &u64) -> bool {
        on_true.holds(*witness)
    }

    fn ask(&mut self, _: &GrownPosition, cond: &[Place; 2], side: bool, _: &u64) -> Answer<u64> {
        self.clock.work(self.costs.question);
        Answer::Feasible(cond[usize::from(side)].first)
    }

    fn leads(&mut self, witness: &u64, state: &GrownPosition) -> bool {
        state.place.holds(*witness)
    }

    fn take(&mut self, state: &mut GrownPosition, cond: &[Place; 2], side: bool) {
        let place = cond[usize::from(side)];
        let (segment, sides) = self.tree.below(&place);
        *state = GrownPosition { place, segment, sides, done: 0, before: state.before + state.done };
    }

    fn instructions(&self, state: &GrownPosition) -> u64 {
        state.before + state.done
    }

    fn depth(&self, state: &GrownPosition) -> u32 {
        state.place.depth
    }

    fn digest(&self, state: &GrownPosition) -> PathDigest {
        state.place.digest
    }
}

impl Recorded for GrownSpace {
    fn record(&mut self, (): (), state: &GrownPosition, &witness: &u64) -> Option<PathRecord> {
        Some(PathRecord {
            digest: state.place.digest,
            depth: state.place.depth,
            kind: PathKind::Completed,
            exit_status: Some(0),
            signal: None,
            stdout_sha256: [0; 32],
            stdout_len: 0,
            test: self.tree.test(witness),
            instructions: state.before + state.done,
            bug: None,
            addresses: Vec::new(),
            passed: Vec::new(),
        })
    }
}
