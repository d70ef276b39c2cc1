//! A debugging session: a path, the stops that gdb has requested, and the output that it has shown.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use cleave_engine::{End, Engine};
use cleave_program::debug::Debuggable;
use cleave_region::{BugKind, NativeEffect, PathDigest, Test};
use gdbstub::common::Signal;
use rustc_hash::FxHashSet;

use crate::DebugError;
use crate::machine::Machine;
use crate::symbols;
use crate::timeline::{Look, Timeline};

/// Writes a test to a file; an error is a sentence.
pub type Save = Box<dyn Fn(&Path, &Test) -> Result<(), String>>;

/// Memory that gdb watches: an address and a length in bytes.
type Watched = (u64, u64);

/// Movement that gdb has requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// To the next position.
    Step,
    /// Out of this range of addresses, or to a breakpoint.
    LeaveRange(u64, u64),
    /// To a breakpoint, or to a change of watched memory.
    Continue,
    /// To the previous position.
    StepBack,
    /// To the previous breakpoint.
    ContinueBack,
}

/// Reason of a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    Stepped,
    Breakpoint,
    /// The watched memory at this address has changed.
    Watch(u64),
    /// At the entry, going back.
    Begin,
    /// At the end of the path; with a signal if the path ends in a bug or by a signal.
    End(Option<Signal>),
    /// gdb continued at the end; holds the exit status or the signal.
    Gone(Result<u8, Signal>),
}

/// A path of a program under a debugger.
pub struct Session {
    pub(crate) machine: Machine,
    pub(crate) timeline: Timeline,
    pub(crate) save: Save,
    pub(crate) breakpoints: FxHashSet<u64>,
    /// Watched memory, and its contents when last read.
    pub(crate) watches: BTreeMap<Watched, Vec<u8>>,
    pub(crate) wish: Wish,
    /// Bytes of the program's output that gdb has shown: standard output, standard error.
    printed: [usize; 2],
}

impl Session {
    /// A session at the entry of a program, on the path of `test`.
    pub fn new(program: Debuggable, mut engine: Engine, test: &Test, save: Save) -> Session {
        let witness = engine.prepare(test);
        Session {
            machine: Machine::new(Arc::new(program)),
            timeline: Timeline::new(engine, witness),
            save,
            breakpoints: FxHashSet::default(),
            watches: BTreeMap::new(),
            wish: Wish::Continue,
            printed: [0; 2],
        }
    }

    /// The file of symbols for gdb. Without the lines and types of the C library (`library`), gdb steps over its functions.
    ///
    /// # Errors
    /// If the debug information cannot be written.
    pub fn symbols(&self, library: bool) -> Result<Vec<u8>, DebugError> {
        symbols::file(&self.machine, library)
    }

    /// The digest of the decisions of the whole path, and its end as a sentence. The session's position does not change.
    pub fn foretold(&mut self) -> Option<(PathDigest, String)> {
        let here = self.timeline.now();
        self.timeline.go_to_end();
        let found = self.timeline.ended.as_ref().map(|_| self.timeline.state.digest());
        let told = self.told_end();
        self.timeline.go_to(here);
        found.map(|digest| (digest, told))
    }

    /// Returns true if a breakpoint is at the current address.
    fn at_breakpoint(&self) -> bool {
        !self.breakpoints.is_empty() && self.breakpoints.contains(&self.machine.here(&self.timeline))
    }

