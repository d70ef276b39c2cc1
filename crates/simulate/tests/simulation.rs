//! What must hold in every simulation, on trees that a seed determines.

use std::sync::Arc;

use cleave_campaign::Pace;
use cleave_simulate::{
    Costs, Curve, MICROSECOND, Machine, Measured, Network, Policy, Recorder, SimulateError, Simulation,
    speed_up_plot, table,
};
use proptest::prelude::*;

use crate::toy::Toy;

fn costs() -> Costs {
    Costs { instruction: 40_000, question: 7 * MICROSECOND, region: 0 }
}

/// Everything but the workers' work is for nothing.
fn free() -> Machine {
    let network = Network { latency: 0, bandwidth: 0 };
    Machine {
        network,
        message: 0,
        each_worker: 0,
        path: 0,
        startup: 0,
        cores: 0,
        setup: 0,
        pace: Pace::default(),
        kept: false,
        sync: 0,
    }
}

/// A cluster as there are some.
fn cluster() -> Machine {
    Machine {
        network: Network { latency: 100 * MICROSECOND, bandwidth: 125_000_000 },
        message: 10 * MICROSECOND,
        path: 20 * MICROSECOND,
        setup: 600,
        ..free()
    }
}

/// A tree of at least `n` paths.
fn large(n: usize, machine: Machine) -> Simulation {
    let toys = (8..).map(|depth| Toy { seed: 3, depth });
    let tree = toys.map(|toy| toy.tree()).find(|tree| tree.paths().len() >= n).unwrap();
    Simulation { tree: Arc::new(tree), costs: costs(), machine }
}

fn simulation(seed: u64, depth: usize, machine: Machine) -> Simulation {
    Simulation { tree: Arc::new(Toy { seed, depth }.tree()), costs: costs(), machine }
}

fn policies() -> Vec<Policy> {
    vec![
        Policy::Ranges,
        Policy::Static { per_worker: 1, seed: 3 },
        Policy::Static { per_worker: 4, seed: 9 },
        Policy::TestDepth { states: None },
        Policy::TestDepth { states: Some(40) },
        Policy::ParSym,
    ]
}

#[test]
fn one_worker_without_a_network_takes_the_sum_of_the_costs() {
    let simulation = simulation(5, 11, free());
    let sum: u64 = simulation.tree.nodes().iter().map(|n| n.instructions).sum::<u64>() * 40_000
        + simulation.tree.nodes().iter().filter(|n| n.children != [None, None] && !n.assume).count() as u64
            * 7
            * MICROSECOND;
    assert_eq!(simulation.costs.serial(&simulation.tree), sum);
    for policy in
        [Policy::Ranges, Policy::Static { per_worker: 1, seed: 1 }, Policy::TestDepth { states: None }]
    {
        let row = simulation.run(policy, 1).unwrap();
        assert_eq!((row.wall_s, row.speed_up, row.work), (sum as f64 / 1e12, 1.0, 1.0), "{policy:?}");
        assert_eq!((row.steals, row.idle), (0, 0.0));
    }
    let concolic = simulation.run(Policy::ParSym, 1).unwrap();
    assert!(concolic.work > 1.0, "each item runs again what is before its position: {concolic:?}");
    assert!((concolic.wall_s / (concolic.work * sum as f64 / 1e12) - 1.0).abs() < 1e-12, "{concolic:?}");
}

#[test]
fn followed_tests_make_the_tree_that_they_are_the_paths_of() {
    let toy = Toy { seed: 8, depth: 10 };
    let tree = toy.tree();
    let tests = toy.tests();
    assert_eq!(tree.paths().len(), tests.len());
    let in_order: Vec<&[u8]> = tree.paths().iter().map(|p| &p.test.objects[0].bytes[..]).collect();
    assert!(in_order.is_sorted(), "true sides come first");
    for (number, path) in tree.paths().iter().enumerate() {
        let way = tree.nodes_of(number as u32);
        assert_eq!(way.len(), path.depth as usize + 1);
        assert_eq!(way.iter().map(|n| tree.node(*n).instructions).sum::<u64>(), path.instructions);
        let sides: Vec<u8> =
            way[..way.len() - 1].iter().map(|n| u8::from(!tree.side(*n, number as u32))).collect();
        assert_eq!(sides, path.test.objects[0].bytes);
        assert_eq!(tree.path_of(&path.test), number as u32);
        assert_eq!(tree.path_with(path.digest), Some(number as u32));
    }
}

#[test]
fn a_test_that_takes_another_path_is_an_error() {
    let toy = Toy { seed: 8, depth: 10 };
    let mut record = toy.record(toy.tests()[0].clone());
    record.digest = record.digest.extend(1, true);
    let mut recorder = Recorder::new(toy);
    assert!(matches!(recorder.add(record), Err(SimulateError::OtherPath { .. })));
    assert!(matches!(recorder.finish(), Err(SimulateError::NoPaths)));
}

#[test]
fn five_thousand_workers_find_thirty_thousand_paths_once_under_every_policy() {
    let simulation = large(30_000, cluster());
    let paths = simulation.tree.paths().len() as u64;
    let stat = Policy::Static { per_worker: 1, seed: 3 };
    for policy in [Policy::Ranges, stat, Policy::TestDepth { states: None }, Policy::ParSym] {
        let row = simulation.run(policy, 5_000).unwrap();
        assert_eq!(row.paths, paths);
        assert!(row.speed_up > 1.0, "{row:?}");
    }
}

#[test]
fn stealing_is_close_to_linear_where_the_tree_is_wide_and_messages_are_fast() {
    let simulation = large(30_000, cluster());
    for workers in [2, 4, 8] {
        let row = simulation.run(Policy::Ranges, workers).unwrap();
        assert!(row.efficiency > 0.85 && row.efficiency <= 1.0, "{row:?}");
    }
}

