//! The SAT solver behind the gates: batsat with a deadline, a stop flag, and limits of decisions and propagations.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use batsat::{Callbacks, SolverInterface, lbool};

use crate::policy::back_ends;

/// A literal: twice its variable, plus one if it is negated. Variable 0 is the constant `true`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Lit(pub(crate) u32);

impl Lit {
    pub(crate) const TRUE: Lit = Lit(0);
    pub(crate) const FALSE: Lit = Lit(1);

    #[inline]
    pub(crate) fn negated(self) -> bool {
        self.0 & 1 != 0
    }
    #[inline]
    pub(crate) fn var(self) -> u32 {
        self.0 >> 1
    }
    #[inline]
    pub(crate) fn is_constant(self) -> bool {
        self.0 < 2
    }
    #[inline]
    pub(crate) fn of(v: bool) -> Lit {
        if v { Lit::TRUE } else { Lit::FALSE }
    }
    /// This literal or its negation.
    #[inline]
    pub(crate) fn xor(self, negate: bool) -> Lit {
        Lit(self.0 ^ negate as u32)
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Outcome of a call of the SAT solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SatOutcome {
    Sat,
    Unsat,
    TimedOut,
}

/// Stops the search at a deadline, or as soon as the flag is set. It reads clock and flag at every 64th call only.
#[derive(Default)]
struct Deadline {
    at: Rc<Cell<Option<Instant>>>,
    stop: Arc<AtomicBool>,
    asked: Cell<u32>,
    over: Cell<bool>,
    /// Calls left before the search stops, whatever the time is. The search calls once for each assumption and each
    /// decision.
    asks: Rc<Cell<Option<usize>>>,
}

impl Callbacks for Deadline {
    fn on_start(&mut self) {
        self.over.set(false);
    }
    fn stop(&self) -> bool {
        if self.over.get() {
            return true;
        }
        if let Some(left) = self.asks.get() {
            self.asks.set(left.checked_sub(1));
            if left == 0 {
                self.over.set(true);
                return true;
            }
        }
        self.asked.set(self.asked.get().wrapping_add(1));
        if self.asked.get().is_multiple_of(64) {
            let late = self.at.get().is_some_and(|at| Instant::now() >= at);
            self.over.set(late || self.stop.load(Ordering::Relaxed));
        }
        self.over.get()
    }
}

/// An incremental SAT solver.
pub(crate) struct Sat {
    solver: batsat::Solver<Deadline>,
    deadline: Rc<Cell<Option<Instant>>>,
    asks: Rc<Cell<Option<usize>>>,
    clause: Vec<batsat::Lit>,
    vars: u32,
}

impl Sat {
    /// Gives up as soon as `stop` is true.
    pub(crate) fn new(stop: &Arc<AtomicBool>) -> Sat {
        let callbacks = Deadline { stop: stop.clone(), ..Deadline::default() };
        let (deadline, asks) = (callbacks.at.clone(), callbacks.asks.clone());
        let mut sat = Sat {
            solver: batsat::Solver::new(batsat::SolverOpts::default(), callbacks),
            deadline,
            asks,
            clause: Vec::new(),
            vars: 0,
        };
        let truth = sat.variable(true, false);
        sat.add(&[Lit(truth << 1)]);
        sat
    }

    /// A new variable. The search tries the value `first` first, and branches on it only if `decided`: the inputs of a
    /// circuit fix the rest.
    pub(crate) fn variable(&mut self, first: bool, decided: bool) -> u32 {
        // In batsat as in MiniSat the "user polarity" is the sign of the literal: true means negative.
        let polarity = if first { lbool::FALSE } else { lbool::TRUE };
        self.solver.new_var(polarity, decided);
        self.vars += 1;
        self.vars - 1
    }

    /// Number of variables.
    pub(crate) fn variables(&self) -> u32 {
        self.vars
    }

    /// See [`Backend::work`](crate::Backend::work).
    pub(crate) fn work(&self) -> u64 {
        2 * self.solver.num_propagations() + 8 * u64::from(self.vars)
    }

    fn lit(&mut self, l: Lit) -> batsat::Lit {
        batsat::Lit::new(self.solver.var_of_int(l.var()), !l.negated())
    }

    pub(crate) fn add(&mut self, clause: &[Lit]) {
        let mut lits = std::mem::take(&mut self.clause);
        lits.clear();
        for &l in clause {
            lits.push(self.lit(l));
        }
        self.solver.add_clause_reuse(&mut lits);
        self.clause = lits;
    }

    /// Asserts the assumptions one by one and stops there: unsatisfiable if propagation shows a contradiction.
    pub(crate) fn propagate(&mut self, assumptions: &[Lit]) -> SatOutcome {
        self.asks.set(Some(assumptions.len() + 1));
        let outcome = self.search(assumptions);
        self.asks.set(None);
        outcome
    }

    /// Searches until the deadline, or for `asks` assumptions and decisions.
    pub(crate) fn solve(
        &mut self,
        assumptions: &[Lit],
        deadline: Option<Instant>,
        asks: Option<usize>,
    ) -> SatOutcome {
        self.deadline.set(deadline);
        self.asks.set(asks);
        let outcome = self.search(assumptions);
        self.asks.set(None);
        outcome
    }

    /// As [`Sat::solve`] for this many decisions, but for fewer where they would have more than this many propagations: the search
    /// begins with a few decisions, and goes on with at most twice as many as before.
    pub(crate) fn solve_briefly(
        &mut self,
        assumptions: &[Lit],
        deadline: Option<Instant>,
        (mut decisions, mut propagations): (usize, u64),
    ) -> SatOutcome {
        let mut at_once = match decisions as u64 * u64::from(self.vars) <= propagations {
            true => decisions,
            false => back_ends::COUNTED.min(decisions),
        };
        loop {
            let before = self.solver.num_propagations();
            let outcome = self.solve(assumptions, deadline, Some(at_once + assumptions.len()));
            let spent = self.solver.num_propagations() - before;
            decisions -= at_once;
            propagations = propagations.saturating_sub(spent);
            let each = spent / at_once.max(1) as u64 + 1;
            let rest = usize::try_from(propagations / each).unwrap_or(decisions).min(decisions);
            if outcome != SatOutcome::TimedOut || rest == 0 || deadline.is_some_and(|at| Instant::now() >= at)
            {
                return outcome;
            }
            at_once = rest.min(2 * at_once);
        }
    }

    fn search(&mut self, assumptions: &[Lit]) -> SatOutcome {
        let mut lits = std::mem::take(&mut self.clause);
        lits.clear();
        for &l in assumptions {
            lits.push(self.lit(l));
        }
        let result = self.solver.solve_limited(&lits);
        self.clause = lits;
        if result == lbool::TRUE {
            SatOutcome::Sat
        } else if result == lbool::FALSE {
            SatOutcome::Unsat
        } else {
            SatOutcome::TimedOut
        }
    }

    /// The value of a literal in the last model; `None` if it does not matter.
    pub(crate) fn value(&mut self, l: Lit) -> Option<bool> {
        let l = self.lit(l);
        let v = self.solver.value_lit(l);
        if v == lbool::TRUE {
            Some(true)
        } else if v == lbool::FALSE {
            Some(false)
        } else {
            None
        }
    }

    /// Returns true if the assumption is in the last unsatisfiable core.
    pub(crate) fn failed(&mut self, assumption: Lit) -> bool {
        let l = self.lit(assumption);
        self.solver.unsat_core().contains(&l) || self.solver.unsat_core().contains(&!l) // the core is given as the clause that was learnt
    }
}
