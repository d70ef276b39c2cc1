//! The status screen of `--tui`: progress, coverage over time, and the newest bugs of a run. It fills the
//! terminal of standard error while the run goes on, and is gone before anything else is printed.

pub(crate) mod drawing; // The picture of a run on the status screen.
pub(crate) mod history; // Memory of the status screen: progress of the run over time, and its newest bugs.

use std::io::{IsTerminal, Stderr};
use std::time::{Duration, Instant};

use cleave_campaign::{RecordedPath, Snapshot};
use cleave_region::SUPPRESSED_BY;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};

use crate::failure::Failure;
use crate::process::start_time::started;
use crate::terminal::heading::Heading;
use history::{Finding, History};

/// Time between two pictures.
const PAUSE: Duration = Duration::from_millis(200);
/// The smallest terminal that the screen fits on, in columns and rows.
const LEAST: (u16, u16) = (60, 22);

/// Draws the run.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stderr>>,
    heading: Heading,
    history: History,
    drawn: Option<Instant>,
    /// True if it fills the terminal now.
    shown: bool,
}

impl Screen {
    /// Checks that there is a terminal for it.
    ///
    /// # Errors
    /// If standard error is no terminal, or a small one.
    pub fn check() -> Result<(), Failure> {
        if !std::io::stderr().is_terminal() {
            return Err(Failure::usage(
                "--tui needs a terminal on standard error: run without it".to_string(),
            ));
        }
        let size = ratatui::crossterm::terminal::size().map_err(no_drawing)?;
        if size.0 < LEAST.0 || size.1 < LEAST.1 {
            let (columns, rows) = LEAST;
            return Err(Failure::usage(format!(
                "--tui needs a terminal of {columns} columns and {rows} rows at least, and this one has {} and {}: \
                 make it larger or run without --tui",
                size.0, size.1
            )));
        }
        Ok(())
    }

    /// A screen on standard error.
    ///
    /// # Errors
    /// If nothing can be drawn there.
    pub fn open(heading: Heading) -> Result<Screen, Failure> {
        let terminal = Terminal::new(CrosstermBackend::new(std::io::stderr())).map_err(no_drawing)?;
        Ok(Screen { terminal, heading, history: History::default(), drawn: None, shown: false })
    }

    /// Records the paths that end in a new bug.
    pub fn paths(&mut self, paths: &[RecordedPath<'_>]) {
        for path in paths.iter().filter(|path| path.new_bug) {
            let bug = path.record.bug.as_ref().filter(|bug| !bug.kind.starts_with(SUPPRESSED_BY));
            if let Some(bug) = bug {
                let text = format!("{}: {}", bug.place, bug.message);
                self.history.found(Finding { at: started().elapsed(), test: path.id, text });
            }
        }
    }

    /// Shows `now` and the number of files that wait to be written, unless something was shown just before. To be called
    /// often.
    pub fn show(&mut self, now: &Snapshot, files: usize) {
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < PAUSE) {
            return;
        }
        self.drawn = Some(Instant::now());
        let at = started().elapsed();
        self.history.see(at, now);
        if !self.shown {
            let _ = execute!(std::io::stderr(), EnterAlternateScreen);
            let _ = self.terminal.clear();
            self.shown = true;
        }
        let (heading, history) = (&self.heading, &self.history);
        // An error is ignored: the run goes on.
        let _ = self.terminal.draw(|frame| drawing::draw(frame, heading, history, now, files, at));
    }

    /// Gives the terminal back, before anything else is printed.
    pub fn clear(&mut self) {
        if self.shown {
            self.shown = false;
            self.drawn = None;
            let _ = self.terminal.show_cursor();
            let _ = execute!(std::io::stderr(), LeaveAlternateScreen);
        }
    }
}

fn no_drawing(error: std::io::Error) -> Failure {
    Failure::new(format!("cannot draw on the terminal: {error}; run without --tui"))
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.clear();
    }
}
