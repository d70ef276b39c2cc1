//! This process: its memory, its time, its signals, its log, and what it prints.

pub(crate) mod allocator; // The global allocator: mimalloc with a count of the bytes that each thread holds.
pub(crate) mod executable; // The executable of this process, for further processes.
pub(crate) mod interrupt; // Ctrl-C: the first asks the run to stop and keep what is open.
pub(crate) mod log; // `CLEAVE_LOG`: traces of an exploration, for finding errors of Cleave.
pub(crate) mod messages; // Messages on standard error.
pub(crate) mod number_words; // Numbers in sentences.
pub(crate) mod output; // Standard output, which its reader may close early, as `cleave list | head` does.
pub(crate) mod processor; // Processor time.
pub(crate) mod start_time; // Start of this command, from which the time of a run is counted.
