//! The protocol of coordinator and workers, and its transports: threads, processes, nodes.

pub(crate) mod node; // A node: a machine with workers that is one worker to the level above.
pub(crate) mod node_reports; // Reports of a node to the level above: the reports of its workers, summed up.
pub(crate) mod nodes; // Nodes as threads of this process, each with workers of its own.
pub(crate) mod processes; // Workers as child processes that speak over their standard input and output.
pub(crate) mod protocol; // The messages between the coordinator and a worker, and their form on a byte stream.
pub(crate) mod sync; // Channels and threads, which a test replaces by shuttle's.
pub(crate) mod threads; // Workers as threads of this process: the transport of tests and small runs.
pub(crate) mod transport; // The interface between the coordinator and its workers.
pub(crate) mod version; // The version of Cleave and the format of its paths, which machines compare before they work together.
