//! Commands that explore, or serve a run of several machines.

pub mod bound; // `cleave bound`: a depth for `--max-depth`, as Singh and Khurshid (2020) find theirs.
pub mod callers; // `cleave callers`: which callers of a function reach the bugs that a run of it has found.
pub mod child_run; // A run in a process of its own, for commands that explore several functions.
pub mod cluster_status; // `cleave cluster status`: progress, members and traffic of a run of several machines.
pub mod each_function; // `cleave run --each-function`: public functions as runs of their own.
pub mod expand; // `cleave expand`: the paths of a class, one by one.
pub mod gather; // `cleave gather`: copies shards that other machines keep into the run directory.
pub mod join; // `cleave join`: lends the processors of this machine to a run on another one.
pub mod resume; // `cleave resume`: another session of a run.
pub mod run; // `cleave run`: a new run and its first session.
