//! Memory of the status screen: progress of the run over time, and its newest bugs.

use std::collections::VecDeque;
use std::time::Duration;

use cleave_campaign::Snapshot;

/// Points that are kept: when there are twice as many, each second one goes.
const POINTS: usize = 512;
/// The time over which the rate of paths is taken.
const WINDOW: Duration = Duration::from_secs(5);
/// Bugs that are kept.
const FINDINGS: usize = 64;

/// Progress of the run at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Since the command began.
    pub at: Duration,
    /// Paths until then.
    pub paths: u64,
    /// Lines covered until then.
    pub lines: u64,
}

/// A bug, when it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Since the command began.
    pub at: Duration,
    /// The number of its test.
    pub test: u64,
    /// Its place and its message.
    pub text: String,
}

/// Progress and bugs so far.
#[derive(Debug, Default)]
pub struct History {
    points: Vec<Point>,
    /// The least time between two points.
    step: Duration,
    recent: VecDeque<Point>,
    findings: VecDeque<Finding>,
    /// Time at which a line was covered last.
    news: Option<Duration>,
}

impl History {
    /// Adds a snapshot of the run.
    pub fn see(&mut self, at: Duration, now: &Snapshot) {
        let point = Point { at, paths: now.paths, lines: now.coverage.lines_covered };
        if self.recent.back().is_some_and(|last| last.lines < point.lines) {
            self.news = Some(at);
        }
        self.recent.push_back(point);
        while self.recent.len() > 2 && self.recent.front().is_some_and(|first| at - first.at > WINDOW) {
            self.recent.pop_front();
        }
        if self.points.last().is_none_or(|last| at - last.at >= self.step) {
            self.points.push(point);
        }
        if self.points.len() >= 2 * POINTS {
            self.points = self.points.iter().step_by(2).copied().collect();
            self.step = at / POINTS as u32;
        }
    }

    /// Takes notice of a bug.
    pub fn found(&mut self, finding: Finding) {
        self.findings.push_front(finding);
        self.findings.truncate(FINDINGS);
    }

    /// The points, in the order of time.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The newest bugs, the newest first.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter()
    }

    /// Time at which a line was covered last; `None` if none was since the first look.
    pub fn news(&self) -> Option<Duration> {
        self.news
    }

    /// Paths a second, of late.
    pub fn rate(&self) -> f64 {
        match (self.recent.front(), self.recent.back()) {
            (Some(a), Some(b)) if b.at > a.at => {
                b.paths.saturating_sub(a.paths) as f64 / (b.at - a.at).as_secs_f64()
            }
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cleave_campaign::Coverage;

    #[test]
    fn a_long_run_is_remembered_whole_in_few_points() {
        let mut history = History::default();
        for second in 0..100_000u64 {
            let coverage = Coverage { lines_covered: second.min(50_000), ..Coverage::default() };
            let now = Snapshot { paths: 3 * second, coverage, ..Snapshot::default() };
            history.see(Duration::from_secs(second), &now);
        }
        let points = history.points();
        assert!((POINTS..2 * POINTS).contains(&points.len()), "{} points", points.len());
        assert_eq!((points[0].at, points[0].paths), (Duration::ZERO, 0));
        assert!(points.is_sorted_by_key(|p| p.at));
        assert!(points.windows(2).all(|two| two[1].at - two[0].at < Duration::from_secs(1_000)), "no gaps");
        assert!((history.rate() - 3.0).abs() < 0.01, "{}", history.rate());
        assert_eq!(history.news(), Some(Duration::from_secs(50_000)));
    }
}
