//! Bounds of words and chains of comparisons between them.

use cleave_expr::Terms;

use crate::backend::Conflict;
use crate::path::PathCondition;
use crate::slice::Slice;

/// Room for the layer's work.
#[derive(Default)]
pub(crate) struct Words {}

impl Words {
    /// A contradiction among comparisons.
    pub(crate) fn conflict(&mut self, _: &mut Terms, _: &PathCondition, _: &Slice) -> Option<Conflict> {
        None
    }
}
