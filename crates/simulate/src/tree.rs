//! The tree of a finished run: the segments between its decisions, their sides, and the ends of its paths.

use std::ops::ControlFlow;

use cleave_explore::{Space, Walked, walk, walk_test};
use cleave_region::{PathDigest, PathRecord, Test};
use rustc_hash::FxHashMap;

use crate::error::SimulateError;

/// Names a node of a [`Tree`].
pub type NodeId = u32;

/// A decision of the tree, or an end, with the segment of a path that leads to it.
#[derive(Clone, Debug, Default)]
pub struct TreeNode {
    /// Instructions from the decision before, or the entry, up to here.
    pub instructions: u64,
    /// The nodes of the sides; `None` if no path of the run went there. Both are `None` at an end.
    pub children: [Option<NodeId>; 2],
    /// The decision before.
    pub parent: Option<NodeId>,
    /// Decisions behind it.
    pub depth: u32,
    /// True for an assumption: only the true side may be taken.
    pub assume: bool,
    /// The numbers of the paths below: the first, and the end, which is excluded.
    pub leaves: (u32, u32),
}

impl TreeNode {
    /// The node of `side`.
    pub fn child(&self, side: bool) -> Option<NodeId> {
        self.children[usize::from(side)]
    }

    fn is_leaf(&self) -> bool {
        self.children == [None, None]
    }
}

/// The tree of a run. Its paths are numbered in their order: true sides first.
#[derive(Debug, Default)]
pub struct Tree {
    nodes: Vec<TreeNode>,
    /// The paths, by number.
    paths: Vec<PathRecord>,
    /// Their ends.
    ends: Vec<NodeId>,
    by_test: FxHashMap<Test, u32>,
    by_digest: FxHashMap<PathDigest, u32>,
    /// The path that the test without inputs takes.
    default: u32,
}

impl Tree {
    /// The node.
    pub fn node(&self, id: NodeId) -> &TreeNode {
        &self.nodes[id as usize]
    }

    /// All nodes; the root is the first.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The paths, in their order.
    pub fn paths(&self) -> &[PathRecord] {
        &self.paths
    }

    /// The sum of its paths' digests, modulo 2^128: it distinguishes their set from others.
    pub fn set(&self) -> u128 {
        self.paths.iter().fold(0, |sum: u128, path| sum.wrapping_add(path.digest.0))
    }

    /// The end of a path.
    pub fn end(&self, leaf: u32) -> NodeId {
        self.ends[leaf as usize]
    }

    /// The number of the path of one of the run's tests; any other test counts as the one without inputs.
    pub fn path_of(&self, test: &Test) -> u32 {
        self.by_test.get(test).copied().unwrap_or(self.default)
    }

    /// The number of the path with this digest.
    pub fn path_with(&self, digest: PathDigest) -> Option<u32> {
        self.by_digest.get(&digest).copied()
    }

    /// True if the path goes through the node and takes its true side. A path off both sides counts as taking the side that
    /// exists.
    pub fn side(&self, node: NodeId, leaf: u32) -> bool {
        let node = self.node(node);
        match node.children {
            [Some(_), Some(t)] => leaf < self.node(t).leaves.1,
            [_, t] => t.is_some(),
        }
    }

    /// The nodes from the root to the end of a path.
    pub fn nodes_of(&self, leaf: u32) -> Vec<NodeId> {
        let mut way = vec![self.end(leaf)];
        while let Some(parent) = way.last().and_then(|n| self.node(*n).parent) {
            way.push(parent);
        }
        way.reverse();
        way
    }

    /// Instructions between all decisions, each once.
    pub fn instructions(&self) -> u64 {
        self.nodes.iter().map(|n| n.instructions).sum()
    }

    /// Queries of its exploration: one a decision, none at assumptions (the witness takes the true side).
    pub fn questions(&self) -> u64 {
        self.nodes.iter().filter(|n| !n.is_leaf() && !n.assume).count() as u64
    }

    /// Decisions.
    pub fn decisions(&self) -> u64 {
        self.nodes.iter().filter(|n| !n.is_leaf()).count() as u64
    }
}

/// Makes a [`Tree`] by following a run's tests, without a solver: each from the last decision that it shares with
/// the one before. Paths of a depth-first run share most of theirs.
pub struct Recorder<S: Space> {
    space: S,
    nodes: Vec<TreeNode>,
    paths: Vec<(NodeId, PathRecord)>,
    /// The decisions of the last test.
    way: Vec<Passed<S>>,
}

/// A decision on a test's way, and the side that it took.
struct Passed<S: Space> {
    node: NodeId,
    state: S::State,
    cond: S::Cond,
    side: bool,
}

/// Additional instructions that a test may need beyond its record.
const SLACK: u64 = 1 << 20;

impl<S: Space> Recorder<S> {
    /// Records paths of `space`.
    pub fn new(space: S) -> Recorder<S> {
        Recorder { space, nodes: Vec::new(), paths: Vec::new(), way: Vec::new() }
    }

