//! Statistics of the paths of a tree, for comparing a grown tree with the recorded one.

use super::tree::{GrownTree, Place};
use crate::tree::Tree;

/// Statistics of the paths of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shape {
    /// Paths.
    pub paths: u64,
    /// Instructions between all decisions, each once.
    pub instructions: u64,
    /// Questions, each once.
    pub questions: u64,
    /// Decisions of a path: the lower tenth, the median, and the upper tenth.
    pub decisions: [u32; 3],
    /// Decisions of a path, on average.
    pub mean_decisions: f64,
    /// Instructions from the entry to the end of a path, on average.
    pub mean_instructions: f64,
    /// The standard deviation of these, as a part of the average.
    pub spread: f64,
    /// Correlation of instructions and decisions, from -1 to 1.
    pub correlation: f64,
    /// The part of all paths that is in subtrees of at most the square root of their number, at forks that are larger:
    /// 1 where few paths at a time leave a long chain, 0 where all forks are even.
    pub chains: f64,
}

/// Collects the paths of a tree.
#[derive(Default)]
struct Paths {
    /// Decisions and instructions.
    each: Vec<(u32, u64)>,
    shape: Shape,
    /// Paths in small sides of large forks.
    small: u64,
}

impl Paths {
    fn fork(&mut self, [a, b]: [u64; 2], all: u64) {
        let limit = all.isqrt();
        let small = [a, b].into_iter().filter(|n| *n <= limit && a + b > limit.saturating_mul(8));
        self.small += small.sum::<u64>();
    }

    fn shape(mut self) -> Shape {
        self.each.sort_unstable();
        let n = self.each.len().max(1) as f64;
        let mean = |f: &dyn Fn(&(u32, u64)) -> f64| self.each.iter().map(f).sum::<f64>() / n;
        let (decisions, instructions) = (mean(&|p| f64::from(p.0)), mean(&|p| p.1 as f64));
        let (x, y) =
            (|p: &(u32, u64)| f64::from(p.0) - decisions, |p: &(u32, u64)| p.1 as f64 - instructions);
        let deviations = [mean(&|p| x(p) * x(p)), mean(&|p| y(p) * y(p))].map(f64::sqrt);
        let covariance = mean(&|p| x(p) * y(p));
        let product = deviations[0] * deviations[1];
        let at = |tenths: usize| self.each.get(self.each.len() * tenths / 10).map_or(0, |p| p.0);
        Shape {
            paths: self.each.len() as u64,
            decisions: [at(1), at(5), at(9)],
            mean_decisions: decisions,
            mean_instructions: instructions,
            spread: if instructions > 0.0 { deviations[1] / instructions } else { 0.0 },
            correlation: if product > 0.0 { covariance / product } else { 0.0 },
            chains: self.small as f64 / n,
            ..self.shape
        }
    }
}

impl Shape {
    /// The shape of a recorded tree.
    pub fn of(tree: &Tree) -> Shape {
        let all = tree.paths().len() as u64;
        let mut paths = Paths::default();
        (paths.shape.instructions, paths.shape.questions) = (tree.instructions(), tree.questions());
        let mut waiting = vec![(0, 0u64)];
        while let Some((id, before)) = waiting.pop() {
            let node = tree.node(id);
            let now = before + node.instructions;
            let below: Vec<_> = node.children.iter().flatten().copied().collect();
            match below[..] {
                [] => paths.each.push((node.depth, now)),
                [a, b] => {
                    let size = |n| {
                        let (first, end) = tree.node(n).leaves;
                        u64::from(end - first)
                    };
                    paths.fork([size(a), size(b)], all);
                }
                _ => {}
            }
            waiting.extend(below.into_iter().map(|child| (child, now)));
        }
        paths.shape()
    }

    /// The shape of a grown tree, from each of its paths: for trees that are not too large.
    pub fn of_grown(tree: &GrownTree) -> Shape {
        let all = tree.root().load.paths;
        let mut paths = Paths::default();
        let mut waiting: Vec<(Place, u64)> = vec![(tree.root(), 0)];
        while let Some((place, before)) = waiting.pop() {
            let (segment, sides) = tree.below(&place);
            let now = before + segment.instructions;
            paths.shape.instructions += segment.instructions;
            paths.shape.questions += segment.one_sided + u64::from(sides.is_some());
            match sides {
                None => paths.each.push((place.decisions + segment.decisions, now)),
                Some(sides) => {
                    paths.fork(sides.map(|side| side.load.paths), all);
                    waiting.extend(sides.map(|side| (side, now)));
                }
            }
        }
        paths.shape()
    }
}
