//! A mutator inside of a symbolic worker: executions of mutated tests, as a part of the counted work. An execution that comes to
//! something new is a find, which the exploration follows; so it becomes a path of the exploration.

mod beside; // A thread beside the worker that executes mutated tests natively.
mod corpus; // Tests with new marks, and mutations of them, by libafl.
mod native; // The process that executes tests natively.

use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use cleave_region::{PathRecord, Test};
use serde::{Deserialize, Serialize};

use crate::explorer::Explorer;
use crate::explorer::pursuing::Pursuit;
use crate::paths::walk::Reach;
use crate::space::{Ending, Execution, Space};
use beside::Beside;
use corpus::Corpus;
pub use native::NativeProgram;

/// Work of an execution beside its instructions, in instructions: clones, comparisons of counts, a mutation.
const EXECUTION: u64 = 4096;
/// Turns between two looks for an executor that is being compiled.
const LOOKS: u32 = 64;
/// Maximum number of executions in a turn: a worker looks for messages between two.
const AT_ONCE: u32 = 64;
/// Instructions of an execution, some twenty milliseconds, after which it is cut.
const LONGEST: u64 = 1 << 22;
/// A find is walked for as many instructions more than its execution had, because a path may begin before the snapshot.
const BEFORE_SNAPSHOT: u64 = 1 << 26;
/// Time for the walk to a find. Ops on symbolic values may take a thousand times as long as those of its execution.
const WALK: Duration = Duration::from_millis(300);
/// As [`WALK`], to a find that is a bug.
const WALK_TO_BUG: Duration = Duration::from_secs(3);
/// Greatest part of the exploration's work for tests with words that the program compares with, in percent.
const SUGGESTED: u64 = 10;
/// Greatest part of the exploration's work for pursuits, in percent.
const MOST_PURSUED: u64 = 50;
/// Work of pursuits, in instructions, beyond their part of the exploration's: that of some 250 decisions. A find can lie behind a
/// million decisions, where other states end after ten: with eight times as much, a run of six seconds came to one path.
const PURSUIT: u64 = 1 << 19;
/// Maximum number of finds, and of tests of paths, that wait; older ones have come to less.
const WAITING: usize = 256;
/// The work of a waiting state that is looked at for a find, in instructions.
const LOOK: u64 = 16;

/// A find, and how its execution ended.
struct Find {
    test: Test,
    ending: Ending,
    instructions: u64,
    /// Its bug is of a kind and place that no execution showed before.
    is_bug: bool,
}

impl Find {
    /// True if a path ends as the execution did.
    fn ends_as(&self, path: &PathRecord) -> bool {
        let of_path = path.bug.as_ref().map(|bug| (bug.kind.as_str(), bug.place.as_str()));
        match &self.ending {
            Ending::Path { kind, bug: Some((name, place)) } => {
                path.kind == *kind && of_path == Some((name, place))
            }
            Ending::Path { kind, bug: None } => path.kind == *kind,
            Ending::Excluded | Ending::TooLong => false,
        }
    }
}

/// Counts of a mutator, beside those of its executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mutations {
    /// Finds that the exploration followed to the end of a path.
    pub followed: u64,
    /// Finds that lie in none of the worker's waiting states, or whose state was given away or cut off.
    pub elsewhere: u64,
    /// Finds that were not followed to their end, because that took more than pursuits' part of the work.
    pub unfinished: u64,
    /// Finds whose path ended otherwise than the execution.
    pub disagree: u64,
    /// Native executions.
    pub native: u64,
}

/// The native executor of a mutator.
enum Executor {
    /// None, or none any more.
    Without,
    /// It is being compiled.
    Awaited(NativeProgram, u32),
    /// It runs.
    Running(Beside),
}

/// Where a test comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// It is that of a recorded path.
    Path,
    Mutation,
    /// The native executor came to something new with it.
    Native,
}

