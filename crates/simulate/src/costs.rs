//! Costs of a worker's work: measured in the simulated run, or chosen.

use crate::clock::{MICROSECOND, Picos};
use crate::tree::Tree;

/// Costs of a worker's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// An instruction, forks and bookkeeping included.
    pub instruction: Picos,
    /// A query to the chain of layers, at any layer.
    pub question: Picos,
    /// The export of a region: for a thief, to make room, or in a report of the remaining work.
    pub region: Picos,
}

/// Default cost of the export of a region: 12 to 34 us were measured on coreutils programs.
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
    /// Divides the solver's time equally among all queries, and the rest among all instructions. Times of zero (a run that
    /// was too short to be measured) become 50 ns an instruction and 10 us a query.
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

    /// The same, with instructions and queries that take `times` as long.
    pub fn slower(self, times: f64) -> Costs {
        let scale = |cost: Picos| (cost as f64 * times).round().max(1.0) as Picos;
        Costs { instruction: scale(self.instruction), question: scale(self.question), ..self }
    }

    /// Time of one worker that explores the whole tree without messages.
    pub fn serial(&self, tree: &Tree) -> Picos {
        tree.instructions() * self.instruction + tree.questions() * self.question
    }
}
