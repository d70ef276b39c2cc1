//! `cleave run --cluster` and `cleave join`: the paths are those of one worker, whoever joins, leaves or is killed, whatever the
//! NATS server loses, and whoever repeats what it carries.

use cleave_campaign::Store;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::place::*;
use crate::session::*;

fn oracle(folder: &Path, name: &str, n: usize) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/oracles");
    let code = std::fs::read_to_string(sources.join(format!("{name}.c"))).unwrap();
    compile(folder, name, &code, &[&format!("-DN={n}"), &format!("-I{}", sources.display())])
}

#[track_caller]
fn ended_well(node: Process) -> String {
    let output = node.output();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    said
}

#[test]
fn oracles_come_out_the_same_on_members() {
    let place = Place::new();
    let cases = [
        ("bst_add_remove", 4, 384),
        ("binomial_insert_delete_extract", 4, 450),
        ("fibonacci_heap", 6, 415),
        ("bintree_shapes", 8, 1430),
    ];
    for (name, n, paths) in cases {
        let program = oracle(place.folder.path(), name, n);
        let (one, members) = (place.at(&format!("{name}-one")), place.at(&format!("{name}-members")));
        succeeded(&run(&one, &["--workers", "1", "--write-tests", "no"], &program, &[]));
        // Members may be there before the run, and after it began.
        let early = place.join(2);
        let coordinator = place.run(&members, &program);
        let late = [place.join(1), place.join(1)];
        let said = succeeded(&coordinator.output());
        assert!(said.contains("every path is explored"), "{said}");
        // A small run may be over before all are there; who is late waits for the next.
        late.into_iter().chain([early]).for_each(|node| {
            node.signal("-TERM");
            ended_well(node);
        });
        let sets = [&members, &one].map(|run| account(run)["path_set"].clone());
        assert_eq!(sets[0], sets[1], "{name}, before they are gathered");
        place.gather(&members);
        assert_eq!(digests(&members).len(), paths, "{name}");
        assert_eq!(digests(&members), digests(&one), "{name}");
        assert_eq!(account(&members)["doubled"], 0);
    }
}

const SLOW: u32 = 12;

#[test]
fn members_come_and_go_and_vanish_and_the_server_restarts_and_each_path_is_found_once() {
    let mut place = Place::new();
    let program = bits(place.folder.path(), SLOW, 30_000);
    let directory = place.at("run");
    let coordinator = place.run(&directory, &program);
    let steady = place.join(1);
    soon("paths", || has_paths(&directory).then_some(()));
    let (killed, leaving) = (place.join(1), place.join(1));
    // All have work, so that each that goes has some to give back.
    soon("three members at work", || (working(&place) == 3).then_some(()));
    killed.signal("-KILL");
    place.server.restart();
    std::thread::sleep(Duration::from_millis(1_000));
    leaving.signal("-TERM");
    let since = Instant::now();
    let said = ended_well(leaving);
    assert!(since.elapsed() < Duration::from_secs(2), "it took {:?} to leave", since.elapsed());
    assert!(said.contains("joined the run") && said.contains("leaving"), "{said}");
    let last = place.join(1);
    let output = coordinator.output();
    assert!(succeeded(&output).contains("every path is explored"));
    let said = text(&output.stderr);
    let told = |words: &str| said.matches(words).count();
    assert_eq!((told("joins with 1 worker"), told("has vanished")), (4, 1), "{said}");
    assert_eq!(told(" left\n"), 1, "{said}");
    ended_well(steady);
    ended_well(last);
    place.is_whole(&directory, 1 << SLOW);
    let account = account(&directory);
    assert_eq!(account["worker_deaths"].as_u64().unwrap_or(0), 0, "who leaves dies not: {account}");
}

#[test]
fn a_coordinator_that_is_killed_goes_on_with_the_members_that_wait() {
    let place = Place::new();
    let program = bits(place.folder.path(), SLOW, 30_000);
    let directory = place.at("run");
    let coordinator = place.run(&directory, &program);
    let mut node = place.join(2);
    soon("paths", || has_paths(&directory).then_some(()));
    coordinator.signal("-KILL");
    coordinator.output();
    place.gather(&directory);
    let before = digests(&directory);
    assert!(!before.is_empty() && before.len() < 1 << SLOW);
    assert!(!node.has_ended());
    let resumed = place.coordinator("resume", &[path_text(&directory)]);
    assert!(succeeded(&resumed.output()).contains("every path is explored"));
    let said = ended_well(node);
    assert!(said.contains("not heard any more") && said.matches("joined the run").count() == 2, "{said}");
    place.is_whole(&directory, 1 << SLOW);
    assert!(before.is_subset(&digests(&directory)));
}

/// A program of 2^[`PAIR`] paths takes two nodes longer than both need to join.
const PAIR: u32 = 11;

