//! Reports of replays that left the path of their cut. Explorations make them; the campaign prints them.

use std::fmt;

use cleave_region::{Cut, PathDigest};

use crate::space::Space;

/// Number of decisions shown before the one where the lists part, and from there on.
const BEFORE: usize = 6;
const BEHIND: usize = 10;

/// A cut's test was followed, and its decisions were not those with which the cut was made.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// The cut.
    pub cut: Cut,
    /// Digest of the decisions found.
    pub found: PathDigest,
    /// Number of decisions found; fewer than the cut's depth if the path ended before.
    pub found_depth: usize,
    /// The first decision, from 0, that differs; on paths so long that fingerprints are folded, the first of the few
    /// decisions among which it lies. `None` if the cut carries no fingerprints, or if they do not show the difference.
    pub parting: Option<usize>,
    /// Kind of the difference.
    pub likeness: Option<Likeness>,
    /// The decisions around the difference; around the end, if no difference shows.
    pub rows: Vec<Row>,
}

/// Kinds of difference, by comparison of the decisions behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// An unexpected decision; then the lists agree again.
    Inserted,
    /// A missing decision; then the lists agree again.
    Removed,
    /// One different decision; then the lists agree again.
    Changed,
    /// The path ended early.
    Ended,
}

/// A decision in both lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number, from 0.
    pub index: usize,
    /// Its expected fingerprint, if known: see [`Fingerprints::one`].
    ///
    /// [`Fingerprints::one`]: cleave_region::Fingerprints::one
    pub expected: Option<u8>,
    /// Its fingerprint as found; `None` behind the end of the path.
    pub found: Option<u8>,
    /// The decision found, in words.
    pub text: String,
}

impl Divergence {
    /// The divergence shown by following `cut` to `state`.
    pub(crate) fn new<S: Space>(space: &S, state: &S::State, cut: Cut) -> Divergence {
        let found = space.decisions(state);
        let depth = cut.depth.map_or(0, |d| d as usize);
        let (known, fold) = (&cut.fingerprints, cut.fingerprints.fold());
        let parting =
            if known.is_empty() { None } else { known.parting(depth, &found).map(|byte| byte * fold) };
        // Single decisions are known only if nothing is folded.
        let expected = if fold == 1 { known.bytes() } else { &[] };
        let likeness = parting.filter(|_| fold == 1).and_then(|i| likeness(expected, &found, i));
        let at = parting.unwrap_or(found.len());
        let (from, to) = (at.saturating_sub(BEFORE), (at + BEHIND).min(depth.max(found.len())));
        let mut texts = space.describe(state, from.min(found.len())..to.min(found.len())).into_iter();
        let rows = (from..to).map(|index| Row {
            index,
            expected: expected.get(index).copied(),
            found: found.get(index).copied(),
            text: texts.next().unwrap_or_default(),
        });
        let rows = rows.collect();
        let (found, found_depth) = (space.digest(state), space.depth(state) as usize);
        Divergence { found, found_depth, parting, likeness, rows, cut }
    }

    /// One sentence: the kind and the place of the difference.
    pub fn sentence(&self) -> String {
        let depth = self.cut.depth.unwrap_or(0);
        let place = match self.parting {
            Some(i) if self.cut.fingerprints.fold() > 1 => {
                format!(
                    "the lists part at decision {i} or within the {} after it",
                    self.cut.fingerprints.fold()
                )
            }
            Some(i) => {
                let row = self.rows.iter().find(|row| row.index == i);
                let text = row.map_or("", |row| row.text.as_str());
                let text = if text.is_empty() { String::new() } else { format!(" ({text})") };
                format!("the lists part at decision {i}{text}")
            }
            None if self.cut.fingerprints.is_empty() => "where the lists part is not known".to_string(),
            None => "fingerprints do not show where the lists part".to_string(),
        };
        format!(
            "replaying {} found other decisions than those it was made with: {place}; {} were found of {depth}",
            self.cut.test, self.found_depth
        )
    }
}

/// The kind of difference of two lists that part at `at`: they agree again for two or more decisions behind one decision.
fn likeness(expected: &[u8], found: &[u8], at: usize) -> Option<Likeness> {
    let rest = |list: &[u8], from| list.get(from..).unwrap_or_default().to_vec();
    let alike = |a: usize, b: usize| {
        let (a, b) = (rest(expected, a), rest(found, b));
        let n = a.len().min(b.len());
        n >= 2 && a[..n] == b[..n]
    };
    if at >= found.len() {
        Some(Likeness::Ended)
    } else if alike(at + 1, at + 1) {
        Some(Likeness::Changed)
    } else if alike(at, at + 1) {
        Some(Likeness::Inserted)
    } else if alike(at + 1, at) {
        Some(Likeness::Removed)
    } else {
        None
    }
}

impl fmt::Display for Likeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Likeness::Inserted => {
                "one decision was found that was not expected; behind it the lists are alike"
            }
            Likeness::Removed => "one decision that was expected is missing; behind it the lists are alike",
            Likeness::Changed => "one decision is another than it was; behind it the lists are alike",
            Likeness::Ended => "up to there the lists are alike, but the path ended before the rest",
        })
    }
}

impl fmt::Display for Divergence {
    /// The sentence, then both lists around the difference.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.sentence())?;
        let digest = self.cut.digest.map_or_else(|| "unknown".to_string(), |d| d.to_string());
        writeln!(f, "digest of the decisions: expected {digest}, found {}", self.found)?;
        if let Some(likeness) = self.likeness {
            writeln!(f, "{likeness}")?;
        }
        let one = |byte: Option<u8>, none: &'static str| match byte {
            None => none.to_string(),
            Some(b) => format!("{:02x} {}", b >> 1, if b & 1 == 1 { "true" } else { "false" }),
        };
        let missing =
            if self.cut.fingerprints.is_empty() || self.cut.fingerprints.fold() > 1 { "?" } else { "-" };
        writeln!(f, "  decision  expected  found     what holds since then, as found")?;
        for row in &self.rows {
            let mark = if self.parting == Some(row.index) { '>' } else { ' ' };
            let (expected, found) = (one(row.expected, missing), one(row.found, "-"));
            let line = format!("{mark} {:>8}  {expected:<8}  {found:<8}  {}", row.index, row.text);
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
