//! The end of a followed test.

use cleave_engine::State;
use cleave_explore::{ProgramEnd, Programs, Walked};
use cleave_expr::Witness;
use cleave_region::{BugRecord, PathKind};
use serde::Serialize;

/// An end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ended {
    /// `completed`, `failed`, `unsupported`, `suppressed`, `assumed-away` or `silent`.
    pub kind: String,
    /// The kind of the bug, or of the unsupported feature.
    pub bug: Option<String>,
    /// Its message.
    pub message: Option<String>,
    /// Its place, by which bugs are told apart.
    pub place: Option<String>,
    /// The exit status.
    pub status: Option<i32>,
    /// The signal that ended the program.
    pub signal: Option<i32>,
}

impl Ended {
    fn plain(kind: &str) -> Ended {
        Ended { kind: kind.into(), bug: None, message: None, place: None, status: None, signal: None }
    }

    /// Returns true if both ends are the same bug: of the same kind at the same place, as the run's database tells bugs apart.
    pub fn is_same_bug(&self, other: &Ended) -> bool {
        self.bug.is_some() && (&self.kind, &self.bug, &self.place) == (&other.kind, &other.bug, &other.place)
    }

    /// In words.
    pub fn text(&self) -> String {
        match (&self.bug, &self.message, self.status, self.signal) {
            (Some(bug), Some(message), ..) => {
                let place = self.place.as_deref().filter(|place| !place.is_empty());
                format!("{bug}: {message}{}", place.map_or_else(String::new, |p| format!(" at {p}")))
            }
            (_, _, Some(status), _) => format!("exit status {status}"),
            (_, _, _, Some(signal)) => format!("signal {signal}"),
            _ => self.kind.clone(),
        }
    }
}

/// The end that a walk came to; `None` where the path is too long.
pub fn ended(
    space: &mut Programs,
    walked: Walked<ProgramEnd, ()>,
    state: &State,
    witness: &Witness,
) -> Option<Ended> {
    let end = match walked {
        Walked::Ended(end) => end,
        Walked::Excluded => return Some(Ended::plain(PathKind::AssumedAway.name())),
        Walked::Endless | Walked::Left(()) => return None,
    };
    let Some(record) = space.record(end, state, witness) else { return Some(Ended::plain("silent")) };
    let (bug, message, place) = match record.bug {
        Some(BugRecord { kind, message, place, .. }) => (Some(kind), Some(message), Some(place)),
        None => (None, None, None),
    };
    let (status, signal) = (record.exit_status, record.signal);
    Some(Ended { kind: record.kind.name().into(), bug, message, place, status, signal })
}
