//! A model of merged scopes: how the arms of a branch, a loop or a call can be one step of a path without a change of any law.
//!
//! A *class* is a set of inputs that one merged path stands for. A scope has one entry and one exit: a branch with its arms, a loop, a
//! call. Its arms run one after the other, each under a guard, and what they write is joined at the exit. What cannot be joined leaves
//! the scope by a decision of its own: "is this arm taken?". The model has small programs over one byte of input, and a term is
//! the list of its values for all 256 inputs, so that every set of inputs is exact.
//!
//! All laws rest on one: the next decision is a function of program, options and the decisions so far ([`Run`] is that function). Then the
//! classes are the leaves of a tree of decisions, and the explorer treats them as paths: with any strategy, concolic, in regions, stopped
//! and resumed. The tests check that, and that nothing is lost in a class: outcome, output, bugs and coverage are those of each
//! of its inputs alone, and each path without merging lies in one class.

use std::collections::{BTreeMap, BTreeSet};

use cleave_explore::{
    Answer, AnyExplorer, Concolic, Concrete, Event, Explorer, ITEM_ORDERS, Limits, Outcome, STRATEGIES,
    Search, Space, Trail,
};
use cleave_region::{Fingerprints, Object, PathDigest, Region, Test};
use proptest::prelude::*;

/// A set of inputs; of a condition, those for which it holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Set([u64; 4]);

const ALL: Set = Set([u64::MAX; 4]);
const NONE: Set = Set([0; 4]);

