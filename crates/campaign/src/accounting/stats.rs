//! Counters of work, by name. Workers report them; the database sums them up.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Counters of work since the last report, or since the start of a run. A name that begins with `peak_` is the
/// largest value seen, every other name a sum. [`crate::accounting::counters`] has the names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats(BTreeMap<String, u64>);

impl Stats {
    /// Adds `n` under `name`, or notes it as a peak.
    pub fn add(&mut self, name: &str, n: u64) {
        match self.0.get_mut(name) {
            Some(value) => *value = Self::joined(name, *value, n),
            None if n > 0 => {
                self.0.insert(name.to_string(), n);
            }
            None => {}
        }
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Stats) {
        for (name, &n) in &other.0 {
            self.add(name, n);
        }
    }

    /// The change since `before` was taken of the same counters; peaks stay as they are.
    pub fn since(&self, before: &Stats) -> Stats {
        let mut new = Stats::default();
        for (name, &n) in &self.0 {
            let old = if Self::is_peak(name) { 0 } else { before.get(name) };
            new.add(name, n.saturating_sub(old));
        }
        new
    }

    /// The value of `name`; 0 if nothing was counted.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// Names and values, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, &n)| (name.as_str(), n))
    }

    /// True if nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if `name` is a peak and no sum.
    pub fn is_peak(name: &str) -> bool {
        name.starts_with("peak_")
    }

    fn joined(name: &str, a: u64, b: u64) -> u64 {
        if Self::is_peak(name) { a.max(b) } else { a.saturating_add(b) }
    }
}
