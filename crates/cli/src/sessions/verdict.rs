//! Verdict of a run, and its exit code.

use std::process::ExitCode;

use cleave_campaign::Account;

/// The table of exit codes, for `--help`.
pub const EXIT_CODES: &str = "Exit codes:
  0    every path is explored, and none ends in a bug that is not suppressed
  1    an error: a file, the disk, a worker; or Cleave is wrong: a replay differs, regions
       have diverged, workers died on them
  2    the command line makes no sense
  3    bugs were found
  4    no bug so far, but regions are open: a limit stopped the run or cut paths off, or the
       solver gave up; `cleave resume` goes on
  5    no bug, nothing is open, but paths ended at something that is not modelled
  101  an internal error: please report it
  130  stopped by Ctrl-C (143: by SIGTERM); what was found is kept, the rest is open
Of several, the first in this order counts: 2, 101, 1, 130, 3, 4, 5. `list` and `stats` give 0
when they have shown what there is; `replay` when every test ends as foretold.";

/// Result of a run over all its sessions. Of several runs the first in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// An impossible state was met: no other result can be trusted.
    Internal,
    /// There are bugs.
    Bugs,
    /// Regions are open or set aside.
    Incomplete,
    /// Paths ended at something that is not modelled.
    Unsupported,
    /// Every path is explored, and none ends in a bug that is not suppressed.
    Clean,
}

const ALL: [Verdict; 5] =
    [Verdict::Internal, Verdict::Bugs, Verdict::Incomplete, Verdict::Unsupported, Verdict::Clean];

impl Verdict {
    /// The verdict of an account.
    pub fn of(account: &Account) -> Verdict {
        if !account.internal_errors.is_empty() {
            Verdict::Internal
        } else if account.bugs > 0 {
            Verdict::Bugs
        } else if account.open_regions > 0 {
            Verdict::Incomplete
        } else if account.paths.unsupported > 0 {
            Verdict::Unsupported
        } else {
            Verdict::Clean
        }
    }

    /// Its name in the account.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Clean => "clean",
            Verdict::Internal => "internal",
            Verdict::Bugs => "bugs",
            Verdict::Incomplete => "incomplete",
            Verdict::Unsupported => "unsupported",
        }
    }

    /// The verdict with this name.
    pub fn named(name: &str) -> Option<Verdict> {
        ALL.into_iter().find(|verdict| verdict.name() == name)
    }

    /// The exit code of `run` and `resume`.
    pub fn exit_code(self) -> ExitCode {
        ExitCode::from(self.code())
    }

    /// The exit code as a number.
    pub fn code(self) -> u8 {
        match self {
            Verdict::Clean => 0,
            Verdict::Internal => 101,
            Verdict::Bugs => 3,
            Verdict::Incomplete => 4,
            Verdict::Unsupported => 5,
        }
    }
}