/// The part of the work for executions, in percent. It is `least` as long as the exploration comes to new code, and grows towards
/// `most` when it has come to none in the second half of its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutatedShare {
    /// The least part, at most 95.
    pub least: u32,
    /// The greatest part, at most 95.
    pub most: u32,
}

impl MutatedShare {
    /// The same part all the time.
    pub const fn always(percent: u32) -> MutatedShare {
        MutatedShare { least: percent, most: percent }
    }

    /// The part in percent after `explored` work of the exploration, of which the last `stale` came to nothing new.
    fn at(self, explored: u64, stale: u64) -> u64 {
        let [least, most] = [self.least, self.most].map(|percent| u64::from(percent.min(95)));
        // In thousandths: the product with the work may be too large.
        let half = (explored / 2000).max(1);
        let grown = stale.saturating_sub(explored / 2) / half;
        least + most.saturating_sub(least) * grown.min(1000) / 1000
    }
}

/// Executes mutated tests in turn with an exploration.
pub struct Mutator {
    corpus: Corpus,
    seed: u64,
    share: MutatedShare,
    /// Places that the exploration has come to, and its work when it came to the last.
    reached: usize,
    reached_at: u64,
    /// Work of the exploration, of executions, of pursuits, and of executions with words that the program compares with, in instructions.
    explored: u64,
    executed: u64,
    pursued: u64,
    suggested: u64,
    /// Tests of recorded paths, to be executed.
    offered: VecDeque<Test>,
    bugs: VecDeque<Find>,
    finds: VecDeque<Find>,
    /// The find that the exploration follows.
    at: Option<Find>,
    /// Kinds and places of bugs that were found.
    known: BTreeSet<(String, String)>,
    counts: Mutations,
    begun: bool,
    executor: Executor,
    /// Tests that came to something new in the executor, to be executed by the engine.
    native: VecDeque<Test>,
}

impl Mutator {
    /// A mutator that takes this share of the work; `seed` determines its choices, and `space` has its words.
    pub fn new<S: Space>(space: &mut S, share: MutatedShare, seed: u64) -> Mutator {
        space.look_for_words();
        Mutator {
            corpus: Corpus::new(seed, space.words()),
            seed,
            share,
            reached: 0,
            reached_at: 0,
            explored: 0,
            executed: 0,
            pursued: 0,
            suggested: 0,
            offered: VecDeque::new(),
            bugs: VecDeque::new(),
            finds: VecDeque::new(),
            at: None,
            known: BTreeSet::new(),
            counts: Mutations::default(),
            begun: false,
            executor: Executor::Without,
            native: VecDeque::new(),
        }
    }

    /// Lets a native executor choose the tests that the engine executes.
    #[must_use]
    pub fn natively(mut self, program: Option<NativeProgram>) -> Mutator {
        self.executor = program.map_or(Executor::Without, |program| Executor::Awaited(program, 0));
        self
    }

    /// Takes the counts since the last call.
    pub fn take_counts(&mut self) -> Mutations {
        if let Executor::Running(beside) = &self.executor {
            self.counts.native += beside.take_count();
        }
        std::mem::take(&mut self.counts)
    }

    /// Has its turn before a step of the exploration: executes what its part of the work allows, and lets the exploration follow a
    /// find.
    pub fn turn<S: Space>(&mut self, space: &mut S, explorer: &mut Explorer<S>) {
        self.explored += explorer.take_work();
        let new = space.covered(self.reached).len();
        if new > 0 {
            (self.reached, self.reached_at) = (self.reached + new, self.explored);
        }
        if self.at.take_if(|_| !explorer.is_pursuing()).is_some() {
            // The state was given away.
            self.counts.elsewhere += 1;
        }
        // The only path of a program without a decision is not executed twice.
        if !self.begun && self.offered.is_empty() && explorer.frontier() < 2 {
            return;
        }
        self.look_for_executor(space);
        self.take_native(space);
        self.try_suggested(space);
        let _ = (0..AT_ONCE).all(|_| self.due() > 0 && self.execute_one(space));
        if self.at.is_none() && explorer.can_pursue() {
            self.pursue_one(space, explorer);
        }
    }