#[test]
fn workers_that_share_cores_are_no_faster_than_these() {
    let simulation = large(10_000, Machine { cores: 2_000, ..free() });
    let two = simulation.run(Policy::Ranges, 2).unwrap();
    let four = simulation.run(Policy::Ranges, 4).unwrap();
    assert!(two.speed_up > 1.7 && two.speed_up <= 2.0, "{two:?}");
    assert!(four.speed_up > 1.6 && four.speed_up <= 2.0, "{four:?}");
    let half = large(10_000, Machine { cores: 500, ..free() }).run(Policy::Ranges, 1).unwrap();
    assert!((half.speed_up - 0.5).abs() < 1e-6 && half.work == 1.0, "{half:?}");
}

#[test]
fn a_slow_network_and_a_slow_coordinator_cost_time() {
    let fast = large(2_000, free()).run(Policy::Ranges, 8).unwrap();
    let far = Network { latency: 20_000 * MICROSECOND, bandwidth: 0 };
    let narrow = Network { latency: 0, bandwidth: 100_000 };
    for machine in [
        Machine { network: far, ..free() },
        Machine { network: narrow, ..free() },
        Machine { path: 1_000 * MICROSECOND, ..free() },
    ] {
        let slow = large(2_000, machine).run(Policy::Ranges, 8).unwrap();
        assert!(slow.wall_s > 1.2 * fast.wall_s, "{machine:?}: {slow:?} against {fast:?}");
    }
}

#[test]
fn paths_that_stay_where_they_are_found_cross_no_wire() {
    let narrow = Network { latency: 100 * MICROSECOND, bandwidth: 100_000 };
    let run =
        |kept, network| large(2_000, Machine { network, kept, ..cluster() }).run(Policy::Ranges, 4).unwrap();
    let (sent, kept) = (run(false, narrow), run(true, narrow));
    assert!(kept.bytes * 4 < sent.bytes && kept.wall_s * 2.0 < sent.wall_s, "{kept:?}, {sent:?}");
    let [sent, kept] = [false, true].map(|kept| run(kept, cluster().network));
    assert!(kept.wall_s < 1.05 * sent.wall_s && kept.bytes * 4 < sent.bytes, "{kept:?}, {sent:?}");
}

#[test]
fn a_shard_that_is_synced_for_each_report_takes_its_time() {
    let run =
        |sync| large(2_000, Machine { kept: true, sync, ..free() }).run(Policy::Ranges, 1).unwrap().wall_s;
    let (free, dear) = (run(0), run(100_000 * MICROSECOND));
    assert!(dear > free + 0.1, "{free} s, {dear} s");
}

#[test]
fn the_table_and_the_picture_are_the_same_each_time() {
    let all = || {
        let simulation = simulation(6, 12, cluster());
        let rows: Vec<_> = policies()
            .into_iter()
            .flat_map(|p| [1, 3, 40].map(|workers| (p, workers)))
            .map(|(policy, workers)| simulation.run(policy, workers).unwrap())
            .collect();
        let points = rows.iter().map(|r| (f64::from(r.workers), r.speed_up)).collect();
        (table(&rows), speed_up_plot("a < b", &[Curve { name: "all".into(), points }]))
    };
    let (lines, picture) = all();
    assert_eq!((lines.clone(), picture.clone()), all());
    assert_eq!(lines.len(), 19);
    assert!(picture.starts_with("<svg") && picture.contains("a &lt; b") && picture.ends_with("</svg>\n"));
}

#[test]
fn regions_that_are_written_down_take_their_time() {
    let run = |region| {
        let mut simulation = simulation(3, 11, cluster());
        simulation.costs.region = region;
        simulation.run(Policy::ParSym, 4).unwrap()
    };
    let (free, dear) = (run(0), run(200 * MICROSECOND));
    assert!(free.steals > 0 && dear.wall_s > 1.02 * free.wall_s, "{} s, {} s", free.wall_s, dear.wall_s);
}

#[test]
fn costs_are_shares_of_the_measured_time() {
    let measured = Measured { instructions: 1_000, questions: 50, busy_seconds: 3.0, solver_seconds: 1.0 };
    let costs = Costs::of(&measured);
    let region = costs.region;
    assert_eq!(costs, Costs { instruction: 2_000_000_000, question: 20_000_000_000, region });
    assert!(Costs::of(&Measured::default()).instruction > 0);
    assert_eq!(costs.slower(3.0), Costs { instruction: 6_000_000_000, question: 60_000_000_000, region });
}

#[test]
fn a_message_that_comes_within_a_slice_waits_for_its_end() {
    // Here a lease arrives while the worker is busy with the last report of the one before.
    let machine = Machine { cores: 686, kept: true, sync: 500 * MICROSECOND, ..cluster() };
    simulation(4_557_713_666_143_677_698, 9, machine).run(Policy::ParSym, 10).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_path_is_found_once_whoever_works(
        seed: u64, depth in 1usize..10, workers in 1u32..60, cores in prop_oneof![Just(0u64), 300u64..4_000], random: u64, per_worker in 1u32..4,
        states in prop::option::of(1u32..30), kept: bool,
    ) {
        let simulation = simulation(seed, depth, Machine { cores, kept, sync: 500 * MICROSECOND, ..cluster() });
        let all =
            [Policy::Ranges, Policy::Static { per_worker, seed: random }, Policy::TestDepth { states }, Policy::ParSym];
        for policy in all {
            let row = simulation.run(policy, workers);
            prop_assert!(row.is_ok(), "{policy:?}: {:?}", row);
        }
    }
}
