//! Prints how many paths a second the database takes: `record_rate [PATHS [DIRECTORY]]`.

use std::sync::Arc;
use std::time::Instant;

use cleave_campaign::{Campaign, Exploration, Found, Meta, Pace, RunOptions, Stats, Threads};
use cleave_region::{Object, PathDigest, PathKind, PathRecord, Region, Test};

/// Finds paths as fast as they can be made up.
struct Made {
    left: u64,
}

impl Exploration for Made {
    fn start(&mut self, _: Region) {}
    fn step(&mut self, _: u64, found: &mut Found) {
        let n = self.left.min(100);
        self.left -= n;
        for i in 0..n {
            found.paths.push(PathRecord {
                digest: PathDigest::default().extend(self.left + i, true),
                depth: 50,
                kind: PathKind::Completed,
                exit_status: Some(0),
                signal: None,
                stdout_sha256: [9; 32],
                stdout_len: 12,
                test: Test {
                    objects: (0..5)
                        .map(|k| Object { name: format!("arg{k}"), bytes: vec![(self.left + i) as u8; 6] })
                        .collect(),
                },
                instructions: 1_000,
                bug: None,
                addresses: Vec::new(),
                passed: Vec::new(),
            });
        }
    }
    fn is_done(&self) -> bool {
        self.left == 0
    }
    fn waiting(&self) -> usize {
        1
    }
    fn give(&mut self, _: usize) -> Vec<Region> {
        Vec::new()
    }
    fn remaining(&mut self) -> Vec<Region> {
        if self.left == 0 { Vec::new() } else { vec![Region::whole()] }
    }
    fn take_stats(&mut self) -> Stats {
        Stats::default()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let n: u64 = arguments.next().map_or(Ok(500_000), |a| a.parse())?;
    let parent = arguments.next().map_or_else(std::env::temp_dir, Into::into);
    let directory = cleave_campaign::next_directory(&parent)?;
    let mut campaign = Campaign::create(&directory, &Meta::default(), &[Region::whole()])?;
    let mut threads = Threads::new(Arc::new(move |_| Ok(Box::new(Made { left: n }) as _)), Pace::default());
    let start = Instant::now();
    campaign.run(&mut threads, &RunOptions::default(), &mut ())?;
    let seconds = start.elapsed().as_secs_f64();
    let bytes = std::fs::metadata(directory.join(cleave_campaign::DATABASE))?.len();
    println!("{n} paths in {seconds:.2} s: {:.0} a second, {} bytes each", n as f64 / seconds, bytes / n);
    std::fs::remove_dir_all(directory)?;
    Ok(())
}
