//! Statistics of the forks of a recorded tree: the division of a subtree among the sides of its fork.
//!
//! Fitted values: the number of paths on each side of a fork; the cost of a path of one side relative to the other; and
//! the segment that leads to the fork. A fork of a grown tree takes all three from one recorded fork, so they stay together. It
//! is one whose subtree had a similar size, and a similar share of the subtree above: so cost follows size, and loops (one fork
//! after the other that lets few paths out) stay loops. Subtrees that are larger than any recorded one follow
//! the largest recorded ones.

use crate::tree::{NodeId, Tree};

/// The content of a subtree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Paths.
    pub paths: u64,
    /// Instructions between all decisions, each once; at least one a path.
    pub instructions: u64,
    /// Queries at decisions that have one side only. Each fork makes one more, and has one path more.
    pub one_sided: u64,
}

impl Load {
    /// Questions, each once.
    pub fn questions(&self) -> u64 {
        self.paths.saturating_sub(1) + self.one_sided
    }
}

/// The part of a path between a fork, or the entry, and the next fork or the end of the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Instructions.
    pub instructions: u64,
    /// Questions, that of the fork not among them.
    pub one_sided: u64,
    /// Decisions, that of the fork among them.
    pub decisions: u32,
}

/// A recorded fork.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    /// Number of paths below, and number of those on the true side.
    pub(super) paths: u64,
    pub(super) on_true: u64,
    /// Cost of a path of the true side, as a multiple of one of the false side: 16 bits behind the point. For instructions and
    /// for one-sided queries.
    pub(super) tilts: [u64; 2],
    /// The segment that leads to it.
    pub(super) segment: Segment,
}

/// One, as a tilt.
const ONE: u64 = 1 << 16;
/// Tilts lie between this and its inverse.
const STEEPEST: u64 = 1 << 12;
/// Target size of a group of recorded forks from which one is drawn.
const ENOUGH: usize = 24;
/// Number of size classes of subtrees: 2 to 8 each by itself, then powers of two up to 2^40.
const SIZES: usize = 46;
/// Number of classes of the share in the subtree above.
const SHARES: usize = 4;

/// A model fitted to a recorded tree.
#[derive(Clone, Debug)]
pub struct Model {
    splits: Vec<Split>,
    /// Recorded forks by size and share.
    groups: Vec<Vec<u32>>,
    /// Decisions of segments that end a path, by share.
    ends: Vec<Vec<u32>>,
    /// Of the recorded tree.
    load: Load,
}

/// The class of subtrees with `paths` paths.
fn size(paths: u64) -> usize {
    match paths {
        0..=8 => (paths as usize).saturating_sub(1),
        _ => (5 + paths.ilog2() as usize).min(SIZES - 1),
    }
}

/// The class of subtrees with this share of the subtree above.
pub(super) fn share(paths: u64, above: u64) -> u8 {
    let (part, whole) = (u128::from(paths) * 8, u128::from(above));
    match part {
        _ if part < whole => 0,
        _ if part < whole * 4 => 1,
        _ if part < whole * 7 => 2,
        _ => 3,
    }
}

/// `a` a path of one subtree as a multiple of `b` a path of another.
fn tilt(a: u64, paths_a: u64, b: u64, paths_b: u64) -> u64 {
    let (above, below) = (u128::from(a) * u128::from(paths_b), u128::from(b) * u128::from(paths_a));
    let tilt = above * u128::from(ONE) / below.max(1);
    u64::try_from(tilt).unwrap_or(u64::MAX).clamp(ONE / STEEPEST, ONE * STEEPEST)
}

impl Model {
    /// Fits a recorded tree.
    pub fn of(tree: &Tree) -> Model {
        let loads = loads(tree);
        let mut model = Model {
            splits: Vec::new(),
            groups: vec![Vec::new(); SIZES * SHARES],
            ends: vec![Vec::new(); SHARES],
            load: loads[0],
        };
        let mut groups = vec![Vec::new(); SIZES * SHARES];
        // Starts of segments, with the share of their subtree.
        let mut waiting: Vec<(NodeId, u8)> = vec![(0, 3)];
        while let Some((from, of_above)) = waiting.pop() {
            let (last, segment) = segment(tree, from);
            let [Some(on_false), Some(on_true)] = tree.node(last).children else {
                model.ends[usize::from(of_above)].push(segment.decisions);
                continue;
            };
            let [t, f] = [on_true, on_false].map(|side| loads[side as usize]);
            let paths = t.paths + f.paths;
            let tilts = [
                tilt(t.instructions, t.paths, f.instructions, f.paths),
                tilt(t.one_sided + 1, t.paths, f.one_sided + 1, f.paths),
            ];
            groups[size(paths) * SHARES + usize::from(of_above)].push(model.splits.len() as u32);
            model.splits.push(Split { paths, on_true: t.paths, tilts, segment });
            waiting.push((on_true, share(t.paths, paths)));
            waiting.push((on_false, share(f.paths, paths)));
        }
        model.join(&groups);
        model
    }