    /// Handles the end of a step. `path`: the record of a path that ended in it.
    pub fn stepped<S: Space>(&mut self, explorer: &mut Explorer<S>, path: Option<&PathRecord>) {
        let work = explorer.take_work();
        self.explored += work;
        self.pursued += if self.at.is_some() { work } else { 0 };
        if explorer.is_pursuing() {
            if self.beyond_part() > PURSUIT {
                self.give_up(explorer);
            }
            return;
        }
        let Some(find) = self.at.take() else { return };
        match path {
            Some(path) => {
                self.counts.followed += 1;
                self.counts.disagree += u64::from(!find.ends_as(path));
            }
            None => self.counts.elsewhere += 1,
        }
    }

    /// Work of pursuits beyond their part of the exploration's, which is that of executions: a find leads to a bug sooner than to new
    /// code, and paths beside it are deep ones.
    fn beyond_part(&self) -> u64 {
        let percent = self.percent().min(MOST_PURSUED);
        self.pursued.saturating_sub(self.explored / 100 * percent)
    }

    /// The state at hand waits among all others again, from where it came to. A find with a bug is followed from there later.
    fn give_up<S: Space>(&mut self, explorer: &mut Explorer<S>) {
        explorer.end_pursuit();
        self.counts.unfinished += 1;
        self.finds.extend(self.at.take().filter(|find| find.is_bug));
    }

    /// Handles the end of a region: nothing is followed any more.
    pub fn leaves_region(&mut self) {
        self.at = None;
    }

    /// Offers the test of a recorded path to the corpus.
    pub fn offer(&mut self, test: &Test) {
        if self.offered.len() < WAITING {
            self.offered.push_back(test.clone());
        }
    }

    /// Starts the executor when it is there. It has a corpus of its own: what is new to the engine need not be new to it.
    fn look_for_executor<S: Space>(&mut self, space: &S) {
        let Executor::Awaited(program, turns) = &mut self.executor else { return };
        *turns += 1;
        if !turns.is_multiple_of(LOOKS) || !program.executor.exists() {
            return;
        }
        self.executor = match Beside::start(program, !self.seed, space.words()) {
            Some(beside) => {
                self.corpus.tests().iter().for_each(|test| beside.give(test.clone()));
                Executor::Running(beside)
            }
            None => Executor::Without,
        };
    }

    /// The part of the work for executions, in percent.
    fn percent(&self) -> u64 {
        self.share.at(self.explored, self.explored - self.reached_at)
    }

    /// Work that executions may still have, in instructions.
    fn due(&self) -> u64 {
        let percent = self.percent();
        self.explored.saturating_mul(percent).div_ceil(100 - percent).saturating_sub(self.executed)
    }

    /// Takes what the executor has found. What crashed is executed at once.
    fn take_native<S: Space>(&mut self, space: &mut S) {
        let Executor::Running(beside) = &self.executor else { return };
        beside.set_share(self.percent());
        let mut crashed = Vec::new();
        let ended = loop {
            match beside.next() {
                Ok(Some(found)) if found.crashes => crashed.push(found.test),
                Ok(Some(found)) => self.native.push_back(found.test),
                Ok(None) => break false,
                Err(()) => break true,
            }
        };
        if ended {
            self.counts.native += beside.take_count();
            self.executor = Executor::Without;
        }
        for test in crashed {
            self.execute(space, &test, Origin::Native);
        }
    }

    /// Executes tests with words that the program compares with: a part of the work of their own, as each is made once.
    fn try_suggested<S: Space>(&mut self, space: &mut S) {
        while self.suggested <= self.explored / 100 * SUGGESTED {
            let Some(test) = space.take_suggested() else { return };
            let before = self.executed;
            self.execute(space, &test, Origin::Mutation);
            self.suggested += std::mem::replace(&mut self.executed, before) - before;
        }
    }

