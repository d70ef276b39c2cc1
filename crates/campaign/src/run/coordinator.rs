//! The coordinator: leases open regions to workers, has idle ones steal from busy ones, records their reports, and reopens the
//! regions of a dead worker (algorithm 3 of Siddiqui and Khurshid 2012, with a database under it). Sessions of a campaign and
//! nodes run it. Each path is recorded once or lies in one open region.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use cleave_coverage::Counts;
use cleave_never::never;
use cleave_region::{Encoded, Expected, PathKind, Region};

use crate::accounting::account::{Snapshot, StopReason};
use crate::accounting::counters;
use crate::accounting::history::History;
use crate::accounting::stats::Stats;
use crate::database::ledger::Ledger;
use crate::database::open_regions::OpenRegion;
use crate::database::recording::Recording;
use crate::error::CampaignError;
use crate::run::crew::{Crew, Lease, Member};
use crate::run::options::RunOptions;
use crate::run::owned_or_borrowed::Held;
use crate::run::sink::{RecordedPath, Sink};
use crate::shards::names::file_of;
use crate::transports::node_reports::Up;
use crate::transports::protocol::{FromWorker, Report, ToWorker};
use crate::transports::transport::{Incoming, Transport, WorkerId};

/// Number of worker deaths on a region after which it is set aside.
const DEATHS: u32 = 3;
/// Number of workers in a row that end before they are ready, after which the session fails: no worker can start.
const FALSE_STARTS: u32 = 3;
/// Maximum wait between two checks of the limits.
const TICK: Duration = Duration::from_millis(50);
/// Minimum time between two sums of the expected paths.
const LOOK: Duration = Duration::from_millis(200);
/// Wait before the sink is asked again if it has room.
const FULL: Duration = Duration::from_millis(1);
/// Assumed time to export a region, and to record it, until it is measured.
const A_REGION: Duration = Duration::from_micros(5);
/// Minimum number of regions in a report for a measurement of the time for one.
const MANY: usize = 100;
/// A stolen region that lasts less than `TOO_SMALL` was too small; one that lasts longer than `LARGE` may be smaller.
const TOO_SMALL: Duration = Duration::from_millis(100);
const LARGE: Duration = Duration::from_secs(2);
/// Maximum number of states in a stolen region.
const MOST_STATES: u32 = 1024;

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// One session of a run; or the exploration of a node for the level above, which is informed by [`Up`].
pub(crate) struct Coordinator<'a> {
    pub(crate) ledger: Held<'a, Ledger>,
    pub(crate) transport: Held<'a, dyn Transport + 'a>,
    sink: Held<'a, dyn Sink + 'a>,
    options: RunOptions,
    pub(crate) crew: Crew,
    /// Maximum number of paths of the run.
    pub(crate) max_paths: Option<u64>,
    /// News for the level above, if there is one.
    pub(crate) up: Option<Up>,
    next_worker: WorkerId,
    next_lease: u64,
    false_starts: u32,
    /// Target number of states of a stolen region.
    states: u32,
    /// When the session began.
    start: Duration,
    session: i64,
    /// Maximum number of workers at once, as recorded in the database.
    most_workers: u32,
    stopping: bool,
    /// Time of the last message of a worker, except of workers that report a wait for the solver.
    heard: Duration,
    /// Time when the first worker was ready.
    pub(crate) loaded: Option<Duration>,
    /// Measured time for a region of a large report: for the worker to export it, and for the coordinator to record it.
    a_region: [Duration; 2],
    /// Waits of thieves and idle workers, not yet in the database.
    waits: Stats,
    /// Number of regions to split the open regions into, as long as the split goes on.
    pub(crate) to_split: Option<u32>,
    /// Number of open regions when the last split began: a split without gain is the last.
    pub(crate) split_from: Option<usize>,
    /// Messages that were shown once.
    told: HashSet<String>,
    /// Expected number of paths of all open regions, and the time of that sum.
    expected: (Option<Expected>, Option<Duration>),
    /// The work of each worker over time.
    history: History,
}

