//! Checks, and the bugs that they find.

pub(crate) mod checks; // the table of the families of checks
pub(crate) mod contracts; // contracts of the C library
pub(crate) mod descriptors; // file descriptors that are not open
pub(crate) mod fault_texts; // texts of memory bugs
pub(crate) mod formats; // formats of `printf`, as far as checks read them
pub(crate) mod leaks; // objects of the heap that nothing points to at the end
pub(crate) mod mismatches; // objects that another function frees than that of what made them
pub(crate) mod panics; // panics of Rust
pub(crate) mod recurrence; // states that come again: paths without an end
pub(crate) mod rounds; // data that is kept of a path to see that it goes round
pub(crate) mod suppress; // bugs that a user excuses
pub(crate) mod undefined; // failed checks of `-fsanitize=undefined`
