//! The worker pool: workers, their leases, and thefts. The coordinator calls it. It has no clock, no streams, and no database.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use cleave_region::{Encoded, Expected, Region};

use crate::database::open_regions::OpenRegion;
use crate::transports::protocol::Report;
use crate::transports::transport::WorkerId;
use crate::workers::worker::ENOUGH;

/// A lease that a worker holds.
pub(crate) struct Lease {
    pub(crate) id: u64,
    /// The rows of its regions in the database; `regions` are the regions themselves.
    pub(crate) rows: Vec<i64>,
    pub(crate) regions: Vec<Encoded<Region>>,
    /// Expected number of paths of these together; `None` if unknown.
    pub(crate) expected: Option<Expected>,
    /// The machine that explores it, if it keeps its paths itself.
    pub(crate) host: Option<String>,
    /// Workers that died on it before, without reporting a path.
    pub(crate) deaths: u32,
    /// Its start, by the session's clock.
    pub(crate) since: Duration,
    /// True if it was stolen: its duration shows if thefts are large enough.
    pub(crate) stolen: bool,
    /// Number of regions requested and not yet given.
    pub(crate) asked: Option<u32>,
    /// Time of that request.
    pub(crate) asked_at: Duration,
    /// Number of waiting states, at the last report.
    pub(crate) waiting: u32,
    /// True if its remaining work is not known exactly: paths were reported since the remaining work was last reported.
    pub(crate) inexact: bool,
    /// Number of paths that it may find before it waits for more, without those reported; 0 for no limit.
    pub(crate) allowed: u64,
    /// Nanoseconds in the solver, and of all work, that the worker told since the last report.
    pub(crate) solver_nanos: u64,
    pub(crate) busy_nanos: u64,
}

/// A worker.
#[derive(Default)]
pub(crate) struct Member {
    pub(crate) ready: bool,
    pub(crate) lease: Option<Lease>,
    /// The lease that it begins when the current one is over, without a wait for the coordinator.
    pub(crate) next: Option<Lease>,
    /// Start of its wait for a region.
    pub(crate) idle_since: Option<Duration>,
}

/// All workers, and the waiting regions.
#[derive(Default)]
pub(crate) struct Crew {
    pub(crate) members: BTreeMap<WorkerId, Member>,
    pub(crate) open: VecDeque<(OpenRegion, bool)>,
}

impl Crew {
    /// Number of paths that one of `workers` workers may have ahead of it, if a run may have `left` more: its share of those that
    /// the others do not hold. So together they hold about half of what is left, and the rest is for the fastest. At
    /// least one, even if others hold all, because the others may take long.
    pub(crate) fn share(&self, worker: WorkerId, left: u64, workers: u32) -> u64 {
        let others = self.members.iter().filter(|(id, _)| **id != worker);
        let held: u64 = others.flat_map(|(_, m)| &m.lease).map(|lease| lease.allowed).sum();
        left.saturating_sub(held).div_ceil(u64::from(workers.max(1))).max(1)
    }

    pub(crate) fn busy(&self) -> usize {
        self.members.values().filter(|m| m.lease.is_some()).count()
    }

    /// Takes the next open regions for one worker: one, or of many small ones that were given
    /// together its share, up to `most`; with `any`, which is for leases that cost a sync each, the same for all waiting ones.
    pub(crate) fn take_open(&mut self, most: u32, any: bool) -> Option<(Vec<OpenRegion>, bool)> {
        let small = |(open, stolen): &(OpenRegion, bool)| (*stolen || any) && open.deaths == 0;
        let together = self.open.iter().take_while(|open| small(open)).count();
        let idle = self.members.values().filter(|m| m.ready && m.lease.is_none()).count();
        let n = together.div_ceil(idle.max(1)).clamp(1, most.max(1) as usize).min(self.open.len());
        let taken: Vec<(OpenRegion, bool)> = self.open.drain(..n).collect();
        let stolen = taken.first()?.1;
        Some((taken.into_iter().map(|(open, _)| open).collect(), stolen))
    }

    /// Expected number of paths of all that is leased or waits; `None` if nothing is known.
    pub(crate) fn expected(&self) -> Option<Expected> {
        let leases = self.members.values().flat_map(|m| [&m.lease, &m.next]).flatten();
        let leased = leases.map(|lease| (lease.expected, lease.rows.len()));
        let open = self.open.iter().map(|(open, _)| (open.expected, 1));
        let (mut sum, mut known, mut unknown) = (Expected::NONE, 0, 0);
        for (expected, regions) in leased.chain(open) {
            match expected {
                Some(own) => (sum, known) = (sum + own, known + regions),
                None => unknown += regions,
            }
        }
        sum.with_unknown(known, unknown)
    }

    /// A worker that waits for a region.
    pub(crate) fn idle(&self) -> Option<WorkerId> {
        self.members.iter().find(|(_, m)| m.ready && m.lease.is_none()).map(|(id, _)| *id)
    }

    /// A busy worker without a next lease.
    pub(crate) fn unprepared(&self) -> Option<WorkerId> {
        self.members.iter().find(|(_, m)| m.ready && m.lease.is_some() && m.next.is_none()).map(|(id, _)| *id)
    }

