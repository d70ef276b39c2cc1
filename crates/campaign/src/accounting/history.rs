//! The work of each worker over time, noted at moments of a session. The coordinator adds reports; commands read the history.
//!
//! At first moments are one second apart. A session with [`MOST`] moments drops every second one, and doubles the distance from
//! then on: so a session of any length has some hundreds of moments.

use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::params;
use serde::Serialize;

use crate::accounting::counters;
use crate::accounting::stats::Stats;
use crate::database::store::Store;
use crate::error::CampaignError;
use crate::run::crew::Crew;
use crate::transports::transport::WorkerId;

/// Maximum number of moments of a session.
const MOST: u32 = 512;
/// Initial time between two moments.
const FIRST: Duration = Duration::from_secs(1);

/// The work of a worker up to a moment, since its session began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Done {
    /// Number of paths that it was the first to find.
    pub paths: u64,
    /// Number of lines that its paths were the first to cover.
    pub lines: u64,
    /// Milliseconds with a region to explore.
    pub busy_ms: u64,
    /// Milliseconds of these in the solver's layers.
    pub solver_ms: u64,
}

/// A moment of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Moment {
    /// The session, from 1.
    pub session: u64,
    /// The worker: from 0 in each session; a replacement has a number of its own.
    pub worker: WorkerId,
    /// Milliseconds since the run began, without the time between sessions.
    pub at_ms: u64,
    /// The worker's work so far.
    #[serde(flatten)]
    pub done: Done,
}

/// Collects the work of workers in a session.
pub(crate) struct History {
    session: i64,
    /// Paths, lines, nanoseconds of work and in the solver.
    workers: BTreeMap<WorkerId, [u64; 4]>,
    /// Number of moments kept.
    moments: u32,
    /// The number of the next moment, and the distance of two. As long as all are kept, `tick` counts seconds.
    tick: u32,
    step: u32,
    last: Duration,
}

impl History {
    /// The history of this session, from now on.
    pub(crate) fn new(session: i64, now: Duration) -> History {
        History { session, workers: BTreeMap::new(), moments: 0, tick: 0, step: 1, last: now }
    }

    /// Adds a worker's new paths, newly covered lines, and counters of work.
    pub(crate) fn add(&mut self, worker: WorkerId, paths: u64, lines: u64, stats: &Stats) {
        let counts = [paths, lines, stats.get(counters::BUSY_NANOS), stats.get(counters::SOLVER_NANOS)];
        let sums = self.workers.entry(worker).or_default();
        sums.iter_mut().zip(counts).for_each(|(sum, n)| *sum = sum.saturating_add(n));
    }

    /// Notes this moment, `elapsed` since the session began, if it is time, or `finally`.
    pub(crate) fn note(
        &mut self,
        store: &mut Store,
        crew: &Crew,
        (now, elapsed): (Duration, Duration),
        finally: bool,
    ) -> Result<(), CampaignError> {
        if !finally && now.saturating_sub(self.last) < FIRST * self.step {
            return Ok(());
        }
        self.last = now;
        let mut rows = self.workers.clone();
        for (worker, member) in &crew.members {
            let sums = rows.entry(*worker).or_default();
            // Work that a busy worker tells between reports.
            if let Some(lease) = &member.lease {
                sums[2] = sums[2].saturating_add(lease.busy_nanos);
                sums[3] = sums[3].saturating_add(lease.solver_nanos);
            }
        }
        if self.moments >= MOST {
            store.thin_moments(self.session, self.step)?;
            self.moments = MOST / 2;
            self.step = self.step.saturating_mul(2);
        }
        let done = rows.into_iter().map(|(worker, [paths, lines, busy, solver])| {
            (worker, Done { paths, lines, busy_ms: busy / 1_000_000, solver_ms: solver / 1_000_000 })
        });
        store.note_moment(self.session, self.tick, elapsed, done)?;
        self.moments += 1;
        self.tick = self.tick.saturating_add(self.step);
        Ok(())
    }
}

