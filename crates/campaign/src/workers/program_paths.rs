//! Recording of program paths: [`Recorded`](crate::Recorded) for the engine's space.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cleave_coverage::MarkId;
use cleave_explore::{ProgramEnd, Programs, Space};
use cleave_region::{Message, PathRecord, Test};

use crate::accounting::counters;
use crate::accounting::stats::Stats;
use crate::workers::exploration::Recorded;

impl Recorded for Programs {
    fn record(
        &mut self,
        end: ProgramEnd,
        state: &<Programs as Space>::State,
        witness: &<Programs as Space>::Witness,
    ) -> Option<PathRecord> {
        Programs::record(self, end, state, witness)
    }

    fn news(&mut self, state: &<Programs as Space>::State, test: &Test) -> Vec<MarkId> {
        Programs::news(self, state, test)
    }

    fn show(&mut self, news: &[MarkId]) {
        Programs::show(self, news);
    }

    fn watch(&mut self, witness: &<Programs as Space>::Witness) {
        Programs::watch(self, witness);
    }

    fn unwatch(&mut self) -> Vec<String> {
        Programs::unwatch(self)
    }

    fn made_up(&self, state: &<Programs as Space>::State) -> Vec<String> {
        Programs::made_up(self, state)
    }

    fn total_stats(&self) -> Stats {
        let mut stats = Stats::default();
        for (name, n) in self.statistics() {
            // The explorer counts its own queries.
            let name = if name == counters::QUESTIONS { counters::SOLVER_QUESTIONS } else { &name };
            stats.add(name, n);
        }
        stats
    }

    fn failure(&mut self) -> Option<String> {
        self.take_error().map(|e| e.to_string())
    }

    fn stop_flag(&self) -> Arc<AtomicBool> {
        Programs::stop_flag(self)
    }

    fn take_messages(&mut self) -> Vec<Message> {
        Programs::take_messages(self)
    }
}
