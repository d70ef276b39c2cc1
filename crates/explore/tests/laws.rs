//! The laws of regions (the executable model's), on random trees, through the public door.

use std::collections::BTreeMap;

use cleave_explore::{
    Answer, AnyExplorer, Asking, Backtrack, Concolic, Concrete, Event, Explorer, Feasibility, ITEM_ORDERS,
    ItemOrder, Limits, Order, Outcome, Place, Pursuit, STRATEGIES, Search, Space, Taken, Together, Trail,
    compare, difference, path_taken, sort,
};
use cleave_region::{Cut, Fingerprints, Object, PathDigest, Region, Side, Test, Weight};
use proptest::prelude::*;

/// A program as a tree of decisions; an absent child is infeasible.
#[derive(Clone, Debug)]
enum Tree {
    End,
    Fork { on_true: Option<Box<Tree>>, on_false: Option<Box<Tree>>, assume: bool },
}

fn tree() -> impl Strategy<Value = Tree> {
    // The other leaf is an assumption that never holds: a state comes there, and no path.
    let dead = Tree::Fork { on_true: None, on_false: None, assume: true };
    let leaf = prop_oneof![5 => Just(Tree::End), 1 => Just(dead)];
    leaf.prop_recursive(7, 120, 2, |inner| {
        prop_oneof![
            5 => (inner.clone(), inner.clone()).prop_map(|(a, b)| Tree::Fork {
                on_true: Some(a.into()), on_false: Some(b.into()), assume: false }),
            1 => inner.clone().prop_map(|a| Tree::Fork { on_true: Some(a.into()), on_false: None, assume: false }),
            1 => inner.clone().prop_map(|a| Tree::Fork { on_true: None, on_false: Some(a.into()), assume: false }),
            1 => inner.prop_map(|a| Tree::Fork { on_true: Some(a.into()), on_false: None, assume: true }),
        ]
    })
}

/// A test is the list of sides it takes (0: true), one byte each; what is missing is 0.
type Path = Vec<u8>;

fn test_of(path: &[u8]) -> Test {
    Test { objects: vec![Object { name: "sides".into(), bytes: path.to_vec() }] }
}

fn paths(tree: &Tree, prefix: &mut Path, out: &mut Vec<Path>) {
    match tree {
        Tree::End => out.push(prefix.clone()),
        Tree::Fork { on_true, on_false, .. } => {
            for (byte, child) in [(0, on_true), (1, on_false)] {
                if let Some(child) = child {
                    prefix.push(byte);
                    paths(child, prefix, out);
                    prefix.pop();
                }
            }
        }
    }
}

fn all(tree: &Tree) -> Vec<Path> {
    let mut out = Vec::new();
    paths(tree, &mut Vec::new(), &mut out);
    out
}

/// A tree as a space. `asks` makes the solver's witness any path of the subtree, and some answers unknown.
struct Toy<'a> {
    tree: &'a Tree,
    random: u64,
    unknown_one_in: u64,
    renewals: u64,
    full_every: u64,
    steps: u64,
    /// The digests of paths that begin so are others than they were.
    lie: Option<Path>,
    search: How,
    asking: Asking,
    live_states: usize,
    paced_from: usize,
    /// Of its answers; some take very long, and those of a place alike.
    work: u64,
    /// How often states came to each place, if that is counted; a place is a depth and a side.
    visits: Option<BTreeMap<Place, u64>>,
    covered: Vec<Place>,
    /// The weights of all that has ended in explorations of it.
    measure: Weight,
}

/// How a region is explored.
#[derive(Clone, Debug)]
enum How {
    /// By states that fork.
    States(Search),
    /// By concrete runs.
    Items(Concrete),
}

impl How {
    fn explorer<'a>(
        &self,
        space: &mut Toy<'a>,
        region: Region,
        limits: Limits,
        trail: Trail<Toy<'a>>,
    ) -> AnyExplorer<Toy<'a>> {
        match self {
            How::States(search) => {
                let strategy = search.strategy(None);
                let (live_states, paced_from) = (space.live_states, space.paced_from);
                let limits = Limits { live_states, paced_from, ..limits };
                let explorer = Explorer::on_trail(space, region, limits, strategy, trail);
                AnyExplorer::Symbolic(explorer.asking(space.asking))
            }
            How::Items(concrete) => {
                AnyExplorer::Concolic(Concolic::new(space, region, limits, *concrete, trail))
            }
        }
    }
}

/// Concolic in every order, and all strategies, alone, wrapped, and several by turns.
fn search() -> impl Strategy<Value = How> {
    let items =
        (0..ITEM_ORDERS.len()).prop_map(|i| How::Items(Concrete { order: ITEM_ORDERS[i].1, bound: None }));
    prop_oneof![1 => items, 2 => states().prop_map(How::States)]
}

fn states() -> impl Strategy<Value = Search> {
    let one = (0..STRATEGIES.len(), 0u8..7, 1u64..9).prop_map(|(i, wrapper, n)| {
        let name = STRATEGIES[i].name;
        match wrapper {
            0 => format!("batch={n}:{name}"),
            1 => format!("deepening={n}:{name}"),
            2 => format!("deepening=1:batch={n}:{name}"),
            3 => format!("ending={n}:{name}"),
            _ => name.to_string(),
        }
    });
    let several =
        prop_oneof![4 => prop::collection::vec(one.clone(), 1), 1 => prop::collection::vec(one, 2..4)];
    (several, any::<u64>()).prop_map(|(names, seed)| Search::new(&names, seed).unwrap())
}

