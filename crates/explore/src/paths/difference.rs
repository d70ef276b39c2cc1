//! The difference of two lists of regions, by the order of their cuts and without a solver. The campaign calls [`difference`].

use std::cmp::Ordering;
use std::ops::ControlFlow;

use cleave_region::{Cut, Region, Side};

use crate::paths::walk::{Walked, walk_test};
use crate::space::Space;

/// A place in the order of paths.
#[derive(Clone, Debug)]
enum Place {
    Begin,
    At(Cut),
    End,
}

/// Compares two cuts. `fuel` bounds the instructions of the common part of their tests; `None` if it is used up.
fn compare_cuts<S: Space>(space: &mut S, a: &Cut, b: &Cut, fuel: u64) -> Option<Ordering> {
    let depth = |cut: &Cut| cut.depth.unwrap_or(u32::MAX);
    let (first, other) = (depth(a).min(depth(b)), space.prepare(&b.test));
    let mut passed = 0;
    let (walked, _) = walk_test(space, &a.test, fuel, |space, passing| {
        if passed == first {
            return ControlFlow::Break(None);
        }
        passed += 1;
        match (passing.side, space.decides(passing.cond, &other)) {
            (true, false) => ControlFlow::Break(Some(Ordering::Less)),
            (false, true) => ControlFlow::Break(Some(Ordering::Greater)),
            _ => ControlFlow::Continue(()),
        }
    });
    match walked {
        Walked::Endless => None,
        Walked::Left(Some(order)) => Some(order),
        // One of them ends a subtree in which the other lies, or both end the same subtree.
        Walked::Left(None) | Walked::Ended(_) | Walked::Excluded => Some(match depth(a).cmp(&depth(b)) {
            Ordering::Equal => side(a).cmp(&side(b)),
            Ordering::Less if a.side == Side::Before => Ordering::Less,
            Ordering::Less => Ordering::Greater,
            Ordering::Greater if b.side == Side::Before => Ordering::Greater,
            Ordering::Greater => Ordering::Less,
        }),
    }
}

fn side(cut: &Cut) -> u8 {
    u8::from(cut.side == Side::After)
}

fn compare<S: Space>(space: &mut S, a: &Place, b: &Place, fuel: u64) -> Option<Ordering> {
    match (a, b) {
        (Place::Begin, Place::Begin) | (Place::End, Place::End) => Some(Ordering::Equal),
        (Place::Begin, _) | (_, Place::End) => Some(Ordering::Less),
        (_, Place::Begin) | (Place::End, _) => Some(Ordering::Greater),
        (Place::At(a), Place::At(b)) => compare_cuts(space, a, b, fuel),
    }
}

/// The paths that lie in more of the regions `all` than of the regions `taken`, as regions in the order of their
/// paths. `None` if two tests cannot be told apart within `fuel` instructions, or if a region has a depth bound, because
/// then its cuts do not determine its paths.
pub fn difference<S: Space>(
    space: &mut S,
    all: &[Region],
    taken: &[Region],
    fuel: u64,
) -> Option<Vec<Region>> {
    // Each place with its change to the number of regions that contain the paths behind it.
    let mut places: Vec<(Place, i64)> = Vec::new();
    for (region, sign) in all.iter().map(|r| (r, 1)).chain(taken.iter().map(|r| (r, -1))) {
        if region.bound.is_some() {
            return None;
        }
        let lo = region.lo.clone().map_or(Place::Begin, Place::At);
        let hi = region.hi.clone().map_or(Place::End, Place::At);
        for (place, change) in [(lo, sign), (hi, -sign)] {
            insert(space, &mut places, place, change, fuel)?;
        }
    }
    let (mut count, mut from, mut left) = (0, None, Vec::new());
    for (place, change) in places {
        let before = count;
        count += change;
        if before <= 0 && count > 0 {
            from = Some(place);
        } else if before > 0
            && count <= 0
            && let Some(from) = from.take()
        {
            let cut = |place| if let Place::At(cut) = place { Some(cut) } else { None };
            left.push(Region::of(cut(from), cut(place)));
        }
    }
    Some(left)
}

/// Puts a place where it belongs among those that are sorted.
fn insert<S: Space>(
    space: &mut S,
    places: &mut Vec<(Place, i64)>,
    place: Place,
    change: i64,
    fuel: u64,
) -> Option<()> {
    let (mut lo, mut hi) = (0, places.len());
    while lo < hi {
        let middle = (lo + hi) / 2;
        match compare(space, &place, &places[middle].0, fuel)? {
            Ordering::Less => hi = middle,
            Ordering::Greater => lo = middle + 1,
            Ordering::Equal => {
                places[middle].1 += change;
                return Some(());
            }
        }
    }
    places.insert(lo, (place, change));
    Some(())
}
