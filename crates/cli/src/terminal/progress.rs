//! The live line of a run: one that is rewritten on a terminal, plain ones every few seconds elsewhere.

use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use cleave_campaign::Snapshot;

use crate::process::number_words::{counted, noun_of};
use crate::process::start_time::started;

/// Shows snapshots on standard error.
pub struct Progress {
    start: Instant,
    terminal: bool,
    last_shown: Option<Instant>,
    /// Times and paths of the last seconds, for the rate.
    window: VecDeque<(Instant, u64)>,
    forecasts: Forecasts,
}

/// Forecasts of the last seconds: the next one is shown only if they came true.
#[derive(Default)]
struct Forecasts {
    /// Time of the forecast, its maximum number of paths, and its latest end.
    said: VecDeque<(Instant, f64, Instant)>,
    /// No forecast is shown before this time, because one was wrong.
    wrong_until: Option<Instant>,
}

/// Time for which a forecast is judged, and for which a wrong one silences the next ones.
const JUDGED: Duration = Duration::from_secs(10);
/// Tolerance for the end of a forecast: rates jump.
const TOLERANCE: Duration = Duration::from_secs(2);

impl Forecasts {
    /// Returns true if forecasts may be shown: none was wrong lately. Adds the forecast of `now`.
    fn are_right(&mut self, time: Instant, now: &Snapshot, rate: f64) -> bool {
        while self.said.front().is_some_and(|(at, ..)| time - *at > JUDGED) {
            self.said.pop_front();
        }
        let refuted =
            |&(_, most, end): &(Instant, f64, Instant)| now.paths as f64 > most || time > end + TOLERANCE;
        if self.said.iter().any(refuted) {
            self.said.clear();
            self.wrong_until = Some(time + JUDGED);
        }
        if let Some(left) = now.expected.filter(|left| left.paths > 0.0 && rate > 0.0) {
            let (_, most) = left.range();
            self.said.push_back((time, now.paths as f64 + most.max(1.0), time + longest(most, rate)));
        }
        self.wrong_until.is_none_or(|until| time >= until)
    }
}

/// Time that `paths` paths take at this rate, at most ten times [`JUDGED`]. It is the maximum if the quotient is no number,
/// as for paths without a bound at a rate after no time at all.
fn longest(paths: f64, rate: f64) -> Duration {
    let most = JUDGED.as_secs_f64() * 10.0;
    let seconds = paths / rate;
    Duration::from_secs_f64(if seconds.is_nan() { most } else { seconds.clamp(0.0, most) })
}

/// Time between two lines.
const ON_TERMINAL: Duration = Duration::from_millis(100);
const ELSEWHERE: Duration = Duration::from_secs(5);
/// The time over which the rate is taken.
const WINDOW: Duration = Duration::from_secs(5);

impl Progress {
    /// A live line that shows nothing yet.
    pub fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        Progress {
            start: started(),
            terminal,
            last_shown: None,
            window: VecDeque::new(),
            forecasts: Forecasts::default(),
        }
    }

    /// Shows `now` and the number of files that wait to be written, unless something was shown just before. To be called
    /// often.
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
        let rate = self.rate();
        // A forecast that time has refuted is not repeated.
        let doubted = Snapshot { expected: None, ..*now };
        let now = if self.forecasts.are_right(time, now, rate) { now } else { &doubted };
        let line = line(now, files, time - self.start, rate);
        if self.terminal {
            let width =
                terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(w, _)| usize::from(w.0));
            let line: String = line.chars().take(width.saturating_sub(1)).collect();
            // An error is ignored: the run goes on.
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

/// Number of waiting files that the line does not mention: they are soon written.
const FEW_FILES: usize = 1_000;

/// 1,234 for 1234.
pub(crate) fn grouped(n: usize) -> String {
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

/// The expected number of all paths, as a range, and the time for the rest at this rate, as texts. Both are empty if there is
/// no forecast, or the session ends.
pub(crate) fn far(now: &Snapshot, rate: f64) -> (String, String) {
    let Some(left) = now.expected.filter(|left| left.paths > 0.0 && !now.stopping) else {
        return (String::new(), String::new());
    };
    let (low, high) = left.range();
    let all = |paths: f64| about(now.paths as f64 + paths);
    let (low, high) = (all(low), all(high));
    let paths = if low == high { format!(" of about {low}") } else { format!(" of {low} to {high}") };
    let time =
        if rate > 0.0 { format!(", about {} left", lasting(left.paths / rate)) } else { String::new() };
    (paths, time)
}

/// A number to two digits.
fn about(n: f64) -> String {
    if n < 100.0 {
        return format!("{n:.0}");
    }
    if n >= 1e9 {
        return format!("{n:.1e}");
    }
    let unit = 10f64.powf(n.log10().floor() - 1.0);
    grouped(((n / unit).round() * unit) as usize)
}

/// A number of seconds, in words.
pub(crate) fn lasting(seconds: f64) -> String {
    const YEAR: f64 = 365.0 * 86_400.0;
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6_000.0 => format!("{:.0} min", s / 60.0),
        s if s < 100.0 * 3_600.0 => format!("{:.0} h", s / 3_600.0),
        s if s < YEAR => format!("{:.0} days", s / 86_400.0),
        s if s < 1_000.0 * YEAR => format!("{:.0} years", s / YEAR),
        _ => "more than 1,000 years".into(),
    }
}

