//! Random C++ programs with exceptions, judged by their native runs on every input that matters: each way in which a program can go is
//! one path, and each path's test replays as foretold, at `-O0` and `-O2`.
//!
//! CLEAVE_RANDOM_CXX says how many programs are judged, CLEAVE_RANDOM_SEED which.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::support::dice::setting;
use crate::support::random_cxx::{CLASSES, program};
use crate::support::{cleave, limited, succeeded};

/// Output and end of the native program, on each input that matters.
fn natives(executable: &Path) -> BTreeSet<(Vec<u8>, String)> {
    let mut all = BTreeSet::new();
    for a in CLASSES {
        for b in CLASSES {
            for c in CLASSES {
                let arguments = [a, b, c].map(|byte| byte.to_string());
                let output = limited(executable).args(arguments).output().unwrap();
                all.insert((output.stdout, output.status.to_string()));
            }
        }
    }
    all
}

fn judged(seed: u64, level: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (source, executable) = (folder.path().join("random.cpp"), folder.path().join("random"));
    std::fs::write(&source, program(seed)).unwrap();
    succeeded(cleave().args(["c++", "-w", level, "-o"]).arg(&executable).arg(&source));
    let run = folder.path().join("run");
    let mut command = cleave();
    command.args(["run", "--workers=1", "--tests=all", "--output-dir"]).arg(&run);
    let output = command.arg(&executable).output().unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let account: Value = serde_json::from_slice(&std::fs::read(run.join("summary.json")).unwrap()).unwrap();
    let count = |kind: &str| account["paths"][kind].as_u64().unwrap_or(0);
    let what = format!("the program of seed {seed} at {level}:\n{said}");
    assert_eq!((count("unsupported"), count("open")), (0, 0), "{what}");
    if level == "-O0" {
        assert_eq!(count("completed") + count("failed"), natives(&executable).len() as u64, "{what}");
    }
    let replay = cleave().args(["replay", "--json"]).arg(&executable).arg(&run).output().unwrap();
    let verdicts = String::from_utf8_lossy(&replay.stdout);
    let mut lines = 0;
    for line in verdicts.lines() {
        let verdict: Value = serde_json::from_str(line).unwrap();
        assert_eq!(verdict["verdict"], "agrees", "{what}\n{line}");
        lines += 1;
    }
    assert!(lines > 0, "{what}: nothing was replayed");
}

#[test]
fn random_exceptions_go_where_native_ones_go() {
    let first = setting("CLEAVE_RANDOM_SEED", 1);
    for seed in first..first + setting("CLEAVE_RANDOM_CXX", 6) {
        judged(seed, if seed % 3 == 0 { "-O2" } else { "-O0" });
    }
}
