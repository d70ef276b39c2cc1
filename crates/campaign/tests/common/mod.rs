//! A toy program whose paths are known: a tree of decisions that a seed determines.
#![allow(dead_code)] // Each test uses a part of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use cleave_campaign::{CampaignError, Exploration, Exploring, Recorded, Stats, Store};
use cleave_explore::{Answer, Event, Explorer, Limits, Outcome, Search, Space};
use cleave_region::{BugRecord, Cut, Object, PathDigest, PathKind, PathRecord, Region, Test};
use serde::{Deserialize, Serialize};

/// A tree of decisions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tree {
    pub seed: u64,
    /// No path has more decisions.
    pub depth: usize,
    /// One question in so many is not answered; 0: none.
    pub unknown_one_in: u64,
    /// Microseconds that a step takes.
    pub slow: u64,
    /// How long the question at the root takes, in milliseconds.
    pub slow_question: u64,
    /// Whoever comes to the end of this path dies.
    pub poison: Option<Vec<u8>>,
}

impl Tree {
    pub fn new(seed: u64, depth: usize) -> Tree {
        Tree { seed, depth, unknown_one_in: 0, slow: 0, slow_question: 0, poison: None }
    }

    /// The first tree from `seed` on that has at least `n` paths.
    pub fn at_least(n: usize, seed: u64, depth: usize) -> Tree {
        let trees = (0..).map(|i| Tree::new(seed.wrapping_add(i), depth));
        trees.into_iter().find(|t| t.paths().len() >= n).expect("some seed has a large tree")
    }

    /// The first tree from `seed` on that has exactly `n` paths.
    pub fn exactly(n: usize, seed: u64, depth: usize) -> Tree {
        let trees = (0..).map(|i| Tree::new(seed.wrapping_add(i), depth));
        trees.into_iter().find(|t| t.paths().len() == n).expect("some seed has such a tree")
    }

    /// All paths in `n` ranges of about as many.
    pub fn ranges(&self, n: usize) -> Vec<Region> {
        let paths = self.paths();
        let cut = |i: usize| {
            let test = Test { objects: vec![Object { name: "sides".into(), bytes: paths[i].clone() }] };
            Cut::before(test)
        };
        let bound = |i: usize| (i > 0 && i < n).then(|| cut(i * paths.len() / n));
        (0..n).map(|i| Region::of(bound(i), bound(i + 1))).collect()
    }

    /// Which sides of the decision after `path` are feasible; `None` at an end.
    fn fork(&self, path: &[u8]) -> Option<(bool, bool)> {
        let hash = path.iter().fold(self.seed ^ 0xcbf2_9ce4_8422_2325, |h, b| {
            (h ^ (u64::from(*b) + 1)).wrapping_mul(0x0100_0000_01b3).rotate_left(17)
        });
        if path.len() >= self.depth || (path.len() > 2 && hash % 11 == 0) {
            return None;
        }
        Some(match (hash >> 8) % 9 {
            0 => (true, false),
            1 => (false, true),
            _ => (true, true),
        })
    }

    pub fn paths(&self) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), &mut found);
        found
    }

    fn collect(&self, prefix: &mut Vec<u8>, found: &mut Vec<Vec<u8>>) {
        let Some((on_true, on_false)) = self.fork(prefix) else {
            found.push(prefix.clone());
            return;
        };
        for (feasible, byte) in [(on_true, 0), (on_false, 1)] {
            if feasible {
                prefix.push(byte);
                self.collect(prefix, found);
                prefix.pop();
            }
        }
    }

    pub fn exploration(&self, random: u64) -> Box<dyn Exploration> {
        Box::new(Exploring::new(Toy { tree: self.clone(), random: random | 1, runs: 0 }, Limits::default()))
    }

    /// An exploration whose witnesses depend on nothing but the path; breadth-first, or depth-first.
    pub fn steady(&self, broad: bool) -> Box<dyn Exploration> {
        let search = if broad { Search::breadth_first() } else { Search::default() };
        let toy = Toy { tree: self.clone(), random: 0, runs: 0 };
        Box::new(Exploring::new(toy, Limits::default()).searching(search))
    }

    /// Every path of the tree, once: in the database, or in exactly one region there. If that is not to be
    /// `exact`, a path may be in the database and in regions too.
    pub fn check_account(&self, directory: &Path, exact: bool) {
        self.check_store(&Store::read(directory).unwrap(), exact, "");
    }

    /// The same of an open database; `when` is said where it is wrong.
    pub fn check_store(&self, store: &Store, exact: bool, when: &str) {
        let mut count: BTreeMap<Vec<u8>, u32> = self.paths().into_iter().map(|p| (p, 0)).collect();
        let mut add = |path: Vec<u8>| *count.get_mut(&path).expect("a path of the tree") += 1;
        store
            .each_path::<CampaignError>(0, |p| {
                add(p.record.test.decode().unwrap().objects[0].bytes.clone());
                Ok(())
            })
            .unwrap();
        let mut space = Toy {
            tree: Tree { unknown_one_in: 0, slow: 0, slow_question: 0, poison: None, ..self.clone() },
            random: 1,
            runs: 0,
        };
        store
            .each_region::<CampaignError>(|r| {
                let mut explorer = Explorer::new(&mut space, r.region, Limits::default());
                let mut events = Vec::new();
                while !explorer.is_done() {
                    explorer.step(&mut space, 100, &mut events);
                }
                for event in events {
                    match event {
                        Event::Path { state, .. } => add(state.path),
                        _ => panic!("nothing else was planted"),
                    }
                }
                Ok(())
            })
            .unwrap();
        let right = |n: u32| n == 1 || (n > 1 && !exact);
        let wrong: Vec<_> = count.iter().filter(|(_, n)| !right(**n)).collect();
        assert!(wrong.is_empty(), "paths that are not there exactly once: {wrong:?} {when}");
        let account = store.account().unwrap();
        assert_eq!(account.doubled, 0, "{when}");
        assert_ne!(account.each_once, Some(false), "{when}");
    }
}