    /// Makes an execution. False if there is nothing to execute.
    fn execute_one<S: Space>(&mut self, space: &mut S) -> bool {
        let (test, origin) = if let Some(test) = self.offered.pop_front() {
            (test, Origin::Path)
        } else if let Some(test) = self.native.pop_front() {
            (test, Origin::Native)
        } else if matches!(self.executor, Executor::Running(_)) && self.begun {
            // It makes the mutations.
            return false;
        } else {
            match self.corpus.next() {
                Some(test) => (test, Origin::Mutation),
                // The first test of all: its bytes are zero.
                None if !self.begun => (Test::default(), Origin::Mutation),
                None => return false,
            }
        };
        self.begun = true;
        self.execute(space, &test, origin)
    }

    /// Has the engine execute a test. False if the program has no input.
    fn execute<S: Space>(&mut self, space: &mut S, test: &Test, origin: Origin) -> bool {
        let Some(execution) = space.execute(test, LONGEST) else { return false };
        self.executed += execution.instructions + EXECUTION;
        self.corpus.executed(execution.hash);
        if matches!(execution.ending, Ending::Excluded | Ending::TooLong) {
            return true;
        }
        let new_bug = match &execution.ending {
            Ending::Path { bug: Some(bug), .. } => self.known.insert(bug.clone()),
            _ => false,
        };
        if execution.new > 0 {
            self.corpus.add(&execution);
            if let (Executor::Running(beside), true) = (&self.executor, origin != Origin::Native) {
                beside.give(execution.test.clone());
            }
        }
        if (execution.new > 0 || new_bug) && origin != Origin::Path {
            self.found(execution, new_bug);
        }
        true
    }

    fn found(&mut self, Execution { test, ending, instructions, .. }: Execution, is_bug: bool) {
        let finds = if is_bug { &mut self.bugs } else { &mut self.finds };
        finds.push_back(Find { test, ending, instructions, is_bug });
        if finds.len() > WAITING {
            finds.pop_front();
        }
    }

    /// Lets the exploration follow a find: bugs first, others while pursuits take no more than their part of the exploration's work; the newest
    /// first, as it has come farthest.
    fn pursue_one<S: Space>(&mut self, space: &mut S, explorer: &mut Explorer<S>) {
        let may = self.beyond_part() == 0;
        let Some(find) = self.bugs.pop_front().or_else(|| may.then(|| self.finds.pop_back()).flatten())
        else {
            return;
        };
        let before = space.work();
        let instructions = find.instructions.saturating_add(BEFORE_SNAPSHOT);
        let time = if find.is_bug { WALK_TO_BUG } else { WALK };
        let reach = Reach { until: Instant::now().checked_add(time), ..Reach::from(instructions) };
        let (pursuit, walked) = explorer.pursue(space, &find.test, reach);
        let evaluated = space.work().saturating_sub(before);
        self.executed += walked + LOOK * explorer.frontier() as u64 + evaluated;
        // A walk through ops that are hard work is a pursuit already.
        self.pursued += evaluated.saturating_sub(PURSUIT);
        match pursuit {
            Pursuit::Begun => self.at = Some(find),
            Pursuit::Elsewhere => self.counts.elsewhere += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_grows_where_nothing_new_is_reached() {
        let share = MutatedShare { least: 25, most: 75 };
        for (explored, stale, percent) in [
            (0, 0, 25),
            (1, 1, 25),
            (1_000_000, 0, 25),
            (1_000_000, 500_000, 25),
            (1_000_000, 750_000, 50),
            (1_000_000, 1_000_000, 75),
            (u64::MAX, u64::MAX, 75),
        ] {
            assert_eq!(share.at(explored, stale), percent, "{explored}, {stale}");
        }
        assert_eq!(MutatedShare::always(99).at(1_000_000, 1_000_000), 95);
    }
}
