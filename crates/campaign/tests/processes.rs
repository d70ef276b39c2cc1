//! Workers and coordinators as processes that are killed. Without the usual harness, because this program is
//! also the worker and the coordinator that it starts.

mod common;

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cleave_campaign::{
    Campaign, Incoming, Meta, Pace, Processes, RecordedPath, RunOptions, Sink, Snapshot, StopReason, Store,
    ToWorker, Transport, WorkerId, serve_stdio,
};
use cleave_region::Encoded;
use common::{Tree, folder, whole};

type Case = (&'static str, fn());

const CASES: &[Case] = &[
    ("killed_workers_cost_no_path", killed_workers_cost_no_path),
    ("a_killed_coordinator_costs_no_path", a_killed_coordinator_costs_no_path),
    ("workers_end_when_their_coordinator_dies", workers_end_when_their_coordinator_dies),
    ("what_a_worker_last_said_is_kept", what_a_worker_last_said_is_kept),
    ("a_long_question_shows_while_it_takes", a_long_question_shows_while_it_takes),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("worker") => {
            let pace = Pace { every: Duration::from_millis(20), ..Pace::default() };
            serve_stdio(
                &|setup| {
                    let tree: Tree = postcard::from_bytes(setup.bytes).map_err(|e| e.to_string())?;
                    Ok(tree.exploration(u64::from(std::process::id())))
                },
                pace,
            );
        }
        Some("coordinator") => {
            let mut campaign = Campaign::open(Path::new(&arguments[1])).unwrap();
            campaign.run(&mut processes(), &options(&tree(), 2), &mut ()).unwrap();
        }
        Some("crashing") => {
            eprintln!("the reason that this worker gives");
            std::process::exit(3);
        }
        _ => harness(&arguments),
    }
}

/// What a test runner expects of a test program: a list, or the cases that it names.
fn harness(arguments: &[String]) {
    let has = |flag: &str| arguments.iter().any(|a| a == flag);
    if has("--list") {
        if !has("--ignored") {
            CASES.iter().for_each(|(name, _)| println!("{name}: test"));
        }
        return;
    }
    let wanted: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    for (name, case) in CASES {
        if wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str())) {
            case();
            println!("test {name} ... ok");
        }
    }
}

fn tree() -> Tree {
    Tree { slow: 300, ..Tree::at_least(800, 11, 12) }
}

fn processes() -> Processes {
    Processes::new(|| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("worker");
        command
    })
}

fn options(tree: &Tree, workers: u32) -> RunOptions {
    RunOptions { workers, setup: postcard::to_stdvec(tree).unwrap(), ..RunOptions::default() }
}

fn kill(pid: u32) {
    Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
}

/// Passes everything on, and now and then kills a worker that has said something.
struct Murderous {
    inner: Processes,
    heard: BTreeSet<WorkerId>,
    last: Instant,
    kills: u32,
}

impl Transport for Murderous {
    fn start(&mut self, worker: WorkerId) -> Result<(), String> {
        self.inner.start(worker)
    }
    fn send(&mut self, worker: WorkerId, message: &ToWorker) {
        self.inner.send(worker, message);
    }
    fn receive(&mut self, wait: Duration) -> Result<Option<(WorkerId, Incoming)>, String> {
        if self.kills > 0 && self.last.elapsed() > Duration::from_millis(40) {
            let pids = self.inner.pids();
            if let Some((_, pid)) = pids.into_iter().find(|(worker, _)| self.heard.contains(worker)) {
                self.last = Instant::now();
                self.kills -= 1;
                kill(pid);
            }
        }
        let arrival = self.inner.receive(wait)?;
        match &arrival {
            Some((worker, Incoming::Message(_))) => self.heard.insert(*worker),
            Some((worker, Incoming::Gone(_) | Incoming::Left(_))) => self.heard.remove(worker),
            None => false,
        };
        Ok(arrival)
    }
    fn kill(&mut self, worker: WorkerId) {
        self.inner.kill(worker);
    }
}