impl Set {
    fn of(f: impl Fn(u8) -> bool) -> Set {
        let mut set = NONE;
        (0..=255).filter(|&x| f(x)).for_each(|x| set.0[usize::from(x / 64)] |= 1 << (x % 64));
        set
    }
    fn has(&self, x: u8) -> bool {
        self.0[usize::from(x / 64)] >> (x % 64) & 1 == 1
    }
    fn and(&self, other: &Set) -> Set {
        Set(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
    fn or(&self, other: &Set) -> Set {
        Set(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
    fn not(&self) -> Set {
        Set(self.0.map(|word| !word))
    }
    fn inputs(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=255).filter(|&x| self.has(x))
    }
    fn hash(&self) -> u64 {
        self.0.iter().fold(7, |h, word| (h ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29))
    }
}

/// Numbers of 0 to 3: two bits of the input, a variable, or a sum.
#[derive(Clone, Debug)]
enum Expr {
    Input(u8),
    Var(u8),
    Plus(u8, u8),
}

#[derive(Clone, Debug)]
enum Stmt {
    Set(u8, Expr),
    If(Expr, u8, Vec<Stmt>, Vec<Stmt>),
    /// While the expression is less than the number, at most so many times.
    Loop(Expr, u8, u8, Vec<Stmt>),
    Call(Vec<Stmt>),
    Return,
    /// A bug where the expression is the number.
    Check(Expr, u8),
    Output(u8),
    Exit,
}

const VARS: usize = 3;
type Vars = [[u8; 256]; VARS];

fn value(e: &Expr, vars: &Vars, x: u8) -> u8 {
    match *e {
        Expr::Input(i) => x >> (2 * i) & 3,
        Expr::Var(v) => vars[usize::from(v)][usize::from(x)],
        Expr::Plus(v, k) => (vars[usize::from(v)][usize::from(x)] + k) & 3,
    }
}

fn expr() -> impl Strategy<Value = Expr> {
    prop_oneof![
        (0u8..4).prop_map(Expr::Input),
        (0..VARS as u8).prop_map(Expr::Var),
        (0..VARS as u8, 0u8..4).prop_map(|(v, k)| Expr::Plus(v, k)),
    ]
}

fn program() -> impl Strategy<Value = Vec<Stmt>> {
    let leaf = prop_oneof![
        8 => (0..VARS as u8, expr()).prop_map(|(v, e)| Stmt::Set(v, e)),
        3 => (expr(), 0u8..4).prop_map(|(e, k)| Stmt::Check(e, k)),
        2 => (0..VARS as u8).prop_map(Stmt::Output),
        2 => Just(Stmt::Return),
        1 => Just(Stmt::Exit),
    ];
    let stmt = leaf.prop_recursive(4, 40, 4, |inner| {
        let block = prop::collection::vec(inner, 0..4);
        prop_oneof![
            5 => (expr(), 1u8..4, block.clone(), block.clone()).prop_map(|(e, k, a, b)| Stmt::If(e, k, a, b)),
            2 => (expr(), 1u8..4, 1u8..5, block.clone()).prop_map(|(e, k, n, b)| Stmt::Loop(e, k, n, b)),
            2 => block.prop_map(Stmt::Call),
        ]
    });
    prop::collection::vec(stmt, 1..7)
}

/// Options of merging. The bounds are counted: where one is exceeded, a branch is an ordinary decision.
#[derive(Clone, Copy, Debug)]
struct Merge {
    /// Scopes that may be open at once; 0: nothing is merged.
    depth: usize,
    /// Arms that one outermost scope may have.
    arms: usize,
    /// Of so many sets of inputs each but one is seen to be empty where it is: a search by counted work fails, and the same each time.
    sees: u64,
}

const OFF: Merge = Merge { depth: 0, arms: 0, sees: 1 };

fn merge() -> impl Strategy<Value = Merge> {
    (1usize..6, 0usize..20, 1u64..5).prop_map(|(depth, arms, sees)| Merge { depth, arms, sees })
}

/// How a class ends.
#[derive(Clone, Debug, PartialEq)]
struct End {
    inputs: Set,
    /// The place of the bug; places are numbers of statements in the order of the text.
    bug: Option<u32>,
    vars: Box<Vars>,
    output: Vec<[u8; 256]>,
    /// Statements, and the inputs that execute them.
    marks: BTreeMap<u32, Set>,
}

enum Stop {
    /// Comes to a decision that has no answer yet.
    Decision(Set),
    /// The program ends, in a bug if there is a place.
    End(Option<u32>),
}

/// The program from its start, with the answers of the decisions so far: the function that all laws rest on.
struct Run<'a> {
    merge: Merge,
    answers: &'a [bool],
    used: usize,
    /// The inputs that go this way.
    path: Set,
    decided: Vec<(Set, bool)>,
    vars: Box<Vars>,
    output: Vec<[u8; 256]>,
    marks: BTreeMap<u32, Set>,
    /// Of each call that is open the inputs that have returned.
    returned: Vec<Set>,
    open: usize,
    arms: usize,
}

/// Where a statement stands in the text, and the number of the statement behind it.
fn size(stmt: &Stmt) -> u32 {
    let all = |block: &[Stmt]| block.iter().map(size).sum::<u32>();
    1 + match stmt {
        Stmt::If(_, _, a, b) => all(a) + all(b),
        Stmt::Loop(.., body) | Stmt::Call(body) => all(body),
        _ => 0,
    }
}

impl Run<'_> {
    fn new(merge: Merge, answers: &[bool]) -> Run<'_> {
        Run {
            merge,
            answers,
            used: 0,
            path: ALL,
            decided: Vec::new(),
            vars: Box::new([[0; 256]; VARS]),
            output: Vec::new(),
            marks: BTreeMap::new(),
            returned: Vec::new(),
            open: 0,
            arms: 0,
        }
    }

    /// The value of a condition, if simplification sees it: a constant, a decided one, or one that counted work refutes.
    fn known(&self, cond: &Set) -> Option<bool> {
        if *cond == ALL || *cond == NONE {
            return Some(*cond == ALL);
        }
        if let Some((_, side)) = self.decided.iter().find(|(known, _)| known == cond) {
            return Some(*side);
        }
        if let Some((_, side)) = self.decided.iter().find(|(known, _)| *known == cond.not()) {
            return Some(!*side);
        }
        if self.merge.sees == 1 || (cond.hash() ^ self.path.hash()).is_multiple_of(self.merge.sees) {
            return None;
        }
        let (on, off) = (self.path.and(cond), self.path.and(&cond.not()));
        if on == NONE { Some(false) } else { (off == NONE).then_some(true) }
    }

    fn decide(&mut self, cond: Set) -> Result<bool, Stop> {
        if let Some(known) = self.known(&cond) {
            return Ok(known);
        }
        let side = *self.answers.get(self.used).ok_or(Stop::Decision(cond))?;
        self.used += 1;
        self.path = self.path.and(&if side { cond } else { cond.not() });
        self.decided.push((cond, side));
        Ok(side)
    }

