//! The model of the Linux kernel.

pub mod env;
