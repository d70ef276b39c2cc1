//! A node: a machine with workers that is one worker to the level above. It speaks the worker's side of the protocol
//! upwards and the coordinator's side downwards, with the coordinator's own code: there is no other protocol.
//!
//! Its database is in memory. Data that must not be lost lies in its workers' shards, and in the database of the level
//! above, which counts it: a node that vanishes costs its work since its last report.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use cleave_region::{Encoded, Expected, Region};

use crate::accounting::account::Snapshot;
use crate::clock::Clock;
use crate::database::ledger::{Ledger, Totals};
use crate::database::open_regions::OpenRegion;
use crate::database::store::{Meta, Store};
use crate::error::CampaignError;
use crate::run::coordinator::Coordinator;
use crate::run::options::{RunOptions, Shards};
use crate::run::owned_or_borrowed::Held;
use crate::run::sink::{RecordedPath, Sink};
use crate::transports::node_reports::Up;
use crate::transports::protocol::{Expectations, FromWorker, Report, ToWorker};
use crate::transports::transport::Transport;

/// Reporting of a node, and its limits for its workers.
#[derive(Clone, Debug)]
pub struct NodePace {
    /// Maximum time between two reports, if there is news: the cost of a lost node. Default is 500 ms, as often as its workers
    /// report.
    pub every: Duration,
    /// Bytes of regions per second in reports: large remaining work is reported less often. Default is
    /// 400,000.
    pub bytes: u64,
    /// Time that workers may take to report when they are told to stop. Default is that of [`RunOptions`].
    pub grace: Duration,
}

impl Default for NodePace {
    fn default() -> NodePace {
        NodePace { every: Duration::from_millis(500), bytes: 400_000, grace: RunOptions::default().grace }
    }
}

/// A lease of the level above.
struct Lease {
    id: u64,
    regions: Vec<Encoded<Region>>,
    careful: bool,
    at_most: Option<u64>,
    split: Option<u32>,
    expected: Option<Expected>,
}

/// A request of a thief of the level above.
#[derive(Clone, Copy)]
struct Theft {
    /// Maximum number of regions that it takes.
    most: usize,
    /// Number of regions that it waits for: one of each worker is half of the node's work.
    wanted: usize,
    since: Duration,
}

/// Maximum time that a thief waits for its full share.
const PATIENCE: Duration = Duration::from_millis(10);

/// The state machine of a node, without threads or streams of its own: messages of the level above go in and come out.
pub struct Node {
    /// Taken out at the set-up.
    local: Option<Box<dyn Transport>>,
    workers: u32,
    pace: NodePace,
    clock: Arc<dyn Clock>,
    coordinator: Option<Coordinator<'static>>,
    /// True if it announced that it takes leases.
    ready: bool,
    lease: Option<u64>,
    /// The leases to begin when the current one is over.
    next: VecDeque<Lease>,
    /// The open request for regions.
    theft: Option<Theft>,
    sign: Option<Box<dyn FnMut()>>,
    /// Time of the last report, and time until the next.
    told: Duration,
    pause: Duration,
}

impl Node {
    /// A node whose `workers` workers are started by `local`.
    pub fn new(local: Box<dyn Transport>, workers: u32, pace: NodePace, clock: Arc<dyn Clock>) -> Node {
        Node {
            local: Some(local),
            workers: workers.max(1),
            told: clock.now(),
            pause: pace.every,
            pace,
            clock,
            coordinator: None,
            ready: false,
            lease: None,
            next: VecDeque::new(),
            theft: None,
            sign: None,
        }
    }

    /// Has `sign` called from time to time while it waits for the last reports of its workers.
    pub fn signing(mut self, sign: Box<dyn FnMut()>) -> Node {
        self.sign = Some(sign);
        self
    }

    /// True if it was set up.
    pub fn is_set_up(&self) -> bool {
        self.coordinator.is_some()
    }

    /// True if it has nothing to explore.
    pub fn is_idle(&self) -> bool {
        self.lease.is_none()
    }

    /// Handles a message of the level above; returns the answer.
    pub fn handle(&mut self, message: ToWorker) -> Option<FromWorker> {
        let answer = match message {
            ToWorker::Setup { bytes, shard, .. } => {
                let shards = shard.and_then(|file| {
                    let prefix = format!("{}-", file.file_stem()?.to_string_lossy());
                    Some(Shards { folder: file.parent()?.to_path_buf(), prefix })
                });
                self.set_up(bytes, shards).map(|()| None)
            }
            ToWorker::Lease { lease, regions, careful, at_most, split, expected } => {
                self.next.push_back(Lease { id: lease, regions, careful, at_most, split, expected });
                if self.lease.is_some() { Ok(None) } else { self.begin().map(|()| None) }
            }
            ToWorker::More { lease, paths } => {
                if self.lease == Some(lease)
                    && let Some(coordinator) = &mut self.coordinator
                {
                    coordinator.max_paths = coordinator.max_paths.map(|n| n.saturating_add(paths));
                    let members: Vec<u64> = coordinator.crew.members.keys().copied().collect();
                    members.into_iter().for_each(|worker| coordinator.allow_more(worker));
                }
                Ok(None)
            }
            ToWorker::Steal { lease, regions, states, .. } => self.asked_for(lease, regions, states),
            ToWorker::Stop => self.stop(),
        };
        answer.unwrap_or_else(failed)
    }