    /// Follows the test of a path.
    ///
    /// # Errors
    /// If it takes another path than the recorded one.
    pub fn add(&mut self, record: PathRecord) -> Result<(), SimulateError> {
        if self.space.is_full() {
            self.way.clear();
            self.space.renew();
        }
        let witness = self.space.prepare(&record.test);
        let (mut state, mut from) = match self.shared(&witness) {
            Some(Passed { node, mut state, cond, side }) => {
                // It takes the other side of that decision.
                if self.nodes[node as usize].assume && side {
                    return Err(differs(&record));
                }
                self.way.push(Passed { node, state: state.clone(), cond: cond.clone(), side: !side });
                self.space.take(&mut state, &cond, !side);
                (state, Some((node, !side)))
            }
            None => (self.space.root(), None),
        };
        let mut before = self.space.instructions(&state);
        let (nodes, way) = (&mut self.nodes, &mut self.way);
        let fuel = record.instructions.saturating_add(SLACK);
        let walked = walk(&mut self.space, &mut state, &witness, fuel, |space, passing| {
            let now = space.instructions(passing.state);
            let node = node(nodes, from, now - before, passing.assume);
            (from, before) = (Some((node, passing.side)), now);
            if !passing.is_excluded() {
                space.share(passing.state);
                let (state, cond, side) = (passing.state.clone(), passing.cond.clone(), passing.side);
                way.push(Passed { node, state, cond, side });
            }
            ControlFlow::<()>::Continue(())
        });
        if !matches!(walked, Walked::Ended(_)) {
            return Err(differs(&record));
        }
        let last = node(nodes, from, self.space.instructions(&state) - before, false);
        if self.space.digest(&state) != record.digest || !self.nodes[last as usize].is_leaf() {
            return Err(differs(&record));
        }
        self.paths.push((last, record));
        Ok(())
    }

    /// Drops the decisions of the last test's way that the witness does not share, and returns the first decision at which it
    /// takes the other side. `None` if there is none.
    fn shared(&mut self, witness: &S::Witness) -> Option<Passed<S>> {
        let turns = |p: &Passed<S>| self.space.decides(&p.cond, witness) != p.side;
        let turn = self.way.iter().position(turns);
        self.way.truncate(turn.map_or(0, |turn| turn + 1));
        self.way.pop()
    }

    /// The tree of all followed tests.
    ///
    /// # Errors
    /// If there were none.
    pub fn finish(mut self) -> Result<Tree, SimulateError> {
        if self.paths.is_empty() {
            return Err(SimulateError::NoPaths);
        }
        let default = self.default_end();
        let mut records: FxHashMap<NodeId, PathRecord> = self.paths.drain(..).collect();
        let mut tree = Tree { nodes: self.nodes, ..Tree::default() };
        // Children before parents: a node is entered a second time when all below it is numbered.
        let mut waiting = vec![(0, false)];
        while let Some((id, entered)) = waiting.pop() {
            let next = tree.paths.len() as u32;
            let node = &mut tree.nodes[id as usize];
            if entered {
                node.leaves.1 = next;
                continue;
            }
            node.leaves.0 = next;
            waiting.push((id, true));
            let [on_false, on_true] = node.children;
            waiting.extend([on_false, on_true].into_iter().flatten().map(|child| (child, false)));
            if let Some(record) = records.remove(&id) {
                tree.by_test.insert(record.test.clone(), next);
                tree.by_digest.insert(record.digest, next);
                tree.paths.push(record);
                tree.ends.push(id);
            }
        }
        tree.default = tree.nodes[default as usize].leaves.0.min(tree.paths.len() as u32 - 1);
        Ok(tree)
    }

    /// The last node on the way of the test without inputs.
    fn default_end(&mut self) -> NodeId {
        let nodes = &self.nodes;
        let mut at = 0;
        // A decision is some instructions; a path off the tree is left at once.
        let longest = self.paths.iter().map(|(_, r)| r.instructions).max().unwrap_or(0);
        let (_, _) =
            walk_test(&mut self.space, &Test::default(), longest.saturating_add(SLACK), |_, passing| {
                match nodes[at as usize].child(passing.side) {
                    Some(next) => at = next,
                    None => return ControlFlow::Break(()),
                }
                ControlFlow::Continue(())
            });
        at
    }
}

fn differs(record: &PathRecord) -> SimulateError {
    SimulateError::OtherPath { digest: record.digest, depth: record.depth }
}

/// The child of `from`, or the root; created if it is new.
fn node(nodes: &mut Vec<TreeNode>, from: Option<(NodeId, bool)>, instructions: u64, assume: bool) -> NodeId {
    let known = match from {
        Some((parent, side)) => nodes[parent as usize].child(side),
        None => (!nodes.is_empty()).then_some(0),
    };
    if let Some(node) = known {
        return node;
    }
    let new = nodes.len() as NodeId;
    let (parent, depth) = match from {
        Some((parent, side)) => {
            nodes[parent as usize].children[usize::from(side)] = Some(new);
            (Some(parent), nodes[parent as usize].depth + 1)
        }
        None => (None, 0),
    };
    nodes.push(TreeNode { instructions, parent, depth, assume, ..TreeNode::default() });
    new
}