fn killed_workers_cost_no_path() {
    let folder = folder();
    let tree = tree();
    let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
    let mut transport =
        Murderous { inner: processes(), heard: BTreeSet::new(), last: Instant::now(), kills: 6 };
    let reason = campaign.run(&mut transport, &options(&tree, 2), &mut ()).unwrap();
    assert_eq!(reason, StopReason::Exhausted);
    let account = campaign.account().unwrap();
    assert!(account.worker_deaths >= 3, "{} of them died", account.worker_deaths);
    assert!(account.peak_memory_bytes > 100_000);
    tree.check_account(folder.path(), true);
}

fn a_killed_coordinator_costs_no_path() {
    let folder = folder();
    let tree = tree();
    drop(Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap());
    for delay in [30, 90, 150] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg("coordinator")
            .arg(folder.path())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().unwrap();
        child.wait().unwrap();
        tree.check_account(folder.path(), true);
    }
    let some = Store::read(folder.path()).unwrap().account().unwrap();
    let mut campaign = Campaign::open(folder.path()).unwrap();
    campaign.run(&mut processes(), &options(&tree, 2), &mut ()).unwrap();
    let account = campaign.account().unwrap();
    assert!(some.paths.ended() < account.paths.ended(), "it was killed in the middle");
    assert_eq!((account.paths.ended(), account.open_regions), (tree.paths().len() as u64, 0));
    tree.check_account(folder.path(), true);
}

/// A worker that computes for a minute, and a coordinator's end of its pipe that closes.
fn workers_end_when_their_coordinator_dies() {
    let mut worker = Command::new(std::env::current_exe().unwrap())
        .arg("worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = worker.stdin.take().unwrap();
    let slow = Tree { slow: 60_000_000, ..tree() };
    let setup = ToWorker::Setup { worker: 0, bytes: postcard::to_stdvec(&slow).unwrap(), shard: None };
    cleave_campaign::write_frame(&mut input, &setup).unwrap();
    let lease = ToWorker::Lease {
        lease: 0,
        regions: whole().iter().map(Encoded::new).collect(),
        careful: false,
        at_most: None,
        split: None,
        expected: None,
    };
    cleave_campaign::write_frame(&mut input, &lease).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    assert!(worker.try_wait().unwrap().is_none(), "it computes");
    drop(input);
    let start = Instant::now();
    worker.stdout.take().unwrap().read_to_end(&mut Vec::new()).unwrap();
    worker.wait().unwrap();
    assert!(start.elapsed() < Duration::from_secs(5));
}

fn what_a_worker_last_said_is_kept() {
    let folder = folder();
    let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
    let mut transport = Processes::new(|| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("crashing");
        command
    });
    let error = campaign.run(&mut transport, &options(&tree(), 1), &mut ()).unwrap_err().to_string();
    assert!(error.contains("the reason that this worker gives") && error.contains('3'), "{error}");
}

fn a_long_question_shows_while_it_takes() {
    struct Shares(Vec<Snapshot>);
    impl Sink for Shares {
        fn paths(&mut self, _: &[RecordedPath<'_>]) -> Result<(), String> {
            Ok(())
        }
        fn progress(&mut self, now: &Snapshot) {
            self.0.push(*now);
        }
    }
    let folder = folder();
    let tree = Tree { slow_question: 1_500, ..Tree::at_least(20, 3, 8) };
    let mut campaign = Campaign::create(folder.path(), &Meta::default(), &whole()).unwrap();
    let mut seen = Shares(Vec::new());
    campaign.run(&mut processes(), &options(&tree, 1), &mut seen).unwrap();
    let before: Vec<_> = seen.0.iter().filter(|s| s.paths == 0 && s.busy_seconds > 0.0).collect();
    assert!(before.len() > 2, "it moves before a path has ended: {:?}", seen.0);
    for s in before {
        let share = s.solver_seconds / s.busy_seconds;
        assert!((0.5..=1.0).contains(&share), "most of the time is the question's: {s:?}");
    }
    assert!(
        seen.0.windows(2).all(|w| w[0].solver_seconds <= w[1].solver_seconds),
        "nothing is counted twice"
    );
    let account = campaign.account().unwrap();
    assert!((1.5..account.busy_seconds).contains(&account.solver_seconds), "{account:?}");
    tree.check_account(folder.path(), true);
}
