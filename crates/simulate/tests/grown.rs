//! Trees that are made on demand: what holds of them exactly, and what they have in common with the recorded one.

use std::sync::Arc;

use cleave_campaign::{Exploration, Exploring, Found};
use cleave_explore::Limits;
use cleave_region::{Encoded, Region};
use cleave_simulate::grown::{GrownSpace, GrownTree, Leaps, Model, Place, Reach, Shape};
use cleave_simulate::{Costs, MICROSECOND, VirtualClock};
use proptest::prelude::*;

use crate::toy::Toy;

const COSTS: Costs = Costs { instruction: 40_000, question: 7 * MICROSECOND, region: 0 };

fn grown(seed: u64, paths: u64) -> Arc<GrownTree> {
    let tree = Toy { seed: seed % 7, depth: 9 }.tree();
    Arc::new(GrownTree::new(Model::of(&tree), paths, seed).with_tests_of(20))
}

/// All subtrees, in the order of their first paths.
fn places(tree: &GrownTree) -> Vec<Place> {
    let (mut all, mut waiting) = (Vec::new(), vec![tree.root()]);
    while let Some(place) = waiting.pop() {
        all.push(place);
        waiting.extend(tree.below(&place).1.into_iter().flatten());
    }
    all
}

/// What the explorer finds in a region, path by path: their numbers, and when it is done.
fn one_by_one(tree: &Arc<GrownTree>, region: Region) -> (Vec<u64>, u64) {
    let clock: Arc<VirtualClock> = Arc::default();
    let mut exploring =
        Exploring::new(GrownSpace::new(tree.clone(), COSTS, clock.clone()), Limits::default());
    exploring.start(region);
    let mut found = Found::default();
    while !exploring.is_done() {
        exploring.step(20_000, &mut found);
    }
    assert_eq!(exploring.failure(), None);
    (found.paths.iter().map(|path| tree.path_of(&path.test)).collect(), clock.picos())
}

/// The same in leaps of so much time.
fn in_leaps(tree: &Arc<GrownTree>, region: Region, time: u64) -> (Vec<u64>, u64) {
    let (clock, reach): (Arc<VirtualClock>, Arc<Reach>) = Default::default();
    let mut leaps = Leaps::new(tree.clone(), COSTS, clock.clone(), reach.clone());
    leaps.start(region);
    let mut found = Found::default();
    let mut left = reach.left();
    while !leaps.is_done() {
        let before = clock.picos();
        reach.go_until(before + time);
        leaps.step(20_000, &mut found);
        let took = clock.picos() - before;
        assert!(took == time || (took < time && leaps.is_done()), "{took} of {time}");
        assert_eq!(reach.left(), left - took);
        left = reach.left();
    }
    assert_eq!(left, 0);
    let records = found.paths.iter().map(Leaps::paths_of);
    (records.flat_map(|(first, n)| first..first + n).collect(), clock.picos())
}

#[test]
fn a_trillion_paths_are_divided_exactly_all_the_way_down() {
    let tree = grown(5, 1_000_000_000_000);
    for target in [0, 1, 77_777_777_777, 999_999_999_999] {
        let mut place = tree.root();
        while let (_, Some(sides)) = tree.below(&place) {
            place = sides[usize::from(sides[1].holds(target))];
            assert!(place.holds(target) && place.depth < 5_000);
        }
        assert_eq!((place.first, place.load.paths), (target, 1));
    }
}

