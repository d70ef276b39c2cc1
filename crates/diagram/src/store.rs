//! Nodes of diagrams, each kept once, and the operations on diagrams that make no terms.

use std::rc::Rc;

use cleave_expr::{BinaryOp, ByteId, ByteSet, Term, Terms};
use rustc_hash::FxHashMap;

use crate::sets::union;
use crate::unary::Unary;

/// A diagram has at most this many nodes, where there is one at all. A guard of a parser of 32 bytes has some hundreds; an operation on
/// two of the largest takes some milliseconds.
pub(crate) const MOST_NODES: u32 = 1 << 12;
/// The size of a diagram that nobody has counted.
const UNKNOWN: u32 = u32::MAX;
/// No operation is done on diagrams whose numbers of nodes have a greater product.
const MOST_WORK: u64 = 1 << 22;

/// A function of the input: a condition, or a value that is a choice between a few terms. Equal functions of one [`Diagrams`] are equal
/// numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Diagram(u32);

impl Diagram {
    /// Holds for no input. As a value: the bit 0.
    pub const FALSE: Diagram = Diagram(0);
    /// Holds for each input. As a value: the bit 1.
    pub const TRUE: Diagram = Diagram(1);

    /// The diagram of a constant.
    pub fn of(holds: bool) -> Diagram {
        if holds { Diagram::TRUE } else { Diagram::FALSE }
    }

    /// Its index among the nodes.
    fn index(self) -> Option<usize> {
        (self.0 as usize).checked_sub(2)
    }
}

/// The variable that a node tests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Variable {
    /// The value of a byte.
    Byte(ByteId),
    /// A condition that is no function of few bytes.
    Opaque(Term),
    /// Nothing: this term is the value.
    Leaf(Term),
}

impl Variable {
    /// Where the variable stands in the order.
    pub(crate) fn place(self, terms: &Terms) -> Place {
        match self {
            Variable::Byte(id) => {
                let (object, offset) = terms.byte_position(id);
                (0, u64::from(object) << 32 | u64::from(offset))
            }
            Variable::Opaque(t) => (1, terms.hash_of(t)),
            Variable::Leaf(_) => LAST,
        }
    }
}

/// Where a variable stands in the order: the same in every store that has the same terms.
pub(crate) type Place = (u8, u64);

/// The place of leaves, behind all variables.
pub(crate) const LAST: Place = (u8::MAX, 0);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) variable: Variable,
    /// Sets of values that exclude each other and together are all, each with a diagram of its own, by their least value.
    pub(crate) edges: Box<[(ByteSet, Diagram)]>,
}

/// An operation of two diagrams, the result of which is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Operation {
    And,
    Or,
    Within,
    Values(BinaryOp),
}

/// A store of diagrams. It belongs to the terms of one engine, and dies with them.
#[derive(Default)]
pub struct Diagrams {
    nodes: Vec<Rc<Node>>,
    /// Nodes of the diagram that begins with a node.
    sizes: Vec<u32>,
    /// By node: nodes of its diagram, each counted once for each way to it: at least as many as there are.
    trees: Vec<u32>,
    /// Whether a comparison is a variable of the diagram that begins with a node.
    compares: Vec<bool>,
    index: FxHashMap<Rc<Node>, Diagram>,
    pub(crate) results: FxHashMap<(Operation, Diagram, Diagram), Diagram>,
    choices: FxHashMap<[Diagram; 3], Diagram>,
    pub(crate) mapped: FxHashMap<(Unary, Diagram), Diagram>,
    opposites: FxHashMap<Diagram, Diagram>,
    pub(crate) of_terms: FxHashMap<Term, Option<Diagram>>,
    pub(crate) terms_of: FxHashMap<Diagram, Term>,
    pub(crate) values: FxHashMap<Term, Diagram>,
    pub(crate) bits: FxHashMap<Term, Option<Rc<[Diagram]>>>,
    pub(crate) leaf_sets: FxHashMap<Diagram, Option<Rc<[Term]>>>,
    pub(crate) in_sets: FxHashMap<(ByteId, ByteSet), Term>,
    /// By node: the number of the last traversal that has seen it.
    seen: Vec<u32>,
    traversal: u32,
    edges: usize,
    work: u64,
    /// The number of nodes with which an operation ends: each node that it makes is a part of its result.
    room: usize,
}

