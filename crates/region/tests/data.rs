//! What tests, cuts and regions must be as data.

use cleave_region::{Cut, Fingerprints, Object, PathDigest, Region, Side, Test};
use proptest::prelude::*;

fn test() -> impl Strategy<Value = Test> {
    let object = ("[a-z0-9_]{0,8}", prop::collection::vec(any::<u8>(), 0..20));
    prop::collection::vec(object.prop_map(|(name, bytes)| Object { name, bytes }), 0..5)
        .prop_map(|objects| Test { objects })
}

fn cut() -> impl Strategy<Value = Cut> {
    let side = prop_oneof![Just(Side::Before), Just(Side::After)];
    let digest = prop::option::of(any::<u128>().prop_map(PathDigest));
    let decisions = prop::collection::vec(any::<u8>(), 0..1200);
    (test(), any::<Option<u32>>(), side, digest, decisions).prop_map(
        |(test, depth, side, digest, decisions)| Cut {
            test: test.into(),
            depth,
            side,
            digest,
            fingerprints: Fingerprints::of(&decisions),
        },
    )
}

proptest! {
    #[test]
    fn a_region_survives_its_way_to_another_worker(
        lo in prop::option::of(cut()), hi in prop::option::of(cut()), bound: Option<u32>,
    ) {
        let region = Region { bound, ..Region::of(lo, hi) };
        let bytes = postcard::to_stdvec(&region).unwrap();
        prop_assert_eq!(postcard::from_bytes::<Region>(&bytes).unwrap(), region);
    }

    #[test]
    fn a_subtree_takes_not_much_more_room_than_one_cut(cut in cut()) {
        let region = Region::subtree(cut.clone());
        let bytes = postcard::to_stdvec(&region).unwrap();
        prop_assert!(bytes.len() <= postcard::to_stdvec(&cut).unwrap().len() + 3);
        prop_assert_eq!(postcard::from_bytes::<Region>(&bytes).unwrap(), region);
    }

    #[test]
    fn fingerprints_show_where_lists_of_decisions_part(
        decisions in prop::collection::vec(any::<u8>(), 1..3000), at: prop::sample::Index, kind in 0..4,
    ) {
        let fingerprints = Fingerprints::of(&decisions);
        prop_assert!(fingerprints.bytes().len() <= Fingerprints::MOST);
        prop_assert_eq!(fingerprints.parting(decisions.len(), &decisions), None);
        let at = at.index(decisions.len());
        let (mut others, mut parts) = (decisions.clone(), at);
        match kind {
            0 => others[at] ^= 6,
            1 => others.insert(at, decisions[at] ^ 6),
            2 => others.truncate(at),
            _ => {
                others.remove(at);
                parts += decisions[at..].windows(2).take_while(|w| w[0] == w[1]).count();
            }
        }
        let found = fingerprints.parting(decisions.len(), &others);
        if fingerprints.fold() == 1 {
            prop_assert_eq!(found, Some(parts));
        } else if let Some(found) = found {
            // Folded bytes are hashes: one in 256 hides a difference, but none shows where there is none.
            prop_assert!(found >= parts / fingerprints.fold());
        }
    }

    #[test]
    fn digests_tell_order_condition_side_and_number_apart(decisions in prop::collection::vec((any::<u64>(), any::<bool>()), 2..20), at: prop::sample::Index) {
        let digest = |d: &[(u64, bool)]| d.iter().fold(PathDigest::default(), |p, (c, s)| p.extend(*c, *s));
        let whole = digest(&decisions);
        let i = at.index(decisions.len());
        let mut other = decisions.clone();
        other[i].1 = !other[i].1;
        prop_assert_ne!(digest(&other), whole, "a side");
        other = decisions.clone();
        other[i].0 ^= 1 << (i % 64);
        prop_assert_ne!(digest(&other), whole, "a condition");
        prop_assert_ne!(digest(&decisions[1..]), whole, "their number");
        other = decisions.clone();
        other.swap(0, i);
        prop_assert_eq!(digest(&other) == whole, other == decisions, "their order");
        prop_assert_eq!(PathDigest::parse(&whole.to_string()), Some(whole));
    }
}

#[test]
fn many_similar_paths_have_distinct_digests() {
    let mut digests: Vec<PathDigest> = (0u32..1 << 17)
        .map(|path| (0..17).fold(PathDigest::default(), |d, i| d.extend(i % 3, path >> i & 1 == 1)))
        .collect();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), 1 << 17);
    // Each half by itself, too: they are two independent hashes.
    for half in [|d: &PathDigest| d.0 as u64, |d: &PathDigest| (d.0 >> 64) as u64] {
        let mut halves: Vec<u64> = digests.iter().map(half).collect();
        halves.sort_unstable();
        halves.dedup();
        assert_eq!(halves.len(), 1 << 17);
    }
}

#[test]
fn a_region_of_a_coreutils_run_takes_a_few_hundred_bytes() {
    let names = ["n_args", "arg00", "arg01", "arg02", "arg03", "stdin"];
    let objects = names.map(|name| Object { name: name.into(), bytes: vec![b'x'; 8] });
    let region = Region::prefix(Test { objects: objects.into() }, 500, Some(PathDigest(u128::MAX)));
    let bytes = postcard::to_stdvec(&region).unwrap().len();
    assert!(bytes < 150, "{bytes} bytes");
    let mut cut = region.lo.clone().unwrap();
    cut.fingerprints = Fingerprints::of(&[200; 500]);
    let bytes = postcard::to_stdvec(&Region::subtree(cut)).unwrap().len();
    assert!(bytes < 700, "{bytes} bytes with fingerprints");
    let shown = region.to_string();
    assert!(
        shown.starts_with("[before {n_args=7878787878787878 ") && shown.contains("to depth 500"),
        "{shown}"
    );
}
