//! Reports of a node to the level above: the reports of its workers, summed up.

use std::collections::BTreeMap;

use cleave_region::{Encoded, EncodedPath, Message, Region, Weight};

use crate::accounting::stats::Stats;
use crate::database::recording::Recording;
use crate::transports::protocol::{Aside, Kept, Report, SetAside, Shows};

/// The work since the last report to the level above.
#[derive(Default)]
pub(crate) struct Up {
    paths: Vec<EncodedPath>,
    kept: Vec<Kept>,
    places: Vec<(u32, u64)>,
    shows: Vec<Shows>,
    set_aside: Vec<SetAside>,
    messages: Vec<Message>,
    stats: Stats,
    /// Weights of all that ended, if weighed.
    measure: Option<Box<Weight>>,
    /// Number of regions that a thief of the level above waits for.
    wanted: u32,
}

impl Up {
    /// Adds a worker's report, and the result of recording it.
    pub(crate) fn add(&mut self, report: &Report, recording: &Recording) {
        let at: Vec<(u32, u64)> = report.kept.iter().map(|kept| self.keep(kept)).collect();
        let mut marks: BTreeMap<u32, &Shows> = BTreeMap::new();
        for shows in report.shows.iter().filter(|s| recording.covering.binary_search(&s.path).is_ok()) {
            marks.insert(shows.path, shows);
        }
        let all = report.paths.iter().zip(&recording.paths);
        for (i, (path, done)) in all.enumerate() {
            // Beyond the maximum number of paths: it is a region again.
            let Some((_, new_bug)) = *done else { continue };
            let place = report.places.get(i).and_then(|(kept, n)| Some((*at.get(*kept as usize)?, *n)));
            let shows = marks.get(&(i as u32));
            if let Some((place, _)) = place
                && shows.is_none()
                && !new_bug
            {
                // Another worker has shown it: it is counted with the others.
                self.count_bug(place.0, path);
                continue;
            }
            if let Some(shows) = shows {
                let path = self.paths.len() as u32;
                self.shows.push(Shows { path, marks: shows.marks.clone() });
            }
            self.places.extend(place.map(|((kept, before), n)| (kept, before + n)));
            self.paths.push(path.clone());
        }
        self.set_aside.extend(report.set_aside.iter().cloned());
        self.messages.extend(report.messages.iter().cloned());
        self.count(&report.stats);
        if let Some(measure) = report.measure.as_deref() {
            **self.measure.get_or_insert_default() += *measure;
        }
        self.count(&recording.counts);
    }

    /// Adds the part of a shard; returns the index of the merged part that contains it, and the number of paths that was there
    /// before.
    fn keep(&mut self, kept: &Kept) -> (u32, u64) {
        let known = self.kept.iter_mut().enumerate().rfind(|(_, k)| k.shard == kept.shard);
        if let Some((i, known)) = known
            && known.end == kept.start
        {
            let before = known.paths();
            known.end = kept.end;
            known.set = known.set.wrapping_add(kept.set);
            known.kinds.iter_mut().zip(kept.kinds).for_each(|(sum, n)| *sum += n);
            for bug in &kept.bugs {
                add_bug(known, bug);
            }
            return (i as u32, before);
        }
        self.kept.push(kept.clone());
        (self.kept.len() as u32 - 1, 0)
    }

    fn count_bug(&mut self, kept: u32, path: &EncodedPath) {
        let Some(bug) = &path.bug else { return };
        if let Some(kept) = self.kept.get_mut(kept as usize) {
            add_bug(kept, &(bug.kind.clone(), bug.place.clone(), 1));
        }
    }

    /// Adds counters of work.
    pub(crate) fn count(&mut self, stats: &Stats) {
        self.stats.merge(stats);
    }

    /// Sets regions aside because workers die on them.
    pub(crate) fn set_aside(&mut self, regions: Vec<Encoded<Region>>, reason: &str) {
        let aside = |region| SetAside { region, aside: Aside::Crashed, reason: reason.to_string() };
        self.set_aside.extend(regions.into_iter().map(aside));
    }

    /// Sets the number of regions that a thief of the level above waits for; 0 for none.
    pub(crate) fn want(&mut self, regions: u32) {
        self.wanted = regions;
    }

    /// Number of regions that the thief waits for.
    pub(crate) fn wanted(&self) -> u32 {
        self.wanted
    }

    /// True if there is anything that counts.
    pub(crate) fn has_news(&self) -> bool {
        !self.kept.is_empty() || !self.paths.is_empty() || !self.set_aside.is_empty()
    }

    /// True if there is something that users wait for.
    pub(crate) fn is_urgent(&self) -> bool {
        self.paths.iter().any(|path| path.bug.is_some())
    }

    /// Takes out all of it, as a report on a lease without its regions.
    pub(crate) fn take(&mut self, lease: u64) -> Report {
        let Up { paths, kept, places, shows, set_aside, messages, stats, measure, .. } =
            std::mem::replace(self, Up { wanted: self.wanted, ..Up::default() });
        Report { lease, paths, kept, places, shows, set_aside, messages, stats, measure, ..Report::default() }
    }
}

fn add_bug(kept: &mut Kept, (kind, place, n): &(String, String, u64)) {
    match kept.bugs.iter_mut().find(|(k, p, _)| k == kind && p == place) {
        Some((_, _, sum)) => *sum += n,
        None => kept.bugs.push((kind.clone(), place.clone(), *n)),
    }
}