    /// Inputs under this guard do what the others cannot do with them: one decision, and then they are alone or gone.
    fn leaves(&mut self, guard: &Set) -> Result<bool, Stop> {
        self.decide(*guard)
    }

    fn holds(&self, e: &Expr, f: impl Fn(u8) -> bool) -> Set {
        Set::of(|x| f(value(e, &self.vars, x)))
    }

    fn may_merge(&self) -> bool {
        self.open < self.merge.depth && self.arms < self.merge.arms
    }

    /// Runs a block under a guard; returns the inputs that come to its end.
    fn block(&mut self, block: &[Stmt], mut at: u32, mut guard: Set) -> Result<Set, Stop> {
        for stmt in block {
            if self.known(&guard) == Some(false) {
                return Ok(NONE);
            }
            guard = self.stmt(stmt, at, guard)?;
            at += size(stmt);
        }
        Ok(guard)
    }

    fn stmt(&mut self, stmt: &Stmt, at: u32, guard: Set) -> Result<Set, Stop> {
        let mark = self.marks.entry(at).or_insert(NONE);
        *mark = mark.or(&guard);
        match stmt {
            Stmt::Set(v, e) => {
                let values: [u8; 256] = std::array::from_fn(|x| value(e, &self.vars, x as u8));
                for x in guard.inputs() {
                    self.vars[usize::from(*v)][usize::from(x)] = values[usize::from(x)];
                }
                Ok(guard)
            }
            Stmt::If(e, k, a, b) => {
                let cond = self.holds(e, |v| v < *k);
                let behind = at + 1 + a.iter().map(size).sum::<u32>();
                self.branch(
                    guard,
                    cond,
                    |run, guard| run.block(a, at + 1, guard),
                    |run, guard| run.block(b, behind, guard),
                )
            }
            Stmt::Loop(e, k, most, body) => self.turns(guard, (e, *k), *most, (body, at + 1)),
            Stmt::Call(body) => {
                self.returned.push(NONE);
                let ended = self.scope(|run| run.block(body, at + 1, guard));
                let returned = self.returned.pop().unwrap();
                Ok(ended?.or(&returned))
            }
            Stmt::Return => match self.returned.last_mut() {
                Some(returned) => {
                    *returned = returned.or(&guard);
                    Ok(NONE)
                }
                None => self.exits(&guard),
            },
            Stmt::Check(e, k) => {
                let bad = self.holds(e, |v| v == *k).and(&guard);
                if self.decide(bad)? { Err(Stop::End(Some(at))) } else { Ok(guard) }
            }
            Stmt::Output(v) => {
                if !self.leaves(&guard)? {
                    return Ok(NONE);
                }
                self.output.push(self.vars[usize::from(*v)]);
                Ok(guard)
            }
            Stmt::Exit => self.exits(&guard),
        }
    }

    fn exits(&mut self, guard: &Set) -> Result<Set, Stop> {
        if self.leaves(guard)? { Err(Stop::End(None)) } else { Ok(NONE) }
    }

    /// Runs a scope; the arms of the outermost one are counted.
    fn scope<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.open += 1;
        let result = run(self);
        self.open -= 1;
        if self.open == 0 {
            self.arms = 0;
        }
        result
    }

    fn branch(
        &mut self,
        guard: Set,
        cond: Set,
        on_true: impl FnOnce(&mut Self, Set) -> Result<Set, Stop>,
        on_false: impl FnOnce(&mut Self, Set) -> Result<Set, Stop>,
    ) -> Result<Set, Stop> {
        if !self.may_merge() {
            if !self.leaves(&guard)? {
                return Ok(NONE);
            }
            return if self.decide(cond)? { on_true(self, guard) } else { on_false(self, guard) };
        }
        self.scope(|run| {
            run.arms += 2;
            let a = on_true(run, guard.and(&cond))?;
            let b = on_false(run, guard.and(&cond.not()))?;
            Ok(a.or(&b))
        })
    }

    fn turns(
        &mut self,
        guard: Set,
        (e, k): (&Expr, u8),
        most: u8,
        (body, at): (&[Stmt], u32),
    ) -> Result<Set, Stop> {
        let (mut left, mut inside) = (NONE, guard);
        for _ in 0..most {
            let cond = self.holds(e, |v| v < k);
            if self.may_merge() {
                left = left.or(&inside.and(&cond.not()));
                let turn = inside.and(&cond);
                inside = self.scope(|run| {
                    run.arms += 1;
                    run.block(body, at, turn)
                })?;
            } else if !self.leaves(&inside)? {
                return Ok(left);
            } else if self.decide(cond)? {
                inside = self.block(body, at, inside)?;
            } else {
                return Ok(left.or(&inside));
            }
            if self.known(&inside) == Some(false) {
                return Ok(left);
            }
        }
        Ok(left.or(&inside))
    }
}

