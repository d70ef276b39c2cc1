//! Arms: parts of one path that run one after the other, each under a guard, until they meet and are joined (`merge.rs`).

use std::rc::Rc;

use cleave_expr::Term;

use crate::checking::rounds::Recurrence;
use crate::stop::End;

/// The position of the arm that is to run next.
#[derive(Clone, Copy, Default)]
pub(crate) struct Front {
    pub(crate) frame: u32,
    pub(crate) height: u32,
    pub(crate) order: u32,
}

/// An open merge: the arms of a path. One runs, as the state; the others wait.
#[derive(Clone)]
pub(crate) struct Merging<S> {
    /// States of the other arms: the one that is furthest behind is the last.
    pub(crate) waiting: Vec<Rc<S>>,
    pub(crate) front: Front,
    /// Instructions of the path when the merge began.
    pub(crate) since: u64,
    /// The path at the branch with which the merge began, to which it goes back from a merge that costs too much.
    pub(crate) begun: Rc<S>,
    /// Of the path when the merge began.
    pub(crate) recurrence: Recurrence<S>,
    /// The path does not take the arm that ran last.
    pub(crate) dropped: bool,
}

/// The path was asked whether it takes an arm other than the one that runs.
#[derive(Clone)]
pub(crate) struct Leaving {
    /// The condition by which it does.
    pub(crate) cond: Term,
    /// The end of the arm, if it is at one.
    pub(crate) end: Option<Box<End>>,
}
