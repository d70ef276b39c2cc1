//! Regions that come one after the other are begun where they part from the one before.

use cleave_explore::{Answer, Event, Explorer, Limits, Outcome, Search, Space, Trail};
use cleave_region::{Object, PathDigest, Region, Test};

const LONG: u32 = 500;

/// A program that counts its steps while its decisions are true, `LONG` at most. Witnesses and states are such numbers.
#[derive(Default)]
struct Comb {
    steps: u32,
}

fn test_of(n: u32) -> Test {
    Test { objects: vec![Object { name: "n".into(), bytes: n.to_le_bytes().to_vec() }] }
}

impl Space for Comb {
    /// True sides so far, and whether a false one came.
    type State = (u32, bool);
    type Cond = u32;
    type Witness = u32;
    type End = u32;
    fn root(&mut self) -> (u32, bool) {
        (0, false)
    }
    fn prepare(&mut self, test: &Test) -> u32 {
        let bytes = test.objects.first().and_then(|o| o.bytes.clone().try_into().ok());
        bytes.map_or(0, u32::from_le_bytes)
    }
    fn write_down(&mut self, _: &(u32, bool), witness: &u32) -> Test {
        test_of(*witness)
    }
    fn run(&mut self, state: &mut (u32, bool), _: &u32, _: u64) -> Outcome<u32, u32> {
        self.steps += 1;
        match state {
            (n, false) if *n < LONG => Outcome::Decision { cond: *n, assume: false },
            (n, _) => Outcome::Ended(*n),
        }
    }
    fn decides(&mut self, cond: &u32, witness: &u32) -> bool {
        cond < witness
    }
    fn ask(&mut self, _: &(u32, bool), cond: &u32, side: bool, _: &u32) -> Answer<u32> {
        Answer::Feasible(cond + u32::from(side))
    }
    fn leads(&mut self, witness: &u32, state: &(u32, bool)) -> bool {
        if state.1 { *witness == state.0 } else { *witness >= state.0 }
    }
    fn take(&mut self, state: &mut (u32, bool), _: &u32, side: bool) {
        *state = (state.0 + u32::from(side), !side);
    }
    fn depth(&self, state: &(u32, bool)) -> u32 {
        state.0 + u32::from(state.1)
    }
    fn digest(&self, _: &(u32, bool)) -> PathDigest {
        PathDigest::default()
    }
}

#[test]
fn on_a_long_way_some_states_are_kept_of_all_of_it() {
    let (mut space, mut trail, mut first) = (Comb::default(), Trail::default(), 0);
    // From the longest path to the shortest: each parts from the one before a decision earlier.
    for n in (0..LONG).rev() {
        let region = Region::prefix(test_of(n), n + 1, None);
        let strategy = Search::default().strategy(None);
        let mut explorer = Explorer::on_trail(&mut space, region, Limits::default(), strategy, trail);
        let mut events = Vec::new();
        while !explorer.is_done() {
            explorer.step(&mut space, 10, &mut events);
        }
        assert!(matches!(&events[..], [Event::Path { end, .. }] if *end == n));
        trail = explorer.into_trail();
        first = if first == 0 { space.steps } else { first };
    }
    assert!(first > LONG, "the first is followed from the entry");
    assert!(space.steps - first < 6 * LONG, "{} steps on ways of {} decisions", space.steps, LONG * LONG / 2);
}
