//! A replay in a program that has changed: it is noticed, and shown where.

use cleave_explore::{
    Answer, Asking, Divergence, Event, Explorer, Feasibility, Likeness, Limits, Outcome, Search, Space,
};
use cleave_region::{Cut, Fingerprints, Object, PathDigest, Region, Test};

/// A program that asks for one bit after the other, or assumes it.
#[derive(Clone, Copy, PartialEq)]
struct Ask {
    bit: usize,
    /// What its condition looks like.
    name: u64,
    assume: bool,
}

struct Line {
    asks: Vec<Ask>,
    /// Behind these sides the next decision is another.
    changed: Option<Vec<bool>>,
    full: bool,
}

impl Line {
    fn new(n: usize) -> Line {
        Line::of((0..n).map(|bit| Ask { bit, name: 1000 + 7 * bit as u64, assume: false }).collect())
    }
    fn of(asks: Vec<Ask>) -> Line {
        Line { asks, changed: None, full: false }
    }
}

/// Decisions that lie behind: their conditions and sides.
type State = Vec<(Ask, bool)>;

impl Space for Line {
    type State = State;
    type Cond = Ask;
    type Witness = Vec<u8>;
    type End = ();
    fn root(&mut self) -> State {
        Vec::new()
    }
    fn prepare(&mut self, test: &Test) -> Vec<u8> {
        test.objects.first().map(|o| o.bytes.clone()).unwrap_or_default()
    }
    fn write_down(&mut self, _: &State, witness: &Vec<u8>) -> Test {
        Test { objects: vec![Object { name: "bits".into(), bytes: witness.clone() }] }
    }
    fn run(&mut self, state: &mut State, _: &Vec<u8>, _: u64) -> Outcome<Ask, ()> {
        let Some(&(mut cond)) = self.asks.get(state.len()) else { return Outcome::Ended(()) };
        let differs = |sides: &Vec<bool>| sides.iter().eq(state.iter().map(|(_, side)| side));
        if self.changed.as_ref().is_some_and(differs) {
            cond.name = 5;
        }
        Outcome::Decision { cond, assume: cond.assume }
    }
    fn decides(&mut self, cond: &Ask, witness: &Vec<u8>) -> bool {
        witness.get(cond.bit).copied().unwrap_or(0) == 0
    }
    fn ask(&mut self, state: &State, cond: &Ask, side: bool, near: &Vec<u8>) -> Answer<Vec<u8>> {
        if state.iter().any(|(asked, taken)| asked.bit == cond.bit && *taken != side) {
            return Answer::Infeasible;
        }
        let mut witness = near.clone();
        witness.resize(witness.len().max(cond.bit + 1), 0);
        witness[cond.bit] = u8::from(!side);
        Answer::Feasible(witness)
    }
    fn take(&mut self, state: &mut State, cond: &Ask, side: bool) {
        state.push((*cond, side));
    }
    fn depth(&self, state: &State) -> u32 {
        state.len() as u32
    }
    fn digest(&self, state: &State) -> PathDigest {
        state.iter().fold(PathDigest::default(), |d, (cond, side)| d.extend(cond.name, *side))
    }
    fn decisions(&self, state: &State) -> Vec<u8> {
        state.iter().map(|(cond, side)| Fingerprints::one(cond.name, *side)).collect()
    }
    fn describe(&self, state: &State, decisions: std::ops::Range<usize>) -> Vec<String> {
        state[decisions].iter().map(|(cond, side)| format!("bit {} is {side}", cond.bit)).collect()
    }
    fn is_full(&self) -> bool {
        self.full
    }
    fn renew(&mut self) {
        self.full = false;
    }
}

fn explorer(space: &mut Line, region: Region, search: &str) -> Explorer<Line> {
    let strategy = Search::new(&[search.into()], 3).unwrap().strategy(None);
    Explorer::with_strategy(space, region, Limits::default(), strategy)
}

/// What is open after `steps` steps in a line of `n` bits.
fn open(n: usize, search: &str, steps: usize) -> Vec<Region> {
    let mut space = Line::new(n);
    let mut explorer = explorer(&mut space, Region::whole(), search);
    for _ in 0..steps {
        explorer.step(&mut space, 10, &mut Vec::new());
    }
    explorer.remaining(&mut space)
}

