//! The depth bound of concolic exploration, against a direct model of figure 1 of Siddiqui and Khurshid (2010).

use std::collections::BTreeSet;

use cleave_explore::{Answer, Concolic, Concrete, Event, ITEM_ORDERS, Limit, Limits, Outcome, Space, Trail};
use cleave_region::{PathDigest, Region, Test};
use proptest::prelude::*;

use crate::sides::{Path, path_of, test_of};

/// A program as the set of its paths, none the beginning of another. The solver's answer is always the first path.
#[derive(Debug)]
struct Paths(BTreeSet<Path>);

impl Paths {
    /// The first path that begins so.
    fn first(&self, prefix: &[u8]) -> Option<&Path> {
        self.0.range(prefix.to_vec()..).next().filter(|p| p.starts_with(prefix))
    }

    /// Figure 1: the item's inputs are run, and the decisions from `pos` on are negated.
    fn parsym(&self, mut depth: u32, pos: usize, inputs: &Path, found: &mut Vec<Path>) {
        found.push(inputs.clone());
        for pos in pos..inputs.len() {
            if depth == 0 {
                break;
            }
            let negated = [&inputs[..pos], &[1 - inputs[pos]]].concat();
            if let Some(inputs) = self.first(&negated) {
                depth -= 1;
                self.parsym(depth, pos + 1, inputs, found);
            }
        }
    }
}

/// Random paths: at each decision one side or both.
fn program() -> impl Strategy<Value = Paths> {
    fn grow(prefix: &mut Path, random: &mut impl FnMut() -> u8, paths: &mut BTreeSet<Path>) {
        let kind = random() % 8;
        if prefix.len() >= 7 || kind == 0 {
            paths.insert(prefix.clone());
            return;
        }
        for side in 0..2 {
            if kind != 1 + side {
                prefix.push(side);
                grow(prefix, random, paths);
                prefix.pop();
            }
        }
    }
    prop::collection::vec(any::<u8>(), 260).prop_map(|bytes| {
        let (mut next, mut paths) = (bytes.into_iter().cycle(), BTreeSet::new());
        grow(&mut Path::new(), &mut || next.next().unwrap(), &mut paths);
        Paths(paths)
    })
}

impl Space for Paths {
    type State = Path;
    type Cond = Path;
    type Witness = Path;
    type End = ();
    fn root(&mut self) -> Path {
        Path::new()
    }
    fn prepare(&mut self, test: &Test) -> Path {
        path_of(test)
    }
    fn write_down(&mut self, _: &Path, witness: &Path) -> Test {
        test_of(witness)
    }
    fn run(&mut self, state: &mut Path, _: &Path, _: u64) -> Outcome<Path, ()> {
        match self.0.contains(state) {
            true => Outcome::Ended(()),
            false => Outcome::Decision { cond: state.clone(), assume: false },
        }
    }
    fn decides(&mut self, cond: &Path, witness: &Path) -> bool {
        let wish = witness.get(cond.len()).copied().unwrap_or(0);
        match self.first(&[cond.as_slice(), &[wish]].concat()) {
            Some(_) => wish == 0,
            None => wish == 1,
        }
    }
    fn ask(&mut self, state: &Path, _: &Path, side: bool, _: &Path) -> Answer<Path> {
        match self.first(&[state.as_slice(), &[u8::from(!side)]].concat()) {
            Some(path) => Answer::Feasible(path.clone()),
            None => Answer::Infeasible,
        }
    }
    fn take(&mut self, state: &mut Path, _: &Path, side: bool) {
        state.push(u8::from(!side));
    }
    fn depth(&self, state: &Path) -> u32 {
        state.len() as u32
    }
    fn digest(&self, state: &Path) -> PathDigest {
        state.iter().fold(PathDigest::default(), |d, side| d.extend(u64::from(*side), *side == 0))
    }
}

/// Explores regions, interrupted and given away as `moves` say; what it found, and what was cut.
fn explore(
    space: &mut Paths,
    mut open: Vec<Region>,
    concrete: Concrete,
    moves: &[u8],
) -> (Vec<Path>, Vec<Region>) {
    let (mut found, mut cut) = (Vec::new(), Vec::new());
    let mut moves = moves.iter().copied().chain(std::iter::repeat(0));
    while let Some(region) = open.pop() {
        let mut explorer = Concolic::new(space, region, Limits::default(), concrete, Trail::default());
        while !explorer.is_done() {
            match moves.next() {
                Some(1) => open.extend(explorer.give(space, 2)),
                Some(2) => open.extend(explorer.spill(space, 3)),
                Some(3) => break,
                _ => {}
            }
            let mut events = Vec::new();
            explorer.step(space, 10, &mut events);
            for event in events {
                match event {
                    Event::Path { state, .. } => found.push(state),
                    Event::Cut { region, limit, .. } => {
                        assert_eq!((limit, region.bound), (Limit::Bound, None));
                        cut.push(region);
                    }
                    _ => panic!("nothing else was planted"),
                }
            }
        }
        let counted = explorer.counters();
        assert_eq!(counted.questions, counted.feasible + counted.infeasible + counted.unknown);
        open.extend(explorer.remaining(space));
    }
    found.sort();
    (found, cut)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_bounded_exploration_finds_what_figure_1_finds_and_the_rest_is_cut(
        mut space in program(),
        bound in 0u32..9,
        order in 0..ITEM_ORDERS.len(),
        moves in prop::collection::vec(0u8..8, 0..60),
    ) {
        let concrete = Concrete { order: ITEM_ORDERS[order].1, bound: Some(bound) };
        let mut expected = Vec::new();
        let first = space.first(&[]).unwrap().clone();
        space.parsym(bound, 0, &first, &mut expected);
        expected.sort();
        let (mut found, cut) = explore(&mut space, vec![Region::whole()], concrete, &moves);
        prop_assert_eq!(&found, &expected);
        // What was cut is the rest, and each path of it once.
        let unbounded = Concrete { bound: None, ..concrete };
        found.extend(explore(&mut space, cut, unbounded, &moves).0);
        found.sort();
        prop_assert_eq!(found, space.0.iter().cloned().collect::<Vec<_>>());
    }
}

#[test]
fn a_bound_falls_with_each_item_found() {
    // A full tree of 4 decisions; of an item with bound n come items with bounds n-1, n-2 ... 0: 2^n paths.
    let full = (0..16u8).map(|i| (0..4).rev().map(|bit| i >> bit & 1).collect());
    let mut space = Paths(full.collect());
    for (bound, paths) in [(0, 1), (1, 2), (2, 4), (3, 8), (4, 16), (9, 16)] {
        let concrete = Concrete { bound: Some(bound), ..Concrete::default() };
        let (found, cut) = explore(&mut space, vec![Region::whole()], concrete, &[]);
        assert_eq!((found.len(), cut.is_empty()), (paths, bound >= 4), "{bound}");
    }
}
