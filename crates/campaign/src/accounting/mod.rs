//! The account of a run: its counts, the counters of its work, and its history.

pub(crate) mod account; // The account of a run (`summary.json`), and its state for the live line.
pub mod counters; // The names of all counters of work, each with its unit and meaning.
pub(crate) mod each_once; // Verdict on a run, from the sum of weights: each path was found once.
pub(crate) mod history; // The work of each worker over time, noted at moments of a session.
pub(crate) mod stats; // Counters of work, by name.
