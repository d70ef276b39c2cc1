//! A random state, with a chance in proportion to its decisions (KLEE's `nurs:depth`).

use crate::strategies::Making;
use crate::strategies::weighted::Drawn;
use crate::strategy::Strategy;

pub(crate) fn make(making: &Making) -> Box<dyn Strategy> {
    Box::new(Drawn::new(making.seed, |state| 1 + u64::from(state.depth), false))
}
