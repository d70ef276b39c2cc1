//! A random state, with a chance in inverse proportion to the square of the execution count of its block
//! (KLEE's `nurs:icnt`).

use crate::strategies::Making;
use crate::strategies::weighted::{Drawn, Weighted};
use crate::strategy::Strategy;

pub(crate) fn make(making: &Making) -> Box<dyn Strategy> {
    Box::new(Drawn::new(making.seed, |state| Weighted::inverse_square(state.visits), true))
}
