//! A question on its way through the layers of the solver, and the stages of its preparation. `pipeline.rs` makes the
//! stages, in their order, and the layers read them.

use cleave_expr::{Term, Terms, Witness};
use cleave_path::PathCondition;

/// A question on its way through the layers. It asks if all of `conds` can hold together with `pc`.
pub(crate) struct Question<'a> {
    pub(crate) terms: &'a mut Terms,
    pub(crate) pc: &'a PathCondition,
    /// One or more conditions of one bit each.
    pub(crate) conds: &'a [Term],
    /// A model of `pc`, in general not of `conds`.
    pub(crate) near: &'a Witness,
    /// The stage up to which the solver's slice is prepared.
    pub(crate) stage: Stage,
}

impl<'a> Question<'a> {
    pub(crate) fn new(
        terms: &'a mut Terms,
        pc: &'a PathCondition,
        conds: &'a [Term],
        near: &'a Witness,
    ) -> Question<'a> {
        Question { terms, pc, conds, near, stage: Stage::Given }
    }
}

/// Stages of a question's preparation. Each stage needs those before it, costs more, and happens at most once a
/// question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Stage {
    /// The conditions and the model at hand, as they were given.
    Given,
    /// The conditions are split into conjuncts: sets of values of single bytes, and relations of several bytes.
    Split,
    /// The components of the path that share bytes with the conjuncts are known.
    Linked,
    /// All conditions and bytes of these components are listed.
    Gathered,
    /// The conditions are a query for the back ends.
    Query,
}

/// The kind of answer that is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// A model or a refutation: [`Solver::ask`](crate::Solver::ask).
    Either = 1,
    /// A refutation, of conditions that are added one by one.
    Refutation = 2,
    /// A model, of several conditions at once.
    Model = 4,
}

/// The cost of a row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cost {
    /// Microseconds: every question comes here.
    Cheap,
    /// As much as [`Budget`](crate::budget::Budget) allows, in proportion to the recent work of the back ends.
    Budgeted,
}

/// The outcome of a preparation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prepared {
    Ready,
    /// A conjunct is constant false.
    NeverHolds,
}
