//! The account of a run as Prometheus' text format, for a textfile collector or a push gateway.

use super::{Format, Wanted, exposition};
use crate::failure::Failure;
use crate::sessions::run_dir;

/// Its line in the table of forms.
pub(super) const FORMAT: Format = Format {
    name: "prometheus",
    about: "Prometheus' text format: all figures of summary.json, with their meanings and types",
    file: "metrics.prom",
    make,
};

fn make(wanted: &Wanted<'_>) -> Result<Vec<u8>, Failure> {
    Ok(exposition::of_account(&run_dir::account(wanted.directory)?).into_bytes())
}
