//! `cleave cluster status` and `--metrics`: what is said of a run while it goes on is what it comes to.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::place::*;
use crate::session::*;

#[track_caller]
fn status(place: &Place) -> Value {
    serde_json::from_str(&succeeded(&asked(place, &place.key, true))).unwrap()
}

/// Decisions of a program that no test sees the end of: it is stopped.
const ENDLESS: u32 = 30;

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no count"))
}

#[test]
fn the_status_is_that_of_the_run_and_of_each_member() {
    let place = Place::new();
    let program = bits(place.folder.path(), ENDLESS, 20_000);
    let directory = place.at("run");
    let coordinator = place.run(&directory, &program);
    // Before anybody is there.
    let alone =
        soon("a run", || Some(asked(&place, &place.key, true)).filter(|output| output.status.success()));
    let alone: Value = serde_json::from_str(&succeeded(&alone)).unwrap();
    assert_eq!((&alone["paths"], alone["members"].as_array().map(Vec::len)), (&0.into(), Some(0)), "{alone}");
    let told = succeeded(&asked(&place, &place.key, false));
    assert!(told.contains("nobody has joined"), "{told}");
    // Two members: what they have reported is what the run has.
    let nodes = [place.join(1), place.join(2)];
    let busy = soon("two members at work", || {
        let status = status(&place);
        let members = status["members"].as_array().unwrap();
        let works = members.len() == 2
            && members.iter().all(|m| count(&m["paths"]) > 0 && m["paths_per_s"].as_f64() > Some(0.0));
        works.then_some(status)
    });
    let members = busy["members"].as_array().unwrap();
    let sum = |name: &str| members.iter().map(|member| count(&member[name])).sum::<u64>();
    assert_eq!(sum("paths"), count(&busy["paths"]), "{busy}");
    assert_eq!(sum("workers"), 3, "{busy}");
    assert!((1..=3).contains(&count(&busy["leased_regions"])), "{busy}");
    assert_eq!(busy["expected_paths"].as_f64().map(|n| n > 100.0), Some(true), "{busy}");
    for member in members {
        assert_eq!(member["address"], "127.0.0.1", "{member}");
        assert!(member["name"].as_str().unwrap().contains('/'), "{member}");
        assert!(
            member["heard_s"].as_f64().unwrap() < 8.0 && member["joined_s"].as_f64().unwrap() > 0.0,
            "{member}"
        );
        assert!(
            count(&member["traffic"]["bytes_in"]) > 100 && count(&member["traffic"]["bytes_out"]) > 100,
            "{member}"
        );
    }
    let own = &busy["traffic"];
    let of_members = |name: &str| members.iter().map(|member| count(&member["traffic"][name])).sum::<u64>();
    assert!(count(&own["bytes_in"]) >= of_members("bytes_in") && count(&own["packets_out"]) > 0, "{busy}");
    // A client with another key hears nothing.
    let other = key(place.folder.path(), "other");
    refused(&asked(&place, &other, false), &["no run with this key is there"]);
    // A member that leaves is gone from the status.
    let [first, second] = nodes;
    first.signal("-TERM");
    assert_eq!(first.output().status.code(), Some(0));
    soon("one member", || (status(&place)["members"].as_array().map(Vec::len) == Some(1)).then_some(()));
    let told = succeeded(&asked(&place, &place.key, false));
    assert!(told.contains("1 member with 2 workers") && told.contains("127.0.0.1"), "{told}");
    coordinator.signal("-TERM");
    coordinator.output();
    assert_eq!(second.output().status.code(), Some(0));
    // The run is over.
    refused(&asked(&place, &place.key, false), &["no run with this key is there", "cleave resume --cluster"]);
}

#[test]
fn a_status_that_cannot_be_had_is_a_sentence() {
    let place = Place::new();
    let with = |url: &str, key: &Path| cleave(["cluster", "status", url, "--cluster-key", path_text(key)]);
    refused(&with("nats://127.0.0.1:1", &place.key), &["is a nats-server there"]);
    let output = with(&place.server.url(), &place.at("none"));
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("cannot read the key"));
}

