//! Trace lines of an exploration, for debugging. Explorers call it at decisions, queries and new regions. Each line belongs to a
//! topic; it is made only if the topic is enabled.

use cleave_region::Region;
use tracing::{Level, enabled, trace};

use crate::space::Space;

/// The topics, with a description each.
pub const TRACES: [(&str, &str); 3] = [
    (
        "decide",
        "each decision: how many lie behind it, the condition and the place, and the side that is taken",
    ),
    ("solver", "each question: how many decisions lie before it, the side, the answer and how long it took"),
    ("region", "each region that is begun: the depths of its two cuts, and where its path is begun"),
];

/// Traces that a side of a decision was taken, which led to `state`.
#[inline]
pub(crate) fn decided<S: Space>(space: &S, state: &S::State, side: bool) {
    if enabled!(target: "decide", Level::TRACE) {
        let depth = space.depth(state) as usize;
        let words = space.describe(state, depth.saturating_sub(1)..depth);
        trace!(target: "decide", "{}: {} is {side}", depth.saturating_sub(1), words.join(" "));
    }
}

/// Traces an answered query.
#[inline]
pub(crate) fn asked<S: Space, T>(
    space: &mut S,
    state: &S::State,
    what: &str,
    ask: impl FnOnce(&mut S) -> T,
    word: impl FnOnce(&T) -> &str,
) -> T {
    if !enabled!(target: "solver", Level::TRACE) {
        return ask(space);
    }
    let (depth, start) = (space.depth(state), std::time::Instant::now());
    let answer = ask(space);
    trace!(target: "solver", "{depth}: {what}: {} ({} us)", word(&answer), start.elapsed().as_micros());
    answer
}

/// Traces that a region is begun at `state`.
pub(crate) fn begun<S: Space>(space: &S, region: &Region, state: &S::State) {
    let end = |cut: &Option<cleave_region::Cut>| {
        let depth =
            |cut: &cleave_region::Cut| cut.depth.map_or("a whole path".into(), |d| format!("depth {d}"));
        cut.as_ref().map_or("no cut".into(), depth)
    };
    trace!(
        target: "region",
        "from {} to {}, begun after {} decisions",
        end(&region.lo),
        end(&region.hi),
        space.depth(state)
    );
}
