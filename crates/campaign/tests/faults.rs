//! What a user sees when the disk, the directory or the database is not as it should be: a sentence, and nothing
//! lost.

use std::sync::Arc;

use cleave_campaign::{
    Campaign, CampaignError, DATABASE, Meta, Pace, RecordedPath, RunOptions, Sink, StopReason, Store,
    Threads, make_directory, next_directory,
};

use crate::common::{Tree, folder, whole};

fn threads(tree: &Tree) -> Threads {
    let tree = tree.clone();
    Threads::new(Arc::new(move |_| Ok(tree.exploration(1))), Pace { paths: 50, ..Pace::default() })
}

#[test]
fn a_full_disk_stops_the_run_and_loses_nothing() {
    let folder = folder();
    let tree = Tree::at_least(2_000, 1, 16);
    let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
    campaign.store().limit_size(60).unwrap();
    let options = RunOptions { workers: 2, ..RunOptions::default() };
    let error = campaign.run(&mut threads(&tree), &options, &mut ()).unwrap_err();
    assert!(matches!(error, CampaignError::DiskFull { .. }), "{error}");
    assert!(error.to_string().contains("make room, then `cleave resume`"), "{error}");
    drop(campaign);
    tree.check_account(folder.path(), true);
    let mut campaign = Campaign::open(folder.path()).unwrap();
    assert!(campaign.account().unwrap().paths.ended() > 0, "some were recorded before");
    assert_eq!(campaign.run(&mut threads(&tree), &options, &mut ()).unwrap(), StopReason::Exhausted);
    tree.check_account(folder.path(), true);
}

#[test]
fn a_sink_that_fails_stops_the_run_and_loses_nothing() {
    struct Broken;
    impl Sink for Broken {
        fn paths(&mut self, _: &[RecordedPath<'_>]) -> Result<(), String> {
            Err("cannot write test000001.ktest; make room".into())
        }
    }
    let folder = folder();
    let tree = Tree::at_least(200, 1, 12);
    let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
    let error = campaign.run(&mut threads(&tree), &RunOptions::default(), &mut Broken).unwrap_err();
    assert_eq!(error.to_string(), "cannot write test000001.ktest; make room");
    tree.check_account(folder.path(), true);
}

#[test]
fn what_is_no_run_is_said_to_be_none() {
    let folder = folder();
    assert!(matches!(Campaign::open(folder.path()), Err(CampaignError::NotARun { .. })));
    assert!(matches!(Store::read(folder.path()), Err(CampaignError::NotARun { .. })));
    std::fs::write(folder.path().join(DATABASE), "this is no database, but it is long enough to be one")
        .unwrap();
    for error in [Campaign::open(folder.path()).err(), Store::read(folder.path()).err()] {
        let error = error.expect("no run opens");
        assert!(matches!(error, CampaignError::Damaged { .. } | CampaignError::NotARun { .. }), "{error:?}");
    }
}

#[test]
fn a_damaged_database_gives_an_error_and_no_panic() {
    let folder = folder();
    let tree = Tree::at_least(500, 1, 12);
    let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
    campaign.run(&mut threads(&tree), &RunOptions::default(), &mut ()).unwrap();
    drop(campaign);
    let path = folder.path().join(DATABASE);
    let sound = std::fs::read(&path).unwrap();
    let read_all = || -> Result<(), CampaignError> {
        let store = Store::read(folder.path())?;
        store.account()?;
        store.bugs()?;
        store.each_region(|_| Ok::<(), CampaignError>(()))?;
        store.each_path(0, |_| Ok::<(), CampaignError>(()))
    };
    read_all().unwrap();
    for keep in [100, 1_000, sound.len() / 2] {
        std::fs::write(&path, &sound[..keep]).unwrap();
        assert!(read_all().is_err(), "cut off after {keep} bytes");
    }
    let mut random = 7u64;
    for _ in 0..60 {
        let mut bytes = sound.clone();
        for _ in 0..40 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let place = (random >> 33) as usize % bytes.len();
            bytes[place] = (random >> 20) as u8;
        }
        std::fs::write(&path, &bytes).unwrap();
        // Whatever it says: no panic, no endless loop.
        let _ = read_all();
    }
}

