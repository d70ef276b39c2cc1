//! Signals: their actions, how they are sent and delivered.

pub(crate) mod calls; // Handlers: actions are set, signals sent, blocked, waited for.
pub(crate) mod delivery; // From a pending signal to the call of its handler, and back.
pub(crate) mod info; // The data that a handler gets with a signal.
pub(crate) mod sending; // Signals from one process to another, and their immediate effects.
pub(crate) mod state; // The signals of a process: actions, blocked and pending ones.
