//! Solvers that are installed on this machine, as back ends: each is a process that reads SMT-LIB 2 from a pipe.
//!
//! A query is sent as text, after a `(reset)`: the bytes, a definition for each term, an assertion for each domain and
//! condition. The answer is a model, or the names of the assertions that contradict each other.

mod text; // the text of a query

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use cleave_expr::Terms;

use crate::backends::backend::{BackEnd, Backend, Query, Verdict};
use crate::error::SolverError;
use crate::policy::back_ends;

/// The command line of a solver.
struct Installed {
    /// The program, which is also the name of the back end.
    name: &'static str,
    arguments: &'static [&'static str],
    /// Its option for the time limit of a query, in milliseconds.
    limit: &'static str,
}

const Z3_PROGRAM: Installed = Installed { name: "z3", arguments: &["-in", "-smt2"], limit: ":timeout" };
const CVC5_PROGRAM: Installed =
    Installed { name: "cvc5", arguments: &["--incremental", "--lang=smt2"], limit: ":tlimit-per" };

/// Z3's entry in the table of back ends.
pub(crate) const Z3: BackEnd = BackEnd {
    name: Z3_PROGRAM.name,
    about: "an SMT solver, where it is installed (Debian: z3): a process beside each worker",
    usual: false,
    start: |stop| Ok(Box::new(SmtLib::start(&Z3_PROGRAM, stop)?)),
};

/// cvc5's entry in the table of back ends.
pub(crate) const CVC5: BackEnd = BackEnd {
    name: CVC5_PROGRAM.name,
    about: "an SMT solver, where it is installed (Debian: cvc5): a process beside each worker",
    usual: false,
    start: |stop| Ok(Box::new(SmtLib::start(&CVC5_PROGRAM, stop)?)),
};

/// A query as a file for any solver; `status` is its answer, which took the time `took`.
pub(crate) fn file(terms: &mut Terms, query: &Query<'_>, status: &str, took: Duration) -> String {
    let bytes = query.bytes(terms);
    text::file(terms, query, &bytes, (status, took))
}

/// A solver's process and its answers.
struct SolverProcess {
    child: Child,
    input: ChildStdin,
    /// Its answers, each an atom or a list in parentheses.
    answers: Receiver<String>,
}

impl Drop for SolverProcess {
    fn drop(&mut self) {
        // It may have ended by itself; then neither call has anything to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl SolverProcess {
    fn start(installed: &Installed) -> std::io::Result<SolverProcess> {
        let mut child = Command::new(installed.name)
            .args(installed.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("its pipes are missing"));
        };
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let mut answer = String::new();
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                answer.push_str(&line);
                answer.push(' ');
                let whole = !answer.trim().is_empty() && text::is_balanced(&answer);
                if whole && send.send(std::mem::take(&mut answer)).is_err() {
                    return;
                }
            }
        });
        Ok(SolverProcess { child, input, answers })
    }

    /// Sends commands and waits for the answer of the last one.
    fn ask(&mut self, commands: &str, until: Instant, stop: &AtomicBool) -> Result<String, String> {
        let sent = self.input.write_all(commands.as_bytes()).and_then(|()| self.input.flush());
        sent.map_err(|e| format!("cannot be written to: {e}"))?;
        loop {
            match self.answers.recv_timeout(back_ends::PROCESS_LOOK) {
                Ok(answer) if answer.starts_with("(error") => return Err(answer.trim().to_string()),
                Ok(answer) => return Ok(answer.trim().to_string()),
                Err(RecvTimeoutError::Disconnected) => return Err("has ended".into()),
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    return Err("was told to stop".into());
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => {
                    return Err("gave no answer in time".into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// An installed solver as a back end.
struct SmtLib {
    installed: &'static Installed,
    /// `None` after an error: the next query starts another process.
    process: Option<SolverProcess>,
    stop: Arc<AtomicBool>,
}

impl SmtLib {
    fn start(installed: &'static Installed, stop: &Arc<AtomicBool>) -> Result<SmtLib, SolverError> {
        let failed = |e: std::io::Error| SolverError::NotStarted {
            name: installed.name,
            why: format!("{e}; install it, or name other solvers"),
        };
        let process = SolverProcess::start(installed).map_err(failed)?;
        Ok(SmtLib { installed, process: Some(process), stop: stop.clone() })
    }

    /// The answer. After an error the process is of no use.
    fn try_solve(
        &mut self,
        terms: &mut Terms,
        query: &Query<'_>,
        limit: Duration,
    ) -> Result<Verdict, String> {
        let until = Instant::now().checked_add(limit.saturating_add(back_ends::PROCESS_GRACE));
        // A limit beyond the range of the clock becomes one of 136 years.
        let until = until.unwrap_or_else(|| Instant::now() + Duration::from_secs(1 << 32));
        let process = match &mut self.process {
            Some(process) => process,
            none => {
                none.insert(SolverProcess::start(self.installed).map_err(|e| format!("does not start: {e}"))?)
            }
        };
        let milliseconds = limit.as_millis().clamp(1, u128::from(u32::MAX >> 1));
        let bytes = query.bytes(terms);
        let script = text::script(terms, query, &bytes, self.installed.limit, milliseconds);
        match process.ask(&script, until, &self.stop)?.as_str() {
            "sat" if bytes.is_empty() => Ok(Verdict::Sat(Vec::new())),
            "sat" => {
                let answer = process.ask(&text::ask_values(&bytes), until, &self.stop)?;
                Ok(Verdict::Sat(text::values(&answer, &bytes)?))
            }
            "unsat" => {
                let answer = process.ask("(get-unsat-core)\n", until, &self.stop)?;
                Ok(Verdict::Unsat(text::core(&answer, query)?))
            }
            "unknown" => Ok(Verdict::Unknown(format!(
                "{}: no answer within {} ms",
                self.installed.name,
                limit.as_millis()
            ))),
            other => Err(format!("answered `{other}`")),
        }
    }
}

impl Backend for SmtLib {
    fn name(&self) -> &'static str {
        self.installed.name
    }

    fn solve(&mut self, terms: &mut Terms, query: &Query<'_>, limit: Duration) -> Verdict {
        self.try_solve(terms, query, limit).unwrap_or_else(|why| {
            self.process = None;
            Verdict::Unknown(format!("{} {why}", self.installed.name))
        })
    }
}
