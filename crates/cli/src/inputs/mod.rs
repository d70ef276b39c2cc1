//! Tests, files and folders that a user gives.

pub(crate) mod folders; // Folders of the host that a program finds in its file system (`--fs`).
pub(crate) mod ktests; // Tests as files: turned into tests and back.
pub(crate) mod named_tests; // Tests that a user names: files, folders of files, and runs.
pub(crate) mod seeds; // Inputs that users have: tests, files, folders of a fuzzer.
