//! Explains one test of a run: its path, the conditions on its inputs, and which bytes its end depends on.

pub(crate) mod bytes; // Finds the bytes on which the end of a test depends.
pub(crate) mod ends; // The end of a followed test.
pub(crate) mod follow; // Following tests that need not be of any run.
pub(crate) mod json; // An explanation as JSON.
pub(crate) mod loops; // Folds repeated items of a sequence into loops, while the items arrive.
pub(crate) mod names; // Names of the bytes of inputs, as a C programmer would write them.
pub(crate) mod page; // An explanation as the report shows it.
pub(crate) mod path; // The path of a test as source lines, with the decisions on its way.
pub(crate) mod smaller_input; // A smaller input that ends in the same bug.
pub(crate) mod text; // An explanation as text.

use cleave_linux::env::EnvSpec;
use cleave_region::Test;

use crate::failure::Failure;
use crate::programs::loading::Image;
use crate::sessions::saved::Saved;
use bytes::{Roles, roles};
use ends::Ended;
use follow::Spent;
use loops::Node;
use path::{Step, way_of};
use smaller_input::Smallest;

pub use follow::Follower;
pub use json::json;
pub use names::InputNames;
pub use page::{Short, short};
pub use text::{Shown, text};

/// A test explained.
pub struct Explanation {
    /// The test.
    pub test: Test,
    names: InputNames,
    steps: Vec<Node<Step>>,
    end: Option<Ended>,
    roles: Roles,
    /// If the end is a bug: the smallest input found that leads to it, and the names of its objects.
    smallest: Option<(Smallest, InputNames)>,
}

/// Explains tests of a run.
pub struct Explainer {
    follower: Follower,
    program: cleave_program::code::Program,
    spec: EnvSpec,
    /// Instructions of other tests that may be followed to explain one.
    most: u64,
}

impl Explainer {
    /// For the tests of a run with this program and these options. To explain a test, others of about `most` instructions
    /// together are followed.
    ///
    /// # Errors
    /// If the image is damaged, or the options make no sense.
    pub fn new(image: &Image, saved: &Saved, most: u64) -> Result<Explainer, Failure> {
        let (follower, program) = (Follower::new(image, saved)?, image.program()?);
        Ok(Explainer { follower, program, spec: saved.environment()?, most })
    }

    /// Explains a test. `others` are tests that end in the same bug, if it ends in one: the smallest input is sought from the
    /// smallest of them on.
    pub fn explain(&mut self, test: &Test, others: &[Test]) -> Explanation {
        let followed = self.follower.follow_far(test);
        let names = InputNames::new(&self.spec, &followed.test);
        let way = way_of(self.follower.space(), &self.program, &names, &followed.test);
        let end = followed.end.clone();
        let mut spent = Spent::at_most(self.most / 2, followed.instructions);
        let bug = end.as_ref().filter(|end| end.bug.is_some());
        let same = |other: &Ended| bug.is_some_and(|bug| other.is_same_bug(bug));
        let asked: Option<&dyn Fn(&Ended) -> bool> = if bug.is_some() { Some(&same) } else { None };
        let roles = roles(&mut self.follower, &followed, asked, &mut spent);
        let smallest = asked.map(|same| {
            let all = others.iter().chain([&followed.test]);
            let first = all.min_by_key(|test| smaller_input::size(test)).unwrap_or(&followed.test);
            let mut spent = Spent::at_most(self.most / 2, followed.instructions);
            let found = smaller_input::smallest(&mut self.follower, first, same, &mut spent);
            let names = InputNames::new(&self.spec, &found.test);
            (found, names)
        });
        Explanation { test: followed.test, names, steps: way.steps, end: way.end.or(end), roles, smallest }
    }
}
