//! Prometheus' text format. Names, meanings and types of an account's figures come from the tables of which docs/summary.md
//! is made.

use std::fmt::Write;

use cleave_campaign::counters::Field;
use serde_json::Value;

use crate::sessions::summary;

/// The figures of an account.
pub fn of_account(account: &Value) -> String {
    let path = account["program"].as_str().unwrap_or_default();
    let program = label("program", path.rsplit('/').next().unwrap_or(path));
    let (mut text, mut texts) = (String::new(), vec![program.clone()]);
    for (name, field) in summary::fields() {
        let value = name.split('.').fold(account, |value, part| &value[part]);
        match value {
            // A counter that was never counted is not in the account.
            Value::Null if name.starts_with("other.") => {
                metric(&mut text, &name, field, &[(program.clone(), 0.0)])
            }
            Value::Number(n) => {
                metric(&mut text, &name, field, &[(program.clone(), n.as_f64().unwrap_or(0.0))])
            }
            Value::Object(counts) => {
                let Some((_, by)) = field.unit.split_once(" by ") else { continue };
                let all: Vec<(String, f64)> = counts
                    .iter()
                    .filter_map(|(key, n)| Some((format!("{program},{}", label(by, key)), n.as_f64()?)))
                    .collect();
                metric(&mut text, &name, field, &all);
            }
            Value::String(said) if name != "program" => texts.push(label(&name, said)),
            _ => {}
        }
    }
    let _ = writeln!(text, "# HELP cleave_run_info What the run is a run of, and what it came to.");
    let _ = writeln!(text, "# TYPE cleave_run_info gauge\ncleave_run_info{{{}}} 1", texts.join(","));
    text
}

/// A metric with its samples; times are in seconds.
fn metric(text: &mut String, name: &str, field: &Field, samples: &[(String, f64)]) {
    let plain = name.strip_prefix("other.").unwrap_or(name).replace('.', "_");
    let (stem, scale) = match field.unit {
        "seconds" => (plain.strip_suffix("_seconds").or(plain.strip_suffix("_s")), 1.0),
        "nanoseconds" => (plain.strip_suffix("_nanos"), 1e9),
        _ => (None, 1.0),
    };
    let unit = stem.map_or_else(|| plain.clone(), |stem| format!("{stem}_seconds"));
    let scaled: Vec<(String, f64)> = samples.iter().map(|(labels, n)| (labels.clone(), n / scale)).collect();
    family(text, &unit, field.varies, field.meaning, &scaled);
}

/// Adds a metric of this name and meaning, a gauge if it `varies`, else a counter, with its samples: labels and value of
/// each.
pub fn family(text: &mut String, name: &str, varies: bool, meaning: &str, samples: &[(String, f64)]) {
    let (kind, end) = if varies { ("gauge", "") } else { ("counter", "_total") };
    let name = format!("cleave_{name}{end}");
    let help = meaning.replace('\\', "\\\\").replace('\n', "\\n");
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (labels, value) in samples {
        let _ = writeln!(text, "{name}{{{labels}}} {value}");
    }
}

/// A label with its value.
pub fn label(name: &str, value: &str) -> String {
    format!("{name}=\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
