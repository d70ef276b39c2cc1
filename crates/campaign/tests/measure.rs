//! The sum of weights says at the end of a run whether each path was found once.

use std::sync::Arc;

use cleave_campaign::{
    Account, Campaign, DATABASE, Exploration, Found, Meta, Pace, RecordedPath, RunOptions, Sink, Stats,
    StopReason, Threads,
};
use cleave_region::{Region, Weight};

use crate::common::{Tree, folder, whole};

/// An exploration that loses a region, or has one twice, when it says what is left.
struct Wrong {
    inner: Box<dyn Exploration>,
    what: What,
}

#[derive(Clone, Copy, PartialEq)]
enum What {
    Nothing,
    Loses,
    Doubles,
    WeighsNothing,
}

impl Exploration for Wrong {
    fn start(&mut self, region: Region) {
        self.inner.start(region);
    }
    fn start_broad(&mut self, region: Region) {
        self.inner.start_broad(region);
    }
    fn step(&mut self, fuel: u64, found: &mut Found) {
        self.inner.step(fuel, found);
    }
    fn is_done(&self) -> bool {
        self.inner.is_done()
    }
    fn waiting(&self) -> usize {
        self.inner.waiting()
    }
    fn give(&mut self, n: usize) -> Vec<Region> {
        self.inner.give(n)
    }
    fn remaining(&mut self) -> Vec<Region> {
        let mut regions = self.inner.remaining();
        match self.what {
            What::Loses if regions.len() > 1 => drop(regions.pop()),
            What::Doubles if regions.len() > 1 => regions.push(regions[0].clone()),
            _ => {}
        }
        regions
    }
    fn take_stats(&mut self) -> Stats {
        self.inner.take_stats()
    }
    fn take_measure(&mut self) -> Option<Weight> {
        if self.what == What::WeighsNothing { None } else { self.inner.take_measure() }
    }
}

/// What is said to the user.
#[derive(Default)]
struct Heard(Vec<String>);

impl Sink for Heard {
    fn paths(&mut self, _: &[RecordedPath<'_>]) -> Result<(), String> {
        Ok(())
    }
    fn message(&mut self, text: &str) {
        self.0.push(text.into());
    }
}

fn transport(tree: &Tree, what: What) -> Threads {
    let tree = tree.clone();
    let make = move |_: cleave_campaign::SetUp<'_>| -> Result<Box<dyn Exploration>, String> {
        Ok(Box::new(Wrong { inner: tree.exploration(77), what }))
    };
    Threads::new(Arc::new(make), Pace { paths: 10, ..Pace::default() })
}

/// Splits first, so that something is left that may be lost.
fn options() -> RunOptions {
    RunOptions { workers: 1, split_states: Some(8), ..RunOptions::default() }
}

fn explored(what: What) -> (Account, Vec<String>) {
    let tree = Tree::at_least(300, 5, 12);
    let (folder, mut heard) = (folder(), Heard::default());
    let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
    let reason = campaign.run(&mut transport(&tree, what), &options(), &mut heard).unwrap();
    assert_eq!(reason, StopReason::Exhausted);
    (campaign.account().unwrap(), heard.0)
}

#[test]
fn a_run_that_finds_each_path_once_says_so() {
    let (account, heard) = explored(What::Nothing);
    assert_eq!(account.each_once, Some(true));
    assert!(account.internal_errors.is_empty() && heard.is_empty(), "{heard:?}");
}

#[test]
fn a_region_that_is_lost_or_explored_twice_is_an_internal_error() {
    for what in [What::Loses, What::Doubles] {
        let (account, heard) = explored(what);
        assert_eq!(account.each_once, Some(false));
        assert_eq!(account.internal_errors.values().sum::<u64>(), 1, "{:?}", account.internal_errors);
        assert!(
            heard.iter().any(|text| text.contains("INTERNAL ERROR") && text.contains("sum up to")),
            "{heard:?}"
        );
        assert_eq!(account.doubled > 0, what == What::Doubles, "a lost path shows in nothing else");
    }
}

#[test]
fn where_nothing_is_weighed_nothing_is_said() {
    let (account, heard) = explored(What::WeighsNothing);
    assert_eq!(account.each_once, None);
    assert!(account.internal_errors.is_empty() && heard.is_empty(), "{heard:?}");
}

#[test]
fn sessions_are_added_up_and_a_run_of_an_older_version_is_left_alone() {
    for older in [false, true] {
        let tree = Tree::at_least(300, 5, 12);
        let folder = folder();
        let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
        let mut sessions = 0;
        loop {
            sessions += 1;
            let options = RunOptions { max_paths: Some(100 * sessions), ..options() };
            let reason = campaign.run(&mut transport(&tree, What::Nothing), &options, &mut ()).unwrap();
            let account = campaign.account().unwrap();
            drop(campaign);
            if older && sessions == 1 {
                let db = rusqlite::Connection::open(folder.path().join(DATABASE)).unwrap();
                assert_eq!(db.execute("DELETE FROM meta WHERE key = 'measure'", []).unwrap(), 1);
            }
            if reason == StopReason::Exhausted {
                assert_eq!(account.other.get("paths_put_back"), None, "one worker finds as many as it may");
                assert_eq!(account.each_once, (!older).then_some(true));
                assert!(account.internal_errors.is_empty());
                break;
            }
            assert_eq!(account.each_once, None, "regions are open");
            campaign = Campaign::open(folder.path()).unwrap();
        }
        assert!(sessions > 2);
    }
}