    /// The lease of a worker that a report belongs to, if the worker still has it.
    pub(crate) fn lease_of(&mut self, worker: WorkerId, report: &Report) -> Option<&mut Lease> {
        let member = self.members.get_mut(&worker)?;
        [&mut member.lease, &mut member.next].into_iter().flatten().find(|lease| lease.id == report.lease)
    }

    /// Ends a lease; the next lease of the worker becomes the current one.
    pub(crate) fn end_lease(&mut self, worker: WorkerId, id: u64) -> Option<Lease> {
        let member = self.members.get_mut(&worker)?;
        if member.lease.as_ref().is_some_and(|lease| lease.id == id) {
            return std::mem::replace(&mut member.lease, member.next.take());
        }
        member.next.take_if(|lease| lease.id == id)
    }

    /// The workers to ask for regions, with the numbers of regions, when workers are idle and no region waits. A worker is asked
    /// once until it answers; those with most expected paths come first, or those with large frontiers if expectations are
    /// unknown, and those of which little is known also. `above` more are idle elsewhere.
    pub(crate) fn thefts(&mut self, now: Duration, above: u32) -> Vec<(WorkerId, u64, u32)> {
        let idle = self.members.values().filter(|m| m.ready && m.lease.is_none()).count() as u32 + above;
        if idle == 0 || !self.open.is_empty() {
            return Vec::new();
        }
        let mut expected = 0;
        let mut thefts = Vec::new();
        // A lease that waits behind another one is returned whole.
        for (id, member) in &mut self.members {
            let Some(next) = &mut member.next else { continue };
            if expected < idle {
                expected += 1;
                if next.asked.is_none() {
                    (next.asked, next.asked_at) = (Some(1), now);
                    thefts.push((*id, next.id, 1));
                }
            }
        }
        let mut victims: Vec<(WorkerId, &mut Lease)> = Vec::new();
        for (id, member) in &mut self.members {
            let Some(lease) = &mut member.lease else { continue };
            match lease.asked {
                Some(n) if lease.waiting >= ENOUGH => expected += n,
                Some(_) => {}
                None => victims.push((*id, lease)),
            }
        }
        // By expected paths, if all expectations are known.
        let known = victims.iter().all(|(_, lease)| lease.expected.is_some());
        let paths = |lease: &Lease| lease.expected.filter(|_| known).map_or(0, |e| e.paths as u64);
        victims.sort_by_key(|(id, l)| (std::cmp::Reverse((paths(l), l.waiting)), *id));
        // Each is asked for its share: depth-first the first state of each is worth more than the next ones of one.
        let rich = victims.iter().filter(|(_, lease)| lease.waiting >= ENOUGH).count() as u32;
        let each = idle.saturating_sub(expected).div_ceil(rich.max(1));
        for (id, lease) in victims {
            if expected >= idle {
                break;
            }
            let share = (idle - expected).min(each);
            (lease.asked, lease.asked_at) = (Some(share), now);
            if lease.waiting >= ENOUGH {
                expected += share;
            }
            thefts.push((id, lease.id, share));
        }
        thefts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy(waiting: u32, paths: Option<f64>) -> Member {
        let lease = Lease {
            id: 7,
            rows: Vec::new(),
            regions: Vec::new(),
            expected: paths.map(|paths| Expected { paths, variance: 0.0 }),
            host: None,
            deaths: 0,
            since: Duration::ZERO,
            stolen: false,
            asked: None,
            asked_at: Duration::ZERO,
            waiting,
            inexact: false,
            allowed: 0,
            solver_nanos: 0,
            busy_nanos: 0,
        };
        Member { ready: true, lease: Some(lease), ..Member::default() }
    }

    /// The requests made for `idle` idle workers.
    fn asked(victims: &[(u32, Option<f64>)], idle: u64) -> Vec<(WorkerId, u32)> {
        let mut crew = Crew::default();
        for (id, (waiting, paths)) in (0u64..).zip(victims) {
            crew.members.insert(id, busy(*waiting, *paths));
        }
        for id in 0..idle {
            crew.members.insert(100 + id, Member { ready: true, ..Member::default() });
        }
        crew.thefts(Duration::ZERO, 0).into_iter().map(|(id, _, n)| (id, n)).collect()
    }

    #[test]
    fn whoever_expects_most_paths_is_asked_and_without_that_whoever_has_most_states() {
        assert_eq!(asked(&[(50, Some(10.0)), (5, Some(900.0)), (9, Some(20.0))], 1), [(1, 1)]);
        assert_eq!(asked(&[(50, Some(10.0)), (5, None), (9, Some(20.0))], 1), [(0, 1)]);
    }

    #[test]
    fn many_thieves_ask_each_for_its_share() {
        let rich = [(9, Some(30.0)), (9, Some(20.0)), (9, Some(10.0))];
        assert_eq!(asked(&rich, 2), [(0, 1), (1, 1)]);
        assert_eq!(asked(&rich, 7), [(0, 3), (1, 3), (2, 1)]);
        assert_eq!(asked(&rich[..1], 5), [(0, 5)]);
    }
}
