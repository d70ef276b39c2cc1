//! The memory of a program under test: an address space of objects, copied on the first write after a fork,
//! with bounds, lifetimes and write protection checked at every access.

mod byte;

pub use byte::Byte;
