//! The live line of a run: one that is rewritten on a terminal, plain ones every few seconds elsewhere.

use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use cleave_campaign::Snapshot;

use crate::started::started;

/// Shows snapshots on standard error.
pub struct Progress {
    start: Instant,
    terminal: bool,
    last_shown: Option<Instant>,
    /// Times and paths of the last seconds, for the rate.
    window: VecDeque<(Instant, u64)>,
}

/// Time between two lines.
const ON_TERMINAL: Duration = Duration::from_millis(100);
const ELSEWHERE: Duration = Duration::from_secs(5);
/// The time over which the rate is taken.
const WINDOW: Duration = Duration::from_secs(5);

impl Progress {
    /// Nothing is shown yet.
    pub fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        Progress { start: started(), terminal, last_shown: None, window: VecDeque::new() }
    }

    /// Shows `now` and how many files wait to be written, unless something was shown just before. To be called often.
    pub fn show(&mut self, now: &Snapshot, files: usize) {
        let time = Instant::now();
        self.window.push_back((time, now.paths));
        while self.window.len() > 2 && self.window.front().is_some_and(|(t, _)| time - *t > WINDOW) {
            self.window.pop_front();
        }
        let pause = if self.terminal { ON_TERMINAL } else { ELSEWHERE };
        // Elsewhere the first line, too, comes only after the pause: short runs need none.
        let since = self.last_shown.unwrap_or(if self.terminal { self.start - pause } else { self.start });
        if time - since < pause {
            return;
        }
        self.last_shown = Some(time);
        let line = line(now, files, time - self.start, self.rate());
        if self.terminal {
            let width =
                terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(w, _)| usize::from(w.0));
            let line: String = line.chars().take(width.saturating_sub(1)).collect();
            // Whether it can be shown or not: the run goes on.
            let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
        } else {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }

    /// Removes the live line, before anything else is printed.
    pub fn clear(&mut self) {
        if self.terminal && self.last_shown.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }

    fn rate(&self) -> f64 {
        match (self.window.front(), self.window.back()) {
            (Some((t1, p1)), Some((t2, p2))) if t2 > t1 => {
                p2.saturating_sub(*p1) as f64 / (*t2 - *t1).as_secs_f64()
            }
            _ => 0.0,
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// So few files are soon written.
const FEW_FILES: usize = 1_000;

/// 1,234 for 1234.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn line(now: &Snapshot, files: usize, elapsed: Duration, rate: f64) -> String {
    let share = if now.busy_seconds > 0.0 { 100.0 * now.solver_seconds / now.busy_seconds } else { 0.0 };
    let mut line = format!(
        "{:>6.1} s  {} paths ({rate:.0}/s)  {} open  {} bugs  {}/{} workers busy  solver {:.0} %",
        elapsed.as_secs_f64(),
        now.paths,
        now.open_regions,
        now.bugs,
        now.busy,
        now.workers,
        share.min(100.0)
    );
    if now.coverage.lines > 0 {
        line.push_str(&format!("  {}/{} lines", now.coverage.lines_covered, now.coverage.lines));
    }
    if now.stopping && now.busy > 0 {
        line.push_str("  stopping: writing down what is open");
    }
    if files > if now.stopping { 0 } else { FEW_FILES } {
        line.push_str(&format!("  writing files: {} waiting", grouped(files)));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use cleave_campaign::Coverage;

    #[test]
    fn the_line_shows_counts_rate_and_the_solvers_share() {
        let now = Snapshot {
            paths: 1234,
            open_regions: 5,
            bugs: 1,
            busy: 1,
            workers: 2,
            stopping: false,
            solver_seconds: 1.0,
            busy_seconds: 4.0,
            coverage: Coverage { lines: 20, lines_covered: 7, ..Coverage::default() },
        };
        assert_eq!(
            line(&now, 0, Duration::from_millis(3250), 410.4),
            "   3.2 s  1234 paths (410/s)  5 open  1 bugs  1/2 workers busy  solver 25 %  7/20 lines"
        );
        assert!(line(&Snapshot::default(), 1_000, Duration::ZERO, 0.0).ends_with("solver 0 %"));
    }

    #[test]
    fn the_line_shows_what_is_waited_for() {
        let shown = |now: &Snapshot, files| line(now, files, Duration::ZERO, 0.0);
        assert!(shown(&Snapshot::default(), 1_234).ends_with("solver 0 %  writing files: 1,234 waiting"));
        let now = Snapshot { stopping: true, busy: 1, ..Snapshot::default() };
        assert!(shown(&now, 0).ends_with("  stopping: writing down what is open"));
        assert!(shown(&Snapshot { busy: 0, ..now }, 7).ends_with("  writing files: 7 waiting"));
        assert_eq!([0, 12, 123_456, 1_234_567].map(grouped), ["0", "12", "123,456", "1,234,567"]);
    }
}
