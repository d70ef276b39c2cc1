//! Runs at the scale of a cluster, on virtual time: nothing is lost, nothing is doubled, whatever fails.

use std::sync::Arc;
use std::time::Duration;

use cleave_campaign::{NodePace, Pace};
use cleave_simulate::grown::{GrownTree, Model};
use cleave_simulate::scale::{Cluster, Failures, Scale, ScaleRow, scale_table};
use cleave_simulate::{Costs, MICROSECOND, Network};

use crate::toy::Toy;

const MILLISECOND: u64 = 1_000 * MICROSECOND;
const SECOND: u64 = 1_000 * MILLISECOND;

fn cluster(levels: bool) -> Cluster {
    Cluster {
        node: 16,
        levels,
        network: Network { latency: MILLISECOND, bandwidth: 125_000_000 },
        inner: Network { latency: 5 * MICROSECOND, bandwidth: 0 },
        message: 15 * MICROSECOND,
        each_member: 5_000,
        each_region: 3 * MICROSECOND,
        report: 0,
        look: 100 * MICROSECOND,
        startup: 0,
        setup: 600,
        pace: Pace { every: Duration::from_millis(500), ..Pace::default() },
        node_pace: NodePace::default(),
        failures: None,
    }
}

/// A tree of so many paths, of so many microseconds each on average.
fn scale(paths: u64, us: u64, cluster: Cluster) -> Scale {
    let tree = Toy { seed: 3, depth: 14 }.tree();
    let tree = Arc::new(GrownTree::new(Model::of(&tree), paths, 1).with_tests_of(24));
    let load = tree.root().load;
    let each = |n: u64| (u128::from(paths * us) * u128::from(MICROSECOND) / 2 / u128::from(n)) as u64;
    let costs = Costs {
        instruction: each(load.instructions),
        question: each(load.questions()),
        region: 15 * MICROSECOND,
    };
    Scale { tree, costs, cluster }
}

#[test]
fn one_worker_takes_the_time_of_the_tree() {
    for levels in [false, true] {
        let row = scale(1_000_000, 20, cluster(levels)).run(1).unwrap();
        assert!((row.efficiency - 1.0).abs() < 0.01 && (row.work - 1.0).abs() < 0.01, "{row:?}");
    }
}

#[test]
fn a_hundred_workers_that_lose_nodes_find_each_of_a_million_paths_once() {
    for levels in [false, true] {
        let failures = Failures { every: 2 * SECOND, silence: SECOND, replaced: 2 * SECOND, seed: 1 };
        let cluster = Cluster { failures: Some(failures), ..cluster(levels) };
        let row = scale(1_000_000, 500, cluster).run(128).unwrap();
        println!("{}", scale_table(std::slice::from_ref(&row)).join("\n"));
        assert_eq!(row.paths, 1_000_000);
        assert!(row.lost > 0 && row.work > 1.0 && row.efficiency > 0.5, "{row:?}");
    }
}

/// What of the work was lost with nodes and done again, and how many nodes were lost, over runs with several seeds.
fn lost(levels: bool) -> (f64, f64) {
    let run = |seed| {
        let failures = Failures { every: 2 * SECOND, silence: SECOND, replaced: 2 * SECOND, seed };
        scale(2_000_000, 500, Cluster { failures: Some(failures), ..cluster(levels) }).run(128).unwrap()
    };
    let rows: Vec<ScaleRow> = (0..4).map(run).collect();
    println!("{}", scale_table(&rows).join("\n"));
    let seconds = rows.iter().map(|row| (row.work - 1.0) * row.paths as f64 * 500e-6).sum::<f64>();
    (seconds, rows.iter().map(|row| row.lost as f64).sum())
}

#[test]
fn a_lost_node_costs_little_more_where_nodes_sum_up_than_where_workers_report_themselves() {
    let ((one, lost_of_one), (two, lost_of_two)) = (lost(false), lost(true));
    assert!(lost_of_one > 20.0 && lost_of_two > 20.0, "{lost_of_one} {lost_of_two}");
    // Seconds of work of 16 workers: a worker's half second is half over on average, and so is its node's.
    let [one, two] = [one / lost_of_one / 16.0, two / lost_of_two / 16.0];
    println!("lost with a node, seconds a worker: {one:.2} and {two:.2}");
    assert!(one > 0.15 && two < one + 0.3, "{one} {two}");
}

#[test]
fn two_levels_are_as_fast_as_one_and_the_coordinator_hears_less() {
    let run = |levels| scale(3_000_000, 100, cluster(levels)).run(128).unwrap();
    let (one, two) = (run(false), run(true));
    println!("{}", scale_table(&[one.clone(), two.clone()]).join("\n"));
    assert!(one.efficiency > 0.9 && two.efficiency > 0.9, "{one:?} {two:?}");
    assert!(two.messages_s < one.messages_s / 4.0, "{one:?} {two:?}");
    // Thieves that get crumbs come back: without half of the *work* for each it was a hundred times a worker and second.
    let a_second = |row: &ScaleRow| (row.steals[0] + row.steals[1]) as f64 / row.wall_s / 128.0;
    assert!(a_second(&one) < 25.0 && a_second(&two) < 25.0, "{one:?} {two:?}");
}

#[test]
fn the_same_run_is_the_same_each_time() {
    let failures = Failures { every: SECOND, silence: SECOND, replaced: SECOND, seed: 4 };
    let run = || {
        let cluster = Cluster { failures: Some(failures), ..cluster(true) };
        scale(100_000, 500, cluster).run(64).unwrap()
    };
    assert_eq!(run(), run());
}
