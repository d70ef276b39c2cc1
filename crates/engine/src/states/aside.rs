//! Counts of the forks inside the running call of the C library. A search that prefers the program's own code uses them, as a
//! conversion of a number alone has more paths than most programs.

use crate::engine::Engine;
use crate::states::frame::Frame;
use crate::states::state::{Aside, State};

impl Engine {
    /// The frame of the C library's function that the program has called, while that runs.
    fn library_frame<'s>(&self, state: &'s State) -> Option<&'s Frame> {
        state.frames().take_while(|f| self.program.functions[f.func as usize].library).last()
    }

    /// Counts a decision at the place where a state stands.
    pub(crate) fn decides_aside(&self, state: &mut State) {
        let frame = self.library_frame(state).map(|f| f.id);
        state.aside = match frame {
            Some(frame) if state.aside.decisions > 0 && state.aside.frame == frame => {
                Aside { frame, decisions: state.aside.decisions.saturating_add(1) }
            }
            Some(frame) => Aside { frame, decisions: 1 },
            None => Aside::default(),
        };
    }

    /// Number of decisions made so far by the running call of the C library; 0 in the program's own code.
    pub fn aside(&self, state: &State) -> u32 {
        if state.aside.decisions == 0 {
            return 0;
        }
        let here = self.library_frame(state).map(|f| f.id);
        if here == Some(state.aside.frame) { state.aside.decisions } else { 0 }
    }

    /// True if the running function of a state belongs to the C library.
    pub fn is_aside(&self, state: &State) -> bool {
        self.program.functions[state.frame.func as usize].library
    }
}
