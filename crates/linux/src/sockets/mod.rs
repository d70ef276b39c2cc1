//! Sockets, the network (which is this machine alone), and peers outside of the program.

pub(crate) mod addresses; // Addresses of sockets as programs write and read them.
pub(crate) mod calls; // Handlers of calls about sockets.
pub(crate) mod network; // Names of sockets, and the effects of closing one on its other end.
pub(crate) mod peers; // Peers outside of the program (`--sym-connection`).
pub(crate) mod ports; // Ports that are not free yet, and peers that wait to connect.
pub(crate) mod socket; // One socket: its state, the messages in it, its readiness.
