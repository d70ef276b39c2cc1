//! Campaigns with workers as threads, with their real pace.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cleave_campaign::{
    Campaign, CampaignError, Meta, Pace, RecordedPath, RunOptions, SetUp, Sink, Snapshot, StopReason, Store,
    Threads,
};

use crate::common::{Tree, folder, whole};

fn threads(tree: &Tree) -> Threads {
    let tree = tree.clone();
    Threads::new(Arc::new(move |setup| Ok(tree.exploration(setup.bytes.len() as u64))), Pace::default())
}

fn options(workers: u32) -> RunOptions {
    RunOptions { workers, ..RunOptions::default() }
}

#[test]
fn any_number_of_workers_finds_the_same_paths() {
    let tree = Tree::at_least(3_000, 5, 16);
    for workers in [1, 2, 4] {
        let folder = folder();
        let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
        let reason = campaign.run(&mut threads(&tree), &options(workers), &mut ()).unwrap();
        assert_eq!(reason, StopReason::Exhausted);
        let account = campaign.account().unwrap();
        assert_eq!((account.doubled, account.open_regions), (0, 0));
        assert_eq!(account.paths.ended(), tree.paths().len() as u64);
        assert_eq!(account.workers, workers);
        assert_eq!(account.each_once, Some(true), "with {workers} workers");
        tree.check_account(folder.path(), true);
    }
}

#[test]
fn several_workers_stop_at_exactly_as_many_paths_as_asked_for_and_find_the_others_when_resumed() {
    let tree = Tree { slow: 20, ..Tree::at_least(3_000, 5, 16) };
    for workers in [2, 4] {
        let folder = folder();
        let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
        for most in [1, 100, 1_500] {
            let options = RunOptions { max_paths: Some(most), ..options(workers) };
            assert_eq!(campaign.run(&mut threads(&tree), &options, &mut ()).unwrap(), StopReason::MaxPaths);
            assert_eq!(campaign.account().unwrap().paths.ended(), most);
            tree.check_account(folder.path(), true);
        }
        assert_eq!(
            campaign.run(&mut threads(&tree), &options(workers), &mut ()).unwrap(),
            StopReason::Exhausted
        );
        let account = campaign.account().unwrap();
        assert_eq!((account.paths.ended(), account.doubled), (tree.paths().len() as u64, 0));
        tree.check_account(folder.path(), true);
    }
}

/// With debug assertions it is a panic.
#[cfg(not(debug_assertions))]
#[test]
fn an_impossible_state_that_a_worker_meets_is_in_the_account() {
    let tree = Tree::at_least(100, 5, 11);
    let folder = folder();
    let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
    cleave_never::never!("three sides");
    campaign.run(&mut threads(&tree), &options(1), &mut ()).unwrap();
    let met = campaign.account().unwrap().internal_errors;
    let (what, n) = met.first_key_value().expect("it is told");
    assert!(what.starts_with(file!()) && what.ends_with("three sides") && *n == 1, "{met:?}");
}

#[test]
fn idle_workers_get_a_share() {
    let tree = Tree { slow: 100, ..Tree::at_least(300, 5, 11) };
    let folder = folder();
    let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
    campaign.run(&mut threads(&tree), &options(4), &mut ()).unwrap();
    let account = campaign.account().unwrap();
    assert!(account.stolen_regions >= 3, "{} regions changed hands", account.stolen_regions);
    tree.check_account(folder.path(), true);
}

#[test]
fn a_path_on_which_workers_die_is_set_aside_and_the_run_goes_on() {
    let tree = Tree::at_least(100, 9, 9);
    let paths = tree.paths();
    let tree = Tree { poison: Some(paths[paths.len() / 2].clone()), ..tree };
    let folder = folder();
    let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
    let reason = campaign.run(&mut threads(&tree), &options(2), &mut ()).unwrap();
    assert_eq!(reason, StopReason::Exhausted);
    let account = campaign.account().unwrap();
    assert!(account.regions["crashed"] >= 1);
    assert!(account.worker_deaths >= 3);
    assert!(account.paths.ended() as usize >= paths.len() / 2, "what lies before it is explored");
    tree.check_account(folder.path(), true);
    campaign
        .store()
        .each_region::<CampaignError>(|r| {
            assert!(r.reason.unwrap().contains("this path is poison"));
            Ok(())
        })
        .unwrap();
}