    fn set_up(&mut self, setup: Vec<u8>, shards: Option<Shards>) -> Result<(), CampaignError> {
        let Some(local) = self.local.take() else { return Ok(()) };
        let ledger = Ledger::new(Store::in_memory(&Meta::default(), (&[], &[], ""))?, Totals::default());
        let options = RunOptions {
            workers: self.workers,
            setup,
            shards,
            grace: self.pace.grace,
            clock: self.clock.clone(),
            ..RunOptions::default()
        };
        let mut coordinator = Coordinator::new(
            Held::Own(Box::new(ledger)),
            Held::Own(local),
            Held::Own(Box::new(Signs {
                sign: self.sign.take().unwrap_or_else(|| Box::new(|| ())),
                clock: self.clock.clone(),
                last: self.clock.now(),
            })),
            options,
        )?;
        coordinator.up = Some(Up::default());
        self.coordinator = Some(coordinator);
        Ok(())
    }

    /// Begins the next lease after one is over.
    fn begin(&mut self) -> Result<(), CampaignError> {
        let Some(coordinator) = &mut self.coordinator else {
            return Err(CampaignError::Worker { message: "a lease came before the set-up".into() });
        };
        let Some(lease) = self.next.pop_front() else { return Ok(()) };
        let each = lease.expected.map(|all| all.each_of(lease.regions.len()));
        let rows = coordinator.ledger.store.insert_open(&lease.regions, each)?;
        for (row, region) in rows.into_iter().zip(lease.regions) {
            let open = OpenRegion { row, region, deaths: u32::from(lease.careful), expected: each };
            coordinator.crew.open.push_back((open, false));
        }
        let ended = coordinator.ledger.totals.paths.ended();
        coordinator.max_paths = lease.at_most.map(|n| ended.saturating_add(n));
        (coordinator.to_split, coordinator.split_from) = (lease.split, None);
        self.lease = Some(lease.id);
        (self.told, self.pause) = (self.clock.now(), self.pace.every);
        Ok(())
    }

    /// Handles a thief's request for a part of a lease.
    fn asked_for(
        &mut self,
        lease: u64,
        regions: u32,
        states: u32,
    ) -> Result<Option<FromWorker>, CampaignError> {
        if let Some(at) = self.next.iter().position(|next| next.id == lease) {
            let Some(next) = self.next.remove(at) else { return Ok(None) };
            let expected =
                Expectations { remaining: Some(Expected::NONE), given: next.expected, spilled: None };
            return Ok(Some(FromWorker::Report(Report {
                lease: next.id,
                given: Some(next.regions),
                remaining: Some(Vec::new()),
                over: true,
                expected: Box::new(expected),
                ..Report::default()
            })));
        }
        // Another lease is over: its last report was the answer.
        if self.lease == Some(lease) {
            let most = regions.max(1).saturating_mul(states.max(1));
            let wanted = most.min(self.workers);
            self.theft =
                Some(Theft { most: most as usize, wanted: wanted as usize, since: self.clock.now() });
            if let Some(up) = self.coordinator.as_mut().and_then(|c| c.up.as_mut()) {
                up.want(wanted);
            }
        }
        Ok(None)
    }

    /// Serves its workers once: waits up to `wait` for their messages. Returns a report when one is due.
    pub fn work(&mut self, wait: Duration) -> Option<FromWorker> {
        self.round(wait).unwrap_or_else(failed)
    }

    fn round(&mut self, wait: Duration) -> Result<Option<FromWorker>, CampaignError> {
        let Some(coordinator) = &mut self.coordinator else { return Ok(None) };
        coordinator.fill_crew()?;
        coordinator.lease_out()?;
        coordinator.steal();
        coordinator.receive(wait)?;
        if !self.ready && coordinator.loaded.is_some() {
            self.ready = true;
            return Ok(Some(FromWorker::Ready));
        }
        let Some(lease) = self.lease else { return Ok(None) };
        let done = coordinator.crew.open.is_empty() && coordinator.crew.busy() == 0;
        if done || coordinator.split_is_over() {
            return self.end(lease);
        }
        if let Some(answer) = self.answer_theft(lease)? {
            return Ok(Some(answer));
        }
        let Some(coordinator) = &mut self.coordinator else { return Ok(None) };
        let due = self.clock.now().saturating_sub(self.told) >= self.pause;
        let waits_for_more = coordinator.left() == Some(0);
        let up = coordinator.up.as_ref();
        let news = up.is_some_and(|up| up.has_news() && (due || waits_for_more || up.is_urgent()));
        if news { self.report(lease, None, false).map(Some) } else { Ok(None) }
    }

