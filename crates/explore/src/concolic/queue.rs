//! The queue of a concolic exploration, in the order of turns. [`crate::Concolic`] pushes runs and pops the next item or run.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use cleave_region::{Region, Weight};

use crate::concolic::negating::{Negated, Negating};
use crate::meter::Meter;
use crate::space::Space;

/// Number of runs kept in memory; further runs are suspended as regions, and repeated when their turn comes.
const RUNS: usize = 1024;

/// Maximum number of queries made in order to give items away.
const QUESTIONS: usize = 256;

/// Order of items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ItemOrder {
    /// Items whose parent's run reached the most places that no run of this worker had reached (the score of Godefroid,
    /// Levin and Molnar 2008); among equals those of the newest run, so that few runs wait if the order does not
    /// matter.
    #[default]
    Generational,
    /// Those of the oldest run (Siddiqui and Khurshid 2010, whose monitor has a queue).
    Fifo,
}

/// Names of orders, as users give them.
pub const ITEM_ORDERS: [(&str, ItemOrder); 2] =
    [("generational", ItemOrder::Generational), ("fifo", ItemOrder::Fifo)];

/// A work item. The inputs are the test of its region's cuts.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Region of its paths: the prefix (inputs, position), or any other region.
    pub(crate) region: Region,
    /// Number of new places of the run from which it results.
    pub(crate) score: u64,
    /// For the rest of a suspended run: the turn of that run, to which it returns.
    pub(crate) of: Option<Turn>,
}

/// The next thing to do.
pub(crate) enum Next<S: Space> {
    /// Run these inputs.
    Item(Item),
    /// Negate a decision of this run; then it is [put back](Queue::put_back).
    Run(Turn, Box<Negating<S>>),
}

/// Turn of an entry. The smallest is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Turn {
    score: Reverse<u64>,
    age: Age,
    /// Distinguishes several regions of one run.
    part: u32,
}

/// Order of entries with equal scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Age {
    OldestFirst(u64),
    NewestFirst(Reverse<u64>),
}

/// An entry of the queue.
enum Waiting<S: Space> {
    /// An item that has no run yet.
    Item(Region),
    /// The rest of a suspended run.
    Regions(Vec<Region>),
    /// A run, with unchecked sides beside it.
    Run(Box<Negating<S>>),
}

impl<S: Space> Waiting<S> {
    /// Maximum number of items that it can give.
    fn len(&self) -> usize {
        match self {
            Waiting::Item(_) => 1,
            Waiting::Regions(regions) => regions.len(),
            Waiting::Run(run) => run.sides(),
        }
    }

    fn regions(&self, space: &mut S) -> Vec<Region> {
        match self {
            Waiting::Item(region) => vec![region.clone()],
            Waiting::Regions(regions) => regions.clone(),
            Waiting::Run(run) => run.undone(space),
        }
    }
}

/// The position of a region: the first decision that is negated.
fn position(region: &Region) -> u32 {
    region.lo.as_ref().and_then(|cut| cut.depth).unwrap_or(0)
}

/// The entries by turn, each with the length of its shortest prefix.
pub(crate) struct Queue<S: Space> {
    order: ItemOrder,
    waiting: BTreeMap<Turn, (u32, Waiting<S>)>,
    shallow: BTreeSet<(u32, Turn)>,
    /// The turns of the entries that are runs.
    runs: BTreeSet<Turn>,
    /// Number of items that wait.
    items: usize,
    next: u64,
}

impl<S: Space> Queue<S> {
    pub(crate) fn new(order: ItemOrder) -> Queue<S> {
        let (waiting, shallow, runs) = Default::default();
        Queue { order, waiting, shallow, runs, items: 0, next: 0 }
    }

    /// Number of items that wait: each unchecked side counts as one.
    pub(crate) fn len(&self) -> usize {
        self.items
    }

    fn place(&mut self, score: u64) -> Turn {
        let number = self.next;
        self.next += 1;
        let (score, age) = match self.order {
            ItemOrder::Fifo => (0, Age::OldestFirst(number)),
            ItemOrder::Generational => (score, Age::NewestFirst(Reverse(number))),
        };
        Turn { score: Reverse(score), age, part: 0 }
    }

    /// Inserts an entry at its turn, behind other parts of the same run.
    fn insert(&mut self, mut place: Turn, position: u32, what: Waiting<S>) {
        if what.len() == 0 {
            return;
        }
        while self.waiting.contains_key(&place) {
            place.part += 1;
        }
        self.items += what.len();
        if matches!(what, Waiting::Run(_)) {
            self.runs.insert(place);
        }
        self.shallow.insert((position, place));
        self.waiting.insert(place, (position, what));
    }

