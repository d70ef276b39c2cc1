//! States beside a path that reached much new code: the alternatives of such a path are explored first (the
//! generational search of SAGE; Godefroid, Levin, Molnar 2008, section 3.2, which scores whole runs).
//!
//! A run is the sequence of states that one state becomes along its own input. At each fork the other side hangs from the run.
//! It is worth one point for each new place of the run, before the fork or after it. When its turn comes, it begins a run of its
//! own. The highest worth is next; if all are worth nothing, a walk from the entry decides.
//!
//! The strategy `novelty` counts marks of novelty, too ([`crate::states::novelty`], and [`Space::access_marks`]): lines are soon covered
//! where a bug wants the eighth character of a name. A run then begins with half the worth of the run that it hung from, because
//! such marks come one after the other: the ninth lies beside the eighth. It begins with half a mark at most: a long path comes to dozens
//! of marks at once, and paths beside paths beside it would have all the turns.
//!
//! [`Space::access_marks`]: crate::space::Space::access_marks

use crate::strategies::Making;
use crate::strategies::ranked::Ranked;
use crate::strategy::{Place, Random, Slot, StateView, Strategy, Waiters};

/// Worth of a new place or mark where marks count (else a place is worth one), and the most that counts for what a run inherits. It halves from a run to
/// those that hung from it, so it lasts for five generations.
const POINTS: u64 = 16;

/// Run of a state, and its role there.
#[derive(Clone, Copy, Debug)]
struct Member {
    run: u32,
    /// True if it waits beside the run, and has not begun its own.
    hangs: bool,
    /// Number of times that its worth is halved: see [`StateView::halvings`].
    halvings: u32,
}

/// The run of a state.
#[derive(Debug, Default)]
struct Run {
    /// Points for the new places and marks that it reached.
    news: u64,
    /// States that hang from it. Some may have left.
    hung: Vec<Slot>,
    /// States that belong to it.
    members: usize,
}

struct Generational {
    random: Random,
    /// True if marks of novelty count beside new places.
    novelty: bool,
    worth: Ranked,
    members: Vec<Option<Member>>,
    runs: Vec<Run>,
    free: Vec<u32>,
    /// Points of new places and marks of the state at hand, credited when it changes or leaves.
    news: u64,
    /// The state that came last: a true side, until the false side of its fork changes.
    came: Option<Slot>,
}

pub(crate) fn make(making: &Making) -> Box<dyn Strategy> {
    Box::new(Generational::new(making.seed, false))
}

/// Marks of novelty count, too, each as much as a new place.
pub(crate) fn make_novelty(making: &Making) -> Box<dyn Strategy> {
    Box::new(Generational::new(making.seed, true))
}

impl Generational {
    fn new(seed: u64, novelty: bool) -> Generational {
        Generational {
            random: Random::new(seed),
            novelty,
            worth: Ranked::default(),
            members: Vec::new(),
            runs: Vec::new(),
            free: Vec::new(),
            news: 0,
            came: None,
        }
    }

    fn member(&self, slot: Slot) -> Option<Member> {
        self.members.get(slot.index()).copied().flatten()
    }

    /// Takes a state out of its run.
    fn part(&mut self, slot: Slot) {
        let Some(Member { run, .. }) = self.members.get_mut(slot.index()).and_then(Option::take) else {
            return;
        };
        let of = &mut self.runs[run as usize];
        of.members -= 1;
        if of.members == 0 {
            *of = Run::default();
            self.free.push(run);
        }
    }

    /// Puts a state into a run.
    fn join(&mut self, slot: Slot, run: u32, (hangs, halvings): (bool, u32)) {
        self.runs[run as usize].members += 1;
        self.part(slot);
        if self.members.len() <= slot.index() {
            self.members.resize(slot.index() + 1, None);
        }
        self.members[slot.index()] = Some(Member { run, hangs, halvings });
        if hangs {
            let Run { hung, news, .. } = &mut self.runs[run as usize];
            hung.push(slot);
            self.worth.put(slot, *news >> halvings);
        } else {
            self.worth.put(slot, 0);
        }
    }

    /// Begins a run of its own.
    fn begin(&mut self, slot: Slot) -> u32 {
        let run = self.free.pop().unwrap_or_else(|| {
            self.runs.push(Run::default());
            self.runs.len() as u32 - 1
        });
        self.join(slot, run, (false, 0));
        run
    }

    /// Credits the latest new places to this run.
    fn credit(&mut self, run: u32) {
        let news = std::mem::take(&mut self.news);
        if news == 0 {
            return;
        }
        let Run { news: all, hung, .. } = &mut self.runs[run as usize];
        *all += news;
        let members = &self.members;
        let is_here =
            |slot: &Slot| matches!(members.get(slot.index()), Some(Some(m)) if m.run == run && m.hangs);
        hung.retain(is_here);
        hung.sort_unstable();
        hung.dedup();
        for slot in hung.iter() {
            let halvings = members[slot.index()].map_or(0, |member| member.halvings);
            self.worth.put(*slot, *all >> halvings);
        }
    }
}

