//! `cleave cluster status`: progress, members and traffic of a run of several machines.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::failure::Failure;

/// Options of `cleave cluster status`.
#[derive(Clone, Debug, Args)]
pub struct StatusOptions {
    /// The NATS server that the run was given: like nats://host or tls://user:password@host:4222
    #[arg(value_name = "URL")]
    pub url: String,
    /// The file with the key of the campaign
    #[arg(long, value_name = "FILE")]
    pub cluster_key: PathBuf,
    /// Print JSON. Default is a table
    #[arg(long)]
    pub json: bool,
}

/// Fails always: this build has no NATS.
#[cfg(not(feature = "nats"))]
pub fn status(_: &StatusOptions) -> Result<ExitCode, Failure> {
    Err(Failure::new(crate::sessions::cluster::WITHOUT_NATS))
}

#[cfg(feature = "nats")]
pub use asked::status;

#[cfg(feature = "nats")]
mod asked {
    use std::time::Duration;

    use cleave_nats::{Key, MemberStatus, Status};

    use super::{ExitCode, Failure, StatusOptions};
    use crate::process::number_words::counted;
    use crate::process::output::Output;
    use crate::terminal::progress::{grouped, lasting};

    /// Maximum time that the coordinator may take to answer.
    const PATIENCE: Duration = Duration::from_secs(4);

    /// Asks the coordinator, and prints its answer.
    pub fn status(options: &StatusOptions) -> Result<ExitCode, Failure> {
        let key = Key::read(&options.cluster_key).map_err(Failure::usage)?;
        let status = cleave_nats::ask(&options.url, &key, PATIENCE).map_err(Failure::new)?;
        let mut out = Output::new();
        if options.json {
            out.line(serde_json::to_string_pretty(&status).map_err(Failure::new)?)?;
        } else {
            lines(&status).into_iter().try_for_each(|line| out.line(line))?;
        }
        out.end()?;
        Ok(ExitCode::SUCCESS)
    }

    /// Formats a number of bytes, in B, kB or MB.
    fn bytes(n: u64) -> String {
        match n {
            0..10_000 => format!("{n} B"),
            10_000..10_000_000 => format!("{:.0} kB", n as f64 / 1e3),
            _ => format!("{} MB", grouped((n / 1_000_000) as usize)),
        }
    }

    fn lines(status: &Status) -> Vec<String> {
        let Status { paths, open_regions, leased_regions, bugs, traffic, members, .. } = status;
        let expected = status.expected_paths.map_or_else(String::new, |n| format!(" of about {n:.0}"));
        let covered = match status.lines {
            0 => format!("{} of {} sides of branches covered", status.branches_covered, status.branches),
            lines => format!("{} of {lines} lines covered", status.lines_covered),
        };
        let places: u32 = members.iter().map(|member| member.workers).sum();
        let mut lines = vec![
            format!(
                "{}{expected} ({:.0} a second), {}, {covered}{}",
                counted(*paths, "path"),
                status.paths_per_s,
                counted(*bugs, "bug"),
                if status.stopping { "; the session is stopping" } else { "" }
            ),
            format!("{} leased, {open_regions} waiting", counted(*leased_regions, "region")),
            format!(
                "{} with {}, in a session of {}; Cleave {}",
                counted(members.len() as u64, "member"),
                counted(places.into(), "worker"),
                lasting(status.session_s),
                status.version
            ),
            format!(
                "{} packets and {} came, {} packets and {} went",
                grouped(traffic.packets_in as usize),
                bytes(traffic.bytes_in),
                grouped(traffic.packets_out as usize),
                bytes(traffic.bytes_out)
            ),
        ];
        if members.is_empty() {
            lines.push("nobody has joined: `cleave join` on any machine does".into());
            return lines;
        }
        let head = ["member", "address", "workers", "joined", "heard", "paths", "a second", "came", "went"];
        let mut rows = vec![head.map(String::from)];
        rows.extend(members.iter().map(row));
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        lines.push(String::new());
        for row in &rows {
            let cell = |(i, text): (usize, &String)| {
                let width = widths[i];
                if i < 2 { format!("{text:<width$}") } else { format!("{text:>width$}") }
            };
            lines.push(row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  "));
        }
        lines
    }

    fn row(member: &MemberStatus) -> [String; 9] {
        let workers = match member.places {
            0 => format!("{}, leaving", member.workers),
            _ => member.workers.to_string(),
        };
        [
            member.name.clone(),
            member.address.clone(),
            workers,
            lasting(member.joined_s),
            format!("{:.1} s", member.heard_s),
            grouped(member.paths as usize),
            format!("{:.0}", member.paths_per_s),
            bytes(member.traffic.bytes_in),
            bytes(member.traffic.bytes_out),
        ]
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use cleave_nats::Traffic;

        #[test]
        fn a_status_is_a_few_lines_and_a_table() {
            let traffic = Traffic { packets_in: 1_234, bytes_in: 56_789, packets_out: 9, bytes_out: 80 };
            let member = MemberStatus {
                name: "host/7".into(),
                address: "10.0.0.7".into(),
                workers: 2,
                places: 2,
                joined_s: 12.0,
                heard_s: 0.25,
                paths: 4_096,
                paths_per_s: 99.6,
                traffic,
            };
            let mut status =
                Status { paths: 5_000, bugs: 1, lines: 20, lines_covered: 7, traffic, ..Status::default() };
            (status.leased_regions, status.open_regions, status.paths_per_s) = (2, 3, 120.0);
            let alone = lines(&status);
            assert_eq!(alone[0], "5000 paths (120 a second), 1 bug, 7 of 20 lines covered");
            assert_eq!(alone[1], "2 regions leased, 3 waiting");
            assert!(alone[4].contains("cleave join"));
            status.members = vec![member.clone(), MemberStatus { places: 0, ..member }];
            let all = lines(&status);
            assert_eq!(all[3], "1,234 packets and 57 kB came, 9 packets and 80 B went");
            assert_eq!(all[5], "member  address      workers  joined  heard  paths  a second   came  went");
            assert_eq!(all[6], "host/7  10.0.0.7           2    12 s  0.2 s  4,096       100  57 kB  80 B");
            assert!(all[7].contains("2, leaving"), "{all:?}");
        }
    }
}
