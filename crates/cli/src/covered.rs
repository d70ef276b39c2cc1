//! What single tests cover: found by following them, as a run keeps of a test only what it is the first to cover.

use std::ops::ControlFlow;

use cleave_coverage::Marks;
use cleave_explore::{Programs, Space, Walked, walk_test};
use cleave_region::Test;

use crate::failure::Failure;
use crate::ktests::LONGEST_PATH;
use crate::loading::Image;
use crate::saved::{self, Saved};

/// Follows tests of a run.
pub struct Follower {
    space: Programs,
}

impl Follower {
    /// For the tests of a run with this program and these options.
    ///
    /// # Errors
    /// If the image is damaged, or the options make no sense.
    pub fn new(image: &Image, saved: &Saved) -> Result<Follower, Failure> {
        Ok(Follower { space: saved::space_of(image.program()?, saved)? })
    }

    /// All marks that a test passes; `None` if its path is too long to be followed.
    pub fn marks(&mut self, test: &Test) -> Option<Marks> {
        let nothing =
            |_: &mut Programs, _: cleave_explore::Passing<'_, Programs>| ControlFlow::<()>::Continue(());
        let (walked, state) = walk_test(&mut self.space, test, LONGEST_PATH, nothing);
        // No path is shown here, so that all is new on each.
        let marks = self.space.news(&state).into_iter().collect();
        drop(state);
        if self.space.is_full() {
            self.space.renew();
        }
        match walked {
            Walked::Ended(_) | Walked::Excluded => Some(marks),
            Walked::Endless | Walked::Left(()) => None,
        }
    }
}
