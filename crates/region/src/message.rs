//! Messages of a program, or of the engine about it, to the user.

use serde::{Deserialize, Serialize};

/// A text for the user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Message {
    /// The text.
    pub text: String,
    /// If true, it is shown once in a session, for any number of paths and workers.
    pub once: bool,
}

impl Message {
    /// A message that is shown each time.
    pub fn new(text: impl Into<String>) -> Message {
        Message { text: text.into(), once: false }
    }

    /// A message that is shown once.
    pub fn once(text: impl Into<String>) -> Message {
        Message { text: text.into(), once: true }
    }
}
