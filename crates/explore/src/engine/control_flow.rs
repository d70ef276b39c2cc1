//! The interprocedural control flow graph of a program, and the distance from a place to code that no path has
//! reached. The strategy `covnew` asks for the distances.
//!
//! A node is a block of the register code, or the rest of one behind a call. The length of an edge is the number of ops of
//! the block that it leaves; an edge over a call also has the length of the shortest way through the callee. Calls through
//! pointers may lead to every function whose address is taken.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use cleave_program::code::{Flow as Way, Function, Program};
use cleave_program::layout::{FUNCTION_BASE, FUNCTION_STRIDE};

use crate::strategy::Place;

/// Distance of an unreachable node.
const FAR: u32 = u32::MAX;
/// Assumed length of a call through a pointer, as the callee is not known, in ops.
const INDIRECT: u32 = 16;

/// The graph; computed once for a program.
#[derive(Debug, Default)]
pub struct Flow {
    /// The first node of each function, and the number of nodes.
    first: Vec<u32>,
    /// Start of each node in its function.
    starts: Vec<u32>,
    /// By node: its predecessors, with the length of the edges.
    sources: Vec<Vec<(u32, u32)>>,
    /// By node: the length of the shortest way to a return of its function.
    to_return: Vec<u32>,
}

/// The call that ends a node.
enum Call {
    Direct(u32),
    Indirect,
}

/// A call, with the nodes before and behind it and the length of the first.
struct Site {
    call: Call,
    node: u32,
    behind: u32,
    length: u32,
}

impl Flow {
    /// The graph of a program.
    pub fn new(program: &Program) -> Flow {
        let mut flow = Flow::default();
        for function in &program.functions {
            flow.first.push(flow.starts.len() as u32);
            flow.starts.extend(leaders(function));
        }
        flow.first.push(flow.starts.len() as u32);
        let nodes = flow.starts.len();
        flow.sources = vec![Vec::new(); nodes];
        let mut sites = Vec::new();
        let mut returns = Vec::new();
        for (func, function) in program.functions.iter().enumerate() {
            flow.connect(func as u32, function, &mut sites, &mut returns);
        }
        flow.find_returns(&sites, &returns);
        let targets = address_taken(program);
        for site in &sites {
            let callees: &[u32] = match &site.call {
                Call::Direct(callee) => std::slice::from_ref(callee),
                Call::Indirect => &targets,
            };
            // If many functions may be called, each is a little further away.
            let length = site.length.saturating_add(callees.len().checked_ilog2().unwrap_or(0));
            for &callee in callees {
                if let Some(entry) = flow.entry(callee) {
                    flow.sources[entry as usize].push((site.node, length));
                }
            }
            let through = flow.through(&site.call);
            if through != FAR {
                let over = site.length.saturating_add(through);
                flow.sources[site.behind as usize].push((site.node, over));
            }
        }
        flow
    }

    fn entry(&self, func: u32) -> Option<u32> {
        let (first, next) = (self.first.get(func as usize)?, self.first.get(func as usize + 1)?);
        (first < next).then_some(*first)
    }

    /// Length of the shortest way through the callee.
    fn through(&self, call: &Call) -> u32 {
        match call {
            Call::Direct(callee) => self.entry(*callee).map_or(FAR, |entry| self.to_return[entry as usize]),
            Call::Indirect => INDIRECT,
        }
    }

    /// The node that contains a place.
    fn node(&self, place: Place) -> Option<u32> {
        let first = *self.first.get(place.func as usize)?;
        let next = *self.first.get(place.func as usize + 1)?;
        let starts = &self.starts[first as usize..next as usize];
        let behind = starts.partition_point(|&start| start <= place.pc);
        behind.checked_sub(1).map(|i| first + i as u32)
    }

    /// Start of the node that contains a place.
    pub fn start(&self, place: Place) -> Place {
        let pc = self.node(place).map_or(place.pc, |node| self.starts[node as usize]);
        Place { func: place.func, pc }
    }

    /// Edges within a function, its calls and returns.
    fn connect(
        &mut self,
        func: u32,
        function: &Function,
        sites: &mut Vec<Site>,
        returns: &mut Vec<(u32, u32)>,
    ) {
        let (first, next) = (self.first[func as usize], self.first[func as usize + 1]);
        for node in first..next {
            let start = self.starts[node as usize];
            let end =
                if node + 1 < next { self.starts[node as usize + 1] } else { function.code.len() as u32 };
            let length = end - start;
            let Some(last) = end.checked_sub(1).and_then(|i| function.code.get(i as usize)) else { continue };
            let mut targets = function.targets(last);
            match last.flow() {
                Way::Call => {
                    let call = last.callee().map_or(Call::Indirect, Call::Direct);
                    if node + 1 < next {
                        sites.push(Site { call, node, behind: node + 1, length });
                    }
                    continue;
                }
                Way::Return => returns.push((node, length)),
                Way::Next if node + 1 < next => targets.push(end),
                Way::Next | Way::Jump | Way::End => {}
            }
            for pc in targets {
                if let Some(to) = self.node(Place { func, pc }) {
                    self.sources[to as usize].push((node, length));
                }
            }
        }
    }