/// The next decision behind these answers, or the end.
fn next(program: &[Stmt], merge: Merge, answers: &[bool]) -> Result<Set, End> {
    let mut run = Run::new(merge, answers);
    let bug = match run.block(program, 0, ALL) {
        Err(Stop::Decision(cond)) => return Ok(cond),
        Err(Stop::End(bug)) => bug,
        Ok(_) => None,
    };
    assert_eq!(run.used, answers.len(), "an answer that nobody asked for");
    let Run { path: inputs, vars, output, marks, .. } = run;
    Err(End { inputs, bug, vars, output, marks })
}

/// The program on one input, in the plain way: its branches, and how it ends.
#[derive(Default)]
struct Alone {
    x: u8,
    vars: [u8; VARS],
    sides: Vec<(u32, bool)>,
    output: Vec<u8>,
    marks: BTreeSet<u32>,
}

enum Ends {
    Returns,
    Exits,
    Bug(u32),
}

impl Alone {
    fn value(&self, e: &Expr) -> u8 {
        match *e {
            Expr::Input(i) => self.x >> (2 * i) & 3,
            Expr::Var(v) => self.vars[usize::from(v)],
            Expr::Plus(v, k) => (self.vars[usize::from(v)] + k) & 3,
        }
    }

    fn goes(&mut self, at: u32, side: bool) -> bool {
        self.sides.push((at, side));
        side
    }

    fn block(&mut self, block: &[Stmt], mut at: u32) -> Result<(), Ends> {
        for stmt in block {
            self.marks.insert(at);
            match stmt {
                Stmt::Set(v, e) => self.vars[usize::from(*v)] = self.value(e),
                Stmt::If(e, k, a, b) => {
                    let behind = at + 1 + a.iter().map(size).sum::<u32>();
                    let side = self.value(e) < *k;
                    if self.goes(at, side) { self.block(a, at + 1)? } else { self.block(b, behind)? }
                }
                Stmt::Loop(e, k, most, body) => {
                    for _ in 0..*most {
                        let side = self.value(e) < *k;
                        if !self.goes(at, side) {
                            break;
                        }
                        self.block(body, at + 1)?;
                    }
                }
                Stmt::Call(body) => match self.block(body, at + 1) {
                    Ok(()) | Err(Ends::Returns) => {}
                    ends => return ends,
                },
                Stmt::Return => return Err(Ends::Returns),
                Stmt::Check(e, k) => {
                    let bad = self.value(e) == *k;
                    if self.goes(at, bad) {
                        return Err(Ends::Bug(at));
                    }
                }
                Stmt::Output(v) => self.output.push(self.vars[usize::from(*v)]),
                Stmt::Exit => return Err(Ends::Exits),
            }
            at += size(stmt);
        }
        Ok(())
    }
}

fn alone(program: &[Stmt], x: u8) -> (Alone, Option<u32>) {
    let mut run = Alone { x, ..Alone::default() };
    let bug = match run.block(program, 0) {
        Err(Ends::Bug(at)) => Some(at),
        _ => None,
    };
    (run, bug)
}

/// The tree of classes of a program as a space.
struct Classes<'a> {
    program: &'a [Stmt],
    merge: Merge,
    /// The inputs that count: all, or those of a class that is expanded.
    within: Set,
    random: u64,
}

#[derive(Clone)]
struct State {
    answers: Vec<bool>,
    conds: Vec<Set>,
    path: Set,
    digest: PathDigest,
}

fn test_of(x: u8) -> Test {
    Test { objects: vec![Object { name: "x".into(), bytes: vec![x] }] }
}

