//! Threads and processes of one state, the order in which they run, and data races.

pub(crate) mod clocks; // the happens-before order of accesses
pub(crate) mod execution; // a program in place of another: `execve`
pub(crate) mod noted; // the schedule of a path, for native threads
pub(crate) mod orders; // accesses of the op at hand, and the order of threads
pub(crate) mod parked; // the parts of a state of threads that do not run
pub(crate) mod processes; // new processes, ends of processes, and calls that wait
pub(crate) mod races; // data races
pub(crate) mod racing; // facts of a program whose data races are looked for
pub(crate) mod schedules; // orders of threads as inputs
pub(crate) mod spin; // data that is kept of a thread that may spin
pub(crate) mod spins; // threads that spin
pub(crate) mod switching; // switches between threads and processes
pub(crate) mod thread; // begin and end of threads, and their own variables