/// A run that was explored by two nodes until it ends, which keep its paths; with the names of the machines.
fn on_two_nodes(place: &Place) -> (PathBuf, Vec<String>) {
    let program = bits(place.folder.path(), PAIR, 30_000);
    let directory = place.at("run");
    let nodes = [place.join(1), place.join(1)];
    let coordinator = place.run(&directory, &program);
    assert!(succeeded(&coordinator.output()).contains("every path is explored"));
    nodes.into_iter().for_each(|node| {
        node.signal("-TERM");
        ended_well(node);
    });
    let shards = Store::read(&directory).unwrap().shards().unwrap();
    let mut hosts: Vec<String> = shards.into_iter().filter_map(|shard| shard.host).collect();
    hosts.dedup();
    assert_eq!(hosts.len(), 2, "both nodes found paths");
    (directory, hosts)
}

#[test]
fn paths_stay_where_they_are_found_until_they_are_gathered() {
    let place = Place::new();
    let (directory, _) = on_two_nodes(&place);
    let listed = cleave([OsStr::new("list"), "--json".as_ref(), directory.as_ref()]);
    assert!(text(&listed.stderr).contains("cleave gather"), "{}", text(&listed.stderr));
    assert!(digests(&directory).len() < 1 << PAIR);
    let gather = |more: &[&str]| {
        let mut words = vec!["gather", path_text(&directory), "--patience", "3s"];
        words.extend(more);
        cleave(words)
    };
    // From a folder, and what is missing then by the network.
    let (first, second) = (place.store(1), place.store(2));
    refused(&gather(&["--from", path_text(&first)]), &["still missing", "--lost"]);
    let url = place.server.url();
    let by_network = ["--cluster", &url, "--cluster-key", path_text(&place.key)];
    let nobody = gather(&by_network);
    refused(&nobody, &["still missing"]);
    let node = {
        let mut process = Command::new(CLEAVE);
        process.args(["join", &url, "--any-program", "--cluster-key"]).arg(&place.key);
        Process::new(process.arg("--store").arg(&second))
    };
    let gathered =
        cleave([&["gather", path_text(&directory), "--patience", "60s"][..], &by_network].concat());
    succeeded(&gathered);
    node.signal("-TERM");
    ended_well(node);
    place.is_whole(&directory, 1 << PAIR);
}

#[test]
fn a_damaged_shard_is_refused() {
    let place = Place::new();
    let (directory, _) = on_two_nodes(&place);
    for n in [1, 2] {
        for file in std::fs::read_dir(place.store(n)).unwrap() {
            let file = file.unwrap().path();
            let mut bytes = std::fs::read(&file).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            std::fs::write(&file, bytes).unwrap();
        }
    }
    let gathered = cleave(["gather", path_text(&directory), "--from", path_text(&place.store(1))]);
    refused(&gathered, &["damaged"]);
    assert!(digests(&directory).len() < 1 << PAIR, "nothing of it is taken");
}

#[test]
fn what_a_machine_kept_that_is_lost_for_ever_is_explored_again() {
    let place = Place::new();
    let (directory, hosts) = on_two_nodes(&place);
    let set = account(&directory)["path_set"].clone();
    let lost = &hosts[1];
    let names = |n: usize| std::fs::read_dir(place.store(n)).unwrap().flatten().map(|file| file.file_name());
    let store = (1..=2).find(|n| names(*n).any(|name| name.to_string_lossy().starts_with(lost.as_str())));
    std::fs::remove_dir_all(place.store(store.unwrap())).unwrap();
    refused(&cleave(["resume", path_text(&directory), "--lost", "nobody"]), &["no machine nobody"]);
    let resumed = cleave(["resume", path_text(&directory), "--lost", lost, "--workers", "2"]);
    assert!(succeeded(&resumed).contains("every path is explored"), "{}", text(&resumed.stderr));
    assert_eq!(account(&directory)["path_set"], set);
    place.is_whole(&directory, 1 << PAIR);
}

/// Somebody on the server without the key: publishes everything again, as it was and changed. Counts what was heard.
fn meddle(port: u16, heard: Arc<AtomicUsize>) -> std::io::Result<()> {
    let mut out = TcpStream::connect(("127.0.0.1", port))?;
    let mut input = BufReader::new(out.try_clone()?);
    // Without echo its own messages do not come back.
    out.write_all(b"CONNECT {\"verbose\":false,\"echo\":false}\r\nSUB cleave.> 1\r\n")?;
    let mut line = String::new();
    let mut before: Vec<(String, Vec<u8>)> = Vec::new();
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["PING"] => out.write_all(b"PONG\r\n")?,
            ["MSG", subject, .., length] => {
                let mut bytes = vec![0; length.parse::<usize>().unwrap() + 2];
                input.read_exact(&mut bytes)?;
                bytes.truncate(bytes.len() - 2);
                heard.fetch_add(1, Ordering::Relaxed);
                let mut changed = bytes.clone();
                let middle = changed.len() / 2;
                changed[middle] ^= 1;
                before.push((subject.to_string(), bytes.clone()));
                let old = before[before.len() / 2].clone();
                for (subject, bytes) in [(subject.to_string(), bytes), (subject.to_string(), changed), old] {
                    out.write_all(format!("PUB {subject} {}\r\n", bytes.len()).as_bytes())?;
                    out.write_all(&bytes)?;
                    out.write_all(b"\r\n")?;
                }
            }
            _ => {}
        }
    }
}

