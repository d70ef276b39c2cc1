//! The corpus of a mutator, and new tests made of it: parts of `libafl` behind one type. Its corpus, its mutators, its queue and
//! AFL's power schedule are used as they are; instructions stand for time, so that the schedule is the same each time.

use std::cell::{Ref, RefMut};
use std::time::Duration;

use cleave_region::Test;
use libafl::corpus::{
    Corpus as _, CorpusId, HasTestcase, InMemoryCorpus, SchedulerTestcaseMetadata, Testcase,
};
use libafl::inputs::BytesInput;
use libafl::mutators::{HavocScheduledMutator, Mutator, Tokens, havoc_mutations, tokens_mutations};
use libafl::schedulers::powersched::{N_FUZZ_SIZE, PowerSchedule, SchedulerMetadata};
use libafl::schedulers::testcase_score::{CorpusPowerTestcaseScore, TestcaseScore};
use libafl::schedulers::{QueueScheduler, Scheduler};
use libafl::state::{HasCorpus, HasMaxSize, HasRand};
use libafl::{Error, HasMetadata};
use libafl_bolts::rands::{Rand, Xoshiro256PlusPlusRand};
use libafl_bolts::serdeany::SerdeAnyMap;
use libafl_bolts::tuples::Merge;

use crate::space::Execution;

/// Up to two to the power of this many mutations make a test of another one. libFuzzer makes up to 5, AFL++ up to 128 of files of
/// kilobytes; symbolic inputs have tens of bytes (bench/results/2026-11-28-native-executions.txt).
const MOST_STACKED: usize = 2;
/// AFL's score of an entry for each mutation in its turn. Its scores, 100 to 6400, are mutations of runs of hours: with so many, sessions of seconds
/// come to few entries. libFuzzer makes five in a turn.
const SCORE_OF_ONE: f64 = 20.0;

/// The state that libafl's parts share.
struct Shared {
    rand: Xoshiro256PlusPlusRand,
    corpus: InMemoryCorpus<BytesInput>,
    max_size: usize,
    metadata: SerdeAnyMap,
}

impl HasRand for Shared {
    type Rand = Xoshiro256PlusPlusRand;

    fn rand(&self) -> &Self::Rand {
        &self.rand
    }

    fn rand_mut(&mut self) -> &mut Self::Rand {
        &mut self.rand
    }
}

impl HasCorpus<BytesInput> for Shared {
    type Corpus = InMemoryCorpus<BytesInput>;

    fn corpus(&self) -> &Self::Corpus {
        &self.corpus
    }

    fn corpus_mut(&mut self) -> &mut Self::Corpus {
        &mut self.corpus
    }
}

impl HasTestcase<BytesInput> for Shared {
    fn testcase(&self, id: CorpusId) -> Result<Ref<'_, Testcase<BytesInput>>, Error> {
        Ok(self.corpus.get(id)?.borrow())
    }

    fn testcase_mut(&self, id: CorpusId) -> Result<RefMut<'_, Testcase<BytesInput>>, Error> {
        Ok(self.corpus.get(id)?.borrow_mut())
    }
}

impl HasMaxSize for Shared {
    fn max_size(&self) -> usize {
        self.max_size
    }

    fn set_max_size(&mut self, max_size: usize) {
        self.max_size = max_size;
    }
}

impl HasMetadata for Shared {
    fn metadata_map(&self) -> &SerdeAnyMap {
        &self.metadata
    }

    fn metadata_map_mut(&mut self) -> &mut SerdeAnyMap {
        &mut self.metadata
    }
}

/// A test of a corpus, and what its execution came to.
pub(crate) struct Entry<'a> {
    pub(crate) test: &'a Test,
    /// Length of the execution, in instructions.
    pub(crate) instructions: u64,
    /// Number of places.
    pub(crate) places: u64,
    /// Hash of these, and how often they were visited.
    pub(crate) hash: u64,
}

