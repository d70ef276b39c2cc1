//! How many paths an exploration still has before it: estimates after Knuth ("Estimating the efficiency of backtrack
//! programs", 1975). Each exploration estimates what is left of its own region; estimates of regions add up.

mod broad;
mod depth_first;
mod ratios;

use cleave_region::Expected;

pub(crate) use broad::Broad;
pub(crate) use depth_first::DepthFirst;
pub(crate) use ratios::Ratios;

/// What one exploration leaves for the next one of the same worker, and what is known of the region to come.
#[derive(Clone, Debug, Default)]
pub struct Experience {
    pub(crate) ratios: Ratios,
    /// How many paths the next region is expected to have; `None` where nobody knows.
    pub expected: Option<Expected>,
}

/// What was expected of a region when its exploration began, and how many paths were found by then.
#[derive(Clone, Copy, Default)]
struct Prior {
    expected: Option<Expected>,
    found: u64,
}

impl Prior {
    /// What is left, where the exploration itself expects `left`, and has found so many paths.
    fn joined(&self, found: u64, left: Expected) -> Expected {
        self.expected.map_or(left, |before| together(before, (found - self.found) as f64, left))
    }

    /// A part is others'.
    fn loses(&mut self, part: Expected) {
        self.expected = self.expected.map(|all| all.without(part));
    }
}

/// How many paths are left, by two accounts: `before` says how many there are in all, of which `found` are found; `left` how
/// many are left. The one that is surer counts for more. Errors are factors, and large ones are common, so that the mean is
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
    // At least a part of a path was thought of.
    let all = (own.ln() * share + before.paths.max(0.5).ln() * (1.0 - share)).exp();
    // What waits is there, whatever was expected.
    let paths = (all - found).max(left.paths.min(all) * share);
    Expected { paths, variance: all * all * (1.0 / (own_weight + weight)).exp_m1() }
}
