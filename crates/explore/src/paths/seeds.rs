//! Regions around the paths of seed tests. The campaign calls [`around`] to begin with the paths of given tests.

use std::ops::ControlFlow;
use std::sync::Arc;

use cleave_region::{Cut, Fingerprints, Object, PathDigest, Region, Side, Test};

use crate::paths::walk::{Reach, Walked, walk, walk_test};
use crate::space::Space;

/// Result of following a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The end of this path.
    Path(PathDigest),
    /// A violated assumption.
    Excluded,
    /// A path that is too long to be followed.
    Endless,
}

/// Follows a test as far as `reach` says, without a solver.
pub fn path_taken<S: Space>(space: &mut S, test: &Test, reach: impl Into<Reach>) -> Taken {
    let way = Way::of(space, test, reach.into());
    match way.end {
        WayEnd::Farther => Taken::Endless,
        WayEnd::Excluded => Taken::Excluded,
        WayEnd::Path => way.digests.last().map_or(Taken::Excluded, |digest| Taken::Path(*digest)),
    }
}

/// End of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WayEnd {
    /// The end of its path.
    Path,
    /// A violated assumption.
    Excluded,
    /// The limit of its reach; the path goes on.
    Farther,
}

/// A test's path.
struct Way {
    test: Arc<Test>,
    sides: Vec<bool>,
    /// Digests before each decision, and at the end.
    digests: Vec<PathDigest>,
    end: WayEnd,
}

impl Way {
    /// Follows a test.
    fn of<S: Space>(space: &mut S, test: &Test, reach: Reach) -> Way {
        let (mut sides, mut digests) = (Vec::new(), Vec::new());
        let (walked, state) = walk_test(space, test, reach, |space, passing| {
            if !passing.is_excluded() {
                sides.push(passing.side);
                digests.push(space.digest(passing.state));
            }
            ControlFlow::<()>::Continue(())
        });
        digests.push(space.digest(&state));
        let end = match walked {
            Walked::Ended(_) => WayEnd::Path,
            Walked::Excluded => WayEnd::Excluded,
            Walked::Endless | Walked::Left(()) => WayEnd::Farther,
        };
        Way { test: Arc::new(test.clone()), sides, digests, end }
    }

    /// A cut at an end of the paths that share its first `depth` decisions.
    fn cut(&self, depth: usize, side: Side) -> Cut {
        Cut {
            test: self.test.clone(),
            depth: Some(depth as u32),
            side,
            digest: self.digests.get(depth).copied(),
            fingerprints: Fingerprints::default(),
        }
    }

    /// Number of leading decisions in common with another way.
    fn common(&self, other: &Way) -> usize {
        self.sides.iter().zip(&other.sides).take_while(|(a, b)| a == b).count()
    }

    /// The paths on one side of its own that share more than `common` decisions with it, in shells: those that leave
    /// it 1 decision before its end, 2, 3 to 4, 5 to 8 ... Each has the number of its shell.
    fn shells(&self, side: Side, least: usize) -> Vec<(usize, Region)> {
        let n = self.sides.len();
        let (mut inner, mut shells) = (n, Vec::new());
        while inner > least {
            let outer = n.saturating_sub(1 << shells.len()).max(least);
            let (near, far) = (self.cut(inner, side), self.cut(outer, side));
            let (lo, hi) = if side == Side::Before { (far, near) } else { (near, far) };
            shells.push((shells.len() + 1, Region::of(Some(lo), Some(hi))));
            inner = outer;
        }
        shells
    }
}

/// The objects of `seed` in the order in which its path makes objects with their names: among objects of one name the first
/// comes first. Objects that the path makes and the seed lacks are zero. On a path longer than `reach`, only the objects within
/// `reach` are matched.
pub fn by_name<S: Space>(space: &mut S, seed: &Test, reach: impl Into<Reach>) -> Test {
    let reach = reach.into();
    let mut test = seed.clone();
    // Each turn matches at least one more object: the next object depends on those before it.
    loop {
        let mut left: Vec<&Object> = seed.objects.iter().collect();
        let mut matched = Test::default();
        for made in made_by(space, &test, reach).objects {
            let same = left.iter().position(|object| object.name == made.name);
            let mut object = same.map_or_else(Object::default, |i| left.remove(i).clone());
            object.name = made.name;
            object.bytes.resize(made.bytes.len(), 0);
            matched.objects.push(object);
        }
        if matched == test {
            return test;
        }
        test = matched;
        if space.is_full() {
            space.renew();
        }
    }
}

/// The objects that a test's path makes, with the test's bytes.
fn made_by<S: Space>(space: &mut S, test: &Test, reach: Reach) -> Test {
    let (witness, mut state) = (space.prepare(test), space.root());
    walk(space, &mut state, &witness, reach, |_, _| ControlFlow::<()>::Continue(()));
    space.write_down(&state, &witness)
}

/// Divides the whole program into regions around the paths of seeds, which are sorted and take different paths: first
/// the paths themselves, then those that leave them late, then those that leave them earlier. The first regions are those
/// of the seeds, each with the path of its seed alone. A seed's path that is longer than `reach` may have no end: its region
/// holds all paths with the same beginning. Two seeds that part beyond `reach` share one such region.
pub fn around<S: Space>(space: &mut S, seeds: &[Test], reach: impl Into<Reach>) -> Around {
    let reach = reach.into();
    let mut ways: Vec<Way> = Vec::with_capacity(seeds.len());
    for seed in seeds {
        let way = Way::of(space, seed, reach);
        let begins = |a: &Way, b: &Way| a.end == WayEnd::Farther && a.common(b) == a.sides.len();
        // A path with the same beginning as one that was left there is in its region.
        if ways.last().is_none_or(|last| !begins(last, &way)) {
            while ways.last().is_some_and(|last| begins(&way, last)) {
                ways.pop();
            }
            ways.push(way);
        }
        if space.is_full() {
            space.renew();
        }
    }
    let farther = ways.iter().filter(|way| way.end == WayEnd::Farther).count();
    let mut regions = Vec::new();
    for (i, way) in ways.iter().enumerate() {
        // Neighbours part at a decision: the paths beyond it are nearer to the other one.
        let least = |other: Option<&Way>| other.map_or(0, |other| way.common(other) + 1);
        let before = least(i.checked_sub(1).and_then(|i| ways.get(i)));
        let behind = least(ways.get(i + 1));
        regions.push((0, Region::subtree(way.cut(way.sides.len(), Side::Before))));
        regions.extend(way.shells(Side::Before, before));
        regions.extend(way.shells(Side::After, behind));
    }
    if ways.is_empty() {
        regions.push((0, Region::whole()));
    }
    regions.sort_by_key(|(shell, _)| *shell);
    Around { regions: regions.into_iter().map(|(_, region)| region).collect(), of_seeds: ways.len(), farther }
}

/// Result of [`around`].
pub struct Around {
    /// The regions; together the whole program.
    pub regions: Vec<Region>,
    /// Number of leading regions that belong to seeds.
    pub of_seeds: usize,
    /// Number of these that may have more paths than their seed's, because it is longer than `reach`.
    pub farther: usize,
}