/// Answer of the metrics' server to a request: status and text.
fn get(address: &str, request: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(format!("{request}\r\nConnection: close\r\n\r\n").as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let status = answer.split(' ').nth(1)?.parse().ok()?;
    Some((status, answer.split_once("\r\n\r\n")?.1.to_string()))
}

/// Metrics as `prometheus_client` reads them: by name, the samples with their labels.
type Metrics = BTreeMap<String, Vec<(BTreeMap<String, String>, f64)>>;

#[track_caller]
fn read(place: &Place, metrics: &str) -> Metrics {
    let script = "import json, sys\nfrom prometheus_client.parser import text_string_to_metric_families as read\n\
        print(json.dumps({m.name: [[s.labels, s.value] for s in m.samples] for m in read(open(sys.argv[1]).read())}))";
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/python/bin/python");
    let file = place.at("metrics");
    std::fs::write(&file, metrics).unwrap();
    let output = Command::new(python).args(["-c", script]).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}\n{metrics}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn prometheus_reads_the_metrics_of_a_run_that_goes_on_and_of_its_members() {
    let place = Place::new();
    let program = bits(place.folder.path(), ENDLESS, 15_000);
    let directory = place.at("run");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let options = [
        "--metrics",
        &address,
        "--write-tests",
        "no",
        "--output-dir",
        path_text(&directory),
        path_text(&program),
    ];
    let coordinator = place.coordinator("run", &options);
    let node = place.join(1);
    let host = format!("GET /metrics HTTP/1.1\r\nHost: {address}");
    let sample =
        |metrics: &Metrics, name: &str| metrics.get(name).and_then(|samples| Some(samples.first()?.1));
    // Figures of the account, and of the member, while it goes on.
    let metrics = soon("metrics of a run with paths", || {
        let (status, text) = get(&address, &host)?;
        assert_eq!(status, 200, "{text}");
        let metrics = read(&place, &text);
        let paths = sample(&metrics, "cleave_paths_completed")?;
        (paths > 0.0 && sample(&metrics, "cleave_cluster_member_paths")? > 0.0).then_some(metrics)
    });
    assert_eq!(sample(&metrics, "cleave_cluster_members"), Some(1.0));
    assert_eq!(sample(&metrics, "cleave_cluster_member_workers"), Some(1.0));
    let (labels, _) = &metrics["cleave_cluster_member_paths"][0];
    assert!(labels["member"].contains('/') && labels["address"] == "127.0.0.1", "{labels:?}");
    for name in [
        "cleave_cluster_received_bytes",
        "cleave_cluster_sent_packets",
        "cleave_instructions",
        "cleave_open_regions",
    ] {
        assert!(sample(&metrics, name) > Some(0.0), "{name}: {metrics:?}");
    }
    // They only grow.
    let (_, later) = get(&address, &host).unwrap();
    let later = read(&place, &later);
    for name in ["cleave_paths_completed", "cleave_cluster_member_paths", "cleave_cluster_received_bytes"] {
        assert!(sample(&later, name) >= sample(&metrics, name), "{name}");
    }
    // Nothing else is answered, and no page of another name.
    let status = |request: &str| get(&address, request).map(|(status, _)| status);
    assert_eq!(status(&format!("GET / HTTP/1.1\r\nHost: {address}")), Some(404));
    assert_eq!(status(&format!("POST /metrics HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0")), Some(405));
    assert_eq!(status("GET /metrics HTTP/1.1\r\nHost: evil.example"), Some(403));
    coordinator.signal("-TERM");
    let output = coordinator.output();
    assert!(text(&output.stderr).contains(&format!("metrics: http://{address}/metrics")));
    assert_eq!(node.output().status.code(), Some(0));
    assert!(get(&address, &host).is_none(), "nobody answers when the run is over");
    let paths = account(&directory)["paths"]["completed"].as_f64();
    assert!(paths >= sample(&later, "cleave_paths_completed"), "{paths:?}");
}

#[test]
fn a_run_without_a_cluster_has_metrics_too_and_an_address_that_is_taken_begins_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 2, 1);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let directory = folder.path().join("never");
    refused(
        &run(&directory, &["--metrics", &address], &program, &[]),
        &["cannot listen on port", "or 0 for any"],
    );
    assert!(!directory.exists(), "no run was begun");
    let output = run(&directory, &["--metrics", "127.0.0.1:0"], &program, &[]);
    succeeded(&output);
    assert!(text(&output.stderr).contains("metrics: http://127.0.0.1:"), "{}", text(&output.stderr));
    let output = cleave(["resume", "--metrics", &address, path_text(&directory)]);
    refused(&output, &["cannot listen on port"]);
}
