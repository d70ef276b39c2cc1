//! Runs of a program apart from the machine, or with limits only.

pub(crate) mod capture; // the output of a run, with limits
pub(crate) mod direct; // runs without isolation
pub(crate) mod laid; // the files of a job in a folder of the machine
pub(crate) mod memory; // the memory in use by a run
pub(crate) mod request; // memory that is shared with the helper process
pub(crate) mod sandbox; // the replayer's side of a sandbox
pub(crate) mod seccomp; // filters of system calls
pub(crate) mod stdin; // the files that a program reads
pub(crate) mod zygote; // the helper process: the init process of a sandbox's namespaces
