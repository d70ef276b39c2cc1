//! Forks inside of the C library: how often the call at hand has decided on its way. A search that is to see the program's own
//! code goes by it, as a conversion of a number alone has more paths than most programs.

use crate::engine::Engine;
use crate::frame::Frame;
use crate::state::{Aside, State};

impl Engine {
    /// The frame of the C library's function that the program has called, while that runs.
    fn library_frame<'s>(&self, state: &'s State) -> Option<&'s Frame> {
        state.frames().take_while(|f| self.program.functions[f.func as usize].library).last()
    }

    /// A decision is made where a state stands.
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

    /// How many decisions the call of the C library has made that a state is in; 0 where the program's own code runs.
    pub fn aside(&self, state: &State) -> u32 {
        if state.aside.decisions == 0 {
            return 0;
        }
        let here = self.library_frame(state).map(|f| f.id);
        if here == Some(state.aside.frame) { state.aside.decisions } else { 0 }
    }

    /// Whether a state stands in the C library.
    pub fn is_aside(&self, state: &State) -> bool {
        self.program.functions[state.frame.func as usize].library
    }
}
