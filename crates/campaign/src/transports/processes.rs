//! Workers as child processes that speak over their standard input and output: the transport of runs on one machine.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use cleave_explore::Pending;

use crate::transports::protocol::{FromWorker, ToWorker, read_frame, write_frame};
use crate::transports::transport::{Incoming, Transport, WorkerId};
use crate::workers::worker::{ClockSlot, MakeExploration, Pace, serve_timed};

/// Maximum number of messages waiting for the coordinator; beyond it pipes fill and workers wait.
const BACKLOG: usize = 4;

/// Bytes of a worker's standard error that are kept to explain its death.
const LAST_WORDS: usize = 2_000;

/// Maximum wait for these bytes.
const LAST_WORDS_WAIT: Duration = Duration::from_millis(500);

struct Process {
    child: Child,
    /// `None` once it is closed.
    input: Option<ChildStdin>,
    last_words: Arc<Mutex<Vec<u8>>>,
    /// Closes when its standard error is read to the end.
    all_said: Receiver<()>,
}

/// Runs workers as child processes.
pub struct Processes {
    command: Box<dyn Fn() -> Command + Send>,
    workers: BTreeMap<WorkerId, Process>,
    /// Kept so that the channel never closes.
    incoming: SyncSender<(WorkerId, Incoming)>,
    arrivals: Receiver<(WorkerId, Incoming)>,
    /// If true, the standard error of workers is also written to that of this process.
    loud: bool,
}

impl Processes {
    /// Workers that `command` starts: programs that call [`serve_streams`].
    pub fn new(command: impl Fn() -> Command + Send + 'static) -> Processes {
        let (incoming, arrivals) = mpsc::sync_channel(BACKLOG);
        Processes { command: Box::new(command), workers: BTreeMap::new(), incoming, arrivals, loud: false }
    }

    /// Has the standard error of workers also written to that of this process: for traces.
    pub fn loud(mut self, loud: bool) -> Processes {
        self.loud = loud;
        self
    }

    /// The process ids of the workers, by worker.
    pub fn pids(&self) -> BTreeMap<WorkerId, u32> {
        self.workers.iter().map(|(worker, p)| (*worker, p.child.id())).collect()
    }

    /// Reaps a worker that sends no more; returns the reason of its end.
    fn bury(&mut self, worker: WorkerId, why: String) -> String {
        let Some(mut process) = self.workers.remove(&worker) else { return why };
        process.input = None;
        // It closed its output, or wrote no valid message: it is of no more use.
        let _ = process.child.kill();
        let status = match process.child.wait() {
            Ok(status) => status.to_string(),
            Err(e) => e.to_string(),
        };
        // Its last output may still be in the pipe. A child of its own could keep that open, so the wait is limited.
        let _ = process.all_said.recv_timeout(LAST_WORDS_WAIT);
        let words = process.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let words = String::from_utf8_lossy(&words);
        [why, status, words.trim().to_string()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(": ")
    }
}

impl Transport for Processes {
    fn start(&mut self, worker: WorkerId) -> Result<(), String> {
        let mut command = (self.command)();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own: Ctrl-C is for the coordinator, which lets workers report before they end.
        command.process_group(0);
        let mut child = command.spawn().map_err(|e| {
            format!("{} cannot be started: {e}; try fewer --workers", command.get_program().to_string_lossy())
        })?;
        let last_words = Arc::new(Mutex::new(Vec::new()));
        let (said, all_said) = mpsc::channel();
        if let Some(errors) = child.stderr.take() {
            let (words, loud) = (last_words.clone(), self.loud);
            std::thread::spawn(move || {
                keep_last(errors, &words, loud);
                drop(said);
            });
        }
        if let Some(output) = child.stdout.take() {
            let incoming = self.incoming.clone();
            std::thread::spawn(move || forward(worker, output, &incoming));
        }
        let input = child.stdin.take();
        self.workers.insert(worker, Process { child, input, last_words, all_said });
        Ok(())
    }