pub struct Toy {
    tree: Tree,
    random: u64,
    runs: u64,
}

#[derive(Clone)]
pub struct State {
    pub path: Vec<u8>,
    digest: PathDigest,
}

impl Toy {
    fn roll(&mut self, n: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % n
    }
}

impl Space for Toy {
    type State = State;
    type Cond = Vec<u8>;
    type Witness = Vec<u8>;
    type End = ();

    fn root(&mut self) -> State {
        State { path: Vec::new(), digest: PathDigest::default() }
    }
    fn prepare(&mut self, test: &Test) -> Vec<u8> {
        test.objects.first().map(|o| o.bytes.clone()).unwrap_or_default()
    }
    fn write_down(&mut self, _: &State, witness: &Vec<u8>) -> Test {
        Test { objects: vec![Object { name: "sides".into(), bytes: witness.clone() }] }
    }
    fn run(&mut self, state: &mut State, _: &Vec<u8>, _: u64) -> Outcome<Vec<u8>, ()> {
        self.runs += 1;
        if self.tree.slow > 0 {
            std::thread::sleep(Duration::from_micros(self.tree.slow));
        }
        match self.tree.fork(&state.path) {
            Some(_) => Outcome::Decision { cond: state.path.clone(), assume: false },
            None => {
                if self.tree.poison.as_ref() == Some(&state.path) {
                    panic!("this path is poison");
                }
                Outcome::Ended(())
            }
        }
    }
    fn decides(&mut self, cond: &Vec<u8>, witness: &Vec<u8>) -> bool {
        match self.tree.fork(cond) {
            Some((on_true, on_false)) if on_true && on_false => witness.get(cond.len()) != Some(&1),
            Some((on_true, _)) => on_true,
            None => panic!("no decision there"),
        }
    }
    fn ask(&mut self, state: &State, _: &Vec<u8>, side: bool, _: &Vec<u8>) -> Answer<Vec<u8>> {
        if state.path.is_empty() {
            std::thread::sleep(Duration::from_millis(self.tree.slow_question));
        }
        if self.tree.unknown_one_in > 0 && self.roll(self.tree.unknown_one_in) == 0 {
            return Answer::Unknown("a whim".into());
        }
        let (on_true, on_false) = self.tree.fork(&state.path).expect("a decision");
        if !(if side { on_true } else { on_false }) {
            return Answer::Infeasible;
        }
        let mut path = state.path.clone();
        path.push(u8::from(!side));
        while let Some((on_true, on_false)) = self.tree.fork(&path) {
            let either = self.roll(2) as u8;
            path.push(if on_true && on_false { either } else { u8::from(!on_true) });
        }
        Answer::Feasible(path)
    }
    fn take(&mut self, state: &mut State, cond: &Vec<u8>, side: bool) {
        state.digest = state.digest.extend(cond.len() as u64, side);
        state.path.push(u8::from(!side));
    }
    fn depth(&self, state: &State) -> u32 {
        state.path.len() as u32
    }
    fn digest(&self, state: &State) -> PathDigest {
        state.digest
    }
}

impl Recorded for Toy {
    fn record(&mut self, (): (), state: &State, _: &Vec<u8>) -> Option<PathRecord> {
        let failed = state.path.len() % 4 == 3;
        let bug = BugRecord {
            kind: "ptr".into(),
            message: "memory error".into(),
            place: format!("toy.c:{}", state.path.len()),
            trace: Vec::new(),
        };
        Some(PathRecord {
            digest: state.digest,
            depth: state.path.len() as u32,
            kind: if failed { PathKind::Failed } else { PathKind::Completed },
            exit_status: (!failed).then_some(0),
            signal: None,
            stdout_sha256: [7; 32],
            stdout_len: 3,
            test: Test { objects: vec![Object { name: "sides".into(), bytes: state.path.clone() }] },
            instructions: 10,
            bug: failed.then_some(bug),
            addresses: Vec::new(),
            passed: Vec::new(),
        })
    }
    fn total_stats(&self) -> Stats {
        let mut stats = Stats::default();
        stats.add("instructions", self.runs);
        stats
    }
}

/// A folder in memory where there is one: these tests are about processes that die, not disks.
pub fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
    tempfile::tempdir_in(place).unwrap()
}

/// A region that holds everything.
pub fn whole() -> [Region; 1] {
    [Region::whole()]
}