    /// Extends small groups by those of smaller sizes; empty groups get all shares.
    fn join(&mut self, groups: &[Vec<u32>]) {
        for size in 0..SIZES {
            for share in 0..SHARES {
                let gather = |shares: std::ops::Range<usize>| {
                    let mut all: Vec<u32> = Vec::new();
                    for size in (0..=size).rev() {
                        shares.clone().for_each(|share| all.extend(&groups[size * SHARES + share]));
                        if all.len() >= ENOUGH {
                            break;
                        }
                    }
                    all
                };
                let own = gather(share..share + 1);
                self.groups[size * SHARES + share] = if own.is_empty() { gather(0..SHARES) } else { own };
            }
        }
        let all: Vec<u32> = self.ends.concat();
        self.ends.iter_mut().filter(|own| own.is_empty()).for_each(|own| own.clone_from(&all));
    }

    /// The content of the recorded tree.
    pub fn recorded(&self) -> Load {
        self.load
    }

    /// The content of a tree of `paths` paths, in proportion to the recorded one.
    pub fn load(&self, paths: u64) -> Load {
        let paths = paths.max(1);
        let scale = |n: u64| {
            let n = u128::from(n) * u128::from(paths) / u128::from(self.load.paths.max(1));
            u64::try_from(n).unwrap_or(u64::MAX)
        };
        Load {
            paths,
            instructions: scale(self.load.instructions).max(paths),
            one_sided: scale(self.load.one_sided),
        }
    }

    /// A recorded fork for a subtree of `paths` paths (two or more), chosen by `random`; an even fork if the recorded tree
    /// has none.
    pub(super) fn split(&self, paths: u64, share: u8, random: u64) -> Split {
        let group = &self.groups[size(paths) * SHARES + usize::from(share)];
        let even = Split {
            paths: 2,
            on_true: 1,
            tilts: [ONE; 2],
            segment: Segment { decisions: 1, ..Segment::default() },
        };
        pick(group, random).map_or(even, |one| self.splits[one as usize])
    }

    /// Decisions of a segment that ends a path.
    pub(super) fn end(&self, share: u8, random: u64) -> u32 {
        pick(&self.ends[usize::from(share)], random).unwrap_or(0)
    }
}

fn pick(of: &[u32], random: u64) -> Option<u32> {
    let at = (u128::from(random) * of.len() as u128) >> 64;
    of.get(at as usize).copied()
}

/// The segment that begins at a node, and the fork or end that it leads to.
fn segment(tree: &Tree, from: NodeId) -> (NodeId, Segment) {
    let (mut at, mut segment) = (from, Segment::default());
    loop {
        let node = tree.node(at);
        segment.instructions += node.instructions;
        let [on_false, on_true] = node.children;
        segment.decisions += u32::from(on_false.or(on_true).is_some());
        match (on_false, on_true) {
            (Some(only), None) | (None, Some(only)) => {
                segment.one_sided += u64::from(!node.assume);
                at = only;
            }
            _ => return (at, segment),
        }
    }
}

/// The content of the subtree at each node.
fn loads(tree: &Tree) -> Vec<Load> {
    let mut loads = vec![Load::default(); tree.nodes().len()];
    // A node is made after its parent, so it has a higher number.
    for (id, node) in tree.nodes().iter().enumerate().rev() {
        let own = &mut loads[id];
        own.instructions += node.instructions;
        own.paths += u64::from(node.children == [None, None]);
        own.one_sided += u64::from(node.children.iter().flatten().count() == 1 && !node.assume);
        let all = *own;
        if let Some(parent) = node.parent {
            let above = &mut loads[parent as usize];
            above.paths += all.paths;
            above.instructions += all.instructions;
            above.one_sided += all.one_sided;
        }
    }
    // Each path has an instruction, so that no path is free.
    loads.iter_mut().for_each(|load| load.instructions = load.instructions.max(load.paths));
    loads
}
