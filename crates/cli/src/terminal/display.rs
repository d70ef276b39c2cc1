//! Progress of a run on the terminal: one live line, or a screen.

use cleave_campaign::{RecordedPath, Snapshot};

use crate::failure::Failure;
use crate::terminal::heading::Heading;
use crate::terminal::progress::Progress;
#[cfg(feature = "tui")]
use crate::terminal::screen::Screen;

/// Shows the progress of a run.
pub enum Display {
    /// The live line.
    Line(Progress),
    /// The status screen.
    #[cfg(feature = "tui")]
    Screen(Box<Screen>),
}

impl Display {
    /// The live line.
    pub fn line() -> Display {
        Display::Line(Progress::new())
    }

    /// Checks that a session can show its progress, with `--tui` or without.
    ///
    /// # Errors
    /// If standard error is no terminal, or a small one, or this build has no screen.
    pub fn check(tui: bool) -> Result<(), Failure> {
        #[cfg(feature = "tui")]
        let check = Screen::check;
        #[cfg(not(feature = "tui"))]
        let check = || Display::screen(Heading::default()).map(drop);
        if tui { check() } else { Ok(()) }
    }

    /// The status screen.
    ///
    /// # Errors
    /// If nothing can be drawn.
    #[cfg(feature = "tui")]
    pub fn screen(heading: Heading) -> Result<Display, Failure> {
        Ok(Display::Screen(Box::new(Screen::open(heading)?)))
    }

    /// The status screen, which this build does not have.
    ///
    /// # Errors
    /// Always: a sentence with the way out.
    #[cfg(not(feature = "tui"))]
    pub fn screen(_: Heading) -> Result<Display, Failure> {
        Err(Failure::usage("this build has no --tui: run without it, or build Cleave with `make build`"))
    }

    /// Takes notice of paths.
    pub fn paths(&mut self, paths: &[RecordedPath<'_>]) {
        match self {
            Display::Line(_) => {}
            #[cfg(feature = "tui")]
            Display::Screen(screen) => screen.paths(paths),
        }
        let _ = paths;
    }

    /// Shows `now` and the number of files that wait to be written. To be called often.
    pub fn show(&mut self, now: &Snapshot, files: usize) {
        match self {
            Display::Line(line) => line.show(now, files),
            #[cfg(feature = "tui")]
            Display::Screen(screen) => screen.show(now, files),
        }
    }

    /// Makes room for other output.
    pub fn clear(&mut self) {
        match self {
            Display::Line(line) => line.clear(),
            #[cfg(feature = "tui")]
            Display::Screen(screen) => screen.clear(),
        }
    }
}
