//! `cleave stats`: the account of a run.

use crate::Failure;
use crate::options::DirectoryOptions;
use crate::output::Output;
use crate::wiring;
use serde_json::Value;
use std::process::ExitCode;

/// Prints the account: as it is in `summary.json`, or as a table of the same names.
pub fn stats(options: &DirectoryOptions) -> Result<ExitCode, Failure> {
    let account = wiring::account(&options.directory)?;
    let mut out = Output::new();
    if options.json {
        out.line(serde_json::to_string_pretty(&account).map_err(Failure::new)?)?;
    } else {
        for (name, value) in flatten(&account) {
            out.line(format_args!("{name:<28} {value}"))?;
        }
    }
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

/// The account's values by name; what is inside of another has both names, with a dot between.
pub fn flatten(account: &Value) -> Vec<(String, String)> {
    fn walk(name: &str, value: &Value, rows: &mut Vec<(String, String)>) {
        match value {
            Value::Object(fields) => {
                for (inner, value) in fields {
                    let name = if name.is_empty() { inner.clone() } else { format!("{name}.{inner}") };
                    walk(&name, value, rows);
                }
            }
            Value::String(text) => rows.push((name.into(), text.clone())),
            Value::Array(items) if items.iter().all(Value::is_string) => {
                let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                rows.push((name.into(), items.join(" ")));
            }
            other => rows.push((name.into(), other.to_string())),
        }
    }
    let mut rows = Vec::new();
    walk("", account, &mut rows);
    rows
}
