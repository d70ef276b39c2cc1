//! Files that a run writes for people and for other tools: tests in KLEE's format, error reports with KLEE's names,
//! the account as JSON.
//!
//! ```
//! use cleave_report::KTest;
//! let test = KTest { args: vec![b"prog".to_vec()], objects: vec![("x".into(), vec![1, 2])], ..KTest::default() };
//! assert_eq!(KTest::parse(&test.to_bytes()?)?, test);
//! # Ok::<(), cleave_report::KTestError>(())
//! ```

mod account;
mod error_report;
mod ktest;
mod run_files;
mod testcomp;

pub use account::account_lines;
pub use error_report::{ErrorReport, Frame};
pub use ktest::{KTest, KTestError};
pub use run_files::{RunFiles, WriteError, read_test, write_info, write_json};
pub use testcomp::{COVER_BRANCHES, SuiteMetadata, suite_metadata, testcase, timestamp};