/// Found by fuzzing: SQLite quotes the rest of a schema that it cannot read, line by line.
#[test]
fn what_is_quoted_of_a_damaged_database_stays_on_one_line() {
    let folder = folder();
    drop(Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap());
    let path = folder.path().join(DATABASE);
    let mut bytes = std::fs::read(&path).unwrap();
    // A schema of several pages has left a copy where it was before it was split.
    let is_table = |at: &usize| bytes[*at..].starts_with(b"CREATE TABLE bugs");
    let tables: Vec<usize> = (0..bytes.len()).filter(is_table).collect();
    assert!(!tables.is_empty());
    for table in tables {
        let text = table + bytes[table..].windows(4).position(|w| w == b"TEXT").unwrap();
        bytes[text] = b'"';
    }
    std::fs::write(&path, &bytes).unwrap();
    let error = Store::read(folder.path()).and_then(|store| store.bugs()).unwrap_err().to_string();
    assert!(error.contains("damaged") && !error.contains('\n'), "{error}");
}

#[test]
fn run_directories_are_numbered_and_the_last_one_is_linked() {
    let folder = folder();
    for n in 0..3 {
        let directory = next_directory(folder.path()).unwrap();
        assert_eq!(directory, folder.path().join(format!("cleave-out-{n}")));
        let last = std::fs::canonicalize(folder.path().join("cleave-last")).unwrap();
        assert_eq!(last, std::fs::canonicalize(&directory).unwrap());
    }
    assert!(matches!(make_directory(folder.path()), Err(CampaignError::Exists { .. })));
    make_directory(&folder.path().join("a/b")).unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = make_directory(&file.join("below")).unwrap_err().to_string();
    assert!(error.contains("--output-dir"), "{error}");
}

#[test]
fn what_is_recorded_is_read_again() {
    let folder = folder();
    let tree = Tree::at_least(100, 1, 12);
    let meta = Meta {
        program: "echo".into(),
        program_hash: "00ff".into(),
        options: serde_json::json!({"max_depth": 3}),
        version: "0.1.0".into(),
    };
    let mut campaign = Campaign::create(folder.path(), &meta, &whole()).unwrap();
    struct Seen(Vec<(u64, cleave_region::EncodedPath, bool)>);
    impl Sink for Seen {
        fn paths(&mut self, paths: &[RecordedPath<'_>]) -> Result<(), String> {
            self.0.extend(paths.iter().map(|p| (p.id, p.record.clone(), p.new_bug)));
            Ok(())
        }
    }
    let mut seen = Seen(Vec::new());
    campaign.run(&mut threads(&tree), &RunOptions::default(), &mut seen).unwrap();
    drop(campaign);
    let store = Store::read(folder.path()).unwrap();
    assert_eq!(store.meta().unwrap(), meta);
    let mut read = Vec::new();
    store
        .each_path::<CampaignError>(0, |p| {
            read.push((p.id, p.record, p.first_of_bug));
            Ok(())
        })
        .unwrap();
    assert_eq!(read, seen.0, "the sink and the database tell the same");
    let bugs = store.bugs().unwrap();
    assert_eq!(bugs.len(), read.iter().filter(|(_, _, new)| *new).count());
    let failed = read.iter().filter(|(_, r, _)| r.bug.is_some()).count() as u64;
    assert_eq!(bugs.iter().map(|b| b.paths).sum::<u64>(), failed);
    let account = store.account().unwrap();
    assert_eq!((account.bugs, account.paths.failed), (bugs.len() as u64, failed));
    assert!(failed > 0 && account.decisions > 0 && account.instructions > 0);
    assert_eq!(account.stop_reason.as_deref(), Some("exhausted"));
}
