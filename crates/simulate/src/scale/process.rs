//! A worker's process: the campaign's own worker on a virtual clock, which runs ahead until its next event.

use std::collections::VecDeque;
use std::sync::Arc;

use cleave_campaign::{FromWorker, MakeExploration, Report, ToWorker, Worker};

use super::cluster::Cluster;
use super::sums;
use crate::clock::{MICROSECOND, Picos, VirtualClock};
use crate::costs::Costs;
use crate::grown::{GrownTree, Leaps, Reach};

/// A worker.
pub(super) struct Process {
    worker: Worker,
    clock: Arc<VirtualClock>,
    reach: Arc<Reach>,
    inbox: VecDeque<ToWorker>,
    /// The number of the event that lets it continue, and the time of that event; events of other numbers are void.
    pub(super) epoch: u64,
    pub(super) wakes: Picos,
    /// Time of its last report, or of the start of its lease.
    since: Picos,
    /// True if a thief waits for it.
    theft: bool,
    /// The name of its shard, and the shard's length in bytes: one a path, as the content is never read.
    shard: String,
    bytes: u64,
}

/// A worker's message, with its time.
pub(super) type Said = (Picos, FromWorker);

/// Parameters of the explorations.
#[derive(Clone)]
pub(super) struct Program {
    pub(super) tree: Arc<GrownTree>,
    pub(super) costs: Costs,
}

impl Process {
    /// A worker that takes messages from this time on.
    pub(super) fn new(cluster: &Cluster, from: Picos, shard: String) -> Process {
        let clock: Arc<VirtualClock> = Arc::default();
        clock.set(from);
        Process {
            worker: Worker::simulated(cluster.pace, clock.clone()),
            clock,
            reach: Arc::default(),
            inbox: VecDeque::new(),
            epoch: 0,
            wakes: Picos::MAX,
            since: from,
            theft: false,
            shard,
            bytes: 0,
        }
    }

    /// The work done.
    pub(super) fn worked(&self) -> Picos {
        self.clock.worked()
    }

    /// Work up to `now` that its clock does not include yet.
    pub(super) fn begun(&self, now: Picos) -> Picos {
        if self.worker.is_idle() { 0 } else { now.saturating_sub(self.clock.picos()).min(self.reach.left()) }
    }

    /// Receives a message; returns the time at which it looks at the message.
    pub(super) fn hear(&mut self, message: ToWorker, now: Picos, cluster: &Cluster) -> Picos {
        self.inbox.push_back(message);
        let busy = if self.worker.is_idle() { 0 } else { cluster.look };
        self.clock.picos().max(now + busy)
    }

    /// Continues until now and takes a message, if one is there. Returns its message and the time when it continues; never, if it
    /// waits for messages.
    pub(super) fn go_on(
        &mut self,
        now: Picos,
        cluster: &Cluster,
        program: &Program,
    ) -> (Vec<Said>, Option<Picos>) {
        let mut said = Vec::new();
        while !self.worker.is_idle() && self.clock.picos() < now {
            self.reach.go_until(now);
            let answer = self.worker.work();
            self.say(answer, cluster, &mut said);
        }
        self.clock.set(self.clock.picos().max(now));
        if let Some(mut message) = self.inbox.pop_front() {
            // The world counts the shard's paths: there are no files.
            if let ToWorker::Setup { shard, .. } = &mut message {
                *shard = None;
            }
            if self.worker.is_idle() {
                self.since = self.clock.picos();
            }
            self.theft |= matches!(message, ToWorker::Steal { .. });
            let (program, clock, reach) = (program.clone(), self.clock.clone(), self.reach.clone());
            let make: &MakeExploration = &move |_| {
                let leaps = Leaps::new(program.tree.clone(), program.costs, clock.clone(), reach.clone());
                Ok(Box::new(leaps))
            };
            let answer = self.worker.handle(message, make);
            self.say(answer, cluster, &mut said);
        }
        (said, self.next(cluster))
    }

    fn say(&mut self, answer: Option<FromWorker>, cluster: &Cluster, said: &mut Vec<Said>) {
        let Some(mut answer) = answer else { return };
        if let FromWorker::Report(report) = &mut answer {
            self.since = self.clock.picos();
            self.theft &= report.given.is_none() && !report.over;
            self.keep(report);
            self.clock.work(cluster.report);
        }
        said.push((self.clock.picos(), answer));
    }

    /// Keeps the paths of a report in the worker's shard.
    fn keep(&mut self, report: &mut Report) {
        for record in std::mem::take(&mut report.paths) {
            let kept = sums::kept(&self.shard, self.bytes, Leaps::paths_of(&record));
            self.bytes = kept.end;
            match report.kept.last_mut() {
                Some(last) => sums::join(last, &kept),
                None => report.kept.push(kept),
            }
        }
        report.shows.clear();
    }

    /// The time of its next activity.
    fn next(&self, cluster: &Cluster) -> Option<Picos> {
        let now = self.clock.picos();
        if !self.inbox.is_empty() {
            return Some(now);
        }
        if self.worker.is_idle() {
            return None;
        }
        let picos = |time: std::time::Duration| Picos::try_from(time.as_nanos() * 1000).unwrap_or(Picos::MAX);
        // A report is due when its time is over, in whole nanoseconds.
        let report = self.since.saturating_add(picos(cluster.pace.every)) + MICROSECOND;
        let theft = if self.theft { now.saturating_add(picos(cluster.pace.patience)) } else { Picos::MAX };
        let done = now.saturating_add(self.reach.left());
        Some(done.min(report).min(theft).max(now + 1))
    }
}