impl Store {
    /// Stores the work of the workers up to a moment of a session.
    fn note_moment(
        &mut self,
        session: i64,
        tick: u32,
        at: Duration,
        done: impl Iterator<Item = (WorkerId, Done)>,
    ) -> Result<(), CampaignError> {
        let at = i64::try_from(at.as_millis()).unwrap_or(i64::MAX);
        let signed = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        self.transaction(|tx| {
            let sql = "INSERT INTO moments(session, tick, worker, at_ms, paths, lines, busy_ms, solver_ms) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let mut insert = tx.prepare_cached(sql)?;
            for (worker, Done { paths, lines, busy_ms, solver_ms }) in done {
                let counts = [paths, lines, busy_ms, solver_ms].map(signed);
                let [paths, lines, busy, solver] = counts;
                insert.execute(params![session, tick, signed(worker), at, paths, lines, busy, solver])?;
            }
            Ok(())
        })
    }

    /// Deletes every second moment of a session, of those that are `step` apart.
    fn thin_moments(&mut self, session: i64, step: u32) -> Result<(), CampaignError> {
        self.transaction(|tx| {
            let sql = "DELETE FROM moments WHERE session = ?1 AND tick / ?2 % 2 = 0";
            tx.execute(sql, params![session, step]).map(drop)
        })
    }

    /// The work of each worker over time, by session, moment and worker.
    ///
    /// # Errors
    /// Those of the database.
    pub fn history(&self) -> Result<Vec<Moment>, CampaignError> {
        let mut all = Vec::new();
        let sql = "SELECT session, worker, paths, lines, busy_ms, solver_ms, \
                   at_ms + (SELECT coalesce(sum(wall_ms), 0) FROM sessions WHERE id < session) \
                   FROM moments ORDER BY session, tick, worker";
        let count = |row: &rusqlite::Row<'_>, column| {
            row.get::<_, i64>(column).map(|n| u64::try_from(n).unwrap_or(0))
        };
        self.each_row(
            sql,
            |row| {
                let done = Done {
                    paths: count(row, 2)?,
                    lines: count(row, 3)?,
                    busy_ms: count(row, 4)?,
                    solver_ms: count(row, 5)?,
                };
                Ok(Moment { session: count(row, 0)?, worker: count(row, 1)?, at_ms: count(row, 6)?, done })
            },
            |moment| {
                all.push(moment);
                Ok::<(), CampaignError>(())
            },
        )?;
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::store::Meta;

    #[test]
    fn a_long_session_has_some_hundreds_of_moments_and_its_last_one() {
        let mut store = Store::in_memory(&Meta::default(), (&[], &[], "")).unwrap();
        let session = store.start_session(1).unwrap();
        let mut history = History::new(session, Duration::ZERO);
        let mut stats = Stats::default();
        stats.add(counters::BUSY_NANOS, 400_000_000);
        for second in 1..=10_000 {
            history.add(0, 3, u64::from(second % 1000 == 0), &stats);
            let now = Duration::from_secs(second);
            history.note(&mut store, &Crew::default(), (now, now), false).unwrap();
        }
        let end = Duration::from_secs(10_000);
        history.note(&mut store, &Crew::default(), (end, end), true).unwrap();
        let all = store.history().unwrap();
        assert!((200..=513).contains(&all.len()), "{}", all.len());
        assert!(
            all.windows(2)
                .all(|pair| pair[0].at_ms <= pair[1].at_ms && pair[0].done.paths <= pair[1].done.paths)
        );
        // Each moment is unchanged.
        assert!(
            all.iter().all(|m| m.done.paths == 3 * m.at_ms / 1000 && m.done.busy_ms == m.at_ms / 1000 * 400)
        );
        let last = Done { paths: 30_000, lines: 10, busy_ms: 4_000_000, solver_ms: 0 };
        assert_eq!(all.last().map(|m| (m.at_ms, m.done)), Some((10_000_000, last)));
        let apart = all.windows(2).map(|pair| pair[1].at_ms - pair[0].at_ms).max();
        assert!(apart <= Some(64_000), "{apart:?}");
    }
}
