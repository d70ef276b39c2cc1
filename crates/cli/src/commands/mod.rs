//! A file for each command: its options, what it does, what it prints.

pub mod bench_lazy;
pub mod bench_s2pf;
pub mod bound;
pub mod cc;
pub mod cluster_status;
pub mod completions;
pub mod coverage;
pub mod debug;
pub mod dump;
pub mod explain;
pub mod follow;
pub mod gather;
pub mod join;
pub mod list;
pub mod man;
pub mod minimize;
pub mod options;
pub mod replay;
pub mod report;
pub mod resume;
pub mod run;
pub mod simulate;
pub mod stats;
pub mod suites;
pub mod tests;
pub mod toolchain;