/// One of the ways of asking.
fn asking(seed: u64) -> Asking {
    let backtrack = [Backtrack::Core, Backtrack::Binary, Backtrack::Linear][(seed >> 8) as usize % 3];
    let feasibility = match seed % 8 {
        0 | 1 => Feasibility::Eager,
        2 | 3 => Feasibility::Lazy,
        n => Feasibility::Speculative { depth: [1, 2, 3, u32::MAX][n as usize % 4], backtrack },
    };
    Asking { feasibility, witnesses: seed >> 16 & 1 == 0 }
}

/// What an infeasible path runs into: anything, and the same each time.
fn nonsense(path: &[u8]) -> Option<Outcome<Path, ()>> {
    let hash = path.iter().fold(77u64, |h, &side| h.wrapping_mul(31).wrapping_add(u64::from(side) + 5));
    match (hash >> 3) % 8 {
        0 => None,
        1 => Some(Outcome::OutOfFuel), // for ever
        2 => Some(Outcome::Ended(())),
        n => Some(Outcome::Decision { cond: path.to_vec(), assume: n == 3 }),
    }
}

impl Toy<'_> {
    fn new(tree: &Tree, seed: u64) -> Toy<'_> {
        Toy {
            tree,
            random: seed | 1,
            unknown_one_in: 0,
            renewals: 0,
            full_every: 0,
            steps: 0,
            lie: None,
            search: How::States(Search::default()),
            asking: asking(seed),
            live_states: [0, 0, 1, 2, 3, 5, 9, 20][(seed >> 24) as usize % 8],
            paced_from: [0, 1, 2, 5][(seed >> 28) as usize % 4],
            work: 0,
            visits: None,
            covered: Vec::new(),
            measure: Weight::ZERO,
        }
    }
    /// One step; what ended is weighed, sometimes now and otherwise later.
    fn step(&mut self, explorer: &mut AnyExplorer<Self>) -> Vec<Event<Self>> {
        let mut events = Vec::new();
        explorer.step(self, 10, &mut events);
        for event in &events {
            if let Event::Path { weight, .. } = event {
                self.measure += *weight;
            }
        }
        if self.steps.is_multiple_of(5) {
            self.measure += explorer.take_ended();
        }
        events
    }
    /// What an explorer leaves, which is dropped then.
    fn leave(&mut self, explorer: &mut AnyExplorer<Self>) -> Vec<Region> {
        let left = explorer.remaining(self);
        self.measure += explorer.take_ended();
        left
    }
    fn explorer(&mut self, region: Region) -> AnyExplorer<Self> {
        self.search.clone().explorer(self, region, Limits::default(), Trail::default())
    }
    fn roll(&mut self, n: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % n
    }
    fn at(&self, path: &[u8]) -> Option<&Tree> {
        let mut node = self.tree;
        for &side in path {
            let Tree::Fork { on_true, on_false, .. } = node else { return None };
            node = if side == 0 { on_true.as_deref()? } else { on_false.as_deref()? };
        }
        Some(node)
    }
}

#[derive(Clone)]
struct State {
    path: Path,
    digest: PathDigest,
    /// Instructions on an infeasible path that goes nowhere.
    idle: u64,
}

fn place(state: &State) -> Place {
    Place { func: state.path.len() as u32, pc: u32::from(state.path.last().copied().unwrap_or(0)) }
}

