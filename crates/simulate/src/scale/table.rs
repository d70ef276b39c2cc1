//! Results as a table of text.

use super::run::ScaleRow;

/// The table of results, a line each.
pub fn scale_table(rows: &[ScaleRow]) -> Vec<String> {
    let head = format!(
        "{:>14} {:>7} {:>12} {:>10} {:>10} {:>6} {:>6} {:>7} {:>11} {:>6} {:>10} {:>10} {:>11} {:>8} {:>9} {:>5}",
        "paths",
        "workers",
        "wall s",
        "speed-up",
        "efficiency",
        "idle",
        "gone",
        "work",
        "coordinator",
        "node",
        "messages/s",
        "KB/s",
        "bytes/path",
        "steals",
        "in nodes",
        "lost"
    );
    let line = |r: &ScaleRow| {
        format!(
            "{:>14} {:>7} {:>12.3} {:>10.1} {:>8.1} % {:>4.1} % {:>4.1} % {:>7.4} {:>9.1} % {:>4.1} % {:>10.0} {:>10.1} {:>11.5} {:>8} {:>9} {:>5}",
            r.paths,
            r.workers,
            r.wall_s,
            r.speed_up,
            100.0 * r.efficiency,
            100.0 * r.idle,
            100.0 * r.gone,
            r.work,
            100.0 * r.coordinator,
            100.0 * r.node,
            r.messages_s,
            (r.bytes_s[0] + r.bytes_s[1]) / 1e3,
            r.bytes_a_path,
            r.steals[0],
            r.steals[1],
            r.lost
        )
    };
    std::iter::once(head).chain(rows.iter().map(line)).collect()
}
