// Maps, sets, heaps, sorting: what they hold is in order, whatever the input.
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, VecDeque};

fn main() {
    let keys: [u8; 3] = cleave::any();
    cleave::assume(keys.iter().all(|key| *key < 3));
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    assert!(sorted.windows(2).all(|pair| pair[0] <= pair[1]));
    let mut tree = BTreeMap::new();
    for (i, key) in keys.iter().enumerate() {
        tree.entry(*key).or_insert_with(Vec::new).push(i);
    }
    assert_eq!(tree.values().map(Vec::len).sum::<usize>(), 3);
    let set: BTreeSet<u8> = keys.into_iter().collect();
    assert!(set.iter().eq(tree.keys()));
    let heap: BinaryHeap<u8> = keys.into_iter().collect();
    assert_eq!(heap.into_sorted_vec(), sorted);
    let mut queue = VecDeque::from(keys.to_vec());
    queue.rotate_left(1);
    assert_eq!(queue.back(), Some(&keys[0]));
    let mut counts = HashMap::new();
    counts.insert("all", keys.len());
    assert_eq!(counts["all"], 3);
    if set.len() == 3 && keys[0] == 2 && keys[1] == 0 {
        panic!("found"); //~ ERROR panic
    }
}