impl Space for Toy<'_> {
    type State = State;
    /// The decisions behind it: a place in the tree.
    type Cond = Path;
    type Witness = Path;
    type End = ();
    fn root(&mut self) -> State {
        State { path: Vec::new(), digest: PathDigest::default(), idle: 0 }
    }
    fn prepare(&mut self, test: &Test) -> Path {
        test.objects.first().map(|o| o.bytes.clone()).unwrap_or_default()
    }
    fn write_down(&mut self, _: &State, witness: &Path) -> Test {
        test_of(witness)
    }
    fn run(&mut self, state: &mut State, _: &Path, _: u64) -> Outcome<Path, ()> {
        self.steps += 1;
        if self.steps.is_multiple_of(3) {
            return Outcome::OutOfFuel;
        }
        let place = place(state);
        if let Some(visits) = &mut self.visits {
            *visits.entry(place).or_insert_with(|| {
                self.covered.push(place);
                0
            }) += 1;
        }
        match self.at(&state.path) {
            Some(Tree::Fork { assume, .. }) => {
                Outcome::Decision { cond: state.path.clone(), assume: *assume }
            }
            Some(Tree::End) => Outcome::Ended(()),
            None => panic!("a state on an infeasible path"),
        }
    }
    fn run_ahead(&mut self, state: &mut State, fuel: u64) -> Option<Outcome<Path, ()>> {
        if self.at(&state.path).is_some() {
            // What needs a witness may be anywhere.
            let needs = self.roll(9) == 0;
            return if needs { None } else { Some(self.run(state, &Vec::new(), fuel)) };
        }
        let outcome = nonsense(&state.path);
        if matches!(outcome, Some(Outcome::OutOfFuel)) {
            state.idle += fuel;
        }
        outcome
    }
    fn contradicts(&self, state: &State) -> bool {
        state.path.len().is_multiple_of(3) && self.at(&state.path).is_none()
    }
    fn ask_together(&mut self, state: &State, sides: &[(Path, bool)], _: &Path) -> Together<Path> {
        let path_of = |n: usize| {
            let more = sides[..n].iter().map(|(_, side)| u8::from(!*side));
            state.path.iter().copied().chain(more).collect::<Path>()
        };
        let longest = (0..=sides.len()).rev().find(|&n| self.at(&path_of(n)).is_some()).unwrap_or(0);
        if longest < sides.len() && self.roll(8) > 0 {
            let more = self.roll((sides.len() - longest) as u64) as usize;
            return Together::Infeasible { within: longest + 1 + more };
        }
        let before = State { path: path_of(sides.len() - 1), ..state.clone() };
        match self.ask(&before, &before.path, sides[sides.len() - 1].1, &Vec::new()) {
            Answer::Feasible(witness) => Together::Feasible(witness),
            Answer::Infeasible => Together::Infeasible { within: sides.len() },
            Answer::Unknown(reason) => Together::Unknown(reason),
        }
    }
    /// A test takes some side everywhere: where the one it names is infeasible, the other.
    fn decides(&mut self, cond: &Path, witness: &Path) -> bool {
        let wish = witness.get(cond.len()).copied().unwrap_or(0) == 0;
        match self.at(cond) {
            Some(Tree::Fork { on_true: None, .. }) => false,
            Some(Tree::Fork { on_false: None, assume: false, .. }) => true,
            _ => wish,
        }
    }
    fn ask(&mut self, state: &State, _: &Path, side: bool, _: &Path) -> Answer<Path> {
        self.work += [0, 1 << 10, 1 << 20, 1 << 40][self.site(state) as usize % 4];
        if self.unknown_one_in > 0 && self.roll(self.unknown_one_in) == 0 {
            return Answer::Unknown("a whim".into());
        }
        let mut prefix = state.path.clone();
        prefix.push(if side { 0 } else { 1 });
        let Some(child) = self.at(&prefix) else { return Answer::Infeasible };
        let mut found = Vec::new();
        paths(child, &mut prefix, &mut found);
        // A witness satisfies what was decided so far; an assumption that comes later may end it.
        if found.is_empty() || self.roll(3) == 0 {
            prefix.truncate(state.path.len() + 1);
            let rest = self.roll(256);
            prefix.extend((0..8).map(|i| (rest >> i & 1) as u8));
            return Answer::Feasible(prefix);
        }
        let pick = self.roll(found.len() as u64) as usize;
        Answer::Feasible(found.swap_remove(pick))
    }
    fn ask_first(
        &mut self,
        state: &State,
        (cond, side): (&Path, bool),
        near: &Path,
        _: bool,
    ) -> Option<Answer<Path>> {
        if self.roll(3) == 0 {
            self.work += 1 << self.roll(30);
            return None;
        }
        Some(self.ask(state, cond, side, near))
    }
    fn leads(&mut self, witness: &Path, state: &State) -> bool {
        (0..state.path.len()).all(|i| {
            let cond = state.path[..i].to_vec();
            self.decides(&cond, witness) == (state.path[i] == 0)
        })
    }
    fn work(&self) -> u64 {
        self.work
    }
    fn site(&self, state: &State) -> u64 {
        place(state).func.into()
    }
    fn take(&mut self, state: &mut State, cond: &Path, side: bool) {
        state.path.push(if side { 0 } else { 1 });
        let twist = if self.lie.as_ref() == Some(&state.path) { 77 } else { 0 };
        state.digest = state.digest.extend(cond.len() as u64 + twist, side);
    }
    fn depth(&self, state: &State) -> u32 {
        state.path.len() as u32
    }
    fn digest(&self, state: &State) -> PathDigest {
        state.digest
    }
    fn decisions(&self, state: &State) -> Vec<u8> {
        let twist = |i: usize| if self.lie.as_deref() == Some(&state.path[..=i]) { 77 } else { 0 };
        let one = |(i, side): (usize, &u8)| Fingerprints::one(i as u64 + twist(i), *side == 0);
        state.path.iter().enumerate().map(one).collect()
    }
    fn instructions(&self, state: &State) -> u64 {
        5 * state.path.len() as u64 + state.idle
    }
    fn count_visits(&mut self) {
        self.visits.get_or_insert_default();
    }
    fn covered(&self, known: usize) -> Vec<Place> {
        self.covered[known..].to_vec()
    }
    fn visits(&self, place: Place) -> u64 {
        self.visits.as_ref().and_then(|v| v.get(&place).copied()).unwrap_or(0)
    }
    fn stack(&self, state: &State, _: Option<bool>) -> Vec<Place> {
        vec![place(state)]
    }
    fn is_full(&self) -> bool {
        self.full_every > 0 && self.steps % self.full_every == self.full_every - 1
    }
    fn renew(&mut self) {
        self.renewals += 1;
        self.steps += 1;
        self.work = 0;
    }
}

/// Explores a region, stopping after `stop` paths; what is set aside as unknown is added to what is left.
fn explore(space: &mut Toy, region: Region, stop: usize) -> (Vec<Path>, Vec<Region>) {
    let mut explorer = space.explorer(region);
    let (mut found, mut left) = (Vec::new(), Vec::new());
    while !explorer.is_done() && found.len() < stop {
        for event in space.step(&mut explorer) {
            match event {
                Event::Path { state, .. } => found.push(state.path),
                Event::Unknown { region, .. } | Event::Cut { region, .. } => left.push(region),
                Event::Divergence { .. } => panic!("a divergence that nobody planted"),
            }
        }
    }
    left.extend(space.leave(&mut explorer));
    (found, left)
}

/// Explores the whole, region by region, each until it has as many paths as its stop says; what was found, and what is left.
fn explore_some(space: &mut Toy, stops: &[u8]) -> (Vec<Path>, Vec<Region>) {
    let (mut found, mut open) = (Vec::new(), vec![Region::whole()]);
    for stop in stops {
        let Some(region) = open.pop() else { break };
        let (some, left) = explore(space, region, *stop as usize % 5);
        found.extend(some);
        open.extend(left);
    }
    (found, open)
}

fn whole(space: &mut Toy, regions: Vec<Region>) -> Vec<Path> {
    regions.into_iter().flat_map(|r| explore(space, r, usize::MAX).0).collect()
}

