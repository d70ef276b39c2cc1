//! Learned ratios of forks: number of paths of a decision's false side for each path of its true side. The depth-first estimate
//! learns and reads them.

use rustc_hash::FxHashMap;

/// Forks are told apart by the size of their true side: each class goes up to four times what the one before does.
const CLASSES: usize = 16;
/// Forks of another size count less, by this factor for each that their size differs by a factor of e. This and the next
/// two were fitted to the programs in `programs/oracles`; the estimates change little with them.
const NEAR: f64 = 0.7;
/// Prior weight of a ratio equal for all sizes, and of a ratio of 1, in units of forks.
const FLAT: f64 = 0.05;
const ALIKE: f64 = 0.5;
/// Variance added for the distance from all sizes seen.
const FAR: f64 = 0.05;
/// Minimum variance of a ratio.
const UNSURE: f64 = 4.0;

/// Sums over the finished forks of a place and a size.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    forks: f64,
    on_true: f64,
    on_false: f64,
}

/// Number of paths of a place's false sides for each path of the true sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) mean: f64,
    pub(super) variance: f64,
}

/// The ratios of all places that a worker reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ratios(FxHashMap<u64, [Sums; CLASSES]>);

impl Ratios {
    /// Learns from a finished fork at `place` and the numbers of paths of its sides.
    pub(super) fn learn(&mut self, place: u64, on_true: u64, on_false: u64) {
        let class = (on_true.max(1).ilog2() as usize / 2).min(CLASSES - 1);
        let sums = &mut self.0.entry(place).or_default()[class];
        sums.forks += 1.0;
        sums.on_true += on_true as f64;
        sums.on_false += on_false as f64;
    }

    /// Expected ratio at `place` of a fork whose true side has `on_true` paths: the line, by logarithms, through the ratios of
    /// forks of other sizes, of which those of a similar size count most.
    pub(super) fn of(&self, place: u64, on_true: f64) -> Ratio {
        let at = on_true.max(1.0).ln();
        let points = self.points(place, at);
        let weights: f64 = points.iter().map(|p| p.weight).sum();
        let mean = |of: fn(&Point) -> f64, least: f64| -> f64 {
            points.iter().map(|p| p.weight * of(p)).sum::<f64>() / (weights + least).max(f64::MIN_POSITIVE)
        };
        let x = if weights > 0.0 { mean(|p| p.size, 0.0) } else { at };
        let y = mean(|p| p.ratio, ALIKE);
        let sum = |of: &dyn Fn(&Point) -> f64| -> f64 { points.iter().map(|p| p.weight * of(p)).sum() };
        let slope = sum(&|p| (p.size - x) * (p.ratio - y)) / (sum(&|p| (p.size - x).powi(2)) + FLAT);
        let slope = slope.clamp(-1.0, 1.0);
        let off = sum(&|p| (p.ratio - y - slope * (p.size - x)).powi(2));
        let spread = (off + ALIKE) / (weights + ALIKE) + FAR * (at - x).powi(2);
        let mean = (y + slope * (at - x)).exp();
        Ratio { mean, variance: mean * mean * spread.min(UNSURE) }
    }

    /// The data of `place`, for a fork of the size `at`.
    fn points(&self, place: u64, at: f64) -> [Point; CLASSES] {
        let mut points = [Point::default(); CLASSES];
        let known = self.0.get(&place).map_or(&[][..], |sums| &sums[..]);
        let mut nearest = f64::INFINITY;
        for (point, sums) in points.iter_mut().zip(known).filter(|(_, sums)| sums.forks > 0.0) {
            let size = (sums.on_true / sums.forks).max(1.0).ln();
            let ratio = ((sums.on_false + 0.5) / (sums.on_true + 0.5)).ln();
            *point = Point { weight: sums.forks / (sums.forks + 1.0), size, ratio };
            nearest = nearest.min((size - at).abs());
        }
        for point in points.iter_mut().filter(|point| point.weight > 0.0) {
            point.weight *= NEAR.powf((point.size - at).abs() - nearest);
        }
        points
    }
}

/// Data of the forks of one size, by logarithms: paths of the true side, and the ratio of both sides.
#[derive(Clone, Copy, Default)]
struct Point {
    weight: f64,
    size: f64,
    ratio: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alike_each_time_is_soon_known() {
        let mut ratios = Ratios::default();
        assert_eq!(ratios.of(7, 9.0).mean, 1.0, "nothing is known");
        for size in [10, 20, 200, 3_000, 4_000] {
            (0..10).for_each(|_| ratios.learn(7, size, 5 * size));
        }
        let known = ratios.of(7, 5_000.0);
        assert!((3.0..7.0).contains(&known.mean) && known.variance < known.mean * known.mean, "{known:?}");
        assert_eq!(ratios.of(8, 9.0).mean, 1.0, "another place");
    }

    #[test]
    fn a_ratio_that_falls_with_the_size_is_expected_to_fall_on() {
        let mut ratios = Ratios::default();
        for (size, other) in [(10, 10), (100, 50), (1_000, 250)] {
            (0..10).for_each(|_| ratios.learn(7, size, other));
        }
        let expected = ratios.of(7, 10_000.0).mean;
        assert!((0.08..0.25).contains(&expected), "{expected}");
    }
}
