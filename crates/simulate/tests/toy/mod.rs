//! A program that is a tree of decisions, which a seed determines.

use cleave_explore::{Answer, Outcome, Space};
use cleave_region::{Object, PathDigest, PathKind, PathRecord, Test};
use cleave_simulate::{Recorder, Tree};

/// A program that is a tree of decisions.
#[derive(Clone)]
pub struct Toy {
    pub seed: u64,
    pub depth: usize,
}

#[derive(Clone)]
pub struct State {
    pub path: Vec<u8>,
    digest: PathDigest,
    instructions: u64,
    /// The segment was executed, its decision not taken.
    stands: bool,
}

impl Toy {
    pub fn hash(&self, path: &[u8]) -> u64 {
        path.iter().fold(self.seed ^ 0xcbf2_9ce4_8422_2325, |h, b| {
            (h ^ (u64::from(*b) + 1)).wrapping_mul(0x0100_0000_01b3).rotate_left(17)
        })
    }

    /// Which sides after `path` are feasible, and whether it is an assumption; `None` at an end.
    pub fn fork(&self, path: &[u8]) -> Option<(bool, bool, bool)> {
        let hash = self.hash(path);
        if path.len() >= self.depth || (path.len() > 3 && hash.is_multiple_of(13)) {
            return None;
        }
        Some(match (hash >> 8) % 9 {
            0 => (true, false, false),
            1 => (false, true, false),
            2 => (true, false, true),
            _ => (true, true, false),
        })
    }

    pub fn tests(&self) -> Vec<Vec<u8>> {
        let (mut found, mut waiting) = (Vec::new(), vec![Vec::new()]);
        while let Some(path) = waiting.pop() {
            let Some((on_true, on_false, _)) = self.fork(&path) else {
                found.push(path);
                continue;
            };
            for (feasible, byte) in [(on_true, 0), (on_false, 1)] {
                waiting.extend(feasible.then(|| [&path[..], &[byte]].concat()));
            }
        }
        found
    }

    pub fn tree(&self) -> Tree {
        let mut recorder = Recorder::new(self.clone());
        for path in self.tests() {
            let record = self.record(path);
            recorder.add(record).unwrap();
        }
        recorder.finish().unwrap()
    }

    pub fn record(&self, path: Vec<u8>) -> PathRecord {
        let (mut space, test) = (self.clone(), test(&path));
        let (witness, mut state) = (space.prepare(&test), space.root());
        while let Outcome::Decision { cond, .. } = space.run(&mut state, &witness, u64::MAX) {
            let side = space.decides(&cond, &witness);
            space.take(&mut state, &cond, side);
        }
        PathRecord {
            digest: state.digest,
            depth: path.len() as u32,
            kind: PathKind::Completed,
            exit_status: Some(0),
            signal: None,
            stdout_sha256: [7; 32],
            stdout_len: 3,
            test,
            instructions: state.instructions,
            bug: None,
            addresses: Vec::new(),
            passed: Vec::new(),
        }
    }
}

pub fn test(path: &[u8]) -> Test {
    Test { objects: vec![Object { name: "sides".into(), bytes: path.to_vec() }] }
}

impl Space for Toy {
    type State = State;
    type Cond = Vec<u8>;
    type Witness = Vec<u8>;
    type End = ();

    fn root(&mut self) -> State {
        State { path: Vec::new(), digest: PathDigest::default(), instructions: 0, stands: false }
    }
    fn prepare(&mut self, test: &Test) -> Vec<u8> {
        test.objects.first().map(|o| o.bytes.clone()).unwrap_or_default()
    }
    fn write_down(&mut self, _: &State, witness: &Vec<u8>) -> Test {
        test(witness)
    }
    fn run(&mut self, state: &mut State, _: &Vec<u8>, _: u64) -> Outcome<Vec<u8>, ()> {
        if !std::mem::replace(&mut state.stands, true) {
            state.instructions += 1 + self.hash(&state.path) % 5_000;
        }
        match self.fork(&state.path) {
            Some((.., assume)) => Outcome::Decision { cond: state.path.clone(), assume },
            None => Outcome::Ended(()),
        }
    }
    fn decides(&mut self, cond: &Vec<u8>, witness: &Vec<u8>) -> bool {
        match self.fork(cond) {
            Some((true, true, _)) => witness.get(cond.len()) != Some(&1),
            Some((on_true, ..)) => on_true,
            None => panic!("no decision there"),
        }
    }
    fn ask(&mut self, _: &State, _: &Vec<u8>, _: bool, _: &Vec<u8>) -> Answer<Vec<u8>> {
        panic!("nobody asks while a test is followed")
    }
    fn take(&mut self, state: &mut State, cond: &Vec<u8>, side: bool) {
        state.digest = state.digest.extend(cond.len() as u64, side);
        state.path.push(u8::from(!side));
        state.stands = false;
    }
    fn depth(&self, state: &State) -> u32 {
        state.path.len() as u32
    }
    fn instructions(&self, state: &State) -> u64 {
        state.instructions
    }
    fn digest(&self, state: &State) -> PathDigest {
        state.digest
    }
}