impl<'a> From<&'a Execution> for Entry<'a> {
    fn from(execution: &'a Execution) -> Entry<'a> {
        let Execution { test, instructions, places, hash, .. } = execution;
        Entry { test, instructions: *instructions, places: *places, hash: *hash }
    }
}

/// Tests with new marks, and mutations of them.
pub(crate) struct Corpus {
    shared: Shared,
    mutators: Box<dyn Mutator<BytesInput, Shared>>,
    queue: QueueScheduler,
    /// By number of the entry.
    tests: Vec<Test>,
    /// Entries that had no turn yet: the newest is next, as it is deepest in the program.
    fresh: Vec<CorpusId>,
    /// The entry that is mutated, with its depth in the family tree, and the number of mutations left in its turn.
    at: Option<(CorpusId, u64)>,
    left: u64,
}

impl Corpus {
    /// An empty corpus; `seed` determines all choices.
    pub(crate) fn new(seed: u64, words: Vec<Vec<u8>>) -> Corpus {
        let mut shared = Shared {
            rand: Xoshiro256PlusPlusRand::with_seed(seed),
            corpus: InMemoryCorpus::new(),
            max_size: 0,
            metadata: SerdeAnyMap::new(),
        };
        let mut tokens = Tokens::new();
        tokens.add_tokens(&words);
        shared.add_metadata(tokens);
        shared.add_metadata(SchedulerMetadata::new(Some(PowerSchedule::fast())));
        let mutations = havoc_mutations().merge(tokens_mutations());
        Corpus {
            shared,
            mutators: Box::new(HavocScheduledMutator::with_max_stack_pow(mutations, MOST_STACKED)),
            queue: QueueScheduler::new(),
            tests: Vec::new(),
            fresh: Vec::new(),
            at: None,
            left: 0,
        }
    }

    /// Counts an execution, by the hash of what it came to, for the schedule: paths that are taken often are worth less.
    pub(crate) fn executed(&mut self, hash: u64) {
        if let Ok(meta) = self.shared.metadata_mut::<SchedulerMetadata>() {
            let often = &mut meta.n_fuzz_mut()[entry_of(hash)];
            *often = often.saturating_add(1);
        }
    }

