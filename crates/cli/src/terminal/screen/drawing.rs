//! The picture of a run on the status screen.

use std::time::Duration;

use cleave_campaign::Snapshot;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Block, Chart, Dataset, GraphType, Paragraph};

use super::history::{Finding, History};
use crate::terminal::heading::Heading;
use crate::terminal::progress::{far, grouped, lasting, solver_share};

const TITLE: Style = Style::new().fg(Color::Cyan);
const QUIET: Style = Style::new().fg(Color::DarkGray);

/// Draws the run as it stands `at` this time since the command began.
pub(super) fn draw(
    frame: &mut Frame<'_>,
    heading: &Heading,
    history: &History,
    now: &Snapshot,
    files: usize,
    at: Duration,
) {
    let [top, counts, chart, findings, foot] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Length(8),
        Constraint::Min(6),
        Constraint::Length(5),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let name = Line::from(vec![
        Span::styled("cleave ", Style::new().add_modifier(Modifier::BOLD)),
        Span::raw(heading.command.clone()),
    ]);
    let search = Line::styled(format!("search: {}", heading.search), QUIET);
    frame.render_widget(Paragraph::new(vec![name, search]), top);
    let [left, right] =
        Layout::horizontal([Constraint::Percentage(50), Constraint::Percentage(50)]).areas(counts);
    rows(frame, left, "progress", &progress(history, now, at));
    rows(frame, right, "coverage and work", &work(history, now, at));
    covered(frame, chart, history, now, at);
    newest(frame, findings, history, now);
    frame.render_widget(Line::styled(waits(now, files), QUIET), foot);
}

/// Text of the last row.
fn waits(now: &Snapshot, files: usize) -> String {
    match (now.stopping, files) {
        (true, 0) => "stopping: writing down what is open".into(),
        (true, files) => format!("stopping: {} files wait to be written", grouped(files)),
        (false, _) => "Ctrl-C stops; `cleave resume` goes on".into(),
    }
}

