//! The happens-before order of accesses, and races of accesses that it leaves unordered: vector clocks and epochs (Flanagan and
//! Freund, FastTrack, PLDI 2009), with all accesses kept that a later one may still race with, and atomics as C11 orders them
//! (5.1.2.4).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Bytes of a cell; a mask has a bit for each.
const CELL: u64 = 64;
/// Cells that forks share until one of them writes.
const CELLS: u64 = 64;

/// A vector clock: for each thread, by its index, the time up to which it came before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock(Vec<u32>);

impl Clock {
    fn get(&self, thread: u32) -> u32 {
        self.0.get(thread as usize).copied().unwrap_or(0)
    }

    fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, &theirs) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(theirs);
        }
    }

    fn tick(&mut self, thread: u32) {
        if self.0.len() <= thread as usize {
            self.0.resize(thread as usize + 1, 0);
        }
        self.0[thread as usize] += 1;
    }
}

/// An access, of the bytes of a cell that its mask has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    mask: u64,
    /// The thread's index, and its own time.
    thread: u32,
    time: u32,
    pub(crate) writes: bool,
    pub(crate) atomic: bool,
    /// A thread could be interrupted in front of it.
    pub(crate) at_point: bool,
    /// Place in the program; the caller gives it its meaning.
    pub(crate) place: u32,
}

/// Kind and place of an access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doing {
    pub(crate) writes: bool,
    pub(crate) atomic: bool,
    pub(crate) at_point: bool,
    pub(crate) place: u32,
}

/// Kind and memory order of an atomic access, or of a fence.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ordering {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) acquires: bool,
    pub(crate) releases: bool,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    index: u32,
    clock: Clock,
    /// The clocks that relaxed reads have met; a fence that acquires joins them into `clock`.
    met: Clock,
    /// The thread's clock at its last fence that releases; relaxed writes pass it on.
    fenced: Clock,
    /// The accesses at hand are one atomic access.
    in_atomic: bool,
    /// The thread has come to the accesses at hand by a point.
    at_point: bool,
}

/// Clocks that an atomic object passes to a thread that acquires it.
#[derive(Clone, Debug, Default)]
struct Given {
    clock: Clock,
    /// The clock that each release sequence passes on, by the thread that has begun it.
    heads: BTreeMap<u32, Clock>,
}

type Cells = BTreeMap<u64, Vec<Access>>;

/// The order of all that threads have done. Objects and addresses are those of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clocks {
    threads: BTreeMap<u64, Thread>,
    /// The numbers of threads by their indices.
    numbers: Vec<u64>,
    /// The last clocks of threads that have ended, by process and by the name that the process has for them.
    ended: BTreeMap<(u64, u64), Clock>,
    objects: BTreeMap<(u64, u64), Clock>,
    atomics: BTreeMap<(u64, u64), Given>,
    /// By process, and cells from a multiple of [`CELLS`] on.
    cells: BTreeMap<(u64, u64), Rc<Cells>>,
    /// Pairs of places whose race the path has met and gone past.
    met: BTreeSet<(u32, u32)>,
    /// Races that were met by the op that has just been done, as sentences.
    untold: Vec<Rc<str>>,
}

impl Clocks {
    fn thread(&mut self, tid: u64) -> &mut Thread {
        let numbers = &mut self.numbers;
        self.threads.entry(tid).or_insert_with(|| {
            let index = numbers.len() as u32;
            numbers.push(tid);
            let mut clock = Clock::default();
            clock.tick(index);
            Thread { index, clock, ..Thread::default() }
        })
    }

    /// A thread has been made by another.
    pub(crate) fn begins(&mut self, tid: u64, by: u64) {
        let parent = self.thread(by);
        let before = parent.clock.clone();
        parent.clock.tick(parent.index);
        self.thread(tid).clock.join(&before);
    }

    /// A thread has ended; its process calls it by `name`.
    pub(crate) fn ends(&mut self, tid: u64, pid: u64, name: u64) {
        if let Some(thread) = self.threads.remove(&tid) {
            self.ended.insert((pid, name), thread.clock);
        }
    }

    /// A thread has waited for the end of another. That one has ended, or it is `living` by this number and does nothing more
    /// for the program.
    pub(crate) fn joins(&mut self, tid: u64, (pid, name): (u64, u64), living: Option<u64>) {
        let last = match living {
            Some(other) => self.thread(other).clock.clone(),
            None => self.ended.get(&(pid, name)).cloned().unwrap_or_default(),
        };
        self.thread(tid).clock.join(&last);
    }

