//! The command line of Cleave.

fn main() {}
