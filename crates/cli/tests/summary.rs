//! Every name in an account stands in docs/summary.md: a count that is added without a line there fails here.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::session::*;

/// The names on the page, and those of them that have a count for each of something.
fn documented() -> (BTreeSet<String>, BTreeSet<String>) {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/summary.md")).unwrap();
    let (mut names, mut tables) = (BTreeSet::new(), BTreeSet::new());
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let name = cells[1].trim_matches('`').to_string();
        if cells[2].contains(" by ") || matches!(cells[2], "object" | "list") {
            tables.insert(name.clone());
        }
        names.insert(name);
    }
    (names, tables)
}

fn check(account: &Value) {
    let (names, tables) = documented();
    let mut found = BTreeSet::new();
    for (name, value) in account.as_object().unwrap() {
        match value {
            Value::Object(inner) if !tables.contains(name) => {
                found.extend(inner.keys().map(|inner| format!("{name}.{inner}")));
            }
            _ => {
                found.insert(name.clone());
            }
        }
    }
    let missing: Vec<&String> = found.difference(&names).collect();
    assert!(missing.is_empty(), "not in docs/summary.md: {missing:?}");
    // Names that are always in an account are there; counts under `other` are there only if something was counted.
    let absent: Vec<&String> = names.difference(&found).filter(|name| !name.starts_with("other.")).collect();
    assert!(absent.is_empty(), "in docs/summary.md, but not in the account: {absent:?}");
}

#[test]
fn every_name_in_an_account_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 10, 100);
    let modes: [&[&str]; 5] = [
        &["--workers", "3", "--search", "bfs"],
        &["--workers", "2", "--mode", "concolic"],
        &["--workers", "1", "--max-memory", "2", "--search", "bfs", "--self-check"],
        &["--workers", "2", "--max-paths", "100", "--search", "random-path"],
        &["--workers", "1", "--feasibility", "speculative", "--max-depth", "6"],
    ];
    for (i, options) in modes.iter().enumerate() {
        let directory = folder.path().join(format!("run{i}"));
        succeeded(&run(&directory, options, &program, &[]));
        check(&account(&directory));
        succeeded(&cleave(["resume", path_text(&directory)]));
        check(&account(&directory));
    }
}
