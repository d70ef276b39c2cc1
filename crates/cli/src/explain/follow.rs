//! Following tests that need not be of any run.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use cleave_explore::{Programs, Space, by_name, walk_test};
use cleave_expr::ByteSet;
use cleave_region::{Object, Test};

use super::ends::{Ended, ended};
use crate::failure::Failure;
use crate::inputs::ktests::LONGEST_PATH;
use crate::programs::loading::Image;
use crate::sessions::saved::{self, Saved};

/// Budget for following tests.
pub struct Spent {
    left: u64,
    each: u64,
}

impl Spent {
    /// A budget of about this many instructions, for tests that are like one with a path of `path` instructions.
    pub fn at_most(instructions: u64, path: u64) -> Spent {
        // A change may lead into a loop without end.
        Spent { left: instructions, each: path.saturating_mul(10).saturating_add(10_000_000) }
    }

    /// Returns true if nothing more may be followed.
    pub fn is_over(&self) -> bool {
        self.left == 0
    }
}

/// A test that was followed.
pub struct Followed {
    /// The test, with the objects that its path makes.
    pub test: Test,
    /// Its end; `None` where its path is too long.
    pub end: Option<Ended>,
    /// For each byte that the path's conditions mention, the values with which the path is the same.
    pub kept: BTreeMap<(u32, u32), Option<ByteSet>>,
    /// Instructions of the path.
    pub instructions: u64,
}

/// Follows tests.
pub struct Follower {
    space: Programs,
}

impl Follower {
    /// For tests of a run with this program and these options.
    ///
    /// # Errors
    /// If the image is damaged, or the options make no sense.
    pub fn new(image: &Image, saved: &Saved) -> Result<Follower, Failure> {
        Ok(Follower { space: saved::space_of(image.program()?, saved)? })
    }

    /// Program under exploration in which tests are followed; renewed when it is full.
    pub fn space(&mut self) -> &mut Programs {
        if self.space.is_full() {
            self.space.renew();
        }
        &mut self.space
    }

    /// Follows a test. Its objects are those of its path by their names, so that a test whose path makes others (an argument
    /// less) is still the same input.
    pub fn follow(&mut self, test: &Test, spent: &mut Spent) -> Followed {
        let followed = self.follow_for(test, spent.left.min(spent.each));
        spent.left = spent.left.saturating_sub(followed.instructions.max(1000));
        followed
    }

    /// Follows a test that is to be explained.
    pub fn follow_far(&mut self, test: &Test) -> Followed {
        self.follow_for(test, LONGEST_PATH)
    }

    fn follow_for(&mut self, test: &Test, fuel: u64) -> Followed {
        let followed = self.follow_as_it_is(test, fuel);
        if has_objects(test, &followed.test) {
            return followed;
        }
        let named = by_name(&mut self.space, test, fuel);
        self.follow_as_it_is(&named, fuel)
    }

    fn follow_as_it_is(&mut self, test: &Test, fuel: u64) -> Followed {
        let space = self.space();
        let (walked, state) = walk_test(space, test, fuel, |_, _| ControlFlow::<()>::Continue(()));
        let witness = space.prepare(test);
        let kept = space.values_kept(&state, &witness);
        let (test, instructions) = (space.write_down(&state, &witness), state.instructions());
        Followed { end: ended(space, walked, &state, &witness), test, kept, instructions }
    }
}

/// Returns true if the objects that a path makes are the first objects of the test that takes it.
fn has_objects(test: &Test, made: &Test) -> bool {
    let same = |(a, b): (&Object, &Object)| a.name == b.name && a.bytes.len() == b.bytes.len();
    made.objects.len() <= test.objects.len() && made.objects.iter().zip(&test.objects).all(same)
}