    /// Orders the past of a thread before all later acquires of the object.
    pub(crate) fn releases(&mut self, tid: u64, object: (u64, u64)) {
        let thread = self.thread(tid);
        let clock = thread.clock.clone();
        thread.clock.tick(thread.index);
        self.objects.entry(object).or_default().join(&clock);
    }

    /// Orders all earlier releases of the object before the rest of the thread.
    pub(crate) fn acquires(&mut self, tid: u64, object: (u64, u64)) {
        if let Some(clock) = self.objects.get(&object).cloned() {
            self.thread(tid).clock.join(&clock);
        }
    }

    /// The accesses of a thread are one atomic access from here on, or are none any more.
    pub(crate) fn set_in_atomic(&mut self, tid: u64, is: bool) {
        self.thread(tid).in_atomic = is;
    }

    pub(crate) fn in_atomic(&self, tid: u64) -> bool {
        self.threads.get(&tid).is_some_and(|thread| thread.in_atomic)
    }

    /// The next accesses of a thread are those of the point that it has passed, or no more.
    pub(crate) fn set_at_point(&mut self, tid: u64, is: bool) {
        self.thread(tid).at_point = is;
    }

    pub(crate) fn at_point(&self, tid: u64) -> bool {
        self.threads.get(&tid).is_some_and(|thread| thread.at_point)
    }

    /// The path goes past a race of two places; `told` makes the report, which is kept the first time.
    pub(crate) fn goes_past(&mut self, [one, other]: [u32; 2], told: impl FnOnce() -> Rc<str>) {
        if self.met.insert((one.min(other), one.max(other))) {
            self.untold.push(told());
        }
    }

    /// The first race that the path has gone past and that is not reported yet.
    pub(crate) fn untold(&self) -> Option<&Rc<str>> {
        self.untold.first()
    }

    /// Marks that race as reported.
    pub(crate) fn is_told(&mut self) {
        self.untold.remove(0);
    }

    /// A fence: one that acquires joins the clocks that relaxed reads have met; one that releases keeps the clock for relaxed
    /// writes.
    pub(crate) fn fences(&mut self, tid: u64, how: Ordering) {
        let thread = self.thread(tid);
        if how.acquires {
            let met = std::mem::take(&mut thread.met);
            thread.clock.join(&met);
        }
        if how.releases {
            thread.fenced = thread.clock.clone();
            thread.clock.tick(thread.index);
        }
    }

    /// The first half of an atomic access: a read joins the clock that the object passes on.
    pub(crate) fn takes(&mut self, tid: u64, object: (u64, u64), how: Ordering) {
        let Some(given) = self.atomics.get(&object).filter(|_| how.reads).cloned() else { return };
        let thread = self.thread(tid);
        if how.acquires { &mut thread.clock } else { &mut thread.met }.join(&given.clock);
    }

    /// The second half of an atomic access: a write sets the clock that the object passes to later reads.
    pub(crate) fn gives(&mut self, tid: u64, object: (u64, u64), how: Ordering) {
        if !how.writes {
            return;
        }
        let given = self.atomics.get(&object).cloned();
        let thread = self.thread(tid);
        let gives = if how.releases { thread.clock.clone() } else { thread.fenced.clone() };
        let index = thread.index;
        if how.releases {
            thread.clock.tick(index);
        }
        let mut given = given.unwrap_or_default();
        let mut own = given.heads.get(&index).cloned().unwrap_or_default();
        own.join(&gives);
        if how.reads {
            given.clock.join(&own);
        } else {
            // It ends the release sequences of others.
            given = Given { clock: own.clone(), heads: BTreeMap::new() };
        }
        given.heads.insert(index, own);
        self.atomics.insert(object, given);
    }

