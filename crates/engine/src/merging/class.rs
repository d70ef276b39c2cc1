//! The class of a test: what holds of the inputs whose paths are one where arms are joined. An exploration without arms that is bound
//! to these conditions comes to the paths of the class.

use cleave_expr::Term;
use cleave_region::{PathDigest, Test};

use crate::engine::Engine;
use crate::stop::Outcome;

/// Instructions between two looks at the length of the path.
const SLICE: u64 = 1 << 20;

impl Engine {
    /// The path that `test` takes where arms are joined: its digest and its conditions, which the inputs of the class satisfy and no
    /// others. `None` if it does not end within about `most` instructions.
    pub fn class_of(&mut self, test: &Test, most: u64) -> Option<(PathDigest, Vec<Term>)> {
        let witness = self.prepare(test);
        let (instructions, messages) = (self.instructions, self.messages.len());
        let (excused, watch, visits) = (self.excused.clone(), self.watch.take(), self.visits.take());
        let merge = std::mem::replace(&mut self.options.merge, true);
        let mut state = self.root();
        let mut ended = false;
        while !ended && state.instructions < most {
            match self.run(&mut state, &witness, SLICE) {
                Outcome::Ended { .. } => ended = true,
                Outcome::OutOfFuel => {}
                Outcome::Decision { cond, .. } => {
                    let side = self.terms.holds(cond, &witness);
                    self.take(&mut state, cond, side);
                }
            }
        }
        self.options.merge = merge;
        (self.excused, self.watch, self.visits) = (excused, watch, visits);
        self.messages.truncate(messages);
        self.instructions = instructions;
        ended.then(|| (state.digest(), state.path_condition().conditions()))
    }
}
