//! Reports and metrics of a run, by HTTP.

#[cfg(feature = "nats")]
pub(crate) mod cluster_metrics; // Metrics of the members of a run, for Prometheus.
pub(crate) mod http; // HTTP server for browsers and other readers.
pub(crate) mod metrics; // `--metrics`: the account of a run for Prometheus, while the run goes on.
pub(crate) mod serve; // `cleave report --serve`: the report of a run that goes on, for a browser on this machine.
