//! What stands behind the layers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cleave_expr::{ByteId, ByteSet, Term, Terms, Witness};

use crate::error::SolverError;

/// A question for a back end: do all conditions hold together for some values of the bytes?
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// One-bit terms, all of which are to hold.
    pub conditions: &'a [Term],
    /// Sets that the values of bytes are to be in; a byte that is not listed may have any value.
    pub domains: &'a [(ByteId, ByteSet)],
    /// Values to prefer where there is a choice.
    pub near: &'a Witness,
}

impl Query<'_> {
    /// All bytes that it is about, in the order of their ids.
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
    /// They hold together for these values of all bytes that matter.
    Sat(Vec<(ByteId, u8)>),
    /// They do not.
    Unsat(Conflict),
    /// It gave up; the text says why.
    Unknown(String),
}

/// A part of a query that cannot hold.
#[derive(Clone, Debug, Default)]
pub struct Conflict {
    /// Conditions of the query.
    pub conditions: Vec<Term>,
    /// Domains of the query.
    pub domains: Vec<(ByteId, ByteSet)>,
}

/// A decision procedure. It may keep whatever helps it with the next query.
pub trait Backend {
    /// Its name in messages and counts; see [`crate::BackEnd`].
    fn name(&self) -> &'static str;

    /// Work done so far: about a tenth of a microsecond each, and the same each time. It says how much others may do in
    /// its place. 0 where nobody counts.
    fn work(&self) -> u64 {
        0
    }

    /// Decides a query within about `limit`.
    fn solve(&mut self, terms: &mut Terms, query: &Query<'_>, limit: Duration) -> Verdict;

    /// As [`Backend::solve`], but gives up after little work, the same each time, eight times as much in each further round (the first
    /// is 0); a back end that cannot gives up at once.
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

    /// Takes the conditions of a query in one by one, in their order, and says of the first at which it sees without
    /// a search that they contradict each other. Not every contradiction is seen; `None` for those, and from back
    /// ends that cannot say without a search.
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
    /// What it is, in a few words.
    pub about: &'static str,
    /// Whether it is a tier where nobody chooses.
    pub(crate) usual: bool,
    /// Starts one.
    pub(crate) start: Start,
}