    fn remove(&mut self, place: Turn) -> Option<Waiting<S>> {
        let (position, what) = self.waiting.remove(&place)?;
        self.shallow.remove(&(position, place));
        self.runs.remove(&place);
        self.items -= what.len();
        Some(what)
    }

    pub(crate) fn push(&mut self, item: Item) {
        let place = self.place(item.score);
        self.insert(place, position(&item.region), Waiting::Item(item.region));
    }

    /// Pushes the run of an item; it reached `score` new places.
    pub(crate) fn push_run(&mut self, space: &mut S, run: Box<Negating<S>>, item: &Item, score: u64) {
        let place = item.of.unwrap_or_else(|| self.place(score));
        self.put_back(space, place, run);
    }

    /// Puts a taken or new run into the queue.
    pub(crate) fn put_back(&mut self, space: &mut S, place: Turn, run: Box<Negating<S>>) {
        self.insert(place, run.position(space), Waiting::Run(run));
        if self.runs.len() > RUNS {
            self.write_down(space, self.runs.last().copied());
        }
    }

    /// Replaces a run by regions.
    fn write_down(&mut self, space: &mut S, place: Option<Turn>) {
        if let Some(place) = place
            && let Some(Waiting::Run(run)) = self.remove(place)
        {
            self.insert(place, run.position(space), Waiting::Regions(run.undone(space)));
        }
    }

    /// Replaces all runs by regions, because the space is about to be renewed.
    pub(crate) fn write_all_down(&mut self, space: &mut S) {
        while !self.runs.is_empty() {
            self.write_down(space, self.runs.first().copied());
        }
    }

    /// Takes out the next entry.
    pub(crate) fn pop(&mut self) -> Option<Next<S>> {
        let place = *self.waiting.first_key_value()?.0;
        let (score, of) = (place.score.0, None);
        match self.remove(place)? {
            Waiting::Item(region) => Some(Next::Item(Item { region, score, of })),
            Waiting::Run(run) => Some(Next::Run(place, run)),
            Waiting::Regions(mut regions) => {
                let region = regions.remove(0);
                if let Some(next) = regions.first() {
                    let behind = Turn { part: place.part + 1, ..place };
                    self.insert(behind, position(next), Waiting::Regions(regions));
                }
                Some(Next::Item(Item { region, score, of: Some(place) }))
            }
        }
    }

    /// Takes out up to `n` items, those with the shortest prefixes first. Negates decisions until there are `n`, or
    /// [`QUESTIONS`] queries were made and there is at least one item. A side whose query is unknown is taken out as it is.
    /// Returns also the weights of the sides that turned out infeasible.
    pub(crate) fn shallowest(&mut self, space: &mut S, n: usize, meter: &mut Meter) -> (Vec<Region>, Weight) {
        let (mut given, mut refuted) = (Vec::new(), Weight::ZERO);
        let mut questions = 0;
        while given.len() < n && (questions < QUESTIONS || given.is_empty()) {
            let Some(&(_, place)) = self.shallow.first() else { break };
            match self.remove(place) {
                Some(Waiting::Item(region)) => given.push(region),
                Some(Waiting::Regions(mut regions)) => {
                    given.push(regions.remove(0));
                    if let Some(next) = regions.first() {
                        self.insert(place, position(next), Waiting::Regions(regions));
                    }
                }
                Some(Waiting::Run(mut run)) => {
                    questions += 1;
                    match run.next(space, meter) {
                        Negated::Item(region) | Negated::Unknown(region, _) => given.push(region),
                        Negated::Refuted(weight) => refuted += weight,
                        Negated::Nothing => {}
                    }
                    self.put_back(space, place, run);
                }
                None => break,
            }
        }
        (given, refuted)
    }

    /// Takes out entries that make `n` items or a few more, those with the last turns; never the last entry of all.
    pub(crate) fn last(&mut self, space: &mut S, n: usize) -> Vec<Region> {
        let (mut taken, mut items) = (Vec::new(), 0);
        while items < n && self.waiting.len() > 1 {
            let Some(place) = self.waiting.last_key_value().map(|(place, _)| *place) else { break };
            let Some(what) = self.remove(place) else { break };
            items += what.len();
            taken.extend(what.regions(space));
        }
        taken
    }

    /// All entries as regions, in the order of their turns.
    pub(crate) fn regions(&self, space: &mut S) -> Vec<Region> {
        self.waiting.values().flat_map(|(_, what)| what.regions(space)).collect()
    }
}