    /// Notes an access of a thread. Returns the accesses of other threads to some of its bytes that conflict with it and are
    /// not ordered, each with the number of its thread.
    pub(crate) fn accesses(
        &mut self,
        (pid, tid): (u64, u64),
        (address, size): (u64, u64),
        doing: Doing,
    ) -> Vec<(Access, u64)> {
        let mut met = Vec::new();
        let thread = self.thread(tid);
        let (index, clock) = (thread.index, thread.clock.clone());
        let time = clock.get(index);
        let Doing { writes, atomic, at_point, place } = doing;
        let (mut at, end) = (address, address.saturating_add(size));
        while at < end {
            let (cell, from) = (at / CELL, at % CELL);
            let count = (end - at).min(CELL - from);
            let mask = (u64::MAX >> (CELL - count)) << from;
            let cells = Rc::make_mut(self.cells.entry((pid, cell / CELLS)).or_default());
            let known = cells.entry(cell).or_default();
            let access = Access { mask, thread: index, time, writes, atomic, at_point, place };
            let before = |other: &Access| other.thread == index || other.time <= clock.get(other.thread);
            let conflicts = |other: &&Access| {
                other.mask & mask != 0 && (writes || other.writes) && !(atomic && other.atomic)
            };
            let racing = known.iter().filter(conflicts).filter(|other| !before(other));
            let number = |other: &Access| self.numbers.get(other.thread as usize).copied().unwrap_or(0);
            met.extend(racing.map(|other| (*other, number(other))));
            // A later access that races with the earlier one races with this one too: this one stands for both.
            for other in known.iter_mut() {
                let stands_for = (writes || !other.writes) && (!atomic || other.atomic);
                if before(other) && stands_for && (!at_point || other.at_point) {
                    other.mask &= !mask;
                }
            }
            known.retain(|other| other.mask != 0);
            known.push(access);
            at += count;
        }
        met
    }

    /// The bytes from one address to another are new: their accesses are forgotten.
    pub(crate) fn forget(&mut self, pid: u64, from: u64, to: u64) {
        let (first, last) = (from / CELL / CELLS, to.div_ceil(CELL * CELLS));
        let gone: Vec<_> = self.cells.range((pid, first)..(pid, last)).map(|(&key, _)| key).collect();
        for key in gone {
            self.cells.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An event of a thread; a run lists them in the order of execution.
    #[derive(Clone, Copy, Debug)]
    enum Event {
        Plain { address: u64, size: u64, writes: bool },
        Atomic { address: u64, how: Ordering },
        Fence { how: Ordering },
        Acquire(u64),
        Release(u64),
        Make(u64),
        Join(u64),
    }

    /// Numbers that look random (xorshift: Marsaglia, Journal of Statistical Software 8, 2003).
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % end
        }
        fn coin(&mut self) -> bool {
            self.below(2) == 1
        }
    }

    /// A run of up to four threads: thread 0 makes the others, and each that has been made does something when it is its turn.
    fn random_run(random: &mut Random) -> Vec<(u64, Event)> {
        let (mut made, mut ended, mut run) = (1, Vec::new(), Vec::new());
        for _ in 0..4 + random.below(20) {
            let thread = random.below(made);
            if ended.contains(&thread) {
                continue;
            }
            let how = Ordering {
                reads: random.coin(),
                writes: random.coin(),
                acquires: random.coin(),
                releases: random.coin(),
            };
            let event = match random.below(9) {
                0 if made < 4 => {
                    made += 1;
                    Event::Make(made - 1)
                }
                1 if thread == 0 && made > 1 => {
                    let other = 1 + random.below(made - 1);
                    ended.push(other);
                    Event::Join(other)
                }
                2 => Event::Acquire(random.below(2)),
                3 => Event::Release(random.below(2)),
                4 => Event::Fence { how },
                5 | 6 if how.reads || how.writes => {
                    // An access that does not read acquires nothing, and one that does not write releases nothing.
                    let (acquires, releases) = (how.acquires && how.reads, how.releases && how.writes);
                    Event::Atomic {
                        address: 64 * random.below(2),
                        how: Ordering { acquires, releases, ..how },
                    }
                }
                _ => Event::Plain {
                    address: 60 + random.below(6),
                    size: 1 + random.below(5),
                    writes: random.coin(),
                },
            };
            run.push((thread, event));
        }
        run
    }

