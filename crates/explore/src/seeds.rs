//! Regions around the paths of seeds.

use std::ops::ControlFlow;
use std::sync::Arc;

use cleave_region::{Cut, Fingerprints, Object, PathDigest, Region, Side, Test};

use crate::space::Space;
use crate::walk::{Walked, walk, walk_test};

/// Where a test leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// To the end of this path.
    Path(PathDigest),
    /// An assumption excludes it.
    Excluded,
    /// On a path that is too long to be followed.
    Endless,
}

/// Follows a test for at most about `fuel` instructions; no solver.
pub fn path_taken<S: Space>(space: &mut S, test: &Test, fuel: u64) -> Taken {
    match Way::of(space, test, fuel) {
        None => Taken::Endless,
        Some(way) if way.excluded => Taken::Excluded,
        Some(way) => way.digests.last().map_or(Taken::Excluded, |digest| Taken::Path(*digest)),
    }
}

/// A test's path.
struct Way {
    test: Arc<Test>,
    sides: Vec<bool>,
    /// Before each decision, and at the end.
    digests: Vec<PathDigest>,
    /// It ends where an assumption does not hold.
    excluded: bool,
}

impl Way {
    /// Follows a test; `None` where its path is longer than `fuel` instructions.
    fn of<S: Space>(space: &mut S, test: &Test, fuel: u64) -> Option<Way> {
        let (mut sides, mut digests) = (Vec::new(), Vec::new());
        let (walked, state) = walk_test(space, test, fuel, |space, passing| {
            if !passing.is_excluded() {
                sides.push(passing.side);
                digests.push(space.digest(passing.state));
            }
            ControlFlow::<()>::Continue(())
        });
        digests.push(space.digest(&state));
        let excluded = match walked {
            Walked::Ended(_) => false,
            Walked::Excluded => true,
            Walked::Endless | Walked::Left(()) => return None,
        };
        Some(Way { test: Arc::new(test.clone()), sides, digests, excluded })
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

    /// How many decisions it has in common with another.
    fn common(&self, other: &Way) -> usize {
        self.sides.iter().zip(&other.sides).take_while(|(a, b)| a == b).count()
    }

    /// The paths on one side of its own that share more than `common` decisions with it: in shells, those that leave
    /// it 1 decision before its end, 2, 3 to 4, 5 to 8 ... Each with the number of its shell.
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

/// The objects of `seed` in the order in which its path makes objects of their names: of those with one name the first
/// comes first. What the path makes and the seed has not is zero. Of paths of more than about `fuel` instructions only
/// what comes before is matched.
pub fn by_name<S: Space>(space: &mut S, seed: &Test, fuel: u64) -> Test {
    let mut test = seed.clone();
    // Each turn is right for one more object at least: which object comes next depends on those before it.
    loop {
        let mut left: Vec<&Object> = seed.objects.iter().collect();
        let mut matched = Test::default();
        for made in made_by(space, &test, fuel).objects {
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
fn made_by<S: Space>(space: &mut S, test: &Test, fuel: u64) -> Test {
    let (witness, mut state) = (space.prepare(test), space.root());
    walk(space, &mut state, &witness, fuel, |_, _| ControlFlow::<()>::Continue(()));
    space.write_down(&state, &witness)
}

/// Cuts the whole program into regions around the paths of seeds, which are sorted and take different paths: first
/// the paths themselves, then those that leave them late, then those that leave them earlier. Seeds on paths of more
/// than `fuel` instructions are left out; the second number tells how many. The first regions are those of the seeds that
/// are left, each with the path of its seed alone.
pub fn around<S: Space>(space: &mut S, seeds: &[Test], fuel: u64) -> (Vec<Region>, usize) {
    let ways: Vec<Way> = seeds.iter().filter_map(|seed| Way::of(space, seed, fuel)).collect();
    let left_out = seeds.len() - ways.len();
    if ways.is_empty() {
        return (vec![Region::whole()], left_out);
    }
    let mut regions = Vec::new();
    for (i, way) in ways.iter().enumerate() {
        // Neighbours part at a decision: what is beyond it is nearer to the other one.
        let least = |other: Option<&Way>| other.map_or(0, |other| way.common(other) + 1);
        let before = least(i.checked_sub(1).and_then(|i| ways.get(i)));
        let behind = least(ways.get(i + 1));
        regions.push((0, Region::subtree(way.cut(way.sides.len(), Side::Before))));
        regions.extend(way.shells(Side::Before, before));
        regions.extend(way.shells(Side::After, behind));
    }
    regions.sort_by_key(|(shell, _)| *shell);
    (regions.into_iter().map(|(_, region)| region).collect(), left_out)
}
