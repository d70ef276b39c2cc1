//! Executions: a test runs from a snapshot with its bytes as constants, so that nothing forks and no term is made of them. A mutator
//! makes thousands of them a second; they are no paths, and nothing of them is recorded.

use cleave_expr::Witness;
use cleave_region::{Object, Test};

use crate::engine::Engine;
use crate::states::state::State;
use crate::states::visits::Visits;
use crate::stop::{End, Outcome, TraceLine};

/// Instructions between two looks for the first input, coarse before fine: a slice of one ends at the next jump.
const SLICES: [u64; 3] = [4096, 64, 1];
/// Maximum instructions before the first input, about a third of a second of them; later instructions are executed each time.
const FIRST_INPUT: u64 = 1 << 26;

/// End of an execution.
#[derive(Clone, Debug)]
pub enum Executed {
    /// The program has ended.
    Ended {
        /// Kind of the end.
        end: End,
        /// The stack at the end, as in [`Outcome::Ended`].
        trace: Vec<TraceLine>,
    },
    /// The test violates an assumption, so it takes no path.
    Excluded,
    /// The fuel is used up.
    OutOfFuel,
}

impl Engine {
    /// The state in front of the op that makes the first input, or up to one block before it. `None` if the program ends without an
    /// input.
    pub fn snapshot(&mut self) -> Option<State> {
        let nothing = self.terms.witness(&[]);
        let mut snapshot = self.root();
        for slice in SLICES {
            loop {
                let mut next = snapshot.clone();
                match self.run(&mut next, &nothing, slice) {
                    Outcome::Ended { .. } if next.inputs.is_empty() => return None,
                    Outcome::OutOfFuel if next.inputs.is_empty() => snapshot = next,
                    _ => break,
                }
                if snapshot.instructions >= FIRST_INPUT {
                    return Some(snapshot);
                }
            }
        }
        Some(snapshot)
    }

    /// Runs `test` from a snapshot for at most about `fuel` instructions, with its bytes as constants. Bytes that it does not have
    /// are zero, as for a witness. Counts and marks go to `visits`; messages and counters of paths stay as they are. Returns the
    /// state at the end, too.
    pub fn execute_test(
        &mut self,
        snapshot: &State,
        test: &Test,
        fuel: u64,
        visits: &mut Visits,
    ) -> (Executed, State) {
        let witness = self.prepare(test);
        let (instructions, messages) = (self.instructions, self.messages.len());
        let (excused, watch) = (self.excused.clone(), self.watch.take());
        let own = self.visits.replace(std::mem::take(visits));
        self.given = Some(test.objects.iter().map(|object| object.bytes.clone().into()).collect());
        let mut state = snapshot.clone();
        let executed = self.executed(&mut state, &witness, fuel);
        self.given = None;
        *visits = std::mem::replace(&mut self.visits, own).unwrap_or_default();
        (self.excused, self.watch) = (excused, watch);
        self.messages.truncate(messages);
        self.instructions = instructions;
        (executed, state)
    }

    fn executed(&mut self, state: &mut State, witness: &Witness, fuel: u64) -> Executed {
        let limit = state.instructions.saturating_add(fuel);
        loop {
            let left = limit.saturating_sub(state.instructions);
            if left == 0 {
                return Executed::OutOfFuel;
            }
            match self.run(state, witness, left) {
                Outcome::Ended { end, trace } => return Executed::Ended { end, trace },
                Outcome::OutOfFuel => {}
                Outcome::Decision { cond, assume } => {
                    let side = self.terms.holds(cond, witness);
                    if assume && !side {
                        return Executed::Excluded;
                    }
                    self.take(state, cond, side);
                }
            }
        }
    }

    /// The objects that a state's path has made, with the bytes of `test`, and zeros where it has none.
    pub fn objects_of(&self, state: &State, test: &Test) -> Test {
        let object = |(k, input): (usize, &crate::states::state::Input)| {
            let mut bytes = test.objects.get(k).map(|object| object.bytes.clone()).unwrap_or_default();
            bytes.resize(input.len as usize, 0);
            Object { name: input.name.to_string(), bytes }
        };
        Test { objects: state.inputs.iter().enumerate().map(object).collect() }
    }
}
