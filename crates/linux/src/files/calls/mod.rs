//! Handlers of calls about files, a file a family.

pub(crate) mod attributes; // Changes of metadata: mode, owner, times, size.
pub(crate) mod descriptors; // Descriptors: duplicates, flags, positions, controls of devices.
pub(crate) mod directories; // Directories: made, removed, listed; the working directory.
pub(crate) mod io; // Reads and writes, with and without positions and lists of buffers.
pub(crate) mod limits; // Limits of growing files.
pub(crate) mod links; // Names of files: links, symbolic links, removal.
pub(crate) mod locking; // Locks on parts of files, and queries of their owners.
pub(crate) mod open; // Files are opened and closed, pipes are made.
pub(crate) mod rename; // Entries of directories are renamed.
pub(crate) mod stat; // Metadata: stat, access, statfs.
pub(crate) mod terminal; // The terminal: its controls (`ioctl`), and reads from it.
