//! `CLEAVE_LOG`: traces of an exploration, for finding errors of Cleave.

use crate::failure::Failure;
use cleave_explore::TRACES;
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// The environment variable: topics, separated by commas. Workers inherit it.
const VARIABLE: &str = "CLEAVE_LOG";

/// Returns true if the environment asks for traces.
pub fn is_on() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// Starts the traces of the topics that the environment names, on standard error.
///
/// # Errors
/// If a topic is none of [`TRACES`].
pub fn start() -> Result<(), Failure> {
    let Some(topics) = std::env::var_os(VARIABLE) else { return Ok(()) };
    let mut targets = Targets::new();
    for topic in topics.to_string_lossy().split(',').map(str::trim).filter(|topic| !topic.is_empty()) {
        if !TRACES.iter().any(|(name, _)| *name == topic) {
            let known: Vec<&str> = TRACES.iter().map(|(name, _)| *name).collect();
            return Err(Failure::usage(format!(
                "{VARIABLE} names `{topic}`, which is no topic; give some of {}, separated by commas",
                known.join(", ")
            )));
        }
        targets = targets.with_target(topic, Level::TRACE);
    }
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_level(false)
        .without_time();
    // Another subscriber cannot be there: this is the first thing that main does.
    let _ = tracing_subscriber::registry().with(lines).with(targets).try_init();
    Ok(())
}