/// Interrupts the run when it has some paths.
struct Impatient(Arc<AtomicBool>, u64);

impl Sink for Impatient {
    fn paths(&mut self, paths: &[RecordedPath<'_>]) -> Result<(), String> {
        self.1 += paths.len() as u64;
        Ok(())
    }
    fn progress(&mut self, now: &Snapshot) {
        if now.paths > 20 {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn an_interrupted_run_is_resumed_with_another_number_of_workers() {
    let tree = Tree { slow: 200, ..Tree::at_least(120, 3, 9) };
    let folder = folder();
    let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
    let mut sink = Impatient(Arc::default(), 0);
    let with_flag = RunOptions { interrupt: sink.0.clone(), ..options(2) };
    let reason = campaign.run(&mut threads(&tree), &with_flag, &mut sink).unwrap();
    assert_eq!(reason, StopReason::Interrupted);
    assert_eq!(sink.1, campaign.account().unwrap().paths.ended(), "the sink saw what is recorded");
    drop(campaign);
    tree.check_account(folder.path(), true);
    let mut campaign = Campaign::open(folder.path()).unwrap();
    assert_eq!(campaign.run(&mut threads(&tree), &options(3), &mut ()).unwrap(), StopReason::Exhausted);
    let account = campaign.account().unwrap();
    assert_eq!((account.sessions, account.open_regions), (2, 0));
    assert_eq!(account.paths.ended(), tree.paths().len() as u64);
    tree.check_account(folder.path(), true);
}

#[test]
fn the_time_limit_stops_a_run_and_leaves_it_open() {
    let tree = Tree { slow: 500, ..Tree::at_least(3_000, 5, 16) };
    let folder = folder();
    let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
    let options = RunOptions { max_time: Some(Duration::from_millis(300)), ..options(2) };
    let start = Instant::now();
    assert_eq!(campaign.run(&mut threads(&tree), &options, &mut ()).unwrap(), StopReason::MaxTime);
    assert!(start.elapsed() < Duration::from_secs(3));
    assert!(campaign.account().unwrap().open_regions > 0);
    tree.check_account(folder.path(), true);
}

#[test]
fn a_run_is_open_in_one_process_at_a_time_and_can_be_read_meanwhile() {
    let folder = folder();
    let campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
    assert!(matches!(Campaign::open(folder.path()), Err(CampaignError::Busy { .. })));
    assert_eq!(Store::read(folder.path()).unwrap().account().unwrap().open_regions, 1);
    drop(campaign);
    assert!(Campaign::open(folder.path()).is_ok());
    assert!(matches!(
        Campaign::create(folder.path(), &Meta::default(), &whole()),
        Err(CampaignError::Exists { .. })
    ));
}

#[test]
fn a_worker_that_cannot_work_ends_the_session_with_its_reason() {
    let folder = folder();
    let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
    let make = |_: SetUp<'_>| Err("the program cannot be read; compile it again".to_string());
    let mut threads = Threads::new(Arc::new(make), Pace::default());
    let error = campaign.run(&mut threads, &options(2), &mut ()).unwrap_err();
    assert!(error.to_string().contains("compile it again"), "{error}");
    let panics =
        |_: SetUp<'_>| -> Result<Box<dyn cleave_campaign::Exploration>, String> { panic!("no luck") };
    let mut threads = Threads::new(Arc::new(panics), Pace::default());
    let error = campaign.run(&mut threads, &options(2), &mut ()).unwrap_err();
    assert!(error.to_string().contains("no luck"), "{error}");
    assert_eq!(campaign.account().unwrap().open_regions, 1);
}