    /// Ends the lease; its remaining work is returned.
    fn end(&mut self, lease: u64) -> Result<Option<FromWorker>, CampaignError> {
        let report = self.report(lease, None, true)?;
        if let Some(coordinator) = &mut self.coordinator {
            coordinator.crew.open.clear();
            coordinator.ledger.store.forget()?;
            if let Some(up) = &mut coordinator.up {
                up.want(0);
            }
        }
        (self.lease, self.theft) = (None, None);
        if !self.next.is_empty() {
            self.begin()?;
        }
        Ok(Some(report))
    }

    /// Gives waiting regions to a thief.
    fn answer_theft(&mut self, lease: u64) -> Result<Option<FromWorker>, CampaignError> {
        let (Some(theft), Some(coordinator)) = (self.theft, &mut self.coordinator) else { return Ok(None) };
        let open = coordinator.crew.open.len();
        let waited = self.clock.now().saturating_sub(theft.since);
        if open < theft.wanted && waited < PATIENCE {
            return Ok(None);
        }
        // All of them may be given away, as long as others are being explored.
        let n = theft.most.min(if coordinator.crew.busy() > 0 { open } else { open / 2 });
        if n == 0 {
            return Ok(None);
        }
        let given: Vec<OpenRegion> =
            coordinator.crew.open.split_off(open - n).into_iter().map(|(region, _)| region).collect();
        let rows: Vec<i64> = given.iter().map(|region| region.row).collect();
        coordinator.ledger.store.give_away(&rows)?;
        if let Some(up) = &mut coordinator.up {
            up.want(0);
        }
        self.theft = None;
        self.report(lease, Some(given), false).map(Some)
    }

    /// The work since the last report, with the current remaining work.
    fn report(
        &mut self,
        lease: u64,
        given: Option<Vec<OpenRegion>>,
        over: bool,
    ) -> Result<FromWorker, CampaignError> {
        let Some(coordinator) = &mut self.coordinator else { return Ok(FromWorker::Ready) };
        coordinator.note_waits(false)?;
        let mut report = coordinator.up.as_mut().map_or_else(Report::default, |up| up.take(lease));
        let leases = coordinator.crew.members.values().flat_map(|m| [&m.lease, &m.next]).flatten();
        let busy = leases.clone().flat_map(|lease| &lease.regions);
        let open = coordinator.crew.open.iter().map(|(open, _)| &open.region);
        let remaining: Vec<Encoded<Region>> = busy.chain(open).cloned().collect();
        let inexact = leases.clone().any(|lease| lease.inexact);
        let waiting = leases.map(|lease| lease.waiting).fold(0, u32::saturating_add);
        report.waiting = waiting.saturating_add(coordinator.crew.open.len() as u32);
        let of_given = given
            .as_ref()
            .map(|given| given.iter().try_fold(Expected::NONE, |sum, region| Some(sum + region.expected?)));
        report.expected = Box::new(Expectations {
            remaining: coordinator.crew.expected(),
            given: of_given.flatten(),
            spilled: None,
        });
        report.given = given.map(|given| given.into_iter().map(|region| region.region).collect());
        let bytes: u64 = remaining.iter().map(|region| region.bytes().len() as u64).sum();
        // Reported paths lie in the last exported region of a worker: so they do for the level above.
        report.remaining = (over || !inexact).then_some(remaining);
        report.over = over;
        // Paths kept in memory are reported: the level above has them now.
        coordinator.ledger.store.forget_paths()?;
        let slow = Duration::from_secs_f64(bytes as f64 / self.pace.bytes.max(1) as f64);
        (self.told, self.pause) = (self.clock.now(), self.pace.every.max(slow));
        Ok(FromWorker::Report(report))
    }

    /// Has its workers report their remaining work, and reports that.
    fn stop(&mut self) -> Result<Option<FromWorker>, CampaignError> {
        self.next.clear();
        let (Some(coordinator), Some(lease)) = (&mut self.coordinator, self.lease) else { return Ok(None) };
        coordinator.wind_up()?;
        self.lease = None;
        self.report(lease, None, true).map(Some)
    }
}

/// The message to the level above about an error: another node can continue if only this machine is at fault.
fn failed(error: CampaignError) -> Option<FromWorker> {
    Some(match error {
        CampaignError::Worker { message } => FromWorker::Failed { message },
        CampaignError::Here { message } => FromWorker::Unable { message },
        other => FromWorker::Unable { message: other.to_string() },
    })
}

/// Time between two signs of a node that still waits for its workers' last reports.
const SIGN: Duration = Duration::from_millis(250);

/// Gives signs while a node stops.
struct Signs {
    sign: Box<dyn FnMut()>,
    clock: Arc<dyn Clock>,
    last: Duration,
}

impl Sink for Signs {
    fn paths(&mut self, _: &[RecordedPath<'_>]) -> Result<(), String> {
        Ok(())
    }

    fn progress(&mut self, now: &Snapshot) {
        if now.stopping && self.clock.now().saturating_sub(self.last) >= SIGN {
            self.last = self.clock.now();
            (self.sign)();
        }
    }
}
