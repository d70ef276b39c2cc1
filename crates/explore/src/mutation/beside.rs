//! Native executions beside a worker: a thread that mutates tests of a corpus of its own and executes them natively. The worker gives it
//! tests, and gets the ones that come to something new.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use cleave_region::Test;

use super::corpus::{Corpus, Entry};
use super::native::{self, Native, NativeProgram, Process, Reply};

/// Time between two looks for tests while there is none to mutate, and the longest pause.
const LOOK: Duration = Duration::from_millis(50);
/// Work of an execution beside its edges, for the schedule of the corpus: its share of the messages, and a mutation.
const EXECUTION: u64 = 512;

/// A test that came to something new.
pub(crate) struct Found {
    pub(crate) test: Test,
    /// It crashed where none did before.
    pub(crate) crashes: bool,
}

/// Values that both sides look at.
#[derive(Default)]
struct Shared {
    over: AtomicBool,
    /// Part of the time in which the thread is busy, in percent.
    percent: AtomicU32,
    /// Executions since they were last taken.
    count: AtomicU64,
}

/// The worker's side.
pub(crate) struct Beside {
    shared: Arc<Shared>,
    tests: Sender<Test>,
    found: Receiver<Found>,
    thread: Option<JoinHandle<()>>,
    process: Option<Process>,
    has_core: bool,
}

impl Beside {
    /// Starts the executor and its thread, if the file is there; `None` if they cannot be started.
    pub(crate) fn start(program: &NativeProgram, seed: u64, words: Vec<Vec<u8>>) -> Option<Beside> {
        let (native, process) = Native::start(program).ok()?;
        let shared = Arc::new(Shared { percent: 100.into(), ..Shared::default() });
        let ((tests, given), (finds, found)) = (channel(), channel());
        let of_thread = shared.clone();
        let work = move || {
            let corpus = Corpus::new(seed, words);
            Thread { shared: of_thread, native, corpus, unseen: Vec::new(), given, finds }.run();
        };
        let thread = std::thread::Builder::new().name("mutated".into()).spawn(work).ok()?;
        Some(Beside {
            shared,
            tests,
            found,
            thread: Some(thread),
            process: Some(process),
            has_core: program.has_core,
        })
    }

    /// Gives the thread a test that is new to the worker.
    pub(crate) fn give(&self, test: Test) {
        // A thread that has ended needs none; the worker sees that when it takes what was found.
        let _ = self.tests.send(test);
    }

    /// Sets the part of the worker's time that executions may have. On a core that the worker needs as well, the thread gets half of
    /// the time in which it is busy.
    pub(crate) fn set_share(&self, percent: u64) {
        let busy = if self.has_core { 100 } else { (2 * percent).clamp(1, 100) };
        self.shared.percent.store(busy as u32, Ordering::Relaxed);
    }

    /// Takes the count of executions since the last call.
    pub(crate) fn take_count(&self) -> u64 {
        self.shared.count.swap(0, Ordering::Relaxed)
    }

    /// The next test that came to something new.
    ///
    /// # Errors
    /// The thread has ended: the program cannot be executed natively.
    pub(crate) fn next(&self) -> Result<Option<Found>, ()> {
        match self.found.try_recv() {
            Ok(found) => Ok(Some(found)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(()),
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        self.process = None;
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}

/// The thread's side.
struct Thread {
    shared: Arc<Shared>,
    native: Native,
    corpus: Corpus,
    /// Tests that were given and not executed yet.
    unseen: Vec<Test>,
    given: Receiver<Test>,
    finds: Sender<Found>,
}

impl Thread {
    /// Executes mutated tests until the worker ends, or the executor fails.
    fn run(mut self) {
        while !self.shared.over.load(Ordering::Relaxed) {
            self.unseen.extend(self.given.try_iter());
            let (batch, known) = self.batch();
            if batch.is_empty() {
                match self.given.recv_timeout(LOOK) {
                    Ok(test) => self.unseen.push(test),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                }
                continue;
            }
            let begin = Instant::now();
            if self.execute(batch, known).is_none() {
                return;
            }
            self.pause(begin.elapsed());
        }
    }

    /// The next tests, and how many of them the worker has given.
    fn batch(&mut self) -> (Vec<Test>, usize) {
        let at_once = self.native.at_once();
        let known = self.unseen.len().min(at_once);
        let mut batch = self.unseen.split_off(self.unseen.len() - known);
        let mut bytes: usize = batch.iter().map(native::bytes_of).sum();
        while batch.len() < at_once && bytes < native::MOST_BYTES {
            let Some(test) = self.corpus.next() else { break };
            bytes += native::bytes_of(&test);
            batch.push(test);
        }
        (batch, known)
    }

    /// Executes a batch. `None` if the executor has failed, or nobody wants what it finds.
    fn execute(&mut self, batch: Vec<Test>, known: usize) -> Option<()> {
        let replies = self.native.run(&batch).ok()?;
        self.shared.count.fetch_add(batch.len() as u64, Ordering::Relaxed);
        for (i, (test, reply)) in batch.into_iter().zip(replies).enumerate() {
            let Reply { marks, hash, edges, work, crashes_anew } = reply;
            self.corpus.executed(hash);
            if marks > 0 {
                let instructions = EXECUTION + u64::from(work);
                self.corpus.add(Entry { test: &test, instructions, places: edges.into(), hash });
            }
            if i >= known && (marks > 0 || crashes_anew) {
                self.finds.send(Found { test, crashes: crashes_anew }).ok()?;
            }
        }
        Some(())
    }

    /// Pauses after being busy for so long, as the thread's part of the time asks.
    fn pause(&self, busy: Duration) {
        let percent = self.shared.percent.load(Ordering::Relaxed);
        let rest = busy.saturating_mul(100 - percent.min(100)) / percent.max(1);
        if !rest.is_zero() && !self.shared.over.load(Ordering::Relaxed) {
            std::thread::park_timeout(rest.min(LOOK));
        }
    }
}