/// How many paths are found in a region, and what diverges.
fn explore(space: &mut Line, region: Region) -> (usize, Vec<std::sync::Arc<Divergence>>) {
    let mut explorer = explorer(space, region, "dfs");
    let (mut events, mut found, mut diverged) = (Vec::new(), 0, Vec::new());
    while !explorer.is_done() {
        explorer.step(space, 10, &mut events);
    }
    for event in events {
        match event {
            Event::Path { .. } => found += 1,
            Event::Divergence { divergence, .. } => diverged.push(divergence),
            _ => panic!("nothing else was planted"),
        }
    }
    (found, diverged)
}

/// Every region that is open in a line of nine bits diverges in `changed` at the decision `at` if it is that deep,
/// and has all its paths otherwise.
fn check(changed: &[Ask], at: usize, likeness: Likeness, shown: &str) {
    let mut noticed = 0;
    for (search, steps) in [("dfs", 14), ("dfs", 40), ("bfs", 25), ("random-state", 60)] {
        for region in open(9, search, steps) {
            let depth = |cut: &Option<Cut>| cut.as_ref().and_then(|c| c.depth).unwrap_or(0);
            let deepest = depth(&region.lo).max(depth(&region.hi)) as usize;
            let whole = explore(&mut Line::new(9), region.clone());
            assert!(whole.1.is_empty(), "the program as it was");
            let (found, diverged) = explore(&mut Line::of(changed.to_vec()), region);
            if deepest <= at {
                assert!(found > 0 && diverged.is_empty(), "{search} {deepest}");
                continue;
            }
            assert_eq!((found, diverged.len()), (0, 1), "{search} {deepest}");
            let d = &diverged[0];
            let depth = d.cut.depth.unwrap() as usize;
            assert_eq!(d.parting, Some(at), "{search}: {d}");
            if depth >= at + 3 {
                assert_eq!(d.likeness, Some(likeness), "{search}: {d}");
            }
            let text = d.to_string();
            assert!(text.contains(&format!("\n> {at:>8}  ")), "{text}");
            assert!(text.contains(shown), "{shown:?} is not in {text}");
            let expected = Line::new(9).asks[at];
            let row = d.rows.iter().find(|row| row.index == at).unwrap();
            let sides = [false, true].map(|side| Some(Fingerprints::one(expected.name, side)));
            assert!(sides.contains(&row.expected), "{text}");
            noticed += 1;
        }
    }
    assert!(noticed > 5, "{noticed}");
}

#[test]
fn a_decision_that_is_new_is_shown_where_it_is() {
    let new = Ask { bit: 8, name: 5, assume: false };
    for at in 0..6 {
        let mut changed = Line::new(9).asks;
        changed.insert(at, new);
        check(&changed, at, Likeness::Inserted, "bit 8 is");
    }
}

#[test]
fn a_decision_that_is_missing_is_shown_where_it_was() {
    for at in 0..6 {
        let mut changed = Line::new(9).asks;
        changed.remove(at);
        check(&changed, at, Likeness::Removed, &format!("bit {} is", at + 1));
    }
}

#[test]
fn a_decision_that_is_another_is_shown() {
    for at in 0..6 {
        let mut changed = Line::new(9).asks;
        changed[at].name = 3;
        check(&changed, at, Likeness::Changed, &format!("bit {at} is"));
    }
}

#[test]
fn a_path_that_ends_early_is_shown() {
    for at in 1..6 {
        check(&Line::new(at).asks, at, Likeness::Ended, &format!("{at} were found of"));
    }
}

#[test]
fn a_test_that_an_assumption_excludes_is_no_empty_region() {
    // The second path: its last bit is set.
    let region = open(5, "dfs", 6).remove(0);
    assert_eq!(region.lo.as_ref().unwrap().depth, Some(5));
    let mut changed = Line::new(5).asks;
    changed.insert(2, Ask { bit: 4, name: 5, assume: true });
    let (found, diverged) = explore(&mut Line::of(changed), region);
    assert_eq!((found, diverged.len()), (0, 1));
    assert_eq!(diverged[0].parting, Some(2), "{}", diverged[0]);
}