impl Space for Classes<'_> {
    type State = State;
    type Cond = Set;
    type Witness = u8;
    type End = End;
    fn root(&mut self) -> State {
        State { answers: Vec::new(), conds: Vec::new(), path: self.within, digest: PathDigest::default() }
    }
    fn prepare(&mut self, test: &Test) -> u8 {
        let given = test.objects.first().map_or(0, |object| object.bytes[0]);
        if self.within.has(given) { given } else { self.within.inputs().next().unwrap() }
    }
    fn write_down(&mut self, _: &State, witness: &u8) -> Test {
        test_of(*witness)
    }
    fn run(&mut self, state: &mut State, _: &u8, _: u64) -> Outcome<Set, End> {
        match next(self.program, self.merge, &state.answers) {
            Ok(cond) => Outcome::Decision { cond, assume: false },
            Err(end) => Outcome::Ended(End { inputs: end.inputs.and(&self.within), ..end }),
        }
    }
    fn decides(&mut self, cond: &Set, witness: &u8) -> bool {
        cond.has(*witness)
    }
    fn ask(&mut self, state: &State, cond: &Set, side: bool, _: &u8) -> Answer<u8> {
        let inputs = state.path.and(&if side { *cond } else { cond.not() });
        // Any of them, as a solver that has learnt other things finds another model.
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let count = inputs.inputs().count().max(1);
        match inputs.inputs().nth((self.random >> 33) as usize % count) {
            Some(x) => Answer::Feasible(x),
            None => Answer::Infeasible,
        }
    }
    fn take(&mut self, state: &mut State, cond: &Set, side: bool) {
        state.answers.push(side);
        state.conds.push(*cond);
        state.path = state.path.and(&if side { *cond } else { cond.not() });
        state.digest = state.digest.extend(cond.hash(), side);
    }
    fn depth(&self, state: &State) -> u32 {
        state.answers.len() as u32
    }
    fn digest(&self, state: &State) -> PathDigest {
        state.digest
    }
    fn decisions(&self, state: &State) -> Vec<u8> {
        let each = state.conds.iter().zip(&state.answers);
        each.map(|(cond, side)| Fingerprints::one(cond.hash(), *side)).collect()
    }
}

/// A class that an exploration has found.
struct Found {
    digest: PathDigest,
    test: u8,
    end: End,
}

/// Explores a region, at most about `stop` classes of it; what is left.
fn explore(
    space: &mut Classes,
    region: Region,
    how: usize,
    stop: usize,
    found: &mut Vec<Found>,
) -> Vec<Region> {
    let limits = Limits::default();
    let mut explorer = if how < ITEM_ORDERS.len() {
        let concrete = Concrete { order: ITEM_ORDERS[how].1, bound: None };
        AnyExplorer::Concolic(Concolic::new(space, region, limits, concrete, Trail::default()))
    } else {
        let name = STRATEGIES[how % STRATEGIES.len()].name.to_string();
        let strategy = Search::new(&[name], how as u64).unwrap().strategy(None);
        AnyExplorer::Symbolic(Explorer::on_trail(space, region, limits, strategy, Trail::default()))
    };
    let (mut left, before) = (Vec::new(), found.len());
    while !explorer.is_done() && found.len() - before < stop {
        let mut events = Vec::new();
        explorer.step(space, 1000, &mut events);
        for event in events {
            match event {
                Event::Path { state, witness, end, .. } => {
                    found.push(Found { digest: state.digest, test: witness, end })
                }
                Event::Unknown { region, .. } | Event::Cut { region, .. } => left.push(region),
                _ => panic!("a divergence that nobody planted"),
            }
        }
    }
    left.extend(explorer.remaining(space));
    left
}

fn all_classes(program: &[Stmt], merge: Merge, within: Set, seed: u64) -> Vec<Found> {
    let mut space = Classes { program, merge, within, random: seed };
    let mut found = Vec::new();
    let left = explore(&mut space, Region::whole(), ITEM_ORDERS.len(), usize::MAX, &mut found);
    assert!(left.is_empty());
    found
}