    /// Moves forward by at most `places` positions; `None` if nothing stopped it.
    pub(crate) fn forward(&mut self, places: u32) -> Option<Stopped> {
        if let Some(signal) = self.signal_at_end() {
            return Some(Stopped::Gone(signal));
        }
        self.look_at_watches();
        for _ in 0..places {
            self.timeline.step();
            if self.timeline.ended.is_some() {
                return Some(Stopped::End(self.bug_signal()));
            }
            let changed = self.look_at_watches();
            match self.wish {
                Wish::Step => return Some(Stopped::Stepped),
                _ if changed.is_some() => return changed.map(Stopped::Watch),
                _ if self.at_breakpoint() => return Some(Stopped::Breakpoint),
                Wish::LeaveRange(from, to) => {
                    let here = self.machine.here(&self.timeline);
                    if !(from..to).contains(&here) {
                        return Some(Stopped::Stepped);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Reads all watched memory again; returns an address whose contents changed since the last read.
    fn look_at_watches(&mut self) -> Option<u64> {
        if self.watches.is_empty() {
            return None;
        }
        let mut changed = None;
        let mut watches = std::mem::take(&mut self.watches);
        for (&(address, len), held) in &mut watches {
            let now = self.machine.read(&mut self.timeline, address, len as usize);
            if now != *held {
                changed = Some(address);
                *held = now;
            }
        }
        self.watches = watches;
        changed
    }

    /// Moves backward, to the previous position or to the previous stop.
    pub(crate) fn backward(&mut self) -> Stopped {
        if self.wish == Wish::StepBack {
            return if self.timeline.step_back() { Stopped::Stepped } else { Stopped::Begin };
        }
        let Session { machine, timeline, breakpoints, watches, .. } = self;
        let mut held = watches.clone();
        let mut watch = None;
        let found = timeline.back(|timeline, begins| {
            for (&(address, len), held) in &mut held {
                let now = machine.read(timeline, address, len as usize);
                if now != std::mem::replace(held, now.clone()) && !begins {
                    watch = Some(address);
                    return Look::Before;
                }
            }
            if breakpoints.contains(&machine.here(timeline)) {
                watch = None;
                return Look::Here;
            }
            Look::On
        });
        self.look_at_watches();
        match (found, watch) {
            (false, _) => Stopped::Begin,
            (true, Some(address)) => Stopped::Watch(address),
            (true, None) => Stopped::Breakpoint,
        }
    }

    /// Exit status or signal that gdb gets if it continues at the end of the path.
    fn signal_at_end(&mut self) -> Option<Result<u8, Signal>> {
        let status = self.status().unwrap_or(0);
        let ended = self.timeline.ended.as_ref()?;
        Some(match ended {
            End::Exit(_) => Ok(status),
            End::Signal(signal) => Err(Signal(gdb_signal(*signal))),
            End::Bug(bug) | End::Suppressed { bug, .. } => Err(signal_of(bug.kind)),
            End::Silent | End::AssumedAway | End::Rejected | End::Unsupported(_) => Ok(0),
        })
    }

    /// The signal at which a debugger stops at this end: that of a bug, or the one that ends the program.
    fn bug_signal(&mut self) -> Option<Signal> {
        self.signal_at_end().and_then(Result::err)
    }

    /// The exit status at the end.
    fn status(&mut self) -> Option<u8> {
        let timeline = &mut self.timeline;
        let end = timeline.ended.as_ref()?;
        timeline.engine.finished(&timeline.state, end, &timeline.witness).status
    }

    /// The end of the path, as a sentence.
    pub(crate) fn told_end(&mut self) -> String {
        let status = self.status().unwrap_or(0);
        let Some(ended) = &self.timeline.ended else { return "The path goes on.".into() };
        match ended {
            End::Exit(_) => format!("The program exits with status {}.", status),
            End::Signal(signal) => format!("The program ends by signal {signal}."),
            End::Silent => "The path ends here, without a result.".into(),
            End::AssumedAway | End::Rejected => {
                "The path ends here: the input violates an assumption.".into()
            }
            End::Bug(bug) => format!("Bug ({}): {}.", bug.kind.name(), bug.message),
            End::Suppressed { bug, .. } => {
                format!("Suppressed bug ({}): {}.", bug.kind.name(), bug.message)
            }
            End::Unsupported(what) => format!("The path ends here, as this is not modelled: {what}."),
        }
    }

    /// Program output that gdb has not shown yet.
    pub(crate) fn new_output(&mut self) -> Vec<u8> {
        let timeline = &mut self.timeline;
        let written = timeline.engine.written(&timeline.state, &timeline.witness);
        let mut out = Vec::new();
        for (stream, printed) in written.iter().zip(&mut self.printed) {
            out.extend(stream.get(*printed..).unwrap_or_default());
            *printed = stream.len().max(*printed);
        }
        out
    }
}

/// gdb's number of a signal, which differs from the system's for some signals.
fn gdb_signal(signal: i32) -> u8 {
    match signal {
        7 => 10,
        10 => 30,
        12 => 31,
        31 => 12,
        other => u8::try_from(other).unwrap_or(0),
    }
}

/// The signal that a native run most likely gets for this bug.
fn signal_of(kind: BugKind) -> Signal {
    match kind.native_effect() {
        NativeEffect::Abort => Signal::SIGABRT,
        NativeEffect::FloatingPointException => Signal::SIGFPE,
        NativeEffect::IllegalInstruction => Signal::SIGILL,
        NativeEffect::Breakpoint => Signal::SIGTRAP,
        NativeEffect::Hang => Signal::SIGALRM,
        NativeEffect::SegmentationFault | NativeEffect::Unknown => Signal::SIGSEGV,
    }
}
