//! Tests that have a word where the program compares its input with it: a keyword of a table is found at once, not byte by byte.

use std::collections::{BTreeMap, VecDeque};

use cleave_engine::{Comparison, Comparisons};
use cleave_region::Test;

/// Maximum number of tests that wait. Those on the way of a find go before all others, which are left out where there are more.
const WAITING: usize = 256;
/// Maximum number of comparisons that are known; beyond it all are forgotten, and each is the first again.
const KNOWN: usize = 1 << 16;
/// Bytes that end a word, of a string and of a line, and what takes the place of zeros behind them: a line of zeros is empty for
/// most programs, which then compare it with nothing.
const ENDS: [(u8, u8); 2] = [(0, 0), (b'\n', b'a')];

/// A word at a place of the input: how often it was compared, and the number of the last comparison.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    count: u32,
    number: u32,
}

/// The comparisons of a worker's states so far, and the tests that follow from them.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// Finds the comparison that a state decides.
    pub(crate) places: Comparisons,
    /// By address of the word and place of the input.
    seen: BTreeMap<(u64, (u32, u32)), Seen>,
    tests: VecDeque<Test>,
}

impl Compared {
    /// True if a test with the word has something to tell: it is on the way of a find, or the comparison is the first one of these, the
    /// second, the fourth and so on, because what the program did before may matter. Decisions with one number are one comparison.
    pub(crate) fn is_worth(&mut self, found: &Comparison, is_new: bool) -> bool {
        if self.seen.len() >= KNOWN {
            self.seen.clear();
        }
        let seen = self.seen.entry((found.address, found.input)).or_default();
        if seen.count > 0 && seen.number == found.number {
            return false;
        }
        (seen.count, seen.number) = (seen.count.saturating_add(1), found.number);
        is_new || seen.count.is_power_of_two() && self.tests.len() < WAITING
    }

    /// Makes tests of that of the state: with the word as far as the object goes, and with what may end it behind it.
    pub(crate) fn suggest(&mut self, found: &Comparison, test: Test, is_new: bool) {
        let Comparison { word, input: (object, offset), .. } = found;
        let put = |text: &[u8], rest: u8| {
            let mut test = test.clone();
            let bytes = &mut test.objects.get_mut(*object as usize)?.bytes;
            let place = bytes.get_mut(*offset as usize..)?;
            let (word, behind) = place.split_at_mut(text.len().min(place.len()));
            word.copy_from_slice(&text[..word.len()]);
            behind.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = rest);
            Some(test)
        };
        let ended = |(end, rest)| put(&[word, &[end][..]].concat(), rest);
        let tests = [put(word, 0)].into_iter().chain(ENDS.into_iter().map(ended)).flatten();
        if is_new {
            tests.for_each(|test| self.tests.push_front(test));
            self.tests.truncate(WAITING);
        } else {
            self.tests.extend(tests);
        }
    }

    /// The next test.
    pub(crate) fn next(&mut self) -> Option<Test> {
        self.tests.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use cleave_region::Object;

    use super::*;

    fn comparison(number: u32, offset: u32) -> Comparison {
        Comparison { address: 4096, word: b"get".to_vec(), input: (1, offset), number }
    }

    fn made(found: &Comparison) -> Vec<Vec<u8>> {
        let object = |bytes: &[u8]| Object { name: String::new(), bytes: bytes.to_vec() };
        let mut compared = Compared::default();
        compared.suggest(found, Test { objects: vec![object(b"x"), object(b"12345\0")] }, false);
        std::iter::from_fn(|| compared.next()).map(|test| test.objects[1].bytes.clone()).collect()
    }

    #[test]
    fn a_word_comes_where_it_is_compared_with_an_end_as_far_as_the_object_goes() {
        assert_eq!(made(&comparison(0, 1)), [b"1get5\0", b"1get\0\0", b"1get\na"]);
        assert_eq!(made(&comparison(0, 3)), [b"123get"; 3]);
        assert_eq!(made(&comparison(0, 4)), [b"1234ge"; 3]);
    }

    #[test]
    fn a_comparison_counts_once_a_call_and_then_ever_more_seldom() {
        let mut compared = Compared::default();
        let worth = [1, 1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9]
            .map(|number| compared.is_worth(&comparison(number, 0), false));
        let calls = [1, 2, 4, 8];
        assert_eq!(worth.iter().filter(|&&is| is).count(), calls.len());
        assert!(compared.is_worth(&comparison(1, 5), false), "another place of the input");
        assert!(compared.is_worth(&comparison(10, 0), true), "what was before is new");
    }
}