    /// The happens-before relation by C11's rules one by one: an edge for each, then the transitive closure.
    fn happens_before(run: &[(u64, Event)]) -> Vec<Vec<bool>> {
        let n = run.len();
        let mut before = vec![vec![false; n]; n];
        for j in 0..n {
            for i in 0..j {
                let ((a, first), (b, second)) = (run[i], run[j]);
                before[i][j] |= a == b
                    || matches!(first, Event::Make(t) if t == b)
                    || matches!(second, Event::Join(t) if t == a)
                    || matches!((first, second), (Event::Release(x), Event::Acquire(y)) if x == y)
                    // A thread that does nothing has begun and ended all the same.
                    || matches!((first, second), (Event::Make(x), Event::Join(y)) if x == y);
            }
        }
        for (i, j) in synchronised(run) {
            before[i][j] = true;
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    before[i][j] |= before[i][k] && before[k][j];
                }
            }
        }
        before
    }

    /// Atomic writes and fences that synchronise with atomic reads and fences (C11, 5.1.2.4 and 7.17.4).
    fn synchronised(run: &[(u64, Event)]) -> Vec<(usize, usize)> {
        let at = |i: usize| match run[i].1 {
            Event::Atomic { address, how } => Some((address, how)),
            _ => None,
        };
        let mut edges = Vec::new();
        for r in 0..run.len() {
            let Some((address, reads)) = at(r).filter(|(_, how)| how.reads) else { continue };
            // Earlier writes to the address: each may be the head of a release sequence that the read meets.
            let writes: Vec<usize> =
                (0..r).filter(|&w| at(w).is_some_and(|(a, how)| a == address && how.writes)).collect();
            for (k, &head) in writes.iter().enumerate() {
                let continues =
                    |&w: &usize| run[w].0 == run[head].0 || at(w).is_some_and(|(_, how)| how.reads);
                if !writes[k + 1..].iter().all(continues) {
                    continue;
                }
                let fence = |i: usize, wanted: fn(&Ordering) -> bool| matches!(&run[i].1, Event::Fence { how } if wanted(how));
                let mut from: Vec<usize> = Vec::new();
                if at(head).is_some_and(|(_, how)| how.releases) {
                    from.push(head);
                }
                from.extend((0..head).filter(|&i| run[i].0 == run[head].0 && fence(i, |how| how.releases)));
                let mut to: Vec<usize> = Vec::new();
                if reads.acquires {
                    to.push(r);
                }
                to.extend((r..run.len()).filter(|&i| run[i].0 == run[r].0 && fence(i, |how| how.acquires)));
                edges.extend(from.iter().flat_map(|&i| to.iter().map(move |&j| (i, j))));
            }
        }
        edges
    }

    /// The bytes of an access; true if it writes; true if it is atomic.
    fn bytes_of(event: Event) -> Option<(std::ops::Range<u64>, bool, bool)> {
        match event {
            Event::Plain { address, size, writes } => Some((address..address + size, writes, false)),
            Event::Atomic { address, how } => Some((address..address + 4, how.writes, true)),
            _ => None,
        }
    }

    /// The first event that races with an earlier one.
    fn first_race(run: &[(u64, Event)]) -> Option<usize> {
        let before = happens_before(run);
        (0..run.len()).find(|&j| {
            let Some((own, writes, atomic)) = bytes_of(run[j].1) else { return false };
            (0..j).any(|i| match bytes_of(run[i].1) {
                Some((other, also, too)) => {
                    let meet = own.start < other.end && other.start < own.end;
                    meet && (writes || also) && !(atomic && too) && !before[i][j]
                }
                None => false,
            })
        })
    }

    fn found_by_clocks(run: &[(u64, Event)]) -> Option<usize> {
        let mut clocks = Clocks::default();
        clocks.thread(0);
        run.iter().position(|&(tid, event)| {
            if let Event::Atomic { address, how } = event {
                clocks.takes(tid, (1, address), how);
            }
            if let Some((bytes, writes, atomic)) = bytes_of(event) {
                let place = (bytes.start, bytes.end - bytes.start);
                if !clocks
                    .accesses((1, tid), place, Doing { writes, atomic, at_point: false, place: 0 })
                    .is_empty()
                {
                    return true;
                }
            }
            match event {
                Event::Plain { .. } => {}
                Event::Atomic { address, how } => clocks.gives(tid, (1, address), how),
                Event::Fence { how } => clocks.fences(tid, how),
                Event::Acquire(object) => clocks.acquires(tid, (1, object)),
                Event::Release(object) => clocks.releases(tid, (1, object)),
                Event::Make(other) => clocks.begins(other, tid),
                Event::Join(other) => clocks.joins(tid, (1, 0), Some(other)),
            }
            false
        })
    }

    #[test]
    fn the_first_race_of_random_runs_is_that_of_the_definition() {
        let mut random = Random(101);
        let mut races = 0;
        for _ in 0..20_000 {
            let run = random_run(&mut random);
            let found = found_by_clocks(&run);
            assert_eq!(found, first_race(&run), "{run:#?}");
            races += usize::from(found.is_some());
        }
        assert!((1_000..19_000).contains(&races), "{races} runs of 20,000 race");
    }
}
