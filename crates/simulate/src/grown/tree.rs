//! The grown tree: its subtrees are computed when they are visited.

use cleave_region::{Cut, Fingerprints, Object, PathDigest, Side, Test};

use super::model::{Load, Model, Segment, share};

/// A subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The digest of the forks behind it. The subtree follows from that, the seed and its load.
    pub digest: PathDigest,
    /// The number of its first path in the tree; true sides come first.
    pub first: u64,
    /// Its content.
    pub load: Load,
    /// Forks behind it.
    pub depth: u32,
    /// Decisions behind it.
    pub decisions: u32,
    /// Class of its share in the subtree above.
    share: u8,
}

impl Place {
    /// The number of the first path behind it.
    pub fn end(&self) -> u64 {
        self.first + self.load.paths
    }

    /// True if that path is in it.
    pub fn holds(&self, path: u64) -> bool {
        (self.first..self.end()).contains(&path)
    }
}

/// A tree that is made on demand.
#[derive(Clone, Debug)]
pub struct GrownTree {
    model: Model,
    seed: u64,
    load: Load,
    /// Bytes of a test, in addition to the number of its path.
    test: usize,
}

/// The bytes of a path's number.
const NUMBER: usize = 8;
/// Minimum number of paths of a side with a single path in the recorded tree, in a large subtree.
const FEW: u64 = 8;
/// Number of paths above which a subtree is large in this sense.
const MANY: u64 = 64;

/// Spreads a number over 64 bits (SplitMix64's finalizer).
fn spread(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

impl GrownTree {
    /// A tree of `paths` paths, up to 2^40. Trees of different seeds are different.
    pub fn new(model: Model, paths: u64, seed: u64) -> GrownTree {
        let load = model.load(paths.clamp(1, 1 << 40));
        GrownTree { model, seed, load, test: 0 }
    }

    /// Sets the length of tests in bytes, eight at least, so that messages are as large as real ones.
    pub fn with_tests_of(mut self, bytes: usize) -> GrownTree {
        self.test = bytes.saturating_sub(NUMBER);
        self
    }

    /// The whole tree.
    pub fn root(&self) -> Place {
        let digest = PathDigest::default();
        Place { digest, first: 0, load: self.load, depth: 0, decisions: 0, share: 3 }
    }

    /// The segment that a subtree begins with, and its sides, the false one first; none for a single path.
    pub fn below(&self, place: &Place) -> (Segment, Option<[Place; 2]>) {
        let Load { paths, instructions, one_sided } = place.load;
        let key = spread(self.seed ^ place.digest.0 as u64) ^ (place.digest.0 >> 64) as u64;
        let [choice, rounding] = [spread(key), spread(key.wrapping_add(1))];
        if paths < 2 {
            let decisions = self.model.end(place.share, choice);
            return (Segment { instructions, one_sided, decisions }, None);
        }
        let split = self.model.split(paths, place.share, choice);
        let on_true = match (split.on_true, split.paths - split.on_true) {
            (few, _) if few <= FEW && split.paths > MANY && paths > MANY => few,
            (_, few) if few <= FEW && split.paths > MANY && paths > MANY => paths - few,
            _ => {
                let part = u128::from(paths) * u128::from(split.on_true) + u128::from(rounding % split.paths);
                (part / u128::from(split.paths)) as u64
            }
        };
        let on_true = on_true.clamp(1, paths - 1);
        let on_false = paths - on_true;
        let segment = Segment {
            instructions: split.segment.instructions.min(instructions - paths),
            one_sided: split.segment.one_sided.min(one_sided),
            decisions: split.segment.decisions,
        };
        let left = [instructions - segment.instructions, one_sided - segment.one_sided];
        let instructions =
            part(left[0], on_true, on_false, split.tilts[0]).clamp(on_true, left[0] - on_false);
        let one_sided = part(left[1], on_true, on_false, split.tilts[1]);
        let loads = [
            Load { paths: on_false, instructions: left[0] - instructions, one_sided: left[1] - one_sided },
            Load { paths: on_true, instructions, one_sided },
        ];
        let side = |on: bool| Place {
            digest: place.digest.extend(u64::from(place.depth), on),
            first: place.first + if on { 0 } else { on_true },
            load: loads[usize::from(on)],
            depth: place.depth + 1,
            decisions: place.decisions.saturating_add(segment.decisions),
            share: share(loads[usize::from(on)].paths, paths),
        };
        (segment, Some([side(false), side(true)]))
    }

    /// A test of a path, by its number.
    pub fn test(&self, path: u64) -> Test {
        let mut bytes = path.to_le_bytes().to_vec();
        bytes.resize(NUMBER + self.test, 0);
        Test { objects: vec![Object { name: "position".into(), bytes }] }
    }

    /// The number of the path that a test takes; a test of another tree, or without inputs, takes the first.
    pub fn path_of(&self, test: &Test) -> u64 {
        let bytes = test.objects.first().and_then(|object| object.bytes.first_chunk());
        bytes.map(|bytes| u64::from_le_bytes(*bytes)).filter(|path| *path < self.load.paths).unwrap_or(0)
    }

    /// The cut before a subtree.
    pub fn before(&self, place: &Place) -> Cut {
        let decisions = vec![0; place.decisions as usize];
        Cut {
            depth: Some(place.depth),
            digest: Some(place.digest),
            fingerprints: Fingerprints::of(&decisions),
            ..Cut::before(self.test(place.first))
        }
    }

    /// The number of the first path behind a cut.
    pub fn behind(&self, cut: &Cut) -> u64 {
        let path = self.path_of(&cut.test);
        let mut place = self.root();
        while cut.depth.is_none_or(|depth| place.depth < depth) {
            let Some(sides) = self.below(&place).1 else { break };
            place = sides[usize::from(sides[1].holds(path))];
        }
        match cut.side {
            Side::Before => place.first,
            Side::After => place.end(),
        }
    }
}

/// The part of `all` for the true side, if a path of it takes `tilt` (16 bits behind the point) times the part of one of the
/// false side.
fn part(all: u64, on_true: u64, on_false: u64, tilt: u64) -> u64 {
    let shift = (64 - on_true.max(on_false).leading_zeros()).saturating_sub(32);
    let weight = |n: u64, each: u64| u128::from((n >> shift).max(1)) * u128::from(each);
    let (t, f) = (weight(on_true, tilt), weight(on_false, 1 << 16));
    (u128::from(all) * t / (t + f)) as u64
}
