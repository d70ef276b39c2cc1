//! Estimates of the number of paths left, after Knuth ("Estimating the efficiency of backtrack programs", 1975). Each frontier
//! keeps one for the rest of its own region; estimates of regions add up.

pub(crate) mod broad; // The estimate for explorations under a strategy: Knuth's measure.
pub(crate) mod depth_first; // The estimate of a depth-first exploration, from its stack.
pub(crate) mod ratios; // Learned ratios of forks: number of paths of a decision's false side for each path of its true side.

use cleave_region::Expected;

pub(crate) use broad::Broad;
pub(crate) use depth_first::DepthFirst;
pub(crate) use ratios::Ratios;

/// Knowledge that one exploration leaves for the next of the same worker, and the expectation of the next region.
#[derive(Clone, Debug, Default)]
pub struct Experience {
    pub(crate) ratios: Ratios,
    /// Expected number of paths of the next region; `None` if unknown.
    pub expected: Option<Expected>,
}

/// Expectation of a region when its exploration began, and the number of paths found by then.
#[derive(Clone, Copy, Default)]
struct Prior {
    expected: Option<Expected>,
    found: u64,
}

impl Prior {
    /// Expected paths left, if the exploration itself expects `left`, and has found `found` paths.
    fn joined(&self, found: u64, left: Expected) -> Expected {
        self.expected.map_or(left, |before| together(before, (found - self.found) as f64, left))
    }

    /// Subtracts a part given to others.
    fn loses(&mut self, part: Expected) {
        self.expected = self.expected.map(|all| all.without(part));
    }
}

/// Combines two estimates of the number of paths left: `before` estimates the total, of which `found` are found; `left` estimates
/// the rest. The one with the smaller error has the larger weight. Errors are factors, and large ones are common, so the mean is
/// that of logarithms.
fn together(before: Expected, found: f64, left: Expected) -> Expected {
    const LEAST: f64 = 1e-6;
    let own = found + left.paths;
    if own <= 0.0 {
        return left;
    }
    let weight_of = |relative_variance: f64| 1.0 / relative_variance.ln_1p().max(LEAST);
    let own_weight = weight_of(left.variance / (own * own));
    let weight = weight_of(before.relative_variance());
    let share = own_weight / (own_weight + weight);
    // The prior is at least half a path.
    let all = (own.ln() * share + before.paths.max(0.5).ln() * (1.0 - share)).exp();
    // The waiting states are there, whatever was expected.
    let paths = (all - found).max(left.paths.min(all) * share);
    Expected { paths, variance: all * all * (1.0 / (own_weight + weight)).exp_m1() }
}