/// The solver's share of the workers' time, in per cent.
pub(crate) fn solver_share(now: &Snapshot) -> f64 {
    if now.busy_seconds > 0.0 { (100.0 * now.solver_seconds / now.busy_seconds).min(100.0) } else { 0.0 }
}

fn line(now: &Snapshot, files: usize, elapsed: Duration, rate: f64) -> String {
    let share = solver_share(now);
    let (of_so_many, time_left) = far(now, rate);
    let mut line = format!(
        "{:>6.1} s  {}{of_so_many} {} ({rate:.0}/s{time_left})  {} open  {}  {}/{} workers busy  solver {:.0} %",
        elapsed.as_secs_f64(),
        now.paths,
        if of_so_many.is_empty() { noun_of(now.paths, "path") } else { "paths".into() },
        now.open_regions,
        counted(now.bugs, "bug"),
        now.busy,
        now.workers,
        share
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
    use cleave_region::Expected;

    #[test]
    fn a_forecast_of_no_number_is_as_long_as_a_forecast_gets() {
        assert_eq!(longest(50.0, 10.0), Duration::from_secs(5));
        for (paths, rate) in [(f64::INFINITY, f64::INFINITY), (0.0, 0.0), (f64::NAN, 1.0), (1e300, 1e-300)] {
            assert_eq!(longest(paths, rate), Duration::from_secs(100), "{paths} at {rate}");
        }
    }

    #[test]
    fn the_line_shows_counts_rate_and_the_solvers_share() {
        let now = Snapshot {
            paths: 1234,
            open_regions: 5,
            bugs: 1,
            expected: None,
            busy: 1,
            workers: 2,
            stopping: false,
            solver_seconds: 1.0,
            busy_seconds: 4.0,
            coverage: Coverage { lines: 20, lines_covered: 7, ..Coverage::default() },
        };
        assert_eq!(
            line(&now, 0, Duration::from_millis(3250), 410.4),
            "   3.2 s  1234 paths (410/s)  5 open  1 bug  1/2 workers busy  solver 25 %  7/20 lines"
        );
        assert!(line(&Snapshot::default(), 1_000, Duration::ZERO, 0.0).ends_with("solver 0 %"));
    }

    #[test]
    fn the_line_shows_how_many_paths_are_expected() {
        let expected = Some(Expected { paths: 10_000.0, variance: 2.5e7 });
        let now = Snapshot { paths: 1234, expected, ..Snapshot::default() };
        let shown = line(&now, 0, Duration::ZERO, 50.0);
        assert!(shown.contains("  1234 of 7,500 to 17,000 paths (50/s, about 3 min left)  "), "{shown}");
        let sure = Some(Expected { paths: 10.0, variance: 0.0 });
        let now = Snapshot { paths: 7, expected: sure, ..now };
        assert!(line(&now, 0, Duration::ZERO, 0.0).contains("  7 of about 17 paths (0/s)  "));
        let over = Snapshot { expected: Some(Expected::NONE), ..now };
        assert!(line(&over, 0, Duration::ZERO, 0.0).contains("  7 paths (0/s)  "));
        assert_eq!([0.4, 99.0, 100.0, 123_456.0, 3e12].map(about), ["0", "99", "100", "120,000", "3.0e12"]);
        let days = 86_400.0;
        let lengths = [1.0, 600.0, 8_000.0, 20.0 * days, 5e4 * days, 1e9 * days].map(lasting);
        assert_eq!(lengths, ["1 s", "10 min", "2 h", "20 days", "137 years", "more than 1,000 years"]);
    }

    #[test]
    fn a_forecast_that_was_wrong_is_not_repeated_for_some_time() {
        let (start, mut forecasts) = (Instant::now(), Forecasts::default());
        let soon = Snapshot {
            paths: 100,
            expected: Some(Expected { paths: 1.0, variance: 0.0 }),
            ..Snapshot::default()
        };
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        assert!(forecasts.are_right(at(0), &soon, 10.0), "nothing is known against it");
        assert!(forecasts.are_right(at(1), &soon, 10.0), "a second more is no error");
        let same = Snapshot { paths: 101, ..soon };
        assert!(!forecasts.are_right(at(5), &same, 10.0), "it was to be done at 0.1 s");
        assert!(!forecasts.are_right(at(9), &same, 10.0), "the next ones are no better");
        let slow = Snapshot { expected: Some(Expected { paths: 1e6, variance: 0.0 }), ..same };
        assert!(forecasts.are_right(at(30), &slow, 10.0), "until they were right for a time");
        assert!(forecasts.are_right(at(39), &slow, 10.0));
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
