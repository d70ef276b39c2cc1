//! Test files are written beside the exploration: on some disks a new file costs more than the path it is for.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use cleave_report::{KTest, RunFiles};

/// Threads that write; making files is mostly waiting.
const THREADS: usize = 3;
/// Tests that a thread takes at once.
const BATCH: usize = 64;
/// Batches that may wait; then whoever brings more waits too.
const WAITING: usize = 256;

type Batch = Vec<(u64, KTest)>;

/// Writes tests on threads of its own.
pub struct Writers {
    batches: Option<SyncSender<Batch>>,
    threads: Vec<JoinHandle<()>>,
    error: Arc<Mutex<Option<String>>>,
    begun: Batch,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Writers {
    /// Threads that write into `files`.
    pub fn new(files: &RunFiles) -> Writers {
        let (sender, receiver) = sync_channel::<Batch>(WAITING);
        let receiver = Arc::new(Mutex::new(receiver));
        let error: Arc<Mutex<Option<String>>> = Arc::default();
        let threads = (0..THREADS)
            .map(|_| {
                let (files, receiver, error) = (files.clone(), receiver.clone(), error.clone());
                std::thread::spawn(move || write_all(&files, &receiver, &error))
            })
            .collect();
        Writers { batches: Some(sender), threads, error, begun: Vec::new() }
    }

    /// Has a test written, sooner or later.
    ///
    /// # Errors
    /// That a test before this one could not be written.
    pub fn write(&mut self, id: u64, test: KTest) -> Result<(), String> {
        self.begun.push((id, test));
        if self.begun.len() >= BATCH { self.flush() } else { Ok(()) }
    }

    /// Has what was brought written without waiting for more.
    ///
    /// # Errors
    /// As of [`Writers::write`].
    pub fn flush(&mut self) -> Result<(), String> {
        if let Some(error) = lock(&self.error).clone() {
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

    /// Waits until all is written.
    ///
    /// # Errors
    /// That a test could not be written.
    pub fn finish(&mut self) -> Result<(), String> {
        let passed = self.flush();
        self.batches = None;
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                return Err(
                    "a writer of test files ended early; `cleave resume` writes what is missing".into()
                );
            }
        }
        passed?;
        lock(&self.error).take().map_or(Ok(()), Err)
    }
}

fn write_all(files: &RunFiles, batches: &Mutex<Receiver<Batch>>, error: &Mutex<Option<String>>) {
    loop {
        let batch = lock(batches).recv();
        let Ok(batch) = batch else { return };
        for (id, test) in batch {
            if lock(error).is_some() {
                break;
            }
            if let Err(e) = files.write_test(id, &test) {
                lock(error).get_or_insert_with(|| e.to_string());
            }
        }
    }
}
