//! What things cost: measured in the run that is simulated, or chosen.

use crate::clock::{MICROSECOND, Picos};
use crate::tree::Tree;

/// What a worker's work costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// An instruction, forks and bookkeeping included.
    pub instruction: Picos,
    /// A question to the chain of layers, whoever answers it.
    pub question: Picos,
    /// A region that is written down: for a thief, to make room, or in a report of what is left.
    pub region: Picos,
}

/// What writing a region down costs where nothing else is said: 12 to 34 us were measured on coreutils programs.
const REGION: Picos = 15 * MICROSECOND;

/// Counts and times of a run, over all its workers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    /// Instructions, those of replays too.
    pub instructions: u64,
    /// Questions.
    pub questions: u64,
    /// Seconds in which workers had a region.
    pub busy_seconds: f64,
    /// Seconds in the solver's chain, a part of these.
    pub solver_seconds: f64,
}

impl Costs {
    /// The solver's time shared equally by all questions, the rest by all instructions. Times of zero (a run that
    /// was too short to be measured) become 50 ns an instruction and 10 us a question.
    pub fn of(measured: &Measured) -> Costs {
        let each = |seconds: f64, n: u64, otherwise: Picos| {
            let picos = (seconds.max(0.0) * 1e12 / n.max(1) as f64).round() as Picos;
            if picos == 0 { otherwise } else { picos }
        };
        let engine = measured.busy_seconds - measured.solver_seconds;
        Costs {
            instruction: each(engine, measured.instructions, 50_000),
            question: each(measured.solver_seconds, measured.questions, 10_000_000),
            region: REGION,
        }
    }

    /// The same for instructions and questions that take `times` as long.
    pub fn slower(self, times: f64) -> Costs {
        let scale = |cost: Picos| (cost as f64 * times).round().max(1.0) as Picos;
        Costs { instruction: scale(self.instruction), question: scale(self.question), ..self }
    }

    /// What one worker takes that explores the whole tree and talks to nobody.
    pub fn serial(&self, tree: &Tree) -> Picos {
        tree.instructions() * self.instruction + tree.questions() * self.question
    }
}
