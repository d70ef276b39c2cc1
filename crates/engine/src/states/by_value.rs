//! Counts of values that a limit had decided one by one.

use crate::engine::Engine;
use crate::limits::{ByValue, Limit};
use crate::states::state::State;

impl Engine {
    /// Counts a value among at most `most` that a limit has the op at hand decide. To be called when it is decided.
    pub(crate) fn decided_by_value(&mut self, state: &State, limit: Limit, most: u64) {
        let place = self.here_in_program(state);
        self.counted.add(limit, place, most);
    }

    /// The counts of values that each limit had decided one by one, with the line of the program.
    pub fn by_value(&self) -> impl Iterator<Item = (Limit, String, ByValue)> {
        self.counted.all().map(|(limit, place, count)| {
            let line = self.place_line(place).map_or_else(|| "the program".into(), |line| line.short());
            (limit, line, count)
        })
    }
}