impl<'a> Coordinator<'a> {
    pub(crate) fn new(
        mut ledger: Held<'a, Ledger>,
        transport: Held<'a, dyn Transport + 'a>,
        sink: Held<'a, dyn Sink + 'a>,
        mut options: RunOptions,
    ) -> Result<Coordinator<'a>, CampaignError> {
        let retry: Vec<&str> = options.retry.iter().map(String::as_str).collect();
        let open = ledger.store.reopen(&retry)?;
        ledger.store.cover(options.coverage.clone())?;
        ledger.totals.stats = ledger.store.stats()?;
        // Paths that may be found again are looked up here, one by one.
        options.shards.take_if(|_| ledger.totals.stats.get(counters::EXPLORED_AGAIN) > 0);
        let session = ledger.store.start_session(options.workers)?;
        let crew = Crew { open: open.into_iter().map(|r| (r, false)).collect(), ..Crew::default() };
        let now = options.clock.now();
        Ok(Coordinator {
            ledger,
            transport,
            sink,
            crew,
            max_paths: options.max_paths,
            up: None,
            next_worker: 0,
            next_lease: 0,
            false_starts: 0,
            states: 1,
            start: options.began.unwrap_or(now),
            session,
            most_workers: options.workers,
            stopping: false,
            heard: now,
            loaded: None,
            a_region: [A_REGION; 2],
            waits: Stats::default(),
            to_split: options.split_states,
            split_from: None,
            told: HashSet::new(),
            expected: (None, None),
            history: History::new(session, now),
            options,
        })
    }

    pub(crate) fn now(&self) -> Duration {
        self.options.clock.now()
    }

    /// Time since the session began.
    fn elapsed(&self) -> Duration {
        self.now().saturating_sub(self.start)
    }

    /// Runs until something stops it. After an error nothing more is recorded.
    pub(crate) fn run(mut self) -> Result<StopReason, CampaignError> {
        let result = self.explore().and_then(|reason| {
            let stopped = self.elapsed();
            self.wind_up()?;
            if reason == StopReason::Exhausted {
                self.look_for_doubles()?;
                self.look_at_measure()?;
            }
            let loading = self.loaded.unwrap_or(stopped);
            self.waits.add(counters::LOADING_NANOS, nanos(loading));
            self.waits.add(counters::EXPLORING_NANOS, nanos(stopped.saturating_sub(loading)));
            self.note_waits(true)?;
            self.note_moment(true)?;
            let wall = self.elapsed();
            self.ledger.store.note_session(self.session, wall, Some(reason.name()))?;
            self.ledger.session = Some((self.session, stopped, reason));
            Ok(reason)
        });
        let workers: Vec<WorkerId> = self.crew.members.keys().copied().collect();
        workers.into_iter().for_each(|worker| self.transport.kill(worker));
        result
    }

    fn explore(&mut self) -> Result<StopReason, CampaignError> {
        let mut noted = self.now();
        loop {
            if let Some(reason) = self.stop_reason() {
                return Ok(reason);
            }
            self.fill_crew()?;
            self.lease_out()?;
            self.steal();
            if self.sink.is_full() {
                // The workers wait, as their reports do.
                std::thread::sleep(FULL);
                self.waits.add(counters::WAITING_FOR_FILES_NANOS, nanos(FULL));
            } else {
                self.receive(TICK)?;
            }
            let snapshot = self.snapshot();
            self.transport.note(&snapshot);
            self.sink.progress(&snapshot);
            self.note_moment(false)?;
            if self.now().saturating_sub(noted) >= Duration::from_secs(1) {
                noted = self.now();
                self.note_waits(false)?;
                let elapsed = self.elapsed();
                self.ledger.store.note_session(self.session, elapsed, None)?;
            }
        }
    }

    fn stop_reason(&self) -> Option<StopReason> {
        if self.crew.open.is_empty() && self.crew.busy() == 0 {
            Some(StopReason::Exhausted)
        } else if self.max_paths.is_some_and(|n| self.ledger.totals.paths.ended() >= n) {
            Some(StopReason::MaxPaths)
        } else if self.options.max_bugs.is_some_and(|n| self.ledger.totals.bugs >= n) {
            Some(StopReason::MaxBugs)
        } else if self.options.until_covered && self.is_covered() {
            Some(StopReason::Covered)
        } else if self.options.interrupt.load(Ordering::Relaxed) {
            Some(StopReason::Interrupted)
        } else if self.options.max_time.is_some_and(|t| self.is_time(t)) {
            Some(StopReason::MaxTime)
        } else {
            None
        }
    }

    /// True if tests take every side of every branch. A program without a branch is covered by its first path.
    fn is_covered(&self) -> bool {
        let Counts { branches, functions, .. } = self.ledger.store.covered();
        functions.covered > 0 && branches.covered == branches.total
    }

    /// True if the session has to stop now to be over within `limit`. At least half of the time is for exploring.
    fn is_time(&self, limit: Duration) -> bool {
        let elapsed = self.elapsed();
        if elapsed < limit / 2 {
            return false;
        }
        let waiting = || self.crew.members.values().filter_map(|m| m.lease.as_ref()).map(|l| l.waiting);
        // Workers export side by side. Depth-first all is one region, but few states wait.
        let (most, all) = (waiting().max().unwrap_or(0), waiting().fold(0, u32::saturating_add));
        let [write, record] = self.a_region;
        let regions = write.saturating_mul(most).saturating_add(record.saturating_mul(all));
        elapsed.saturating_add(regions).saturating_add(self.sink.behind()) >= limit
    }

    /// Target number of workers.
    fn workers(&self) -> u32 {
        self.transport.places().unwrap_or(self.options.workers.max(1))
    }

    /// Number of exploring processes, if members are whole machines.
    fn processors(&self) -> u32 {
        self.transport.processors().unwrap_or_else(|| self.workers())
    }

    /// Target number of states of a stolen region: a region for a machine has some for each of its workers.
    fn region_states(&self) -> u32 {
        let each = self.processors().div_ceil(self.workers().max(1)).max(1);
        self.states.saturating_mul(each)
    }

    /// Starts workers up to the target number.
    pub(crate) fn fill_crew(&mut self) -> Result<(), CampaignError> {
        while self.crew.members.len() < self.workers() as usize {
            let worker = self.next_worker;
            self.next_worker += 1;
            if let Err(message) = self.transport.start(worker) {
                // Running workers can do the work alone, and machines that come and go return.
                if self.crew.members.values().any(|m| m.ready) || self.transport.places().is_some() {
                    return Ok(());
                }
                return Err(CampaignError::Worker { message });
            }
            let bytes = self.options.setup.clone();
            let shard = self.options.shards.as_ref();
            let shard = shard.map(|s| file_of(&s.folder, &format!("{}{}-{worker}", s.prefix, self.session)));
            self.transport.send(worker, &ToWorker::Setup { worker, bytes, shard });
            self.crew.members.insert(worker, Member::default());
        }
        let workers = self.processors();
        if workers > self.most_workers {
            self.most_workers = workers;
            self.ledger.store.note_workers(self.session, workers)?;
        }
        Ok(())
    }

    pub(crate) fn lease_out(&mut self) -> Result<(), CampaignError> {
        if let Some(wanted) = self.to_split {
            return self.split(wanted);
        }
        while let Some(worker) = self.crew.idle() {
            if !self.lease_to(worker, None)? {
                return Ok(());
            }
        }
        // Only if nothing else bounds the work of a lease.
        // A thief of the level above waits for regions that a busy worker would only get in addition.
        let wanted = self.up.as_ref().is_some_and(|up| up.wanted() > 0);
        let prefetch = self.options.prefetch && self.max_paths.is_none() && !wanted;
        // Workers that are still starting have none yet.
        let reserved = self.crew.members.values().filter(|m| m.lease.is_none()).count();
        while prefetch
            && self.crew.open.len() > reserved
            && let Some(worker) = self.crew.unprepared()
        {
            if !self.lease_to(worker, None)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Splits before workers share the work: one after the other, regions are explored breadth-first until there are
    /// enough of them.
    fn split(&mut self, wanted: u32) -> Result<(), CampaignError> {
        if self.crew.busy() > 0 {
            return Ok(());
        }
        let open = self.crew.open.len();
        let missing = (wanted as usize).saturating_sub(open);
        if missing == 0 || open == 0 || self.split_from.is_some_and(|before| open <= before) {
            self.to_split = None;
            // A node returns them.
            return if self.up.is_some() { Ok(()) } else { self.lease_out() };
        }
        if let Some(worker) = self.crew.idle() {
            self.split_from = Some(open);
            self.lease_to(worker, u32::try_from(missing + 1).ok())?;
        }
        Ok(())
    }

    /// True if regions were to be split and the split is over.
    pub(crate) fn split_is_over(&self) -> bool {
        self.up.is_some() && self.split_from.is_some() && self.to_split.is_none()
    }

    /// Leases the next open regions to a worker; returns `false` if there is none.
    fn lease_to(&mut self, worker: WorkerId, split: Option<u32>) -> Result<bool, CampaignError> {
        let most = if split.is_some() { 1 } else { self.region_states() };
        let any = self.options.shards.is_some() && self.options.stealing;
        let Some((open, stolen)) = self.crew.take_open(most, any) else { return Ok(false) };
        let deaths = open.iter().map(|open| open.deaths).max().unwrap_or(0);
        let expected = open.iter().try_fold(Expected::NONE, |sum, open| Some(sum + open.expected?));
        let (rows, regions): (Vec<i64>, Vec<Encoded<Region>>) =
            open.into_iter().map(|o| (o.row, o.region)).unzip();
        let host = self.options.shards.as_ref().and_then(|_| self.transport.host(worker));
        self.ledger.store.lease((&rows, &regions), deaths, host.as_deref())?;
        let at_most = self.left().map(|left| self.crew.share(worker, left, self.workers()));
        let (lease, careful, now) = (self.next_lease, deaths > 0, self.now());
        self.next_lease += 1;
        let message = ToWorker::Lease { lease, regions: regions.clone(), careful, at_most, split, expected };
        self.transport.send(worker, &message);
        if let Some(member) = self.crew.members.get_mut(&worker) {
            if let Some(since) = member.idle_since.take() {
                self.waits.add(counters::IDLE_NANOS, nanos(now.saturating_sub(since)));
            }
            let place = if member.lease.is_none() { &mut member.lease } else { &mut member.next };
            *place = Some(Lease {
                id: lease,
                rows,
                regions,
                expected,
                host,
                deaths,
                since: now,
                stolen,
                asked: None,
                asked_at: Duration::ZERO,
                waiting: 0,
                inexact: false,
                allowed: at_most.unwrap_or(0),
                solver_nanos: 0,
                busy_nanos: 0,
            });
        }
        Ok(true)
    }

    /// Number of further paths that the run may have, if limited.
    pub(crate) fn left(&self) -> Option<u64> {
        self.max_paths.map(|n| n.saturating_sub(self.ledger.totals.paths.ended()))
    }

    /// Allows a worker more paths, so that it need not wait. A waiting worker always gets some, unless the run has all.
    pub(crate) fn allow_more(&mut self, worker: WorkerId) {
        let Some(left) = self.left().filter(|left| *left > 0 && !self.stopping) else { return };
        let share = self.crew.share(worker, left, self.workers());
        let Some(lease) = self.crew.members.get_mut(&worker).and_then(|m| m.lease.as_mut()) else { return };
        if share > lease.allowed {
            let more = ToWorker::More { lease: lease.id, paths: share - lease.allowed };
            lease.allowed = share;
            self.transport.send(worker, &more);
        }
    }

    pub(crate) fn steal(&mut self) {
        if !self.options.stealing || self.to_split.is_some() {
            return;
        }
        let keep = self.options.keep_states;
        let states = self.region_states();
        // A thief of the level above waits like an idle worker.
        let above = self.up.as_ref().map_or(0, Up::wanted);
        for (worker, lease, regions) in self.crew.thefts(self.now(), above) {
            self.transport.send(worker, &ToWorker::Steal { lease, regions, states, keep });
        }
    }

    /// Receives a message within `wait`; returns true if one came.
    pub(crate) fn receive(&mut self, wait: Duration) -> Result<bool, CampaignError> {
        let arrival = self.transport.receive(wait).map_err(|message| CampaignError::Transport { message })?;
        let Some((worker, incoming)) = arrival else { return Ok(false) };
        if !matches!(incoming, Incoming::Message(FromWorker::Pulse { .. })) {
            self.heard = self.now();
        }
        match incoming {
            Incoming::Gone(why) => self.bury(worker, &why)?,
            Incoming::Left(_) => self.part_from(worker)?,
            Incoming::Message(FromWorker::Ready) => {
                self.false_starts = 0;
                let now = self.now();
                self.loaded.get_or_insert(now.saturating_sub(self.start));
                if let Some(member) = self.crew.members.get_mut(&worker) {
                    member.ready = true;
                    member.idle_since = Some(now);
                }
            }
            Incoming::Message(FromWorker::Pulse { solver_nanos, busy_nanos }) => {
                if let Some(lease) = self.crew.members.get_mut(&worker).and_then(|m| m.lease.as_mut()) {
                    (lease.solver_nanos, lease.busy_nanos) = (solver_nanos, busy_nanos);
                }
            }
            Incoming::Message(FromWorker::Ending) => {}
            Incoming::Message(FromWorker::Failed { message }) => {
                return Err(CampaignError::Worker { message });
            }
            Incoming::Message(FromWorker::Unable { message }) => {
                return Err(CampaignError::Here { message });
            }
            Incoming::Message(FromWorker::Report(report)) => self.record(worker, report)?,
        }
        Ok(true)
    }

    fn record(&mut self, worker: WorkerId, report: Report) -> Result<(), CampaignError> {
        // A worker that was given up may still send; its region belongs to another one by now.
        let most = self.left().unwrap_or(u64::MAX);
        let Some(lease) = self.crew.lease_of(worker, &report) else { return Ok(()) };
        // A node leaves the search for paths found again to the level above, which knows all paths.
        let anew = |stats: &Stats| stats.get(counters::EXPLORED_AGAIN) > 0;
        let again = self.up.is_none() && (anew(&self.ledger.totals.stats) || anew(&report.stats));
        let (before, covered) = (self.options.clock.now(), self.ledger.store.covered().lines.covered);
        let host = lease.host.as_deref();
        let recording = self.ledger.store.record(&report, &mut lease.rows, again, most, host)?;
        if let Some(up) = &mut self.up {
            up.add(&report, &recording);
        }
        let now = self.options.clock.now();
        let lines = self.ledger.store.covered().lines.covered.saturating_sub(covered);
        let found = recording.found;
        self.history.add(worker, found, lines, &report.stats);
        if let Some(written) = report.remaining.as_ref().map(Vec::len).filter(|n| *n >= MANY) {
            let took = [
                Duration::from_nanos(report.stats.get(counters::WRITING_DOWN_NANOS)),
                now.saturating_sub(before),
            ];
            self.a_region = took.map(|took| took / u32::try_from(written).unwrap_or(u32::MAX));
        }
        // Known paths are progress only if they have left the region for good.
        let left = report.remaining.is_some() && !report.paths.is_empty();
        if left || found > 0 {
            lease.deaths = 0;
        }
        (lease.waiting, lease.expected) = (report.waiting, report.expected.remaining);
        lease.allowed = lease.allowed.saturating_sub(report.found());
        (lease.solver_nanos, lease.busy_nanos) = (0, 0);
        if report.given.is_some() {
            lease.asked = None;
            self.waits.add(counters::STEALS, 1);
            self.waits.add(counters::STEAL_ANSWER_NANOS, nanos(now.saturating_sub(lease.asked_at)));
        }
        match &report.remaining {
            Some(remaining) => {
                lease.inexact = false;
                lease.regions.clone_from(remaining);
            }
            None => lease.inexact |= report.is_inexact(),
        }
        self.show(&report, &recording)?;
        for message in &report.messages {
            if !message.once || self.told.insert(message.text.clone()) {
                self.sink.message(&message.text);
            }
        }
        let expected = report.expected.spilled.map(|all| all.each_of(report.spilled.len()));
        for (region, row) in report.spilled.into_iter().zip(recording.spilled) {
            self.crew.open.push_back((OpenRegion { row, region, deaths: 0, expected }, false));
        }
        let expected = report.expected.given.map(|all| all.each_of(recording.given.len()));
        for (region, row) in report.given.into_iter().flatten().zip(recording.given) {
            self.crew.open.push_back((OpenRegion { row, region, deaths: 0, expected }, true));
        }
        self.crew.open.extend(recording.beyond.into_iter().map(|open| (open, false)));
        if !report.over {
            self.allow_more(worker);
        } else {
            let remaining = report.remaining.unwrap_or_else(|| {
                never!("a report that ends a lease without what remains of it");
                Vec::new()
            });
            self.end_lease(worker, report.lease, remaining);
            // A stopping worker sends no more reports; a region that it may have begun is explored another time.
            if self.stopping
                && let Some(next) = self.crew.members.get_mut(&worker).and_then(|m| m.lease.take())
            {
                self.reopen(next, None)?;
            }
        }
        Ok(())
    }

    /// Counts the content of a report, and shows it to the sink.
    fn show(&mut self, report: &Report, recording: &Recording) -> Result<(), CampaignError> {
        for (kind, n) in PathKind::ALL.into_iter().zip(report.kinds()) {
            self.ledger.totals.paths.add(kind, n);
        }
        let mut recorded = Vec::with_capacity(report.paths.len());
        for (i, (record, done)) in report.paths.iter().zip(&recording.paths).enumerate() {
            let Some((id, new_bug)) = *done else { continue };
            let covers = recording.covering.binary_search(&(i as u32)).is_ok();
            self.ledger.totals.paths.add(record.kind, u64::from(report.kept.is_empty()));
            self.ledger.totals.bugs += u64::from(new_bug && record.kind == PathKind::Failed);
            recorded.push(RecordedPath { id, record, new_bug, covers });
        }
        self.ledger.totals.stats.merge(&report.stats);
        self.ledger.totals.stats.merge(&recording.counts);
        if !recorded.is_empty() {
            self.sink.paths(&recorded).map_err(|message| CampaignError::Sink { message })?;
        }
        Ok(())
    }

    /// Ends a lease; `remaining` is returned to the open regions.
    fn end_lease(&mut self, worker: WorkerId, id: u64, remaining: Vec<Encoded<Region>>) {
        let Some(lease) = self.crew.end_lease(worker, id) else { return };
        let now = self.options.clock.now();
        if let Some(member) = self.crew.members.get_mut(&worker) {
            match &mut member.lease {
                Some(next) => next.since = now,
                None => member.idle_since = Some(now),
            }
        }
        if lease.stolen || self.options.shards.is_some() {
            let lasted = now.saturating_sub(lease.since);
            if lasted < TOO_SMALL {
                self.states = (self.states * 2).min(MOST_STATES);
            } else if lasted > LARGE {
                self.states = (self.states / 2).max(1);
            }
        }
        let expected = lease.expected.map(|all| all.each_of(lease.rows.len()));
        for (row, region) in lease.rows.into_iter().zip(remaining).rev() {
            let open = OpenRegion { row, region, deaths: lease.deaths, expected };
            self.crew.open.push_front((open, false));
        }
    }

    /// Handles the death of a worker: its regions are open again, or set aside if too many workers died on them.
    fn bury(&mut self, worker: WorkerId, why: &str) -> Result<(), CampaignError> {
        let Some(member) = self.crew.members.remove(&worker) else { return Ok(()) };
        if self.stopping && member.lease.is_none() {
            return Ok(());
        }
        self.count(counters::WORKER_DEATHS, 1)?;
        if !member.ready {
            self.false_starts += 1;
            if self.false_starts >= FALSE_STARTS {
                return Err(CampaignError::Worker { message: why.to_string() });
            }
        }
        if let Some(next) = member.next {
            self.reopen(next, None)?;
        }
        let Some(lease) = member.lease else { return Ok(()) };
        let deaths = lease.deaths + 1;
        // Any of several regions may be the cause: the next death on one of them alone decides.
        if deaths >= DEATHS && lease.rows.len() > 1 {
            return self.reopen(lease, Some(DEATHS - 1));
        }
        if deaths >= DEATHS {
            let workers = if deaths == 1 { "worker" } else { "workers" };
            let reason = format!("{deaths} {workers} died on it; the last: {why}");
            self.ledger.store.set_aside_crashed(&lease.rows, &reason)?;
            if let Some(up) = &mut self.up {
                up.set_aside(lease.regions, &reason);
                return Ok(());
            }
            self.sink.message(&format!("a region is set aside as crashed: {reason}"));
            return Ok(());
        }
        self.reopen(lease, Some(deaths))
    }

    /// Handles the departure of a worker's machine: the worker's regions are open again, without a death on them.
    fn part_from(&mut self, worker: WorkerId) -> Result<(), CampaignError> {
        let Some(member) = self.crew.members.remove(&worker) else { return Ok(()) };
        let leases = [member.next, member.lease].into_iter().flatten();
        leases.into_iter().try_for_each(|lease| self.reopen(lease, None))
    }

    /// Reopens the regions of a lease; `deaths` is the number of workers that died on it, if that has changed.
    fn reopen(&mut self, lease: Lease, deaths: Option<u32>) -> Result<(), CampaignError> {
        let deaths = deaths.unwrap_or(lease.deaths);
        self.count(counters::EXPLORED_AGAIN, u64::from(lease.inexact))?;
        self.ledger.store.give_back(&lease.rows, deaths)?;
        let expected = lease.expected.map(|all| all.each_of(lease.rows.len()));
        for (row, region) in lease.rows.into_iter().zip(lease.regions).rev() {
            self.crew.open.push_front((OpenRegion { row, region, deaths, expected }, false));
        }
        Ok(())
    }

    /// Checks at the end of a run that no path is stored twice.
    fn look_for_doubles(&mut self) -> Result<(), CampaignError> {
        let doubled = self.ledger.store.check_doubled()?;
        if doubled > 0 {
            self.sink.message(&format!(
                "INTERNAL ERROR: {doubled} paths were found twice; please report it with {}",
                self.ledger.store.path.display()
            ));
        }
        self.ledger.totals.stats = self.ledger.store.stats()?;
        Ok(())
    }

    /// Checks at the end of a run, by the weights of all that ended, that each path was found once.
    fn look_at_measure(&mut self) -> Result<(), CampaignError> {
        if let Some(sum) = self.ledger.store.check_measure()? {
            self.sink.message(&format!(
                "INTERNAL ERROR: paths were lost or found twice, as the weights of all that ended sum up to {sum} and not to 1; \
                 please report it with {}",
                self.ledger.store.path.display()
            ));
            self.ledger.totals.stats = self.ledger.store.stats()?;
        }
        Ok(())
    }

    /// Notes the waiting times of workers and thieves; with `finally`, also of those that still wait.
    pub(crate) fn note_waits(&mut self, finally: bool) -> Result<(), CampaignError> {
        let now = self.now();
        for member in self.crew.members.values_mut().filter(|_| finally) {
            let waits = member.idle_since.take().map(|since| now.saturating_sub(since));
            self.waits.add(counters::IDLE_NANOS, nanos(waits.unwrap_or_default()));
        }
        let waits = std::mem::take(&mut self.waits);
        if waits.is_empty() {
            return Ok(());
        }
        if let Some(up) = &mut self.up {
            up.count(&waits);
        }
        self.ledger.totals.stats.merge(&waits);
        self.ledger.store.add(&waits)
    }

    /// Notes the work of the workers so far, if it is time or the session is over.
    fn note_moment(&mut self, finally: bool) -> Result<(), CampaignError> {
        let times = (self.now(), self.elapsed());
        self.history.note(&mut self.ledger.store, &self.crew, times, finally)
    }

    fn count(&mut self, name: &str, n: u64) -> Result<(), CampaignError> {
        if n == 0 {
            return Ok(());
        }
        let mut stats = Stats::default();
        stats.add(name, n);
        if let Some(up) = &mut self.up {
            up.count(&stats);
        }
        self.ledger.totals.stats.merge(&stats);
        self.ledger.store.add(&stats)
    }

    /// Has busy workers report their remaining work. A worker without a sign for too long is killed, and keeps its last report.
    pub(crate) fn wind_up(&mut self) -> Result<(), CampaignError> {
        self.stopping = true;
        let workers: Vec<(WorkerId, bool)> =
            self.crew.members.iter().map(|(id, m)| (*id, m.lease.is_some())).collect();
        for (worker, busy) in workers {
            if busy {
                self.transport.send(worker, &ToWorker::Stop);
            } else {
                self.transport.kill(worker);
            }
        }
        self.heard = self.now();
        while self.crew.busy() > 0 {
            let left = self.heard.saturating_add(self.options.grace).saturating_sub(self.now());
            // Messages that have arrived are handled, however long the earlier ones took.
            let heard = self.receive(left.min(TICK))?;
            if !heard && left.is_zero() {
                break;
            }
            let snapshot = self.snapshot();
            self.transport.note(&snapshot);
            self.sink.progress(&snapshot);
        }
        let mut leased = Vec::new();
        for member in self.crew.members.values_mut() {
            leased.extend([member.lease.take(), member.next.take()].into_iter().flatten());
        }
        leased.into_iter().try_for_each(|lease| self.reopen(lease, None))
    }

    /// Expected number of further paths. The sum takes a while with many regions, so it is seldom made.
    fn expected(&mut self) -> Option<Expected> {
        let now = self.now();
        if self.expected.1.is_none_or(|at| now.saturating_sub(at) >= LOOK) {
            self.expected = (self.crew.expected(), Some(now));
        }
        self.expected.0
    }

    fn snapshot(&mut self) -> Snapshot {
        let expected = self.expected();
        let totals = &self.ledger.totals;
        let busy = self.crew.busy();
        // A worker that waits for its solver reports nothing, but tells the time of its wait.
        let leases = || self.crew.members.values().filter_map(|m| m.lease.as_ref());
        let solver: u64 = leases().map(|lease| lease.solver_nanos).sum();
        let work: u64 = leases().map(|lease| lease.busy_nanos).sum();
        Snapshot {
            paths: totals.paths.ended(),
            open_regions: (self.crew.open.len() + busy) as u64,
            bugs: totals.bugs,
            expected,
            busy: busy as u32,
            workers: self.processors(),
            stopping: self.stopping,
            solver_seconds: (totals.stats.get(counters::SOLVER_NANOS) + solver) as f64 / 1e9,
            busy_seconds: (totals.stats.get(counters::BUSY_NANOS) + work) as f64 / 1e9,
            coverage: self.ledger.store.covered().into(),
        }
    }
}
