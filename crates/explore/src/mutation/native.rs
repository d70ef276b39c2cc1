//! Native executions of mutated tests: a process that executes the program, compiled with AddressSanitizer's instrumentation, ten times as
//! often as the engine does (runtime/executor/executor.c has the other side, and says how the two talk). It tells which tests come to something
//! new. That is a hint: the engine executes these again, and only what it finds counts.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use cleave_region::Test;
use serde::{Deserialize, Serialize};

/// Bytes of a reply.
const REPLY: usize = 32;
/// Tests in a batch: as many as a switch between the processes is worth, and as many as a few milliseconds allow.
const BATCHES: [usize; 2] = [64, 512];
/// A batch that takes longer is followed by one of half its size: a worker looks for messages between two.
const LONG_BATCH: Duration = Duration::from_millis(10);
/// Executions after which it is known if the program can be executed natively at all.
const TRIED: u64 = 256;
/// Bytes of all tests of a batch.
pub(crate) const MOST_BYTES: usize = 1 << 20;

/// The executor of a program, which may be compiled only later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeProgram {
    /// The file, once it is there.
    pub executor: PathBuf,
    /// Arguments, variables, files and standard input, as runtime/executor/executor.c reads them.
    pub environment: Vec<u8>,
    /// The machine has a core for each executor beside those of the workers.
    pub has_core: bool,
}

/// End of a native execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NativeEnd {
    Exits,
    Crashes,
    /// It takes longer than some ten milliseconds, or more memory than there is.
    TooLong,
    /// The test violates an assumption.
    Excluded,
    /// The program makes a system call that only the engine models.
    Unsupported,
}

/// Reply to a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// Edges that were taken as often as never before, in steps of powers of two.
    pub(crate) marks: u32,
    /// Hash of the edges and how often they were taken.
    pub(crate) hash: u64,
    /// Number of edges.
    pub(crate) edges: u32,
    /// How often edges were taken, all together.
    pub(crate) work: u32,
    /// The test crashes where none did before.
    pub(crate) crashes_anew: bool,
}

impl Reply {
    /// The reply, with the end of the execution and the place of a crash.
    fn of(bytes: &[u8; REPLY]) -> Option<(Reply, NativeEnd, u64)> {
        let number =
            |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
        let long = |at: usize| u64::from(number(at)) | u64::from(number(at + 4)) << 32;
        let end = match number(0) {
            0 => NativeEnd::Exits,
            1 => NativeEnd::Crashes,
            2 => NativeEnd::TooLong,
            3 => NativeEnd::Excluded,
            4 => NativeEnd::Unsupported,
            _ => return None,
        };
        let (marks, edges, work) = (number(4), number(24), number(28));
        let reply = Reply { marks, hash: long(8), edges, work, crashes_anew: false };
        Some((reply, end, long(16)))
    }
}

/// The running process. It is killed at the end, so that nobody waits for a long batch.
pub(crate) struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended, or ends now; there is nobody to tell of an error.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The two ends of its pipes that are ours.
pub(crate) struct Native {
    input: ChildStdin,
    output: ChildStdout,
    /// Places of crashes so far.
    places: BTreeSet<u64>,
    /// Number of executions, and of those that only the engine can make.
    count: u64,
    unsupported: u64,
    /// Tests in the next batch.
    at_once: usize,
}

impl Native {
    /// Starts the executor, in no folder and with no variables.
    pub(crate) fn start(program: &NativeProgram) -> io::Result<(Native, Process)> {
        let mut command = Command::new(&program.executor);
        command.env_clear().current_dir(Path::new("/"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let process = Process(child);
        input.write_all(&framed(&program.environment))?;
        let (places, at_once) = (BTreeSet::new(), BATCHES[0]);
        Ok((Native { input, output, places, count: 0, unsupported: 0, at_once }, process))
    }

    /// Executes tests, and tells what comes of each.
    ///
    /// # Errors
    /// If the process has ended, or cannot execute the program.
    pub(crate) fn run(&mut self, tests: &[Test]) -> io::Result<Vec<Reply>> {
        let begin = Instant::now();
        let mut batch = Vec::new();
        for test in tests {
            batch.extend((test.objects.len() as u32).to_le_bytes());
            test.objects.iter().for_each(|object| put(&mut batch, &object.bytes));
        }
        self.input.write_all(&framed(&batch))?;
        let mut replies = Vec::with_capacity(tests.len());
        let mut bytes = [0; REPLY];
        let mut output = io::BufReader::with_capacity(REPLY * tests.len().max(1), &mut self.output);
        for _ in tests {
            output.read_exact(&mut bytes)?;
            let (mut reply, end, place) = Reply::of(&bytes).ok_or(io::ErrorKind::InvalidData)?;
            reply.crashes_anew = end == NativeEnd::Crashes && self.places.insert(place);
            self.unsupported += u64::from(end == NativeEnd::Unsupported);
            replies.push(reply);
        }
        self.count += tests.len() as u64;
        if self.count >= TRIED && self.unsupported > self.count / 2 {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let is_long = begin.elapsed() > LONG_BATCH;
        self.at_once = if is_long { self.at_once / 2 } else { self.at_once * 2 };
        self.at_once = self.at_once.clamp(1, BATCHES[1]);
        Ok(replies)
    }

    /// Number of tests in a batch that is worth the switch to the other process, and does not take long.
    pub(crate) fn at_once(&self) -> usize {
        self.at_once
    }
}

/// Bytes of a test in a batch, about.
pub(crate) fn bytes_of(test: &Test) -> usize {
    test.objects.iter().map(|object| object.bytes.len() + 8).sum()
}

/// Bytes with their number in front, padded to a multiple of four.
fn put(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend((bytes.len() as u32).to_le_bytes());
    to.extend(bytes);
    to.resize(to.len().next_multiple_of(4), 0);
}

/// A message: its size, and its bytes.
fn framed(bytes: &[u8]) -> Vec<u8> {
    let mut all = (bytes.len() as u32).to_le_bytes().to_vec();
    all.extend(bytes);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_as_they_are_written() {
        let mut bytes = [0; REPLY];
        bytes[0] = 1;
        bytes[4..8].copy_from_slice(&7u32.to_le_bytes());
        bytes[8..16].copy_from_slice(&0x1234_5678_9abc_def0u64.to_le_bytes());
        bytes[16..24].copy_from_slice(&99u64.to_le_bytes());
        bytes[24..28].copy_from_slice(&3u32.to_le_bytes());
        bytes[28..32].copy_from_slice(&11u32.to_le_bytes());
        let (reply, end, place) = Reply::of(&bytes).unwrap();
        assert_eq!((end, reply.marks, reply.hash), (NativeEnd::Crashes, 7, 0x1234_5678_9abc_def0));
        assert_eq!((place, reply.edges, reply.work), (99, 3, 11));
        bytes[0] = 9;
        assert_eq!(Reply::of(&bytes), None);
    }

    #[test]
    fn texts_are_padded() {
        let mut bytes = Vec::new();
        put(&mut bytes, b"abcde");
        put(&mut bytes, b"");
        assert_eq!(bytes, b"\x05\0\0\0abcde\0\0\0\0\0\0\0");
    }
}
