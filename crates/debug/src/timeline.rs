//! The path of a test, forwards and backwards. States are values and the engine is deterministic, so a step back runs forward
//! again from a checkpoint (a kept state).

use cleave_engine::{End, Engine, Outcome, State};
use cleave_expr::{Term, Witness};
use cleave_solver::Answer;

/// Initial distance between two checkpoints, in instructions.
const STRIDE: u64 = 1 << 13;
/// Maximum number of checkpoints; at the maximum every second one is dropped and the distance doubles.
const MOST: usize = 512;

/// Instructions in one run ahead to find a decision or the end (`AHEAD`), and the maximum number of such runs.
const AHEAD: u64 = 1 << 20;
const MOST_AHEAD: u32 = 1 << 12;

/// A position on the path: number of LLVM instructions before it, and true if it is the end.
pub(crate) type Time = (u64, bool);

/// Result of examining a position during a search backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Not a stop.
    On,
    /// A stop.
    Here,
    /// The position before this one is a stop: watched memory changed between the two.
    Before,
}

/// Outcome of a request to take the other branch direction of a decision.
pub(crate) enum Other {
    /// The path takes it now. The decision in words, as the path takes it from now on.
    Taken(String),
    /// No input takes it. The decision as the path takes it.
    Infeasible(String),
    /// The solver cannot decide it; the reason.
    Unknown(String),
    /// The path has no further decision.
    None,
}

/// A test's path, and a position on it.
pub(crate) struct Timeline {
    pub(crate) engine: Engine,
    pub(crate) witness: Witness,
    pub(crate) state: State,
    /// The end of the path, if the position is the end.
    pub(crate) ended: Option<End>,
    /// Checkpoints in the order of the path; the first is the entry.
    kept: Vec<State>,
    stride: u64,
    /// Instruction counts of neighbouring positions, ascending; used by steps back.
    passed: Vec<u64>,
}

impl Timeline {
    /// At the entry of the program.
    pub(crate) fn new(mut engine: Engine, witness: Witness) -> Timeline {
        let state = engine.root();
        let kept = vec![state.clone()];
        Timeline { kept, state, engine, witness, ended: None, stride: STRIDE, passed: Vec::new() }
    }

    /// The current position.
    pub(crate) fn now(&self) -> Time {
        (self.state.instructions(), self.ended.is_some())
    }

    /// Moves to the next position; returns `false` if this is the end.
    pub(crate) fn step(&mut self) -> bool {
        if self.ended.is_some() {
            return false;
        }
        self.run(1);
        let last = self.kept.last().map_or(0, State::instructions);
        if self.ended.is_none() && self.state.instructions() >= last + self.stride {
            self.keep();
        }
        true
    }

    fn keep(&mut self) {
        if self.kept.len() >= MOST {
            let mut nth = 0;
            self.kept.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
            self.stride *= 2;
        }
        self.kept.push(self.state.clone());
    }

    /// Runs for `instructions` instructions, or to the end.
    fn run(&mut self, instructions: u64) {
        let limit = self.state.instructions() + instructions;
        while self.ended.is_none() && self.state.instructions() < limit {
            let left = limit - self.state.instructions();
            match self.engine.run(&mut self.state, &self.witness, left) {
                Outcome::OutOfFuel => {}
                Outcome::Ended { end, .. } => self.ended = Some(end),
                Outcome::Decision { cond, assume } => {
                    let side = self.engine.terms.holds(cond, &self.witness);
                    if assume && !side {
                        self.ended = Some(self.engine.excluded(&self.state).0);
                    } else {
                        self.engine.take(&mut self.state, cond, side);
                    }
                }
            }
        }
    }

    /// Moves to the last checkpoint before an instruction count.
    fn restore(&mut self, before: u64) {
        let at = self.kept.partition_point(|state| state.instructions() < before).max(1) - 1;
        self.state = self.kept[at].clone();
        self.ended = None;
    }

    /// Moves to a position that was visited before.
    pub(crate) fn go_to(&mut self, (instructions, end): Time) {
        self.restore(instructions);
        let left = instructions.saturating_sub(self.state.instructions());
        if left > 0 {
            self.run(left);
        }
        if end {
            self.run(1);
        }
    }

