//! Results as a table of text.

use crate::simulation::Row;

/// The table of results, a line each.
pub fn table(rows: &[Row]) -> Vec<String> {
    let head = format!(
        "{:<10} {:>7} {:>12} {:>9} {:>10} {:>10} {:>13} {:>8} {:>6} {:>7} {:>11} {:>8}",
        "policy",
        "workers",
        "wall s",
        "speed-up",
        "efficiency",
        "messages",
        "bytes",
        "steals",
        "idle",
        "work",
        "coordinator",
        "paths"
    );
    let line = |r: &Row| {
        format!(
            "{:<10} {:>7} {:>12.4} {:>9.2} {:>8.1} % {:>10} {:>13} {:>8} {:>4.0} % {:>7.3} {:>9.1} % {:>8}",
            r.policy,
            r.workers,
            r.wall_s,
            r.speed_up,
            100.0 * r.efficiency,
            r.messages,
            r.bytes,
            r.steals,
            100.0 * r.idle,
            r.work,
            100.0 * r.coordinator,
            r.paths
        )
    };
    std::iter::once(head).chain(rows.iter().map(line)).collect()
}
