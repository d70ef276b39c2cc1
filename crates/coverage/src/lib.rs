//! Coverage of a program. States pass *marks*; everything else is derived from them.
//!
//! A mark is where control goes one of several ways: a side of a branch or switch, the entry of a function, the place behind a
//! call. From a mark on, control goes on in one way up to the next one, so the marks of a path give exactly the basic blocks,
//! branch sides, functions and lines that it has covered. The C library has no marks.

mod alike;
mod map;
mod marks;
mod sites;
mod tally;

pub use alike::{Version, alike};
pub use map::{Branch, FunctionCoverage, Map, is_called};
pub use marks::{MarkId, Marks};
pub use sites::{Mark, NO_SLOT, Sites, Slot, Way};
pub use tally::{Count, Counts, Tally};