    /// The tests, in the order in which they were added.
    pub(crate) fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// Adds a test.
    pub(crate) fn add<'a>(&mut self, entry: impl Into<Entry<'a>>) {
        let Entry { test, instructions, places, hash } = entry.into();
        let parent = self.at.map_or(0, |(_, depth)| depth);
        let time = Duration::from_nanos(instructions.max(1));
        let bytes: Vec<u8> = test.objects.iter().flat_map(|o| o.bytes.iter().copied()).collect();
        let mut entry = Testcase::new(BytesInput::from(bytes));
        let mut meta = SchedulerTestcaseMetadata::with_n_fuzz_entry(parent + 1, entry_of(hash));
        meta.set_bitmap_size(places);
        entry.add_metadata(meta);
        entry.set_exec_time(time);
        if let Ok(all) = self.shared.metadata_mut::<SchedulerMetadata>() {
            all.set_exec_time(all.exec_time() + time);
            all.set_cycles(all.cycles() + 1);
            all.set_bitmap_size(all.bitmap_size() + places);
            all.set_bitmap_entries(all.bitmap_entries() + 1);
        }
        // Of an entry that libafl does not take, the test would have another's number.
        if let Ok(id) = self.shared.corpus.add(entry)
            && id.0 == self.tests.len()
        {
            self.tests.push(test.clone());
            self.fresh.push(id);
        }
    }

    /// The next test to execute; `None` if there is nothing to make it of.
    pub(crate) fn next(&mut self) -> Option<Test> {
        if self.left == 0 {
            self.choose()?;
        }
        self.left = self.left.saturating_sub(1);
        let (id, _) = self.at?;
        let mut test = self.tests.get(id.0)?.clone();
        let at = self.object(&test)?;
        let bytes = &mut test.objects[at].bytes;
        let len = bytes.len();
        // Bytes that are inserted push others out at the end.
        self.shared.max_size = len.saturating_mul(2);
        let mut input = BytesInput::from(std::mem::take(bytes));
        // Of a mutator that fails the test stays as it is.
        let _ = self.mutators.mutate(&mut self.shared, &mut input);
        *bytes = input.into_inner();
        bytes.resize(len, 0);
        Some(test)
    }

    /// Chooses the next entry, and for how many mutations.
    fn choose(&mut self) -> Option<()> {
        let id = match self.fresh.pop() {
            Some(id) => id,
            None => {
                <QueueScheduler as Scheduler<BytesInput, Shared>>::next(&mut self.queue, &mut self.shared)
                    .ok()?
            }
        };
        let mut entry = self.shared.corpus.get(id).ok()?.borrow_mut();
        let score = CorpusPowerTestcaseScore::compute(&self.shared, &mut entry).ok()?;
        let scheduled = entry.scheduled_count();
        entry.set_scheduled_count(scheduled + 1);
        let depth = entry.metadata::<SchedulerTestcaseMetadata>().ok()?.depth();
        self.at = Some((id, depth));
        self.left = ((score / SCORE_OF_ONE) as u64).max(1);
        Some(())
    }

    /// The object of a test to mutate: each byte has the same chance.
    fn object(&mut self, test: &Test) -> Option<usize> {
        let all: usize = test.objects.iter().map(|object| object.bytes.len()).sum();
        let mut at = self.shared.rand.below_or_zero(all);
        test.objects.iter().position(|object| match at.checked_sub(object.bytes.len()) {
            Some(behind) => {
                at = behind;
                false
            }
            None => true,
        })
    }
}

/// The counter of an execution's path among those of the schedule.
fn entry_of(hash: u64) -> usize {
    (hash % N_FUZZ_SIZE as u64) as usize
}

#[cfg(test)]
mod tests {
    use cleave_region::{Object, PathKind};

    use super::*;
    use crate::space::Ending;

    fn execution(objects: &[&[u8]]) -> Execution {
        let object = |bytes: &&[u8]| Object { name: "in".into(), bytes: bytes.to_vec() };
        Execution {
            test: Test { objects: objects.iter().map(object).collect() },
            ending: Ending::Path { kind: PathKind::Completed, bug: None },
            instructions: 100,
            new: 1,
            places: 10,
            hash: 7,
        }
    }

    fn made(seed: u64, n: usize) -> Vec<Test> {
        let mut corpus = Corpus::new(seed, vec![b"word".to_vec()]);
        assert_eq!(corpus.next(), None, "there is nothing to mutate");
        corpus.add(&execution(&[b"abcdefgh", b"", b"xyz"]));
        corpus.add(&execution(&[b"12345678"]));
        (0..n).filter_map(|_| corpus.next()).collect()
    }

    #[test]
    fn a_seed_makes_the_same_tests_each_time() {
        assert_eq!(made(3, 500), made(3, 500));
        assert_ne!(made(3, 500), made(4, 500));
    }

    #[test]
    fn objects_keep_their_lengths_and_words_come_into_them() {
        let tests = made(1, 500);
        assert_eq!(tests.len(), 500);
        for test in &tests {
            let lengths: Vec<usize> = test.objects.iter().map(|object| object.bytes.len()).collect();
            assert!(lengths == [8, 0, 3] || lengths == [8], "{lengths:?}");
        }
        let has = |test: &Test| test.objects.iter().any(|o| o.bytes.windows(4).any(|w| w == b"word"));
        assert!(tests.iter().any(has));
        assert!(
            tests
                .iter()
                .any(|test| test.objects.last().unwrap().bytes.starts_with(b"x") && test.objects.len() == 3)
        );
    }
}
