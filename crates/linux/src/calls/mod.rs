//! The calls, a file a family. A handler takes the call at hand and its arguments and gives the result.

pub(crate) mod attributes;
pub(crate) mod descriptors;
pub(crate) mod directories;
pub(crate) mod identity;
pub(crate) mod io;
pub(crate) mod links;
pub(crate) mod memory;
pub(crate) mod misc;
pub(crate) mod open;
pub(crate) mod process;
pub(crate) mod rename;
pub(crate) mod signals;
pub(crate) mod stat;
pub(crate) mod time;
