//! Mappings of memory.

pub(crate) mod calls; // Handlers of mappings.
pub(crate) mod file_mappings; // Files that a process has mapped to be shared.
pub(crate) mod mappings; // The mapped memory of a process, as ranges of addresses.
