//! The account of a run as Prometheus' text format, for a textfile collector or a push gateway. Names, meanings and types are those
//! of the tables that docs/summary.md is made of.

use std::fmt::Write;

use cleave_campaign::counters::Field;
use serde_json::Value;

use super::{Format, Wanted};
use crate::failure::Failure;
use crate::{run_dir, summary};

/// Its line in the table of forms.
pub(super) const FORMAT: Format = Format {
    name: "prometheus",
    about: "Prometheus' text format: all figures of summary.json, with their meanings and types",
    file: "metrics.prom",
    make,
};

fn make(wanted: &Wanted<'_>) -> Result<Vec<u8>, Failure> {
    let account = run_dir::account(wanted.directory)?;
    let path = account["program"].as_str().unwrap_or_default();
    let program = label("program", path.rsplit('/').next().unwrap_or(path));
    let (mut text, mut texts) = (String::new(), vec![program.clone()]);
    for (name, field) in summary::fields() {
        let value = name.split('.').fold(&account, |value, part| &value[part]);
        match value {
            // What was never counted is not in the account.
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
    Ok(text.into_bytes())
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
    let (kind, end) = if field.varies { ("gauge", "") } else { ("counter", "_total") };
    let name = format!("cleave_{unit}{end}");
    let help = field.meaning.replace('\\', "\\\\").replace('\n', "\\n");
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (labels, value) in samples {
        let _ = writeln!(text, "{name}{{{labels}}} {}", value / scale);
    }
}

fn label(name: &str, value: &str) -> String {
    format!("{name}=\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