impl Diagrams {
    pub(crate) fn node(&self, d: Diagram) -> Option<&Rc<Node>> {
        self.nodes.get(d.index()?)
    }

    /// Nodes that were looked at so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    pub(crate) fn works(&mut self) {
        self.work += 1;
    }

    /// Approximate memory, in bytes.
    pub fn memory(&self) -> usize {
        let results = self.results.len() + self.choices.len() + self.mapped.len();
        let terms = self.of_terms.len() + self.values.len();
        self.edges * 40 + self.nodes.len() * 130 + (results + terms) * 32 + self.bits.len() * 200
    }

    /// The diagram of a value that is this term.
    pub(crate) fn of_leaf(&mut self, leaf: Term) -> Diagram {
        self.kept(Node { place: LAST, variable: Variable::Leaf(leaf), edges: Box::default() })
    }

    /// Holds where a variable has one of these values.
    pub(crate) fn of_set(&mut self, place: Place, variable: Variable, set: ByteSet) -> Diagram {
        self.make(place, variable, vec![(set, Diagram::TRUE), (set.complement(), Diagram::FALSE)])
    }

    /// The diagram with this node at its top.
    pub(crate) fn make(&mut self, place: Place, variable: Variable, mut edges: Edges) -> Diagram {
        // Edges to one diagram are one edge.
        let mut kept = 0;
        for i in 0..edges.len() {
            let (set, to) = edges[i];
            if set.is_empty() {
                continue;
            }
            match edges[..kept].iter_mut().find(|(_, known)| *known == to) {
                Some((known, _)) => *known = union(known, &set),
                None => {
                    edges[kept] = (set, to);
                    kept += 1;
                }
            }
        }
        edges.truncate(kept);
        if let [(_, only)] = edges[..] {
            return only;
        }
        edges.sort_unstable_by_key(|(set, _)| set.first());
        self.kept(Node { place, variable, edges: edges.into_boxed_slice() })
    }

    fn kept(&mut self, node: Node) -> Diagram {
        if let Some(&known) = self.index.get(&node) {
            return known;
        }
        let compares = matches!(node.variable, Variable::Opaque(_))
            || node.edges.iter().any(|(_, to)| self.compares(*to));
        let node = Rc::new(node);
        let made = Diagram(self.nodes.len() as u32 + 2);
        self.edges += node.edges.len();
        self.nodes.push(node.clone());
        self.sizes.push(UNKNOWN);
        let below = node.edges.iter().map(|(_, to)| self.tree(*to));
        self.trees.push(below.fold(1, u32::saturating_add));
        self.compares.push(compares);
        self.seen.push(0);
        self.index.insert(node, made);
        made
    }

    /// Whether a comparison is a variable of a diagram: only then it may have no input without being [`Diagram::FALSE`].
    pub fn compares(&self, d: Diagram) -> bool {
        d.index().is_some_and(|i| self.compares[i])
    }

    /// Shows each node of a diagram once, until `see` returns false.
    pub(crate) fn each_node(&mut self, d: Diagram, see: &mut dyn FnMut(&Node) -> bool) {
        self.traversal += 1;
        let mut todo = vec![d];
        while let Some(d) = todo.pop() {
            let Some(i) = d.index() else { continue };
            if std::mem::replace(&mut self.seen[i], self.traversal) == self.traversal {
                continue;
            }
            let node = &self.nodes[i];
            if !see(node) {
                return;
            }
            todo.extend(node.edges.iter().map(|(_, to)| *to));
        }
    }

    /// Nodes of a diagram, each counted once. More than 2^12 are not counted.
    pub fn size(&mut self, d: Diagram) -> u32 {
        let Some(i) = d.index() else { return 0 };
        if self.sizes[i] == UNKNOWN {
            let mut count = 0;
            self.each_node(d, &mut |_| {
                count += 1;
                count <= MOST_NODES
            });
            self.sizes[i] = count;
        }
        self.sizes[i]
    }

    fn tree(&self, d: Diagram) -> u32 {
        d.index().map_or(0, |i| self.trees[i])
    }

    /// Whether an operation on two diagrams is little work.
    pub(crate) fn is_little(&mut self, a: Diagram, b: Diagram) -> bool {
        u64::from(self.tree(a)) * u64::from(self.tree(b)) <= MOST_WORK
            || u64::from(self.size(a)) * u64::from(self.size(b)) <= MOST_WORK
    }

    /// A diagram that is not too large.
    pub(crate) fn bounded(&mut self, d: Diagram) -> Option<Diagram> {
        (self.tree(d) <= MOST_NODES || self.size(d) <= MOST_NODES).then_some(d)
    }

    /// Both hold. `None` if the diagram would be too large.
    pub fn and(&mut self, a: Diagram, b: Diagram) -> Option<Diagram> {
        self.operate(Operation::And, a, b)
    }

    /// One of the two holds. `None` if the diagram would be too large.
    pub fn or(&mut self, a: Diagram, b: Diagram) -> Option<Diagram> {
        self.operate(Operation::Or, a, b)
    }

    /// `a` where a condition holds, else `b`. `None` if the diagram would be too large.
    pub fn ite(&mut self, c: Diagram, a: Diagram, b: Diagram) -> Option<Diagram> {
        if !self.is_little(c, a) || !self.is_little(c, b) {
            return None;
        }
        self.has_room(MOST_NODES);
        let made = self.choose(c, a, b)?;
        self.bounded(made)
    }

    /// The operation that begins may make this many nodes.
    pub(crate) fn has_room(&mut self, nodes: u32) {
        self.room = self.nodes.len() + nodes as usize;
    }

    fn operate(&mut self, operation: Operation, a: Diagram, b: Diagram) -> Option<Diagram> {
        if !self.is_little(a, b) {
            return None;
        }
        self.has_room(MOST_NODES);
        let made = self.apply(operation, a, b)?;
        self.bounded(made)
    }

    pub(crate) fn place(&self, d: Diagram) -> Place {
        self.node(d).map_or(LAST, |node| node.place)
    }

    /// Applies an operation to what two diagrams are for each set of values of their topmost variable.
    pub(crate) fn for_both(
        &mut self,
        a: Diagram,
        b: Diagram,
        each: &mut dyn FnMut(&mut Self, Diagram, Diagram) -> Option<Diagram>,
    ) -> Option<Diagram> {
        self.work += 1;
        if self.nodes.len() > self.room {
            return None;
        }
        let top = if self.place(a) <= self.place(b) { a } else { b };
        let Some(node) = self.node(top).cloned() else { return Some(a) };
        let (place, variable) = (node.place, node.variable);
        let whole = [(ByteSet::FULL, a), (ByteSet::FULL, b)];
        let (x, y) = (self.node(a).cloned(), self.node(b).cloned());
        let x = x.as_ref().filter(|x| x.place == place).map_or(&whole[..1], |x| &x.edges);
        let y = y.as_ref().filter(|y| y.place == place).map_or(&whole[1..], |y| &y.edges);
        let mut edges = Edges::with_capacity(x.len() + y.len());
        for (s, to_a) in x {
            for (t, to_b) in y {
                let both = s.intersect(t);
                if !both.is_empty() {
                    edges.push((both, each(self, *to_a, *to_b)?));
                }
            }
        }
        Some(self.make(place, variable, edges))
    }

    fn apply(&mut self, operation: Operation, a: Diagram, b: Diagram) -> Option<Diagram> {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        match (operation, a) {
            _ if a == b => return Some(a),
            (Operation::And, Diagram::FALSE) => return Some(Diagram::FALSE),
            (Operation::And, Diagram::TRUE) | (Operation::Or, Diagram::FALSE) => return Some(b),
            (Operation::Or, Diagram::TRUE) => return Some(Diagram::TRUE),
            _ => {}
        }
        if let Some(&known) = self.results.get(&(operation, a, b)) {
            return Some(known);
        }
        let made = self.for_both(a, b, &mut |all, a, b| all.apply(operation, a, b))?;
        self.results.insert((operation, a, b), made);
        Some(made)
    }

    /// See [`Diagrams::ite`]; `None` if there is no room.
    pub(crate) fn choose(&mut self, c: Diagram, a: Diagram, b: Diagram) -> Option<Diagram> {
        match (c, a, b) {
            (Diagram::TRUE, ..) => return Some(a),
            (Diagram::FALSE, ..) => return Some(b),
            (_, Diagram::TRUE, Diagram::FALSE) => return Some(c),
            _ if a == b => return Some(a),
            (_, Diagram::FALSE, Diagram::TRUE) => return Some(self.not(c)),
            _ => {}
        }
        if let Some(&known) = self.choices.get(&[c, a, b]) {
            return Some(known);
        }
        self.work += 1;
        if self.nodes.len() > self.room {
            return None;
        }
        let place = [c, a, b].map(|d| self.place(d)).into_iter().min().unwrap_or(LAST);
        let nodes = [c, a, b].map(|d| self.node(d).filter(|node| node.place == place).cloned());
        let Some(variable) = nodes.iter().flatten().map(|node| node.variable).next() else { return Some(a) };
        let mut parts = vec![(ByteSet::FULL, [c, a, b])];
        for (i, node) in nodes.iter().enumerate() {
            let Some(node) = node else { continue };
            let mut finer = Vec::with_capacity(parts.len() + node.edges.len());
            for (set, of) in &parts {
                for (s, to) in node.edges.iter() {
                    let both = set.intersect(s);
                    if !both.is_empty() {
                        let mut of = *of;
                        of[i] = *to;
                        finer.push((both, of));
                    }
                }
            }
            parts = finer;
        }
        let mut edges = Edges::with_capacity(parts.len());
        for (set, [c, a, b]) in parts {
            edges.push((set, self.choose(c, a, b)?));
        }
        let made = self.make(place, variable, edges);
        self.choices.insert([c, a, b], made);
        Some(made)
    }

    /// Holds where the other does not: as large as that.
    pub fn not(&mut self, d: Diagram) -> Diagram {
        match d {
            Diagram::FALSE => return Diagram::TRUE,
            Diagram::TRUE => return Diagram::FALSE,
            _ => {}
        }
        if let Some(&known) = self.opposites.get(&d) {
            return known;
        }
        let Some(node) = self.node(d).cloned() else { return Diagram::FALSE };
        let edges = node.edges.iter().map(|(set, to)| (*set, self.not(*to))).collect();
        let made = self.make(node.place, node.variable, edges);
        self.opposites.insert(d, made);
        self.opposites.insert(made, d);
        made
    }

    /// A diagram that is the same as `d` where `care` holds, and tends to be smaller: what `care` decides is left out. Each of its leaves
    /// is that of some input for which `care` holds.
    pub fn within(&mut self, d: Diagram, care: Diagram) -> Diagram {
        if !self.is_little(d, care) {
            return d;
        }
        self.has_room(u32::MAX);
        let made = self.restricted(d, care).unwrap_or(d);
        self.bounded(made).unwrap_or(d)
    }

    fn restricted(&mut self, d: Diagram, care: Diagram) -> Option<Diagram> {
        let place = self.place(d);
        if care <= Diagram::TRUE || place == LAST {
            return Some(d);
        }
        let key = (Operation::Within, d, care);
        if let Some(&found) = self.results.get(&key) {
            return Some(found);
        }
        self.work += 1;
        let (Some(x), Some(y)) = (self.node(d).cloned(), self.node(care).cloned()) else { return Some(d) };
        let made = if y.place < place {
            // What is cared about whatever this variable is.
            let mut any = Diagram::FALSE;
            for (_, to) in y.edges.iter() {
                any = self.apply(Operation::Or, any, *to)?;
            }
            self.restricted(d, any)?
        } else {
            let mut edges = Edges::with_capacity(x.edges.len());
            if place < y.place {
                for (set, to) in x.edges.iter() {
                    edges.push((*set, self.restricted(*to, care)?));
                }
            } else {
                for (s, to) in x.edges.iter() {
                    for (t, cared) in y.edges.iter().filter(|(_, cared)| *cared != Diagram::FALSE) {
                        let both = s.intersect(t);
                        if !both.is_empty() {
                            edges.push((both, self.restricted(*to, *cared)?));
                        }
                    }
                }
                // The values that nobody cares about go with those of the first edge.
                let cared = edges.iter().fold(ByteSet::EMPTY, |all, (set, _)| union(&all, set));
                if let Some((set, _)) = edges.first_mut() {
                    *set = union(set, &cared.complement());
                }
            }
            self.make(x.place, x.variable, edges)
        };
        self.results.insert(key, made);
        Some(made)
    }
}

/// Edges of a node that is being made.
pub(crate) type Edges = Vec<(ByteSet, Diagram)>;
