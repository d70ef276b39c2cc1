//! The interface of back ends: decision procedures for the queries that no layer answers. The chain calls them. A back
//! end that finds no answer within its limit says so and gives the reason.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cleave_expr::{ByteId, ByteSet, Term, Terms, Witness};

use crate::error::SolverError;

/// A query for a back end, which searches for an assignment of the bytes that satisfies all conditions.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// One-bit terms; a model satisfies all of them.
    pub conditions: &'a [Term],
    /// Allowed values of bytes; a byte that is not listed may have any value.
    pub domains: &'a [(ByteId, ByteSet)],
    /// Preferred values of the bytes; a model need not keep them.
    pub near: &'a Witness,
}

impl Query<'_> {
    /// All bytes of the query, in the order of their ids.
    pub fn bytes(&self, terms: &mut Terms) -> Vec<ByteId> {
        let mut ids: Vec<ByteId> = self.domains.iter().map(|d| d.0).collect();
        for &c in self.conditions {
            ids.extend(terms.bytes_of(c).iter());
        }
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

/// A back end's answer.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// A model: values of all bytes that matter.
    Sat(Vec<(ByteId, u8)>),
    /// The conditions are unsatisfiable.
    Unsat(Conflict),
    /// The back end gave up; the text says why.
    Unknown(String),
}

/// An unsatisfiable part of a query.
#[derive(Clone, Debug, Default)]
pub struct Conflict {
    /// Conditions of the query.
    pub conditions: Vec<Term>,
    /// Domains of the query.
    pub domains: Vec<(ByteId, ByteSet)>,
}

/// A decision procedure. It may keep state that speeds up later queries.
pub trait Backend {
    /// Its name in messages and counts; see [`crate::BackEnd`].
    fn name(&self) -> &'static str;

    /// Work done so far, the same on every run; a unit is about a tenth of a microsecond. Other layers get fuel in
    /// proportion to it. Returns 0 if the back end does not count.
    fn work(&self) -> u64 {
        0
    }

    /// Decides a query within about `limit`.
    fn solve(&mut self, terms: &mut Terms, query: &Query<'_>, limit: Duration) -> Verdict;

    /// As [`Backend::solve`], but gives up after little work: the same work on every run, and eight times as much in
    /// each further round (the first is 0). A back end that cannot limit its work gives up at once.
    fn solve_briefly(
        &mut self,
        terms: &mut Terms,
        query: &Query<'_>,
        limit: Duration,
        round: u32,
    ) -> Verdict {
        let _ = (terms, query, limit, round);
        Verdict::Unknown("it cannot be asked briefly".into())
    }

    /// Asserts the conditions of a query one by one, in their order, and stops at the first that contradicts those
    /// before it without a search. Returns `None` if it finds no contradiction, and for back ends that cannot do
    /// without a search.
    fn feed(&mut self, terms: &mut Terms, query: &Query<'_>, limit: Duration) -> Option<Conflict> {
        let _ = (terms, query, limit);
        None
    }
}

/// Starts a back end, which gives up as soon as the flag is true.
pub(crate) type Start = fn(&Arc<AtomicBool>) -> Result<Box<dyn Backend>, SolverError>;

/// A back end that options can name.
#[derive(Debug)]
pub struct BackEnd {
    /// Its name: on the command line, in messages, in counts.
    pub name: &'static str,
    /// Short description.
    pub about: &'static str,
    /// True if it is a tier by default.
    pub(crate) usual: bool,
    /// Starts one.
    pub(crate) start: Start,
}
