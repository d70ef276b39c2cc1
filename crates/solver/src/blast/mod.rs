//! The bit-blaster: terms become gates, gates become clauses, and an incremental SAT solver decides them.

mod arithmetic;
mod blaster;
mod gates;
mod sat;

pub(crate) use blaster::BitBlaster;