    /// Moves to the end of the path, or gives up after [`MOST_AHEAD`] runs of [`AHEAD`] instructions.
    pub(crate) fn go_to_end(&mut self) {
        for _ in 0..MOST_AHEAD {
            if self.ended.is_some() {
                return;
            }
            self.run(AHEAD);
        }
    }

    /// Moves to the previous position; returns `false` if this is the entry.
    pub(crate) fn step_back(&mut self) -> bool {
        let (instructions, end) = self.now();
        if end {
            self.go_to((instructions, false));
            return true;
        }
        let mut at = self.passed.partition_point(|&time| time < instructions);
        if at == 0 || self.passed.get(at) != Some(&instructions) {
            self.restore(instructions);
            self.passed.clear();
            while self.now() < (instructions, false) {
                self.passed.push(self.state.instructions());
                self.run(1);
            }
            at = self.passed.len();
            self.passed.push(instructions);
        }
        let Some(&before) = at.checked_sub(1).and_then(|at| self.passed.get(at)) else { return false };
        self.go_to((before, false));
        true
    }

    /// Moves to the last stop before this position, as decided by `look`. Positions are examined from one checkpoint to the next,
    /// the latest such stretch first. The argument of `look` is true at the first position of a stretch. Without a stop, moves to
    /// the entry and returns `false`.
    pub(crate) fn back(&mut self, mut look: impl FnMut(&mut Timeline, bool) -> Look) -> bool {
        let mut until = self.now();
        let first = self.kept.first().map_or(0, State::instructions);
        while until > (first, false) {
            self.restore(if until.1 { until.0 + 1 } else { until.0 });
            let from = self.now();
            let (mut found, mut before) = (None, None);
            loop {
                let here = self.now();
                match look(self, before.is_none()) {
                    Look::Here if here < until => found = Some(here),
                    Look::Before => found = before,
                    Look::Here | Look::On => {}
                }
                if here >= until || self.ended.is_some() {
                    break;
                }
                before = Some(here);
                self.run(1);
            }
            if let Some(found) = found {
                self.go_to(found);
                return true;
            }
            until = from;
        }
        self.go_to((first, false));
        false
    }

    /// Searches for an input that takes the current path up to here and the other direction at decision number `nth` after here,
    /// counted from 0. The position does not change.
    pub(crate) fn other(&mut self, nth: usize) -> Other {
        let (here, at_end) = self.now();
        let mut state = self.state.clone();
        let mut left = (nth, MOST_AHEAD);
        let (cond, assume, side) = loop {
            if at_end || left.1 == 0 {
                return Other::None;
            }
            left.1 -= 1;
            match self.engine.run(&mut state, &self.witness, AHEAD) {
                Outcome::OutOfFuel => {}
                Outcome::Ended { .. } => return Other::None,
                Outcome::Decision { cond, assume } => {
                    let side = self.engine.terms.holds(cond, &self.witness);
                    if left.0 == 0 || (assume && !side) {
                        break (cond, assume, side);
                    }
                    left.0 -= 1;
                    self.engine.take(&mut state, cond, side);
                }
            }
        };
        if assume && side {
            return Other::Infeasible(format!("{} is assumed", self.words(&state, cond, side)));
        }
        match self.engine.ask_side(&state, cond, !side, &self.witness) {
            Answer::Sat(witness) => {
                let text = self.words(&state, cond, !side);
                self.witness = witness;
                self.kept.retain(|state| state.instructions() <= here);
                self.passed.retain(|&time| time <= here);
                Other::Taken(text)
            }
            Answer::Unsat(_) => Other::Infeasible(self.words(&state, cond, side)),
            Answer::Unknown(why) => Other::Unknown(why),
        }
    }

    /// The decision in words, as if the state took direction `side`.
    fn words(&mut self, state: &State, cond: Term, side: bool) -> String {
        let (mut state, depth) = (state.clone(), state.depth() as usize);
        self.engine.take(&mut state, cond, side);
        self.engine.describe(&state, depth..depth + 1).concat()
    }
}