fn sorted(mut paths: Vec<Path>) -> Vec<Path> {
    paths.sort();
    paths
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_strategy_finds_every_path_once(tree in tree(), seed: u64, search in search()) {
        let mut space = Toy::new(&tree, seed);
        space.search = search;
        let found = explore(&mut space, Region::whole(), usize::MAX).0;
        prop_assert_eq!(sorted(found), all(&tree));
        prop_assert_eq!(space.measure, Weight::ONE);
    }

    /// A mutator's finds come at any time, and some are no paths.
    #[test]
    fn tests_that_are_followed_out_of_turn_become_paths_once(
        tree in tree(),
        seed: u64,
        search in states(),
        tests in prop::collection::vec(prop::collection::vec(0u8..2, 0..8), 1..6),
        full_every in prop_oneof![Just(0u64), 2u64..40],
    ) {
        let mut space = Toy::new(&tree, seed);
        (space.search, space.full_every) = (How::States(search), full_every);
        let (mut explorer, mut found) = (space.explorer(Region::whole()), Vec::new());
        let mut follows = None;
        while !explorer.is_done() {
            let AnyExplorer::Symbolic(symbolic) = &mut explorer else { unreachable!() };
            if symbolic.can_pursue() && space.roll(2) == 0 {
                let test = test_of(&tests[space.roll(tests.len() as u64) as usize]);
                follows = match symbolic.pursue(&mut space, &test, 1 << 20).0 {
                    Pursuit::Begun => Some(path_taken(&mut space, &test, 1 << 20)),
                    Pursuit::Elsewhere => None,
                };
            }
            let AnyExplorer::Symbolic(symbolic) = &mut explorer else { unreachable!() };
            if symbolic.is_pursuing() && space.roll(8) == 0 {
                symbolic.end_pursuit();
                follows = None;
            }
            let events = space.step(&mut explorer);
            let AnyExplorer::Symbolic(symbolic) = &explorer else { unreachable!() };
            let follows = follows.take_if(|_| !symbolic.is_pursuing());
            let ended = events.iter().find_map(|e| if let Event::Path { state, .. } = e { Some(state.digest) } else { None });
            if let (Some(Taken::Path(digest)), Some(ended)) = (follows, ended) {
                prop_assert_eq!(digest, ended, "the pursuit ends with the test's path");
            }
            if let Some(Taken::Path(_)) = follows {
                prop_assert!(ended.is_some(), "a pursuit comes to the end of the test's path");
            }
            found.extend(events.into_iter().filter_map(|e| if let Event::Path { state, .. } = e { Some(state.path) } else { None }));
        }
        space.leave(&mut explorer);
        prop_assert_eq!(sorted(found), all(&tree));
        prop_assert_eq!(space.measure, Weight::ONE);
    }

    #[test]
    fn a_path_that_is_lost_or_counted_twice_shows_in_the_sum_of_weights(
        tree in tree(), seed: u64, search in search(), picks: [prop::sample::Index; 2],
    ) {
        let mut space = Toy::new(&tree, seed);
        space.search = search;
        let (mut explorer, mut paths) = (space.explorer(Region::whole()), Vec::new());
        while !explorer.is_done() {
            for event in space.step(&mut explorer) {
                if let Event::Path { state, weight, .. } = event {
                    paths.push((state.path, weight));
                }
            }
        }
        space.leave(&mut explorer);
        prop_assume!(!paths.is_empty());
        let [(one, of_one), (other, of_other)] = picks.map(|pick| pick.get(&paths).clone());
        prop_assert_ne!(space.measure - of_one, Weight::ONE);
        prop_assert_ne!(space.measure + of_one, Weight::ONE);
        prop_assert!(one == other || space.measure - of_one + of_other != Weight::ONE, "one stands for another");
    }

    #[test]
    fn the_whole_region_holds_every_path_once_and_in_order(tree in tree(), seed: u64) {
        let found = explore(&mut Toy::new(&tree, seed), Region::whole(), usize::MAX).0;
        prop_assert_eq!(found, all(&tree));
    }

    #[test]
    fn ranges_between_tests_partition(tree in tree(), seed: u64, picks: Vec<prop::sample::Index>) {
        let paths = all(&tree);
        prop_assume!(!paths.is_empty());
        let mut space = Toy::new(&tree, seed);
        let tests = picks.iter().take(4).map(|p| test_of(p.get::<Path>(&paths))).collect();
        let (tests, endless) = sort(&mut space, tests, 1 << 40);
        prop_assert!(endless.is_empty());
        let mut all_found = Vec::new();
        for region in Region::between(tests) {
            let first = region.lo.as_ref().map(|c| c.test.objects[0].bytes.clone());
            let found = explore(&mut space, region, usize::MAX).0;
            if let Some(first) = first {
                prop_assert_eq!(&found[0], &first, "a range is half-open: its first test is inside");
            }
            all_found.extend(found);
        }
        prop_assert_eq!(all_found, paths);
        prop_assert_eq!(space.measure, Weight::ONE);
    }

    /// Users' tests may violate assumptions, be too short, or name sides that are infeasible.
    #[test]
    fn any_tests_cut_the_whole_into_parts(
        tree in tree(),
        seed: u64,
        search in search(),
        tests in prop::collection::vec(prop::collection::vec(0u8..2, 0..8), 0..5),
        depths in prop::collection::vec((prop::option::of(0u32..8), any::<bool>()), 5),
    ) {
        let mut space = Toy::new(&tree, seed);
        space.search = search;
        let tests: Vec<Test> = tests.iter().map(|t| test_of(t)).collect();
        let (tests, _) = sort(&mut space, tests, 1 << 40);
        let ranges = Region::between(tests.clone());
        let found: Vec<Path> = ranges.into_iter().flat_map(|r| sorted(explore(&mut space, r, usize::MAX).0)).collect();
        prop_assert_eq!(found, all(&tree), "ranges in their order");
        prop_assert_eq!(space.measure, Weight::ONE);
        // One cut of any depth and side: what is before it and what is after it.
        for (test, (depth, after)) in tests.into_iter().zip(depths) {
            let side = if after { Side::After } else { Side::Before };
            let cut = Cut { test: test.into(), depth, side, digest: None, fingerprints: Default::default() };
            space.measure = Weight::ZERO;
            let before = Region::of(None, Some(cut.clone()));
            let mut found = sorted(explore(&mut space, before, usize::MAX).0);
            found.extend(sorted(explore(&mut space, Region::of(Some(cut), None), usize::MAX).0));
            prop_assert_eq!(found, all(&tree), "a cut parts what is before from what is after");
            prop_assert_eq!(space.measure, Weight::ONE);
        }
    }

    #[test]
    fn a_paused_depth_first_run_is_one_cut(tree in tree(), seed: u64, stop in 0usize..30, unknown in 0u64..6) {
        let mut space = Toy::new(&tree, seed);
        space.unknown_one_in = unknown;
        let mut explorer = space.explorer(Region::whole());
        let (mut found, mut events) = (0, Vec::new());
        while found < stop && !explorer.is_done() {
            explorer.step(&mut space, 10, &mut events);
            found = events.iter().filter(|e| matches!(e, Event::Path { .. })).count();
        }
        let left = explorer.remaining(&mut space);
        prop_assert!(left.len() <= 1 && left.iter().all(|r| r.hi.is_none()));
    }

    #[test]
    fn what_is_done_and_what_is_left_is_everything_once(
        tree in tree(), seed: u64, stops: Vec<u8>, unknown in 0u64..6, search in search(),
    ) {
        let mut space = Toy::new(&tree, seed);
        space.search = search;
        space.unknown_one_in = unknown;
        let (mut found, open) = explore_some(&mut space, &stops);
        space.unknown_one_in = 0;
        found.extend(whole(&mut space, open));
        prop_assert_eq!(sorted(found), all(&tree));
        prop_assert_eq!(space.measure, Weight::ONE);
    }

    /// Where what was found is lost, it lies in what there was without what is left.
    #[test]
    fn what_was_found_lies_in_the_difference_of_regions(
        tree in tree(), seed: u64, stops: Vec<u8>, unknown in 0u64..6, search in search(),
    ) {
        let mut space = Toy::new(&tree, seed);
        space.search = search;
        space.unknown_one_in = unknown;
        let (found, open) = explore_some(&mut space, &stops);
        space.unknown_one_in = 0;
        let lost = difference(&mut space, &[Region::whole()], &open, 1 << 40).unwrap();
        prop_assert_eq!(sorted(whole(&mut space, lost)), sorted(found));
        // And in two steps: a part of a part.
        let (first, rest) = open.split_at(open.len() / 2);
        let all_but_first = difference(&mut space, &[Region::whole()], first, 1 << 40).unwrap();
        let none = difference(&mut space, &all_but_first, &all_but_first, 1 << 40).unwrap();
        prop_assert!(none.is_empty());
        let lost = difference(&mut space, &all_but_first, rest, 1 << 40).unwrap();
        let left = open.iter().cloned().chain(lost).collect();
        prop_assert_eq!(sorted(whole(&mut space, left)), all(&tree));
    }

    #[test]
    fn stealing_at_any_moment_loses_and_doubles_nothing(
        tree in tree(), seed: u64, moves: Vec<u8>, unknown in 0u64..6, search in search(),
    ) {
        let mut space = Toy::new(&tree, seed);
        space.search = search;
        space.unknown_one_in = unknown;
        let mut busy = vec![space.explorer(Region::whole())];
        let (mut found, mut aside) = (Vec::new(), Vec::new());
        let mut turn = 0;
        while busy.iter().any(|e| !e.is_done()) {
            let m = moves.get(turn % moves.len().max(1)).copied().unwrap_or(0) as usize;
            turn += 1;
            let i = m % busy.len();
            if m.is_multiple_of(7) {
                for region in busy[i].give(&mut space, 1 + m % 3) {
                    let thief = space.explorer(region);
                    busy.push(thief);
                }
            }
            for explorer in &mut busy {
                for event in space.step(explorer) {
                    match event {
                        Event::Path { state, .. } => found.push(state.path),
                        Event::Unknown { region, .. } => aside.push(region),
                        _ => panic!("neither limit nor divergence was planted"),
                    }
                }
            }
        }
        space.unknown_one_in = 0;
        busy.iter_mut().for_each(|e| assert!(space.leave(e).is_empty()));
        found.extend(whole(&mut space, aside));
        prop_assert_eq!(sorted(found), all(&tree));
        prop_assert_eq!(space.measure, Weight::ONE);
    }

    /// Splitting, stopping, giving, spilling, renewing and going on with other strategies, in any order.
    #[test]
    fn whatever_is_done_to_regions_each_path_is_found_once(
        tree in tree(),
        seed: u64,
        searches in prop::collection::vec(search(), 1..5),
        moves in prop::collection::vec((0u8..12, 0usize..5), 0..60),
        unknown in 0u64..6,
        full_every in prop::option::of(4u64..20),
    ) {
        let mut space = Toy::new(&tree, seed);
        space.unknown_one_in = unknown;
        let picks = [seed as usize, (seed >> 20) as usize];
        let whole = all(&tree);
        prop_assume!(!whole.is_empty());
        let tests = picks.map(|p| test_of(&whole[p % whole.len()])).to_vec();
        let mut open = Region::between(sort(&mut space, tests, 1 << 40).0);
        let mut found: Vec<Path> = Vec::new();
        let (mut turn, mut trail) = (0, Trail::every(1 + seed as u32 % 3));
        let mut moves = moves.into_iter().chain(std::iter::repeat((0, 0)));
        while let Some(region) = open.pop() {
            turn += 1;
            space.search = searches[turn % searches.len()].clone();
            if turn == 200 {
                space.unknown_one_in = 0;
            }
            let how = space.search.clone();
            space.asking = asking(seed.wrapping_add(turn as u64));
            let mut explorer = how.explorer(&mut space, region, Limits::default(), trail);
            while !explorer.is_done() {
                let (action, n) = moves.next().unwrap_or_default();
                space.full_every = if action % 2 == 0 { full_every.unwrap_or(0) } else { 0 };
                match action {
                    9 => open.extend(explorer.give(&mut space, n)),
                    10 => open.extend(explorer.spill(&mut space, n)),
                    11 => break,
                    _ => {}
                }
                for event in space.step(&mut explorer) {
                    match event {
                        Event::Path { state, .. } => found.push(state.path),
                        Event::Unknown { region, .. } => open.push(region),
                        _ => panic!("neither limit nor divergence was planted"),
                    }
                }
                if turn > 60 {
                    space.unknown_one_in = 0;
                }
            }
            open.extend(space.leave(&mut explorer));
            trail = explorer.into_trail();
        }
        prop_assert_eq!(sorted(found), whole);
        prop_assert_eq!(space.measure, Weight::ONE);
    }

    #[test]
    fn the_shallowest_states_are_given_first_and_some_are_kept(
        tree in tree(), seed: u64, search in states().prop_map(How::States), steps in 0usize..60, keep in 0usize..5, n in 0usize..9,
    ) {
        let mut space = Toy::new(&tree, seed);
        // A drain's rest counts as where it began.
        (space.live_states, space.paced_from) = (0, 0);
        let limits = Limits { keep, ..Limits::default() };
        let mut explorer = search.explorer(&mut space, Region::whole(), limits, Trail::default());
        for _ in 0..steps {
            explorer.step(&mut space, 10, &mut Vec::new());
        }
        let before = explorer.frontier();
        let given = explorer.give(&mut space, n);
        prop_assert_eq!(given.len(), n.min(before.saturating_sub(keep.max(1))));
        // A side that is not asked for lies between a cut at the decision and one behind it.
        let of = |c: &Option<Cut>| c.as_ref().and_then(|c| c.depth).unwrap_or(0);
        let depth = |r: &Region| of(&r.lo).max(of(&r.hi));
        let kept = explorer.remaining(&mut space).iter().map(depth).min();
        prop_assert!(given.iter().map(depth).max() <= kept || given.is_empty(), "{given:?}");
    }

    #[test]
    fn feasible_items_are_given_once_and_those_with_the_shortest_prefixes_first(
        tree in tree(), seed: u64, order in 0..ITEM_ORDERS.len(), steps in 0usize..60, keep in 0usize..5, n in 0usize..9,
        unknown in 0u64..4,
    ) {
        let mut space = Toy::new(&tree, seed);
        let concrete = Concrete { order: ITEM_ORDERS[order].1, bound: None };
        let limits = Limits { keep, ..Limits::default() };
        let explorer = Concolic::new(&mut space, Region::whole(), limits, concrete, Trail::default());
        let mut explorer = AnyExplorer::Concolic(explorer);
        let mut events = Vec::new();
        for _ in 0..steps {
            events.extend(space.step(&mut explorer));
        }
        let waiting = explorer.frontier();
        space.unknown_one_in = unknown;
        let given = explorer.give(&mut space, n);
        space.unknown_one_in = 0;
        prop_assert!(given.len() <= n.min(waiting.saturating_sub(keep.max(1))));
        let kept = space.leave(&mut explorer);
        // An item is one subtree; other regions begin or end at the decision before their first item.
        let depth = |c: &Option<Cut>| c.as_ref().and_then(|c| c.depth).unwrap_or(0);
        let position = |r: &Region| {
            let (lo, hi) = (depth(&r.lo), depth(&r.hi));
            if r.lo.clone().is_none_or(|cut| *r == Region::subtree(cut)) { lo } else { lo.min(hi) + 1 }
        };
        // Only the item at hand is at its own beginning.
        let longest = given.iter().map(position).max().unwrap_or(0);
        prop_assert!(kept.iter().filter(|r| position(r) < longest).count() <= 1, "{given:?} {kept:?}");
        let mut found: Vec<Path> = events.into_iter().map(|event| match event {
            Event::Path { state, .. } => state.path,
            _ => panic!("nothing else was planted"),
        }).collect();
        for cut in given.iter().filter(|_| unknown == 0).filter_map(|region| region.lo.as_ref()) {
            let mut way = space.prepare(&cut.test);
            way.resize(cut.depth.unwrap_or(0) as usize, 0);
            prop_assert!(space.at(&way).is_some(), "infeasible: {cut:?}");
        }
        found.extend(whole(&mut space, given));
        found.extend(whole(&mut space, kept));
        prop_assert_eq!(sorted(found), all(&tree));
        prop_assert_eq!(space.measure, Weight::ONE);
    }

    #[test]
    fn a_seed_determines_the_order(tree in tree(), seed: u64, search in search()) {
        let order = || {
            let mut space = Toy::new(&tree, seed);
            space.search = search.clone();
            explore(&mut space, Region::whole(), usize::MAX).0
        };
        prop_assert_eq!(order(), order());
    }

    #[test]
    fn renewing_the_space_at_any_moment_changes_nothing(tree in tree(), seed: u64, every in 1u64..9, search in search()) {
        let mut space = Toy::new(&tree, seed);
        space.full_every = every + 3;
        space.search = search;
        let found = explore(&mut space, Region::whole(), usize::MAX).0;
        prop_assert_eq!(sorted(found), all(&tree));
        prop_assert_eq!(space.measure, Weight::ONE);
    }

    #[test]
    fn a_prefix_holds_the_paths_that_share_it(tree in tree(), seed: u64, pick: prop::sample::Index, depth in 0usize..5) {
        let paths = all(&tree);
        prop_assume!(!paths.is_empty());
        let path = pick.get(&paths);
        let depth = depth.min(path.len());
        let region = Region::prefix(test_of(path), depth as u32, None);
        let found = explore(&mut Toy::new(&tree, seed), region, usize::MAX).0;
        let expected: Vec<Path> = paths.iter().filter(|p| p.starts_with(&path[..depth])).cloned().collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn a_depth_limit_sets_aside_exactly_what_it_hides(tree in tree(), seed: u64, depth in 0u32..6) {
        let mut space = Toy::new(&tree, seed);
        let explorer = Explorer::new(&mut space, Region::whole(), Limits { max_depth: Some(depth), ..Limits::default() })
            .asking(asking(seed));
        let mut explorer = AnyExplorer::Symbolic(explorer);
        let (mut found, mut cut) = (Vec::new(), Vec::new());
        while !explorer.is_done() {
            for event in space.step(&mut explorer) {
                match event {
                    Event::Path { state, .. } => found.push(state.path),
                    Event::Cut { region, .. } => cut.push(region),
                    _ => panic!("nothing else was planted"),
                }
            }
        }
        prop_assert!(found.iter().all(|p| p.len() <= depth as usize));
        space.leave(&mut explorer);
        found.extend(whole(&mut space, cut));
        prop_assert_eq!(sorted(found), all(&tree));
        prop_assert_eq!(space.measure, Weight::ONE);
    }

    #[test]
    fn tests_are_ordered_as_their_paths(tree in tree(), seed: u64, a: prop::sample::Index, b: prop::sample::Index) {
        let paths = all(&tree);
        prop_assume!(!paths.is_empty());
        let (a, b) = (a.get(&paths), b.get(&paths));
        let expected = match a.cmp(b) {
            std::cmp::Ordering::Less => Order::Smaller,
            std::cmp::Ordering::Equal => Order::Equivalent,
            std::cmp::Ordering::Greater => Order::Bigger,
        };
        prop_assert_eq!(compare(&mut Toy::new(&tree, seed), &test_of(a), &test_of(b), 1 << 40), Some(expected));
    }

    #[test]
    fn a_replay_that_decides_otherwise_is_noticed_before_a_path_is_found(
        tree in tree(), seed: u64, steps in 1usize..60, at_hi: bool, lie: prop::sample::Index,
    ) {
        let mut space = Toy::new(&tree, seed);
        // A region with two cuts that have digests: what is left of a run that gave away a part.
        let mut explorer = space.explorer(Region::whole());
        for _ in 0..steps {
            explorer.step(&mut space, 10, &mut Vec::new());
        }
        explorer.give(&mut space, 1);
        let Some(region) = explorer.remaining(&mut space).pop() else { return Ok(()) };
        let cut = if at_hi { region.hi.clone() } else { region.lo.clone() };
        let Some(cut) = cut else { return Ok(()) };
        let depth = cut.depth.unwrap_or(0) as usize;
        prop_assume!(depth > 0);
        // One decision on the way to the cut is another than it was.
        let mut space = Toy::new(&tree, seed ^ 99);
        let (mut way, test) = (Vec::new(), space.prepare(&cut.test));
        let lie = lie.index(depth);
        while way.len() <= lie {
            way.push(u8::from(!space.decides(&way, &test)));
        }
        space.lie = Some(way);
        let mut explorer = Explorer::new(&mut space, region.clone(), Limits::default());
        let mut events = Vec::new();
        while !explorer.is_done() {
            explorer.step(&mut space, 10, &mut events);
        }
        // The decision may be on the way to both cuts: then either is named.
        let of_region = |c: &Cut| Some(c) == region.lo.as_ref() || Some(c) == region.hi.as_ref();
        let noticed = matches!(&events[..], [Event::Divergence { divergence: d, region: r }]
            if of_region(&d.cut) && r.hi == region.hi && d.parting == Some(lie));
        prop_assert!(noticed, "{} events", events.len());
    }

    /// Digests become others at some time, while states are given away, written down and followed again.
    #[test]
    fn where_replays_diverge_what_is_set_aside_and_what_is_found_are_all(
        tree in tree(),
        seed: u64,
        search in search(),
        before in 0usize..40,
        lie in prop::collection::vec(0u8..2, 1..6),
        full_every in prop::option::of(4u64..20),
        unknown in 0u64..6,
        moves in prop::collection::vec(0u8..9, 0..40),
    ) {
        let mut space = Toy::new(&tree, seed);
        let mut first = space.explorer(Region::whole());
        for _ in 0..before {
            first.step(&mut space, 10, &mut Vec::new());
        }
        first.give(&mut space, 1);
        let Some(region) = first.remaining(&mut space).pop() else { return Ok(()) };
        let expected = explore(&mut Toy::new(&tree, seed), region.clone(), usize::MAX).0;
        (space.search, space.unknown_one_in, space.full_every) = (search, unknown, full_every.unwrap_or(0));
        let mut explorer = space.explorer(region);
        let (mut found, mut aside, mut moves) = (Vec::new(), Vec::new(), moves.into_iter());
        let mut steps = 0;
        while !explorer.is_done() {
            match moves.next() {
                Some(0) => space.lie = Some(lie.clone()),
                Some(1) => aside.extend(explorer.give(&mut space, 1)),
                Some(2) => aside.extend(explorer.spill(&mut space, 1)),
                _ => {}
            }
            steps += 1;
            if steps > 2_000 {
                space.unknown_one_in = 0;
            }
            let mut events = Vec::new();
            explorer.step(&mut space, 10, &mut events);
            for event in events {
                match event {
                    Event::Path { state, .. } => found.push(state.path),
                    Event::Unknown { region, .. } | Event::Divergence { region, .. } => aside.push(region),
                    Event::Cut { .. } => panic!("no limit was planted"),
                }
            }
        }
        (space.lie, space.unknown_one_in) = (None, 0);
        let bare = |cut: Option<Cut>| {
            cut.map(|c| Cut { digest: None, fingerprints: Fingerprints::default(), ..c })
        };
        for region in aside {
            found.extend(explore(&mut space, Region::of(bare(region.lo), bare(region.hi)), usize::MAX).0);
        }
        prop_assert_eq!(sorted(found), sorted(expected));
    }
}

#[test]
fn a_cut_after_a_subtree_leaves_what_follows_it() {
    let leaf = || Some(Box::new(Tree::End));
    let fork = |a, b| Tree::Fork { on_true: a, on_false: b, assume: false };
    let tree = fork(Some(fork(leaf(), leaf()).into()), leaf());
    let cut = Cut {
        test: test_of(&[0, 0]).into(),
        depth: Some(1),
        side: Side::After,
        digest: None,
        fingerprints: Default::default(),
    };
    let found = explore(&mut Toy::new(&tree, 1), Region::of(Some(cut), None), usize::MAX).0;
    assert_eq!(found, vec![vec![1]]);
}

/// A full tree.
fn full(depth: u32) -> Tree {
    let side = || if depth > 1 { full(depth - 1) } else { Tree::End };
    Tree::Fork { on_true: Some(side().into()), on_false: Some(side().into()), assume: false }
}

#[test]
fn a_region_on_a_known_path_is_begun_there_and_not_at_the_entry() {
    let tree = full(12);
    let mut space = Toy::new(&tree, 1);
    // Neighbours that part from each other at the end of their paths.
    let ends: Vec<Path> =
        (0..8u8).map(|i| [vec![1; 9], vec![i >> 2 & 1, i >> 1 & 1, i & 1]].concat()).collect();
    let mut trail = Trail::default();
    let mut steps = Vec::new();
    for end in &ends {
        let region = Region::prefix(test_of(end), 12, None);
        let before = space.steps;
        let strategy = Search::default().strategy(None);
        let mut explorer = Explorer::on_trail(&mut space, region, Limits::default(), strategy, trail);
        let mut events = Vec::new();
        while !explorer.is_done() {
            explorer.step(&mut space, 10, &mut events);
        }
        assert!(matches!(&events[..], [Event::Path { state, .. }] if &state.path == end));
        steps.push(space.steps - before);
        trail = explorer.into_trail();
    }
    assert!(steps[0] >= 13 && steps[1..].iter().all(|&n| n < 9), "{steps:?}");
}

#[test]
fn runs_that_are_too_many_to_keep_are_made_again() {
    // With a queue some thousand of the 32,768 runs wait at a time.
    let tree = full(15);
    for paths in [9_000, usize::MAX] {
        let mut space = Toy::new(&tree, 1);
        space.search = How::Items(Concrete { order: ItemOrder::Fifo, bound: None });
        let (mut found, left) = explore(&mut space, Region::whole(), paths);
        found.extend(whole(&mut space, left));
        assert_eq!(sorted(found), all(&tree), "{paths}");
    }
}

/// The rest of several states that were explored depth-first had cuts as one side of a decision has them, and was taken for that
/// side: the others were lost.
#[test]
fn a_test_beside_what_is_left_of_several_states_follows_none_of_them() {
    let fork = |on_true: Tree, on_false: Option<Tree>| Tree::Fork {
        on_true: Some(on_true.into()),
        on_false: on_false.map(Into::into),
        assume: false,
    };
    let two = || fork(Tree::End, Some(Tree::End));
    let dead = Tree::Fork { on_true: None, on_false: None, assume: true };
    let dead = Tree::Fork { on_true: None, on_false: Some(dead.into()), assume: false };
    let dead = Tree::Fork { on_true: Some(dead.into()), on_false: None, assume: true };
    let tree =
        fork(fork(Tree::End, Some(dead)), Some(fork(fork(two(), None), Some(fork(two(), Some(two()))))));
    let tests = [vec![], vec![1], vec![1], vec![1; 4]];
    let mut space = Toy::new(&tree, 13_878_230_484_368_506_578);
    space.search = How::States(Search::new(&["batch=1:deepest".to_string()], 0).unwrap());
    let (mut explorer, mut found) = (space.explorer(Region::whole()), Vec::new());
    while !explorer.is_done() {
        let AnyExplorer::Symbolic(symbolic) = &mut explorer else { unreachable!() };
        if symbolic.can_pursue() && space.roll(2) == 0 {
            let test = test_of(&tests[space.roll(tests.len() as u64) as usize]);
            if symbolic.pursue(&mut space, &test, 1 << 20).0 == Pursuit::Begun {
                path_taken(&mut space, &test, 1 << 20);
            }
        }
        let AnyExplorer::Symbolic(symbolic) = &mut explorer else { unreachable!() };
        if symbolic.is_pursuing() && space.roll(8) == 0 {
            symbolic.end_pursuit();
        }
        let events = space.step(&mut explorer);
        found.extend(
            events
                .into_iter()
                .filter_map(|e| if let Event::Path { state, .. } = e { Some(state.path) } else { None }),
        );
    }
    space.leave(&mut explorer);
    assert_eq!(sorted(found), all(&tree));
}
