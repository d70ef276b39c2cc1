//! The tests of `cleave` through its public door, in one binary: each that is linked anew costs a build seconds.

mod answers;
mod as_in_klee;
mod book;
mod broad;
mod bug_places;
mod cargo;
mod checks;
mod ci;
mod cluster;
#[cfg(feature = "nats")]
mod cluster_examples;
#[cfg(feature = "nats")]
mod cluster_status;
mod command_line;
mod compare;
mod competition;
mod concolic;
mod contracts;
mod coreutils;
mod coverage;
mod debug;
mod debugged;
mod divergence;
mod doctor;
mod estimates;
mod examples;
mod exec;
mod expected_by_others;
mod explain;
mod export;
mod fail_calls;
mod fail_malloc;
mod families;
mod faults;
mod feasibility;
mod files;
mod float_programs;
mod formats;
mod gcov;
mod golden;
#[cfg(all(feature = "nats", feature = "mpi"))]
mod hosts;
mod html_report;
mod install;
#[cfg(feature = "jit")]
mod jit;
mod kills;
mod levels;
mod live_states;
mod made_up;
#[cfg(feature = "nats")]
mod members;
mod memory_sanitizer;
mod merging;
mod mutation;
mod native_judge;
mod nonsense;
mod options;
mod oracles;
#[cfg(feature = "nats")]
mod place;
mod pointer_tables;
mod processes;
mod random_cxx;
mod random_programs;
mod recorded;
mod reports;
mod sanitizers;
mod schedules;
mod search;
mod seeds;
mod selections;
mod self_check;
mod session;
mod signals;
mod simulate;
mod sizes;
mod splits;
mod structure;
mod structures;
mod summary;
mod support;
mod time;
mod toolchain;
mod undefined;
mod verdicts;
