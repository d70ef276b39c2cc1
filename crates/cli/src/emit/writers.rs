//! Threads that write files beside the exploration: on some disks a new file costs more than the path it is for.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Threads that write. All files are made in one folder, which the system locks for each: more of them would only wait.
const THREADS: u32 = 2;
/// Tests that a thread takes at once.
const BATCH: usize = 64;
/// The exploration pauses while the tests that wait would take longer than this to write. A run that stops may take this long
/// for its files.
const BEHIND: Duration = Duration::from_millis(250);
/// Time to write a test, until it is measured.
const A_TEST: Duration = Duration::from_micros(50);
/// Number of tests that may always wait.
const FEW: usize = 256;
/// Approximate number of the last tests from which the time to write a test is measured.
const REMEMBERED: u64 = 4_096;
/// Time between two reports of the number of tests that still wait.
const LOOK: Duration = Duration::from_millis(100);

/// Tests, or the parts of them that are written, by number.
type Batch<T> = Vec<(u64, T)>;

/// State that the threads share with the caller who brings tests.
#[derive(Default)]
struct Shared {
    /// Tests that were brought and are not written.
    waiting: AtomicUsize,
    /// Tests that were written lately, and the nanoseconds that the threads took for them.
    written: AtomicU64,
    nanos: AtomicU64,
    error: Mutex<Option<String>>,
}

impl Shared {
    fn wrote(&self, tests: usize, took: Duration) {
        self.waiting.fetch_sub(tests, Ordering::Relaxed);
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let written = self.written.fetch_add(tests as u64, Ordering::Relaxed);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
        if written > REMEMBERED {
            // Another thread may do the same: then less is remembered.
            self.written.store(self.written.load(Ordering::Relaxed) / 2, Ordering::Relaxed);
            self.nanos.store(self.nanos.load(Ordering::Relaxed) / 2, Ordering::Relaxed);
        }
    }

    /// Estimate of the time to write all tests that wait.
    fn behind(&self) -> Duration {
        let (written, nanos) = (self.written.load(Ordering::Relaxed), self.nanos.load(Ordering::Relaxed));
        let each = nanos.checked_div(written).map_or(A_TEST, Duration::from_nanos);
        let waiting = u32::try_from(self.waiting.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
        each.saturating_mul(waiting) / THREADS
    }
}

/// Writes tests on threads of its own.
pub struct Writers<T> {
    batches: Option<Sender<Batch<T>>>,
    threads: Vec<JoinHandle<()>>,
    /// Closes when all threads have ended.
    ended: Receiver<()>,
    shared: Arc<Shared>,
    begun: Batch<T>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Send + 'static> Writers<T> {
    /// Starts threads that write each test by `write`, which returns an error as a sentence.
    pub fn new(write: impl Fn(u64, &T) -> Result<(), String> + Send + Sync + 'static) -> Writers<T> {
        let (sender, receiver) = channel::<Batch<T>>();
        let write = Arc::new(write);
        let (ends, ended) = channel();
        let receiver = Arc::new(Mutex::new(receiver));
        let shared = Arc::<Shared>::default();
        let threads = (0..THREADS)
            .map(|_| {
                let (write, receiver, shared) = (write.clone(), receiver.clone(), shared.clone());
                let ends: Sender<()> = ends.clone();
                std::thread::spawn(move || {
                    write_all(&*write, &receiver, &shared);
                    drop(ends);
                })
            })
            .collect();
        Writers { batches: Some(sender), threads, ended, shared, begun: Vec::new() }
    }

    /// Takes a test to be written, at once or later. A caller that brings many checks [`Writers::is_full`] between them.
    ///
    /// # Errors
    /// If a test before this one could not be written.
    pub fn write(&mut self, id: u64, test: T) -> Result<(), String> {
        self.shared.waiting.fetch_add(1, Ordering::Relaxed);
        self.begun.push((id, test));
        if self.begun.len() >= BATCH { self.flush() } else { Ok(()) }
    }

    /// Writes the tests so far without waiting for more.
    ///
    /// # Errors
    /// As of [`Writers::write`].
    pub fn flush(&mut self) -> Result<(), String> {
        if let Some(error) = lock(&self.shared.error).clone() {
            return Err(error);
        }
        let batch = std::mem::take(&mut self.begun);
        match &self.batches {
            // The threads end only with this sender.
            Some(batches) if !batch.is_empty() => {
                batches.send(batch).map_err(|_| "the writers of test files are gone".into())
            }
            _ => Ok(()),
        }
    }

    /// Number of tests that wait.
    pub fn waiting(&self) -> usize {
        self.shared.waiting.load(Ordering::Relaxed)
    }

    /// Estimate of the time to write all tests that wait.
    pub fn behind(&self) -> Duration {
        self.shared.behind()
    }

    /// Returns true if the caller should wait before it brings more tests.
    pub fn is_full(&self) -> bool {
        self.waiting() > FEW && self.behind() > BEHIND
    }

    /// Waits until all is written; calls `look` now and then with the number of tests that still wait.
    ///
    /// # Errors
    /// If a test could not be written.
    pub fn finish(&mut self, look: &mut dyn FnMut(usize)) -> Result<(), String> {
        let passed = self.flush();
        self.batches = None;
        while self.ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            look(self.waiting());
        }
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                return Err(
                    "a writer of test files ended early; `cleave resume` writes what is missing".into()
                );
            }
        }
        passed?;
        lock(&self.shared.error).take().map_or(Ok(()), Err)
    }
}

fn write_all<T>(
    write: &dyn Fn(u64, &T) -> Result<(), String>,
    batches: &Mutex<Receiver<Batch<T>>>,
    shared: &Shared,
) {
    loop {
        let batch = lock(batches).recv();
        let Ok(batch) = batch else { return };
        let (start, tests) = (Instant::now(), batch.len());
        for (id, test) in batch {
            if lock(&shared.error).is_some() {
                break;
            }
            if let Err(e) = write(id, &test) {
                lock(&shared.error).get_or_insert(e);
            }
        }
        shared.wrote(tests, start.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_know_what_waits_and_write_all_of_it() {
        let written = Arc::new(Mutex::new(std::collections::BTreeSet::new()));
        let all = written.clone();
        let mut writers = Writers::new(move |id, test: &u64| {
            assert_eq!(id, *test);
            lock(&all).insert(id);
            if id == 2_000 { Err("no room".into()) } else { Ok(()) }
        });
        for id in 1..=1_000 {
            writers.write(id, id).unwrap();
        }
        assert!(writers.waiting() <= 1_000);
        writers.finish(&mut |_| {}).unwrap();
        assert_eq!((writers.waiting(), writers.behind()), (0, Duration::ZERO));
        assert!(lock(&written).iter().copied().eq(1..=1_000));
    }

    #[test]
    fn exploring_waits_only_where_files_take_long() {
        let shared = Shared::default();
        shared.waiting.store(10_000, Ordering::Relaxed);
        shared.written.store(100, Ordering::Relaxed);
        shared.nanos.store(100 * 10_000, Ordering::Relaxed); // 10 us each
        assert_eq!(shared.behind(), Duration::from_millis(50));
        shared.nanos.store(100 * 1_000_000, Ordering::Relaxed); // 1 ms each
        assert_eq!(shared.behind(), Duration::from_secs(5));
        shared.wrote(10_000, Duration::from_secs(1));
        assert_eq!(shared.behind(), Duration::ZERO);
    }
}