#[test]
fn a_cut_of_one_s_own_diverges_without_fingerprints() {
    let region = open(5, "dfs", 6).remove(0);
    let bare = |cut: Option<Cut>| cut.map(|c| Cut { fingerprints: Fingerprints::default(), ..c });
    let region = Region::of(bare(region.lo), bare(region.hi));
    let mut changed = Line::new(5).asks;
    changed[1].name = 3;
    let (found, diverged) = explore(&mut Line::of(changed), region);
    assert_eq!((found, diverged.len()), (0, 1));
    assert!(diverged[0].to_string().contains("not known"), "{}", diverged[0]);
}

type Sides = Vec<bool>;

/// Goes on for so many steps, or to the end; returns the paths found and the regions that diverge.
fn go_on(explorer: &mut Explorer<Line>, space: &mut Line, steps: usize) -> (Vec<Sides>, Vec<Region>) {
    let (mut events, mut found, mut diverged) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..steps {
        explorer.step(space, 10, &mut events);
    }
    for event in events {
        match event {
            Event::Path { state, .. } => found.push(state.iter().map(|(_, side)| *side).collect()),
            Event::Divergence { region, .. } => diverged.push(region),
            _ => panic!("nothing else was planted"),
        }
    }
    (found, diverged)
}

/// The decisions that a cut was made with.
fn sides(cut: &Cut) -> Sides {
    let bits = &cut.test.objects[0].bytes;
    (0..cut.depth.unwrap() as usize).map(|i| bits.get(i).copied().unwrap_or(0) == 0).collect()
}

/// So many paths with six decisions are explored, then all that waits is written down, and one decision is another from
/// then on: once for each decision that a region ends with. Returns how many regions diverged, and how many did not.
fn one_decision_changes(search: &str, asking: Asking, steps: usize) -> (usize, usize) {
    const TO_THE_END: usize = 2_000;
    let whole = || {
        let mut space = Line::new(6);
        let mut explorer = explorer(&mut space, Region::whole(), search).asking(asking);
        let before = go_on(&mut explorer, &mut space, steps).0;
        let waiting = explorer.remaining(&mut space);
        (space, explorer, before, waiting)
    };
    let ends: Vec<Sides> = whole().3.iter().flat_map(|r| [&r.lo, &r.hi]).flatten().map(sides).collect();
    let (mut touched, mut others) = (0, 0);
    for end in ends {
        let (mut space, mut explorer, mut found, waiting) = whole();
        let Some((_, changed)) = end.split_last() else { continue };
        space.changed = Some(changed.to_vec());
        space.full = true;
        let (after, diverged) = go_on(&mut explorer, &mut space, TO_THE_END);
        assert!(explorer.is_done() && !space.full, "{search}");

        let goes_there = |cut: &Cut| sides(cut).len() > changed.len() && sides(cut).starts_with(changed);
        let differs = |r: &&Region| [&r.lo, &r.hi].into_iter().flatten().any(goes_there);
        let expected: Vec<&Region> = waiting.iter().filter(differs).collect();
        assert_eq!(diverged.len(), expected.len(), "{search}, {steps} steps, {changed:?}");
        assert!(expected.iter().all(|r| diverged.contains(r)), "{search}: {diverged:?} for {expected:?}");
        (touched, others) = (touched + expected.len(), others + waiting.len() - expected.len());

        // In the program as it was they hold what is missing.
        found.extend(after);
        for region in diverged {
            let mut space = Line::new(6);
            let mut explorer = self::explorer(&mut space, region, "dfs");
            let (missing, diverged) = go_on(&mut explorer, &mut space, TO_THE_END);
            assert!(diverged.is_empty(), "{search}");
            found.extend(missing);
        }
        found.sort();
        let all: Vec<Sides> =
            (0..64u8).map(|n| (0..6).rev().map(|bit| n >> bit & 1 == 1).collect()).collect();
        assert_eq!(found, all, "{search}, {steps} steps, {changed:?}");
    }
    (touched, others)
}

#[test]
fn where_one_of_the_regions_that_wait_diverges_the_others_are_explored() {
    for search in ["bfs", "random-state", "random-path", "depth", "icnt", "deepening=2:bfs"] {
        for feasibility in [Feasibility::Eager, Feasibility::Lazy] {
            let asking = Asking { feasibility, ..Asking::default() };
            for steps in [24, 40, 70] {
                let (touched, others) = one_decision_changes(search, asking, steps);
                assert!(touched > 0 && others > touched, "{search}: {touched} of {others}");
            }
        }
    }
}