#[test]
fn a_grown_tree_has_the_statistics_of_the_recorded_one() {
    for seed in 0..4 {
        let recorded = Toy { seed, depth: 15 }.tree();
        let was = Shape::of(&recorded);
        let tree = GrownTree::new(Model::of(&recorded), was.paths, seed);
        let is = Shape::of_grown(&tree);
        let exact = |shape: &Shape| (shape.paths, shape.instructions, shape.questions);
        assert_eq!(exact(&is), exact(&was));
        let near = |is: f64, was: f64, part: f64| (is / was - 1.0).abs() < part;
        assert!(near(is.mean_decisions, was.mean_decisions, 0.1), "{was:?} {is:?}");
        assert!(near(is.mean_instructions, was.mean_instructions, 0.15), "{was:?} {is:?}");
        for (i, part) in [0.3, 0.15, 0.2].into_iter().enumerate() {
            assert!(near(f64::from(is.decisions[i]), f64::from(was.decisions[i]), part), "{was:?} {is:?}");
        }
        // All paths of this program end at nearly the same depth; of a grown tree they do not.
        assert!((0.5..2.0).contains(&(is.spread / was.spread)), "{was:?} {is:?}");
        assert!((is.correlation - was.correlation).abs() < 0.35, "{was:?} {is:?}");
        assert!((is.chains - was.chains).abs() < 0.1, "{was:?} {is:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_predicted_of_a_subtree_is_what_is_in_it(seed: u64, paths in 1u64..3_000) {
        let tree = grown(seed, paths);
        let all = places(&tree);
        let ends = all.iter().filter(|place| tree.below(place).1.is_none());
        prop_assert_eq!(ends.map(|place| place.first).collect::<Vec<_>>(), (0..paths).collect::<Vec<_>>());
        for place in &all {
            let (segment, sides) = tree.below(place);
            let [a, b] = sides.map_or([Default::default(); 2], |sides| sides.map(|side| side.load));
            prop_assert_eq!(place.load.instructions, segment.instructions + a.instructions + b.instructions);
            prop_assert_eq!(place.load.one_sided, segment.one_sided + a.one_sided + b.one_sided);
            prop_assert!(sides.is_none() || place.load.paths == a.paths + b.paths);
            prop_assert!(place.load.instructions >= place.load.paths);
        }
    }

    #[test]
    fn the_same_position_is_the_same_subtree_on_every_worker(seed: u64, paths in 2u64..100_000, target: u64) {
        // Two workers that have seen different parts before, and one that has the region from a message.
        let (one, other) = (grown(seed, paths), grown(seed, paths));
        let target = target % paths;
        let mut place = one.root();
        while let (_, Some(sides)) = one.below(&place) {
            place = sides[usize::from(sides[1].holds(target))];
            let region = Region::subtree(other.before(&place));
            let sent = Encoded::new(&region).decode().unwrap();
            let ends = [sent.lo, sent.hi].map(|cut| other.behind(&cut.unwrap()));
            prop_assert_eq!(ends, [place.first, place.end()]);
            prop_assert_eq!(one.below(&place), other.below(&place));
        }
    }

    #[test]
    fn leaps_find_what_the_explorer_finds_and_take_as_long(seed: u64, paths in 1u64..2_000, time in 1u64..100_000) {
        let tree = grown(seed, paths);
        let (one, took) = one_by_one(&tree, Region::whole());
        prop_assert_eq!(&one, &(0..paths).collect::<Vec<_>>());
        prop_assert_eq!((one, took), in_leaps(&tree, Region::whole(), time * MICROSECOND));
    }

    #[test]
    fn what_leaps_give_away_and_keep_is_the_whole(
        seed: u64, paths in 2u64..2_000, after in 0u64..1_000, n in 1usize..9, again in 1usize..5,
    ) {
        let tree = grown(seed, paths);
        let (clock, reach): (Arc<VirtualClock>, Arc<Reach>) = Default::default();
        let mut leaps = Leaps::new(tree.clone(), COSTS, clock.clone(), reach.clone());
        leaps.start(Region::whole());
        let mut found = Found::default();
        reach.go_until(after * 100 * MICROSECOND);
        leaps.step(1, &mut found);
        let mut parts = leaps.give(n);
        reach.go_until(clock.picos() + 50 * MICROSECOND);
        leaps.step(1, &mut found);
        parts.extend(leaps.give(again));
        parts.extend(leaps.remaining());
        let mut all: Vec<u64> = Vec::new();
        for record in &found.paths {
            let (first, n) = Leaps::paths_of(record);
            all.extend(first..first + n);
        }
        for part in parts {
            // Whether by the explorer or by another worker that leaps.
            let one = one_by_one(&tree, part.clone()).0;
            prop_assert_eq!(&one, &in_leaps(&tree, part, MICROSECOND * 777).0);
            all.extend(one);
        }
        all.sort_unstable();
        prop_assert_eq!(all, (0..paths).collect::<Vec<_>>());
    }
}
