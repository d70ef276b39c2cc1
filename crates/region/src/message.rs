//! What a program, or the engine about it, says to the user.

use serde::{Deserialize, Serialize};

/// A text for the user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Message {
    /// What is said.
    pub text: String,
    /// It is said once in a session, on however many paths and by however many workers it is.
    pub once: bool,
}

impl Message {
    /// A text that is said as often as it comes.
    pub fn new(text: impl Into<String>) -> Message {
        Message { text: text.into(), once: false }
    }

    /// A text that is said once.
    pub fn once(text: impl Into<String>) -> Message {
        Message { text: text.into(), once: true }
    }
}