    /// Fills in `to_return`. A call is passed once the lengths through the callee and from behind the call
    /// are both known; the node with the shortest way is finished first, as in Dijkstra's algorithm (Knuth 1977).
    fn find_returns(&mut self, sites: &[Site], returns: &[(u32, u32)]) {
        let nodes = self.starts.len();
        self.to_return = vec![FAR; nodes];
        let mut by_node: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        for (i, site) in sites.iter().enumerate() {
            by_node[site.behind as usize].push(i);
            if let Call::Direct(callee) = site.call
                && let Some(entry) = self.entry(callee)
            {
                by_node[entry as usize].push(i);
            }
        }
        let mut queue: BinaryHeap<Reverse<(u32, u32)>> =
            returns.iter().map(|&(node, length)| Reverse((length, node))).collect();
        while let Some(Reverse((way, node))) = queue.pop() {
            if self.to_return[node as usize] != FAR {
                continue;
            }
            self.to_return[node as usize] = way;
            for &(source, length) in &self.sources[node as usize] {
                queue.push(Reverse((way.saturating_add(length), source)));
            }
            for site in by_node[node as usize].iter().map(|&i| &sites[i]) {
                let (through, rest) = (self.through(&site.call), self.to_return[site.behind as usize]);
                if through != FAR && rest != FAR {
                    let way = site.length.saturating_add(through).saturating_add(rest);
                    queue.push(Reverse((way, site.node)));
                }
            }
        }
    }
}

/// Starts of nodes: the entry, the targets of jumps, and the places behind calls and jumps.
fn leaders(function: &Function) -> Vec<u32> {
    let mut all = vec![0];
    for (pc, op) in function.code.iter().enumerate() {
        all.extend(function.targets(op));
        if op.flow() != Way::Next {
            all.push(pc as u32 + 1);
        }
    }
    all.retain(|&pc| (pc as usize) < function.code.len());
    all.sort_unstable();
    all.dedup();
    all
}

/// The functions whose addresses are among the constants of the code or in the globals.
fn address_taken(program: &Program) -> Vec<u32> {
    let end = FUNCTION_BASE + FUNCTION_STRIDE * program.functions.len() as u64;
    let function = |v: u64| {
        let inside = (FUNCTION_BASE..end).contains(&v) && (v - FUNCTION_BASE).is_multiple_of(FUNCTION_STRIDE);
        inside.then(|| ((v - FUNCTION_BASE) / FUNCTION_STRIDE) as u32)
    };
    let constants = program.functions.iter().flat_map(|f| f.constants.iter().copied());
    // Zeros at the end of a value are omitted, also those of its last word.
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |v, byte| v << 8 | u64::from(*byte));
    let bytes = program.target.pointer_bytes() as usize;
    let words = program.globals.iter().flat_map(|g| g.init.chunks(bytes).map(word));
    let mut all: Vec<u32> = constants.chain(words).filter_map(function).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Distance from each node to one that is not covered.
#[derive(Clone, Debug)]
pub struct Distances {
    flow: Arc<Flow>,
    covered: Vec<bool>,
    to_new: Vec<u32>,
    outdated: bool,
}

impl Distances {
    /// Distances with nothing covered.
    pub fn new(flow: Arc<Flow>) -> Distances {
        let nodes = flow.starts.len();
        Distances { flow, covered: vec![false; nodes], to_new: vec![0; nodes], outdated: false }
    }

    /// Marks the nodes that start at these places as covered; it takes effect with the next update.
    pub fn cover(&mut self, places: &[Place]) {
        for &place in places {
            let Some(node) = self.flow.node(place) else { continue };
            if self.flow.starts[node as usize] == place.pc && !self.covered[node as usize] {
                self.covered[node as usize] = true;
                self.outdated = true;
            }
        }
    }

    /// True if an update would change something.
    pub fn is_outdated(&self) -> bool {
        self.outdated
    }

    /// A measure of how much work an update is: the number of nodes.
    pub fn work(&self) -> usize {
        self.covered.len()
    }

    /// Computes all distances: Dijkstra's algorithm from all nodes that are not covered.
    pub fn update(&mut self) {
        self.outdated = false;
        self.to_new.fill(FAR);
        let new = (0..self.covered.len()).filter(|&node| !self.covered[node]);
        let mut queue: BinaryHeap<Reverse<(u32, u32)>> = new.map(|node| Reverse((0, node as u32))).collect();
        while let Some(Reverse((way, node))) = queue.pop() {
            if self.to_new[node as usize] <= way {
                continue;
            }
            self.to_new[node as usize] = way;
            for &(source, length) in &self.flow.sources[node as usize] {
                let way = way.saturating_add(length);
                if way < self.to_new[source as usize] {
                    queue.push(Reverse((way, source)));
                }
            }
        }
    }

    /// Minimum number of ops to a node that was not covered at the last update, from the place of a stack:
    /// in its innermost function, or in a caller after returning. `None` if no way leads to one.
    pub fn from(&self, stack: &[Place]) -> Option<u64> {
        let mut least = FAR;
        // Length from the path's place to the current frame.
        let mut way = 0u32;
        for (i, &place) in stack.iter().enumerate() {
            // A caller stands at its call, and continues behind it.
            let place = if i == 0 { place } else { Place { pc: place.pc + 1, ..place } };
            let Some(node) = self.flow.node(place) else { break };
            least = least.min(way.saturating_add(self.to_new[node as usize]));
            way = way.saturating_add(self.flow.to_return[node as usize]);
            if way >= least {
                break;
            }
        }
        (least != FAR).then_some(u64::from(least))
    }
}
