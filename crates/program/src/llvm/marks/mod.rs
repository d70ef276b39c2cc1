//! Passes that mark places of a module for the translation, and change nothing else.

pub(crate) mod addresses; // Comparisons and distances of pointers, addresses that become numbers.
pub(crate) mod atomics; // Atomic and volatile accesses of threads.
pub(crate) mod conversions; // Marks conversions of unsigned integers that native code makes of two halves.
pub(crate) mod exit_status; // Marks the places where a program's exit status gets its value: returns of `main`.
pub(crate) mod library; // Marks the functions and variables of the C library.
pub(crate) mod lines; // Source lines of a module as it was compiled: sets of lines that are executed together.
pub(crate) mod speculation; // Decides which shifts are checked at once, and which only where their result is used.
pub(crate) mod subobjects; // Accesses to the arrays inside of structures, for the family of checks `subobject`.
pub(crate) mod without_code; // Finds instructions that have no native code, so that no debugger stops at their lines.