/// A name and its value.
type Row = (&'static str, String);

fn progress(history: &History, now: &Snapshot, at: Duration) -> Vec<Row> {
    let rate = history.rate();
    let (all, left) = far(now, rate);
    let or = |text: String, otherwise: &str| if text.is_empty() { otherwise.to_string() } else { text };
    vec![
        ("run time", lasting(at.as_secs_f64())),
        ("paths", format!("{} ({rate:.0}/s)", grouped(now.paths as usize))),
        ("expected", or(all.trim_start_matches(" of ").to_string(), "not known yet")),
        (
            "time left",
            or(left.trim_start_matches(", about ").trim_end_matches(" left").to_string(), "not known yet"),
        ),
        ("open regions", grouped(now.open_regions as usize)),
    ]
}

fn work(history: &History, now: &Snapshot, at: Duration) -> Vec<Row> {
    let coverage = &now.coverage;
    let of = |covered: u64, all: u64| {
        let share = if all == 0 { 0.0 } else { 100.0 * covered as f64 / all as f64 };
        format!("{} of {} ({share:.1} %)", grouped(covered as usize), grouped(all as usize))
    };
    let lines = match coverage.lines {
        0 => "compile with -g".into(),
        all => of(coverage.lines_covered, all),
    };
    let news = history.news().map_or_else(
        || "not yet".into(),
        |news| format!("{} ago", lasting(at.saturating_sub(news).as_secs_f64())),
    );
    vec![
        ("lines", lines),
        ("branch sides", of(coverage.branches_covered, coverage.branches)),
        ("functions", of(coverage.functions_covered, coverage.functions)),
        ("last new line", news),
        ("workers", format!("{} of {} busy", now.busy, now.workers)),
        ("solver", format!("{:.0} % of their time", solver_share(now))),
    ]
}

fn rows(frame: &mut Frame<'_>, area: Rect, title: &'static str, rows: &[Row]) {
    let line = |(name, value): &Row| {
        Line::from(vec![Span::styled(format!("{name:>14}  "), QUIET), Span::raw(value.clone())])
    };
    let text: Vec<Line<'_>> = rows.iter().map(line).collect();
    frame
        .render_widget(Paragraph::new(text).block(Block::bordered().title(Span::styled(title, TITLE))), area);
}

/// The curve of the covered lines; of the paths where the program has no debug information.
fn covered(frame: &mut Frame<'_>, area: Rect, history: &History, now: &Snapshot, at: Duration) {
    let has_lines = now.coverage.lines > 0;
    let height = |p: &super::history::Point| if has_lines { p.lines as f64 } else { p.paths as f64 };
    let points: Vec<(f64, f64)> = history.points().iter().map(|p| (p.at.as_secs_f64(), height(p))).collect();
    let most = points.iter().map(|(_, y)| *y).fold(1.0, f64::max);
    let end = at.as_secs_f64().max(1.0);
    let title = if has_lines { "lines covered over time" } else { "paths over time" };
    let curve = Dataset::default()
        .marker(Marker::Braille)
        .graph_type(GraphType::Line)
        .style(Style::new().fg(Color::Green))
        .data(&points);
    let chart = Chart::new(vec![curve])
        .block(Block::bordered().title(Span::styled(title, TITLE)))
        .x_axis(Axis::default().bounds([0.0, end]).labels(["0".into(), lasting(end)]).style(QUIET))
        .y_axis(
            Axis::default().bounds([0.0, most]).labels(["0".into(), grouped(most as usize)]).style(QUIET),
        );
    frame.render_widget(chart, area);
}

fn newest(frame: &mut Frame<'_>, area: Rect, history: &History, now: &Snapshot) {
    let line =
        |f: &Finding| Line::raw(format!("{:>8}  test {}  {}", lasting(f.at.as_secs_f64()), f.test, f.text));
    let mut text: Vec<Line<'_>> = history.findings().take(usize::from(area.height)).map(line).collect();
    if text.is_empty() {
        text.push(Line::styled("none in this session", QUIET));
    }
    let title = format!("newest bugs ({} in all)", now.bugs);
    frame
        .render_widget(Paragraph::new(text).block(Block::bordered().title(Span::styled(title, TITLE))), area);
}

#[cfg(test)]
mod tests {
    use super::*;
    use cleave_campaign::Coverage;
    use cleave_region::Expected;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    fn picture(width: u16, height: u16, history: &History, now: &Snapshot) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let heading = Heading { command: "./prog --sym-arg 4".into(), search: "dfs".into() };
        terminal.draw(|frame| draw(frame, &heading, history, now, 0, Duration::from_secs(12))).unwrap();
        format!("{}", terminal.backend())
    }

    #[test]
    fn the_screen_shows_counts_coverage_and_the_newest_bugs() {
        let mut history = History::default();
        let coverage = Coverage {
            lines: 2_000,
            lines_covered: 500,
            branches: 8,
            branches_covered: 2,
            ..Coverage::default()
        };
        let expected = Some(Expected { paths: 10_000.0, variance: 0.0 });
        let now = Snapshot {
            paths: 1_200,
            open_regions: 7,
            bugs: 2,
            busy: 1,
            workers: 2,
            coverage,
            expected,
            ..Snapshot::default()
        };
        history.see(Duration::from_secs(2), &Snapshot { paths: 200, ..Snapshot::default() });
        history.see(Duration::from_secs(12), &now);
        for test in [3, 9] {
            let text = format!("main.c:{test}: an access beyond");
            history.found(Finding { at: Duration::from_secs(test), test, text });
        }
        let shown = picture(100, 30, &history, &now);
        for part in [
            "./prog --sym-arg 4",
            "search: dfs",
            "1,200 (100/s)",
            "500 of 2,000 (25.0 %)",
            "2 of 8 (25.0 %)",
            "0 s ago",
            "1 of 2 busy",
            "newest bugs (2 in all)",
            "about 11,000",
            "2 min",
            "open regions  7",
            "Ctrl-C stops",
        ] {
            assert!(shown.contains(part), "`{part}` is not in\n{shown}");
        }
        let [new, old] = ["main.c:9", "main.c:3"].map(|text| shown.find(text).unwrap());
        assert!(new < old, "the newest is first");
    }

    #[test]
    fn the_screen_fits_on_every_terminal_and_says_what_is_not_known() {
        for (width, height) in [(1, 1), (60, 20), (80, 24), (300, 3)] {
            picture(width, height, &History::default(), &Snapshot::default());
        }
        let shown = picture(80, 24, &History::default(), &Snapshot::default());
        for part in ["not known yet", "compile with -g", "none in this session", "paths over time", "not yet"]
        {
            assert!(shown.contains(part), "`{part}` is not in\n{shown}");
        }
    }
}
