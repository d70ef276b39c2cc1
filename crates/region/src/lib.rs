//! Positions in the path space: tests, cuts and regions, and the records of results there. Explorers, campaigns and commands use
//! it. Plain data, the same on every machine; it does not depend on the engine.
//!
//! A *cut* is a place between two neighbouring paths, a *region* the paths between two cuts. Ranges, prefixes
//! and work items of the four systems that Cleave joins are all regions: see [`Region`]'s constructors.

mod bug_kind;
mod bytes;
mod digest;
mod encoded;
mod expected;
mod fingerprints;
mod message;
mod record;
mod test;
mod weight;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use bug_kind::{BugKind, Level, NativeEffect};
pub use digest::PathDigest;
pub use encoded::Encoded;
pub use expected::Expected;
pub use fingerprints::{FingerprintLog, Fingerprints};
pub use message::Message;
pub use record::{BugRecord, EncodedPath, FrameRecord, PathKind, PathRecord, SUPPRESSED_BY};
pub use test::{Object, Test};
pub use weight::Weight;

/// The side of a subtree that a cut is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    /// Just before its first path.
    Before,
    /// Just after its last path.
    After,
}

/// A position in the order of paths: just before the first, or just after the last path that shares the test's
/// first `depth` decisions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cut {
    /// The test.
    pub test: Arc<Test>,
    /// Number of its decisions that count; `None`: all, its whole path.
    pub depth: Option<u32>,
    /// The side.
    pub side: Side,
    /// The digest of the first `depth` decisions, if it was known when the cut was made: a replay of the test
    /// to that depth must find the same.
    pub digest: Option<PathDigest>,
    /// Fingerprints of these decisions, if they were known when the cut was made: if the digest differs,
    /// they show the first difference.
    pub fingerprints: Fingerprints,
}

impl Cut {
    /// Just before the test's path.
    pub fn before(test: Test) -> Cut {
        let (test, fingerprints) = (Arc::new(test), Fingerprints::default());
        Cut { test, depth: None, side: Side::Before, digest: None, fingerprints }
    }

    /// The other end of the same subtree.
    fn opposite(&self) -> Cut {
        let side = if self.side == Side::Before { Side::After } else { Side::Before };
        Cut { side, ..self.clone() }
    }
}

/// The paths between two cuts; `None` is unbounded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "Wire", try_from = "Wire")]
pub struct Region {
    /// Its lower end: paths from here on.
    pub lo: Option<Cut>,
    /// Its upper end: paths up to here.
    pub hi: Option<Cut>,
    /// Bound of a work item: the maximum number of new items directly from its run (Siddiqui and Khurshid
    /// 2010, figure 1). `None`: no bound, all paths.
    pub bound: Option<u32>,
}

/// A region in its sent and stored form: most are one subtree, whose test need not be repeated.
#[derive(Serialize, Deserialize)]
struct Wire {
    lo: Option<Cut>,
    hi: WireEnd,
    bound: Option<u32>,
}

#[derive(Serialize, Deserialize)]
enum WireEnd {
    Open,
    Cut(Cut),
    /// The other end of the subtree that the region begins with.
    OfSubtree,
}

impl From<Region> for Wire {
    fn from(Region { lo, hi, bound }: Region) -> Wire {
        let hi = match (&lo, hi) {
            (_, None) => WireEnd::Open,
            (Some(lo), Some(hi)) if lo.opposite() == hi => WireEnd::OfSubtree,
            (_, Some(hi)) => WireEnd::Cut(hi),
        };
        Wire { lo, hi, bound }
    }
}

impl TryFrom<Wire> for Region {
    type Error = &'static str;

    fn try_from(Wire { lo, hi, bound }: Wire) -> Result<Region, &'static str> {
        let hi = match hi {
            WireEnd::Open => None,
            WireEnd::Cut(cut) => Some(cut),
            WireEnd::OfSubtree => Some(
                lo.as_ref().ok_or("a region ends with a subtree that it does not begin with")?.opposite(),
            ),
        };
        Ok(Region { lo, hi, bound })
    }
}

impl Region {
    /// The whole program.
    pub fn whole() -> Region {
        Region::default()
    }

    /// The paths between two cuts; `None` is unbounded.
    pub fn of(lo: Option<Cut>, hi: Option<Cut>) -> Region {
        Region { lo, hi, bound: None }
    }

    /// `[t1, t2)`: from the path of `t1` up to the path of `t2`, which is not in it (Siddiqui and Khurshid
    /// 2012, definition 4); `None` is *begin*, or *end*.
    pub fn range(from: Option<Test>, to: Option<Test>) -> Region {
        Region::of(from.map(Cut::before), to.map(Cut::before))
    }

    /// The paths that share the first `depth` decisions of `test` (Singh and Khurshid 2020; a work item of
    /// Siddiqui and Khurshid 2010).
    pub fn prefix(test: Test, depth: u32, digest: Option<PathDigest>) -> Region {
        let depth = Some(depth);
        Region::subtree(Cut { depth, digest, ..Cut::before(test) })
    }

    /// The paths of the subtree at one of whose ends the cut lies.
    pub fn subtree(cut: Cut) -> Region {
        let (opposite, before) = (cut.opposite(), cut.side == Side::Before);
        let (lo, hi) = if before { (cut, opposite) } else { (opposite, cut) };
        Region::of(Some(lo), Some(hi))
    }

    /// The ranges between tests, in their order, which together are the whole program: one more than there are tests.
    pub fn between(tests: Vec<Test>) -> Vec<Region> {
        let mut from = None;
        let mut regions = Vec::with_capacity(tests.len() + 1);
        for test in tests {
            regions.push(Region::range(from, Some(test.clone())));
            from = Some(test);
        }
        regions.push(Region::range(from, None));
        regions
    }
}

impl std::fmt::Display for Region {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let end = |f: &mut std::fmt::Formatter<'_>, cut: &Option<Cut>, open: &str| match cut {
            None => f.write_str(open),
            Some(c) => {
                let side = if c.side == Side::Before { "before" } else { "after" };
                write!(f, "{side} {}", c.test)?;
                c.depth.map_or(Ok(()), |d| write!(f, " to depth {d}"))
            }
        };
        f.write_str("[")?;
        end(f, &self.lo, "begin")?;
        f.write_str(", ")?;
        end(f, &self.hi, "end")?;
        f.write_str(")")?;
        self.bound.map_or(Ok(()), |bound| write!(f, " with depth bound {bound}"))
    }
}
