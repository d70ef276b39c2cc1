//! The account of a run as people and tools see it: `summary.json`, `info`, and docs/summary.md, which says what each
//! name in them means.

use std::path::Path;

use cleave_campaign::counters::{Field, OTHERS};
use cleave_campaign::{Account, Coverage, PathCounts, Store};
use serde_json::Value;

use crate::failure::Failure;
use crate::findings::gaps::gaps;
use crate::sessions::saved::Saved;
use crate::sessions::since_account;
use crate::sessions::verdict::Verdict;

/// Fields of the account beside those that the campaign counts.
static JUDGED: [Field; 5] = [
    Field {
        name: "verdict",
        unit: "name",
        varies: true,
        meaning: "`clean`, `bugs`, `incomplete`, `unsupported` or `internal`: what the exit code says (0, 3, 4, 5, 101).",
    },
    Field {
        name: "not_explored",
        unit: "list",
        varies: true,
        meaning: "What is not explored: `kind` (`unsupported`, or the state of regions: `open`, `unknown`, `cut`, `diverged`, \
                  `crashed`), `count` (paths of `unsupported`, otherwise regions, each of which may hold many paths), `what` \
                  they have in common, `way_out`.",
    },
    Field {
        name: "mode",
        unit: "name",
        varies: true,
        meaning: "`symbolic`, `concolic`, or several with `+` between them.",
    },
    Field {
        name: "rests_on",
        unit: "list",
        varies: true,
        meaning: "Assumptions that all findings rest on, as sentences: contracts of functions that a run begins with or uses.",
    },
    Field {
        name: "since",
        unit: "object",
        varies: true,
        meaning: "Of `--since`: `run`, `changed` (names of functions that differ), `of` (its paths), `kept` and `explored` (paths of this \
                  run), `reason` (if none could be kept), and the numbers of `new_bugs`, `fixed_bugs`, `unchanged_bugs`. Nothing of other runs.",
    },
];

/// All fields of the account in the order of their tables, by name; an inner field has both names, with a dot between.
pub fn fields() -> Vec<(String, &'static Field)> {
    let mut all: Vec<(String, &'static Field)> =
        JUDGED.iter().map(|field| (field.name.to_string(), field)).collect();
    for field in Account::FIELDS {
        let inner = match (field.unit, field.name) {
            ("group", "paths") => PathCounts::FIELDS,
            ("group", "coverage") => Coverage::FIELDS,
            ("group", "other") => OTHERS,
            _ => {
                all.push((field.name.to_string(), field));
                continue;
            }
        };
        all.extend(inner.iter().map(|own| (format!("{}.{}", field.name, own.name), own)));
    }
    all
}

/// The account with the mode of the run, its verdict, and its unexplored paths.
///
/// # Errors
/// Those of the database.
pub fn account_of(store: &Store, saved: &Saved) -> Result<Value, Failure> {
    let account = store.account()?;
    let judged = [
        Verdict::of(&account).name().into(),
        serde_json::to_value(gaps(store, &account)?).map_err(Failure::new)?,
        saved.how.name().into(),
        saved.rests_on().into(),
        saved.since.as_ref().map_or(Ok(Value::Null), |since| {
            since_account::account_of(since, store, account.paths.ended())
        })?,
    ];
    let mut value = serde_json::to_value(&account).map_err(Failure::new)?;
    for (field, judged) in JUDGED.iter().zip(judged) {
        value[field.name] = judged;
    }
    Ok(value)
}

/// Writes the account into the run directory.
///
/// # Errors
/// Those of the database and of the disk.
pub fn write(store: &Store, saved: &Saved, directory: &Path) -> Result<(), Failure> {
    let value = account_of(store, saved)?;
    cleave_report::write_json(&directory.join("summary.json"), &value)?;
    cleave_report::write_info(&directory.join("info"), &value)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/summary.md");

    const HEAD: &str = "\
# The account of a run: `summary.json`

`cleave run` and `cleave resume` write it when they end, `cleave stats --json` prints it at any time. The file `info` beside
it has the same as text. Names stay; new ones may be added. Where the unit is \"X by Y\" there is a count for each Y.

This page is made from the tables in `crates/campaign/src/accounting/account.rs` and `counters.rs`: after a change of them,
`CLEAVE_WRITE_DOCS=1 cargo nextest run --release --features cleave/mpi -p cleave the_page` writes it.

| name | unit | meaning |
|---|---|---|
";

    fn page() -> String {
        let mut page = HEAD.to_string();
        for (name, Field { unit, meaning, .. }) in fields() {
            page.push_str(&format!("| `{name}` | {unit} | {} |\n", meaning.trim_end_matches('.')));
        }
        page
    }

    #[test]
    fn the_page_about_the_account_is_what_the_tables_say() {
        let made = page();
        if std::env::var_os("CLEAVE_WRITE_DOCS").is_some() {
            std::fs::write(PAGE, &made).unwrap();
        }
        let there = std::fs::read_to_string(PAGE).unwrap();
        assert!(
            there == made,
            "docs/summary.md is out of date; set CLEAVE_WRITE_DOCS=1 to have this test write it"
        );
    }
}