fn digests(found: &[Found]) -> BTreeSet<PathDigest> {
    let all: BTreeSet<_> = found.iter().map(|class| class.digest).collect();
    assert_eq!(all.len(), found.len(), "a class twice");
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_input_is_in_one_class_which_does_what_the_input_does_alone(
        program in program(), merge in merge(), seed: u64,
    ) {
        let mut seen = NONE;
        for Found { test, end, .. } in all_classes(&program, merge, ALL, seed) {
            prop_assert_eq!(seen.and(&end.inputs), NONE, "an input in two classes");
            prop_assert!(end.inputs.has(test));
            seen = seen.or(&end.inputs);
            for x in end.inputs.inputs() {
                let (run, bug) = alone(&program, x);
                prop_assert_eq!(bug, end.bug);
                let output: Vec<u8> = end.output.iter().map(|values| values[usize::from(x)]).collect();
                prop_assert_eq!(output, run.output);
                prop_assert_eq!(end.vars.map(|var| var[usize::from(x)]), run.vars);
                let marks: BTreeSet<u32> =
                    end.marks.iter().filter(|(_, inputs)| inputs.has(x)).map(|(mark, _)| *mark).collect();
                prop_assert_eq!(marks, run.marks, "what the input covers");
            }
        }
        prop_assert_eq!(seen, ALL);
    }

    #[test]
    fn without_merging_classes_are_paths_and_with_it_unions_of_paths(
        program in program(), merge in merge(), seed: u64,
    ) {
        let mut paths: BTreeMap<Vec<(u32, bool)>, Set> = BTreeMap::new();
        for x in 0..=255 {
            let inputs = paths.entry(alone(&program, x).0.sides).or_insert(NONE);
            *inputs = inputs.or(&Set::of(|y| y == x));
        }
        let off = all_classes(&program, OFF, ALL, seed);
        let unmerged: BTreeSet<Set> = off.iter().map(|class| class.end.inputs).collect();
        prop_assert_eq!(&unmerged, &paths.values().copied().collect::<BTreeSet<_>>());
        let on = all_classes(&program, merge, ALL, seed);
        for path in &unmerged {
            let holders = on.iter().filter(|class| class.end.inputs.and(path) != NONE);
            prop_assert_eq!(holders.map(|class| class.end.inputs.and(path)).collect::<Vec<_>>(), vec![*path]);
        }
        prop_assert!(on.len() <= off.len());
        let bugs = |all: &[Found]| all.iter().filter_map(|class| class.end.bug).collect::<BTreeSet<u32>>();
        prop_assert_eq!(bugs(&on), bugs(&off));
        // What a finished run covers: marks that some input of the class passes.
        let covered = |all: &[Found]| {
            let marks = all.iter().flat_map(|class| {
                class.end.marks.iter().filter(|(_, inputs)| inputs.and(&class.end.inputs) != NONE).map(|(mark, _)| *mark)
            });
            marks.collect::<BTreeSet<u32>>()
        };
        prop_assert_eq!(covered(&on), covered(&off));
    }

    #[test]
    fn classes_expanded_are_the_paths_without_merging(program in program(), merge in merge(), seed: u64) {
        let unmerged = digests(&all_classes(&program, OFF, ALL, seed));
        let mut expanded = BTreeSet::new();
        for class in all_classes(&program, merge, ALL, seed) {
            for digest in digests(&all_classes(&program, OFF, class.end.inputs, seed)) {
                prop_assert!(expanded.insert(digest), "a path in two classes");
            }
        }
        prop_assert_eq!(expanded, unmerged);
    }

    /// With any strategy, concolic, in ranges between tests, stopped and resumed.
    #[test]
    fn classes_are_the_same_however_they_are_explored(
        program in program(), merge in merge(), seed: u64,
        turns in prop::collection::vec((0usize..64, 1usize..5), 1..20),
        cuts in prop::collection::vec(any::<u8>(), 0..4),
    ) {
        let whole = digests(&all_classes(&program, merge, ALL, seed));
        let mut space = Classes { program: &program, merge, within: ALL, random: seed };
        let tests = cuts.into_iter().map(test_of).collect();
        let mut open = Region::between(cleave_explore::sort(&mut space, tests, 1 << 40).0);
        let (mut found, mut turn) = (Vec::new(), 0);
        while let Some(region) = open.pop() {
            let (how, stop) = turns[turn % turns.len()];
            turn += 1;
            // The last turns go to the end, so that there is one.
            let stop = if turn > 300 { usize::MAX } else { stop };
            open.extend(explore(&mut space, region, how, stop, &mut found));
        }
        prop_assert_eq!(digests(&found), whole);
    }
}
