//! What finished forks teach of those to come: how many paths the false side of a decision has, for each of its true side.

use rustc_hash::FxHashMap;

/// Forks are told apart by the size of their true side: each class goes up to four times what the one before does.
const CLASSES: usize = 16;
/// Forks of another size count less, by this factor for each that their size differs by a factor of e. This and the next
/// two were fitted to the programs in `programs/oracles`; the estimates change little with them.
const NEAR: f64 = 0.7;
/// So much speaks for a ratio that is the same for all sizes, and for one that is 1, as if forks had shown it.
const FLAT: f64 = 0.05;
const ALIKE: f64 = 0.5;
/// What a distance from all sizes that were seen adds to the variance.
const FAR: f64 = 0.05;
/// No ratio is less sure than this.
const UNSURE: f64 = 4.0;

/// What the finished forks of a place and a size add up to.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    forks: f64,
    on_true: f64,
    on_false: f64,
}

/// How many paths the false sides of a place have for each path of the true sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) mean: f64,
    pub(super) variance: f64,
}

/// The ratios of all places that a worker came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ratios(FxHashMap<u64, [Sums; CLASSES]>);

impl Ratios {
    /// A fork at `place` is finished: its sides had so many paths.
    pub(super) fn learn(&mut self, place: u64, on_true: u64, on_false: u64) {
        let class = (on_true.max(1).ilog2() as usize / 2).min(CLASSES - 1);
        let sums = &mut self.0.entry(place).or_default()[class];
        sums.forks += 1.0;
        sums.on_true += on_true as f64;
        sums.on_false += on_false as f64;
    }

    /// What is expected at `place` of a fork whose true side has so many paths: the line, by logarithms, through what forks
    /// of other sizes had, of which those of a like size count most.
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

    /// What is known of `place`, for a fork of the size `at`.
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

/// What forks of one size had, by logarithms: paths of the true side, and the ratio of both sides.
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