impl Strategy for Generational {
    fn add(&mut self, slot: Slot, _: &StateView) {
        self.begin(slot);
        self.came = Some(slot);
    }

    fn changed(&mut self, slot: Slot, state: &StateView) {
        let run = match self.member(slot) {
            Some(Member { run, hangs: false, .. }) => run,
            // Its turn has come.
            parent => {
                let parent = parent.filter(|_| self.novelty);
                let inherited =
                    parent.map_or(0, |member| self.runs[member.run as usize].news.min(POINTS) / 2);
                let run = self.begin(slot);
                self.runs[run as usize].news = inherited;
                run
            }
        };
        self.credit(run);
        let Some(came) = self.came.take() else { return };
        // The sides of a fork: the state that goes on takes the input's side.
        // A mark inside of the C library counts in full: the library's loops are those of strings.
        let hangs = (true, if self.novelty { 0 } else { state.halvings() });
        if state.unasked {
            self.join(came, run, (false, 0));
            self.join(slot, run, hangs);
        } else {
            self.join(came, run, hangs);
        }
    }

    fn remove(&mut self, slot: Slot) {
        if let Some(Member { run, .. }) = self.member(slot) {
            self.credit(run);
        }
        self.came = None;
        self.part(slot);
        self.worth.remove(slot);
    }

    fn next(&mut self, waiters: &Waiters) -> Option<Slot> {
        self.came = None;
        let (worth, slot) = self.worth.last()?;
        if worth > 0 {
            return Some(slot);
        }
        waiters.walk_to(&mut self.random, |end| self.worth.contains(end)).or(Some(slot))
    }

    fn covered(&mut self, places: &[Place]) {
        self.news += places.len() as u64 * if self.novelty { POINTS } else { 1 };
    }

    fn novel(&mut self, marks: u64) {
        if self.novelty {
            self.news += marks * POINTS;
        }
    }

    fn uses_novelty(&self) -> bool {
        self.novelty
    }

    fn uses_coverage(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(unasked: bool) -> StateView {
        StateView { unasked, ..StateView::default() }
    }

    /// A state forks: the input takes the true side.
    fn fork(generational: &mut Generational, slot: u32, on_true: u32) {
        generational.add(Slot(on_true), &view(false));
        generational.changed(Slot(slot), &view(true));
    }

    fn news(generational: &mut Generational, n: u32) {
        let places: Vec<Place> = (0..n).map(|pc| Place { func: 0, pc }).collect();
        generational.covered(&places);
    }

    #[test]
    fn what_hangs_from_the_run_with_the_most_news_is_next_also_where_they_came_after_the_fork() {
        let mut generational = Generational::new(1, false);
        let waiters = Waiters::default();
        // A run: 0 -> 1 -> 2, which ends; 0 and 1 hang from it.
        generational.add(Slot(0), &view(false));
        news(&mut generational, 2);
        fork(&mut generational, 0, 1);
        fork(&mut generational, 1, 2);
        news(&mut generational, 3);
        generational.remove(Slot(2));
        assert_eq!(generational.worth.last().map(|(worth, _)| worth), Some(5));
        let next = generational.next(&waiters).unwrap();
        assert!([Slot(0), Slot(1)].contains(&next));
        // One of them begins a run of its own, which finds more. The other is still worth what it was.
        news(&mut generational, 7);
        generational.changed(next, &view(false));
        fork(&mut generational, next.0, 3);
        assert_eq!(generational.next(&waiters), Some(next), "hangs from the better run");
        generational.remove(next);
        let other = Slot(1 - next.0);
        assert_eq!(generational.next(&waiters), Some(other));
        generational.remove(other);
        generational.remove(Slot(3));
        assert!(generational.worth.is_empty() && generational.runs.iter().all(|run| run.members == 0));
    }

    #[test]
    fn marks_count_for_novelty_alone_and_half_a_mark_is_handed_down() {
        for novelty in [false, true] {
            let mut generational = Generational::new(1, novelty);
            assert_eq!(generational.uses_novelty(), novelty);
            generational.add(Slot(0), &view(false));
            generational.novel(2);
            fork(&mut generational, 0, 1);
            let worth = |generational: &Generational| generational.worth.last().map_or(0, |(worth, _)| worth);
            assert_eq!(worth(&generational), if novelty { 2 * POINTS } else { 0 });
            // The turn of the hung state comes, and it forks without news.
            fork(&mut generational, 0, 2);
            assert_eq!(worth(&generational), if novelty { POINTS / 2 } else { 0 });
        }
    }
}
