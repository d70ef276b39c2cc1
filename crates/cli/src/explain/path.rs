//! The path of a test as source lines, with the decisions on its way.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use cleave_engine::State;
use cleave_explore::{Met, Programs, Space, walk_closely};
use cleave_expr::Names;
use cleave_program::code::{FuncId, Function, Op, Pc, Program};
use cleave_region::Test;

use super::ends::{Ended, ended};
use super::loops::{Folded, Item, Node};

/// Jumps, calls and returns of a path that is shown.
const MOST_STEPS: u64 = 20_000_000;
/// Operators of a condition that are shown.
const MOST_OPERATORS: usize = 24;

/// A condition that the path has decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The condition that holds since then, as C.
    pub holds: String,
    /// It is an assumption.
    pub assumed: bool,
    /// The function of the C library in which it was decided, if it was.
    pub inside: Option<String>,
}

/// A line of the program that was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The function; `None` before and behind `main`.
    pub function: Option<String>,
    /// The file as debug information has it; empty where that is not known.
    pub file: String,
    /// The line from 1; 0 where it is not known.
    pub line: u32,
    /// Decisions at this line, in order.
    pub decisions: Vec<Decision>,
    key: u64,
}

impl Step {
    /// Returns true if both steps are at the same line of the same function.
    fn is_at(&self, other: &Step) -> bool {
        (&self.function, &self.file, self.line) == (&other.function, &other.file, other.line)
    }
}

impl Item for Step {
    fn key(&self) -> u64 {
        self.key
    }

    fn merge(&mut self, later: Step) {
        self.decisions.extend(later.decisions);
    }
}

/// A path.
pub struct Way {
    /// Its lines.
    pub steps: Vec<Node<Step>>,
    /// End of the path; `None` if the path is too long to be followed.
    pub end: Option<Ended>,
}

/// Position in a piece of code without jumps that is being executed.
struct At {
    func: FuncId,
    height: u32,
    /// The first op whose lines are not recorded yet.
    next: Pc,
}

/// Point up to which code has been executed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// Up to an op, which has not done all yet.
    Stopped(Pc),
    /// To its jump, after which control is here in the same function.
    Jumped(Option<Pc>),
}

struct Recorder<'a> {
    program: &'a Program,
    /// The positions of the lines that are executed with an op.
    lines: BTreeMap<(FuncId, Pc), Vec<u32>>,
    folded: Folded<Step>,
    at: Option<At>,
}

/// The positions of the lines at each op of the program's own functions where a piece of the source begins.
fn lines_at(program: &Program) -> BTreeMap<(FuncId, Pc), Vec<u32>> {
    let mut lines: BTreeMap<(FuncId, Pc), Vec<u32>> = BTreeMap::new();
    for (func, function) in program.functions.iter().enumerate().filter(|(_, f)| !f.library) {
        for piece in &function.pieces {
            lines.entry((func as FuncId, piece.at)).or_default().extend(&piece.lines);
        }
    }
    lines
}

/// Follows a test.
pub fn way_of(space: &mut Programs, program: &Program, names: &dyn Names, test: &Test) -> Way {
    let (witness, mut state) = (space.prepare(test), space.root());
    let mut recorder = Recorder { program, lines: lines_at(program), folded: Folded::default(), at: None };
    recorder.comes_to(&state);
    let walked = walk_closely(space, &mut state, &witness, (1, MOST_STEPS), |space, met| {
        match met {
            Met::Place(state) => recorder.comes_to(state),
            Met::Decision(passing) => {
                recorder.tell_up_to(passing.state);
                let holds = space.c_text(*passing.cond, passing.side, names, MOST_OPERATORS);
                recorder.decide(passing.state, holds, passing.assume);
            }
        }
        ControlFlow::<()>::Continue(())
    });
    recorder.tell_up_to(&state);
    Way { end: ended(space, walked, &state, &witness), steps: joined(recorder.folded.nodes()) }
}

/// The nodes, with one for all the code of a line that is executed in a row.
fn joined(nodes: Vec<Node<Step>>) -> Vec<Node<Step>> {
    let mut all: Vec<Node<Step>> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let node = match node {
            Node::One(..) => node,
            Node::Loop(body, times) => {
                let mut body = joined(body);
                match body.pop() {
                    Some(Node::One(step, 1)) if body.is_empty() => Node::One(step, times),
                    last => Node::Loop(body.into_iter().chain(last).collect(), times),
                }
            }
        };
        match (all.last_mut(), node) {
            (Some(Node::One(last, times)), Node::One(step, more)) if last.is_at(&step) => {
                last.merge(step);
                *times = (*times).max(more);
            }
            (_, node) => all.push(node),
        }
    }
    all
}

