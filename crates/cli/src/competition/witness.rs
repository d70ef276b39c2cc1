//! Witnesses of violations, in format 2.0: the place to which the path leads, as YAML.

use std::fmt::Write;
use std::path::Path;
use std::time::SystemTime;

use cleave_campaign::StoredBug;
use cleave_region::FrameRecord;

use super::options::TaskOptions;
use super::property::Asked;
use crate::failure::Failure;
use crate::process::messages::note;

/// The file, in the folder of results.
const FILE: &str = "witness.yml";

/// A text in quotes, as YAML has them.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace(|c: char| c.is_control(), " "))
}

/// The task's file that debug information names so; the first source if it is none of them.
fn file_of<'a>(options: &'a TaskOptions, named: &str) -> &'a Path {
    let name = Path::new(named).file_name();
    let is = |source: &&std::path::PathBuf| source.file_name() == name;
    options.sources.iter().find(is).map_or(options.source(), |source| source.as_path())
}

/// Writes the witness of a bug. Its target is the line of the innermost frame in the task; lines of a preprocessed task are those
/// of another file, and then there is none.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write(options: &TaskOptions, asked: &Asked, bug: &StoredBug) -> Result<(), Failure> {
    let Some(frame) = bug.record.trace.iter().find(|frame| is_of_task(options, &frame.file)) else {
        note("no witness: the place of the violation is in no file of the task");
        return Ok(());
    };
    options.make_output(&options.output)?;
    let file = options.output.join(FILE);
    let text = text(options, asked, frame)?;
    std::fs::write(&file, text)
        .map_err(|e| Failure::new(format!("cannot write {}: {e}; give another --output", file.display())))
}

fn is_of_task(options: &TaskOptions, file: &str) -> bool {
    let name = Path::new(file).file_name();
    options.sources.iter().any(|source| source.file_name() == name)
}

/// The formula of a property.
fn formula(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("LTL(")?;
    rest.rsplit_once(')')?.0.trim_end().strip_suffix(')').map(str::trim)
}

fn text(options: &TaskOptions, asked: &Asked, frame: &FrameRecord) -> Result<String, Failure> {
    let (named, line) = (frame.file.as_str(), frame.line.max(1));
    let specification = formula(&asked.text).unwrap_or(&asked.text);
    let uuid = std::fs::read_to_string("/proc/sys/kernel/random/uuid").unwrap_or_default();
    let mut out = String::new();
    let mut put = |line: String| {
        let _ = writeln!(out, "{line}");
    };
    put("- entry_type: violation_sequence".into());
    put("  metadata:".into());
    put("    format_version: \"2.0\"".into());
    put(format!("    uuid: {}", quoted(uuid.trim())));
    put(format!("    creation_time: {}", quoted(&cleave_report::timestamp(SystemTime::now()))));
    put("    producer:".into());
    put("      name: Cleave".into());
    put(format!("      version: {}", quoted(env!("CARGO_PKG_VERSION"))));
    put("    task:".into());
    put("      input_files:".into());
    for source in &options.sources {
        put(format!("        - {}", quoted(&source.display().to_string())));
    }
    put("      input_file_hashes:".into());
    for source in &options.sources {
        put(format!("        {}: {}", quoted(&source.display().to_string()), TaskOptions::hash(source)?));
    }
    put(format!("      specification: {}", quoted(specification)));
    put(format!("      data_model: {}", if options.bits() == 32 { "ILP32" } else { "LP64" }));
    put("      language: C".into());
    put("  content:".into());
    put("    - segment:".into());
    put("        - waypoint:".into());
    put("            type: target".into());
    put("            action: follow".into());
    put("            location:".into());
    put(format!("              file_name: {}", quoted(&file_of(options, named).display().to_string())));
    put(format!("              line: {line}"));
    Ok(out)
}