    fn send(&mut self, worker: WorkerId, message: &ToWorker) {
        let Some(process) = self.workers.get_mut(&worker) else { return };
        // A worker always reads, so this does not wait for its work.
        let sent = process.input.as_mut().is_some_and(|input| write_frame(input, message).is_ok());
        if !sent {
            process.input = None;
        }
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<(WorkerId, Incoming)>, String> {
        match self.arrivals.recv_timeout(wait) {
            Ok((worker, Incoming::Gone(why))) => {
                let why = self.bury(worker, why);
                Ok(Some((worker, Incoming::Gone(why))))
            }
            Ok(arrival) => Ok(Some(arrival)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err("the channel of the workers is closed".into()),
        }
    }

    fn kill(&mut self, worker: WorkerId) {
        if let Some(process) = self.workers.get_mut(&worker) {
            let _ = process.child.kill();
        }
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for process in self.workers.values_mut() {
            let _ = process.child.kill();
            let _ = process.child.wait();
        }
    }
}

/// Forwards a worker's messages until its output ends.
fn forward(worker: WorkerId, output: impl Read, incoming: &SyncSender<(WorkerId, Incoming)>) {
    let mut output = BufReader::with_capacity(1 << 16, output);
    loop {
        let arrival = match read_frame::<FromWorker>(&mut output) {
            Ok(Some(message)) => Incoming::Message(message),
            Ok(None) => Incoming::Gone(String::new()),
            // Cut off in the middle of a message: its content was never recorded.
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Incoming::Gone(String::new()),
            Err(e) => Incoming::Gone(format!("its output is no message ({e})")),
        };
        let last = matches!(arrival, Incoming::Gone(_));
        if incoming.send((worker, arrival)).is_err() || last {
            return;
        }
    }
}

fn keep_last(mut errors: impl Read, words: &Mutex<Vec<u8>>, loud: bool) {
    let mut buffer = [0; 1 << 16];
    while let Ok(n @ 1..) = errors.read(&mut buffer) {
        if loud {
            // If nobody reads it any more, exploring continues.
            let _ = io::stderr().write_all(&buffer[..n]);
        }
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend_from_slice(&buffer[..n]);
        let excess = words.len().saturating_sub(LAST_WORDS);
        words.drain(..excess);
    }
}

/// Time between two checks for a long query; a query that takes longer is reported before it is answered.
const PULSE: Duration = Duration::from_millis(250);

/// Tells the coordinator the time spent in the solver, and that the last report is being made, as long as
/// `output` is in use.
fn pulse<W: Write + Send + 'static>(output: Weak<Mutex<W>>, clock: Arc<ClockSlot>) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(PULSE);
            let Some(output) = output.upgrade() else { return };
            let clock = clock.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let Some(clock) = clock else { continue };
            let pending = clock.pending().filter(|p| p.takes > PULSE);
            let sign = match pending {
                _ if clock.is_ending() => FromWorker::Ending,
                Some(Pending { solver_nanos, busy_nanos, .. }) => {
                    FromWorker::Pulse { solver_nanos, busy_nanos }
                }
                None => continue,
            };
            let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
            if write_frame(&mut *output, &sign).is_err() {
                return;
            }
        }
    });
}

/// The body of a worker process: serves the coordinator at the other end of `input` and `output` until it says
/// stop. When the coordinator dies, `input` ends; then this process ends at once, in the middle of any work.
pub fn serve_streams(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    make: &MakeExploration,
    pace: Pace,
) {
    let (to_worker, inbox) = mpsc::channel();
    let clock = Arc::new(ClockSlot::default());
    let stopped = clock.clone();
    std::thread::spawn(move || {
        let mut input = BufReader::new(input);
        while let Ok(Some(message)) = read_frame::<ToWorker>(&mut input) {
            let last = message == ToWorker::Stop;
            // It may be waiting for its solver.
            if last && let Some(clock) = &*stopped.lock().unwrap_or_else(PoisonError::into_inner) {
                clock.stop();
            }
            if to_worker.send(message).is_err() || last {
                return;
            }
        }
        std::process::exit(0);
    });
    let output = Arc::new(Mutex::new(io::BufWriter::with_capacity(1 << 16, output)));
    pulse(Arc::downgrade(&output), clock.clone());
    let mut send = |message| {
        let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
        write_frame(&mut *output, &message).is_ok()
    };
    serve_timed(&inbox, &mut send, make, pace, &clock);
}

/// [`serve_streams`] over this process's standard input and output.
pub fn serve_stdio(make: &MakeExploration, pace: Pace) {
    serve_streams(io::stdin(), io::stdout(), make, pace);
}