impl Recorder<'_> {
    fn function(&self, func: FuncId) -> Option<&Function> {
        self.program.functions.get(func as usize).filter(|f| !f.library)
    }

    /// Program counter of a state in the code of `at`; `None` if the state is in another function or call.
    fn pc_in(&self, at: &At, state: &State) -> Option<Pc> {
        let (func, pc) = state.stack().next()?;
        (func == at.func && state.height() == at.height).then_some(pc)
    }

    /// Control has jumped: records the rest of the code before, and begins new code.
    fn comes_to(&mut self, state: &State) {
        if let Some(at) = self.at.take() {
            let now = self.pc_in(&at, state);
            self.tell(&at, Until::Jumped(now));
        }
        let Some((func, pc)) = state.stack().next() else { return };
        if self.function(func).is_some() {
            self.at = Some(At { func, height: state.height(), next: pc });
        }
    }

    /// Records the code at hand up to the state, which stands somewhere in it.
    fn tell_up_to(&mut self, state: &State) {
        let Some(mut at) = self.at.take() else { return };
        let Some(pc) = self.pc_in(&at, state) else { return self.tell(&at, Until::Jumped(None)) };
        self.tell(&at, Until::Stopped(pc));
        at.next = pc + 1;
        // Behind a branch is the code of one of its sides.
        let code = self.function(at.func).map(|f| &f.code[..]).unwrap_or_default();
        self.at = Some(at).filter(|_| !code.get(pc as usize).is_none_or(goes_elsewhere));
    }

    /// Records the lines of the code that are not recorded yet.
    fn tell(&mut self, at: &At, until: Until) {
        let program = self.program;
        let Some(function) = program.functions.get(at.func as usize) else { return };
        let mut pc = at.next;
        for _ in 0..=function.code.len() {
            let Some(op) = function.code.get(pc as usize) else { return };
            for position in self.lines.get(&(at.func, pc)).cloned().unwrap_or_default() {
                let step = self.step(at.func, pc, position);
                self.folded.push(step);
            }
            match *op {
                _ if until == Until::Stopped(pc) => return,
                // A jump that is no instruction of the program is not seen as one.
                Op::Jump { to, n: 0 } if until != Until::Jumped(Some(to)) => pc = to,
                _ if goes_elsewhere(op) => return,
                _ => pc += 1,
            }
        }
    }

    /// A line of the code that begins with an op, by the index of its position.
    fn step(&self, func: FuncId, pc: Pc, position: u32) -> Step {
        let place = self.program.positions.get(position as usize);
        let (file, line) = place.map_or((u32::MAX, 0), |p| (p.file, p.line));
        let file = self.program.strings.get(file as usize).cloned().unwrap_or_default();
        let function = self.function(func).map(|f| f.name.clone());
        let key = (u64::from(func) << 32 | u64::from(pc)) ^ u64::from(position).rotate_right(20);
        Step { function, file, line, decisions: Vec::new(), key }
    }

    fn decide(&mut self, state: &State, holds: String, assumed: bool) {
        let inside = state.stack().next().and_then(|(func, _)| self.program.functions.get(func as usize));
        let inside = inside.filter(|f| f.library).map(|f| f.name.clone());
        let own = state.stack().find(|&(func, _)| self.function(func).is_some());
        let step = match own {
            Some((func, pc)) => {
                let positions = self.function(func).map(|f| &f.positions[..]).unwrap_or_default();
                self.step(func, pc, positions.get(pc as usize).copied().unwrap_or(u32::MAX))
            }
            // The start-up code.
            None => Step { function: None, file: String::new(), line: 0, decisions: Vec::new(), key: 1 },
        };
        let decision = Decision { holds, assumed, inside };
        match self.folded.last_mut() {
            Some(last) if last.is_at(&step) => last.decisions.push(decision),
            _ => self.folded.push(Step { decisions: vec![decision], ..step }),
        }
    }
}

/// Returns true if control leaves for another place than the next op, or returns to the next op later.
fn goes_elsewhere(op: &Op) -> bool {
    op.is_terminator() || matches!(op, Op::Call { .. } | Op::CallVar { .. } | Op::CallIndirect { .. })
}
