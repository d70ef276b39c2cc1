//! Clusters on several hosts for real, in a short form: `bench/hosts` makes network namespaces of this machine hosts, with an address, processes,
//! clocks, a root file system and a link each, and counts the paths of programs whose number is known.

use std::path::Path;
use std::process::{Command, Stdio};

/// `bench/hosts` says so where this machine allows no such hosts.
const SKIPPED: i32 = 77;

#[test]
fn hosts_of_their_own_find_every_path_once_whoever_joins_leaves_is_cut_off_or_switched_off() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/hosts");
    let mut command = Command::new("timeout");
    command.args(["--signal=INT", "--kill-after=20", "600"]).arg(script);
    command.args(["short", "--cleave", env!("CARGO_BIN_EXE_cleave")]).stdin(Stdio::null());
    let output = command.output().unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr));
    if output.status.code() == Some(SKIPPED) && std::env::var_os("CI").is_none() {
        eprintln!("SKIPPED: clusters on several hosts: {err}");
        return;
    }
    assert!(output.status.success(), "{out}{err}");
    let whole = out.lines().filter(|line| line.contains("paths, each once")).count();
    let parts = ["mpiexec over ssh on 3 hosts", "resumed on two, gathered"];
    assert!(whole >= 7 && parts.iter().all(|part| out.contains(part)), "{out}{err}");
}