#[test]
fn who_has_no_key_changes_nothing_by_repeating_and_changing_what_is_sent() {
    let place = Place::new();
    let program = bits(place.folder.path(), 10, 3_000);
    let directory = place.at("run");
    let (port, heard) = (place.server.port, Arc::new(AtomicUsize::new(0)));
    let counter = heard.clone();
    std::thread::spawn(move || meddle(port, counter));
    let coordinator = place.run(&directory, &program);
    let nodes = [place.join(1), place.join(1)];
    assert!(succeeded(&coordinator.output()).contains("every path is explored"));
    // The run may be over before both are there.
    nodes.into_iter().for_each(|node| {
        node.signal("-TERM");
        ended_well(node);
    });
    place.is_whole(&directory, 1 << 10);
    assert!(heard.load(Ordering::Relaxed) > 20, "the meddler heard too little to be one");
}

#[test]
fn a_node_runs_only_what_its_command_line_allows() {
    let place = Place::new();
    let program = bits(place.folder.path(), 3, 10);
    let directory = place.at("run");
    let coordinator = place.run(&directory, &program);
    soon("the run", || directory.join("db.sqlite").exists().then_some(()));
    let other = "0".repeat(64);
    refused(&place.join_with(&place.key, &["--program", &other]).output(), &["--program does not allow"]);
    let stranger = place.join_with(&key(place.folder.path(), "another"), &["--any-program"]);
    std::thread::sleep(Duration::from_secs(6));
    stranger.signal("-TERM");
    let said = ended_well(stranger);
    assert!(said.contains("no run with this key") && !said.contains("joined"), "{said}");
    let db = std::fs::read(directory.join("program.image")).unwrap();
    let digest: String = cleave_replay::sha256(&db).iter().map(|byte| format!("{byte:02x}")).collect();
    let node = place.join_with(&place.key, &["--program", &digest]);
    let output = coordinator.output();
    succeeded(&output);
    let said = text(&output.stderr);
    assert!(said.contains(&format!("--program {digest}")), "the run says how to join it: {said}");
    assert!(said.contains("refuses to work"), "{said}");
    ended_well(node);
    place.is_whole(&directory, 8);
}

#[test]
fn what_cannot_be_is_refused_in_a_sentence() {
    let place = Place::new();
    let program = bits(place.folder.path(), 2, 1);
    let (program, key) = (path_text(&program), path_text(&place.key));
    let open = place.at("open");
    std::fs::write(&open, "0123456789abcdef0123456789abcdef").unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o644)).unwrap();
    let url = place.server.url();
    let number = std::cell::Cell::new(0);
    let with = |url: &str, key: &str, more: &[&str]| {
        number.set(number.get() + 1);
        let directory = place.at(&format!("never{}", number.get()));
        let mut words =
            vec!["run", "--cluster", url, "--cluster-key", key, "--output-dir", path_text(&directory)];
        words.extend(more);
        let output = cleave(words);
        let said = text(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{said}");
        said.lines().last().unwrap_or_default().to_string()
    };
    let cases = [
        (with("nats://127.0.0.1:1", key, &[program]), "is a nats-server there"),
        (with("http://127.0.0.1", key, &[program]), "is like nats://host"),
        (with(&url, "no such key", &[program]), "cannot read the key"),
        (with(&url, path_text(&open), &[program]), "chmod 600"),
        (with(&url, key, &["--workers", "2", program]), "--workers"),
        (with(&url, key, &[program, "--fs", path_text(place.folder.path())]), "leave --fs out"),
        (with(&url, key, &["--record-questions", path_text(&open), program]), "leave them out"),
    ];
    let told: BTreeSet<&str> = cases.iter().map(|(said, _)| said.as_str()).collect();
    assert_eq!(told.len(), cases.len());
    for (said, part) in &cases {
        assert!(said.starts_with("cleave: error: ") && said.contains(part), "{part}: {said}");
    }
    let output = cleave(["join", "nats://me:secret@127.0.0.1:1", "--cluster-key", key, "--any-program"]);
    let said = refused(&output, &["cannot connect to nats://127.0.0.1:1"]);
    assert!(!said.contains("secret"), "{said}");
    let output = cleave(["join", &url, "--cluster-key", key]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--any-program"));
}
