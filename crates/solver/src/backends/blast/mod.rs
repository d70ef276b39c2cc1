//! The bit-blaster: terms become gates, gates become clauses, and an incremental SAT solver decides them.

mod arithmetic; // circuits of operators
mod blaster; // the back end
mod gates; // gates as clauses
mod sat; // the SAT solver

pub(crate) use blaster::BitBlaster;

use crate::backends::backend::BackEnd;

/// The entry in the table of back ends.
pub(crate) const BACK_END: BackEnd = BackEnd {
    name: "bit-blaster",
    about: "our own, over an incremental SAT solver: quick on the short queries of an exploration",
    usual: true,
    start: |stop| Ok(Box::new(BitBlaster::new(stop))),
};
