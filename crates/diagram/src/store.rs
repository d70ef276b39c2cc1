//! Nodes of diagrams, each kept once, and the operations on diagrams.

use std::rc::Rc;

use cleave_expr::{ByteId, ByteSet, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::sets::union;

/// A diagram has at most this many nodes, where there is one at all. A guard of a parser of 32 bytes has some hundreds; an operation on
/// two of the largest takes some milliseconds.
const MOST_NODES: u32 = 1 << 15;
/// The size of a diagram that nobody has counted.
const UNKNOWN: u32 = u32::MAX;
/// No operation is done on diagrams whose numbers of nodes have a greater product.
const MOST_WORK: u64 = 1 << 26;

/// A condition over the input. Equal conditions of one [`Diagrams`] are equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Diagram(u32);

impl Diagram {
    /// Holds for no input.
    pub const FALSE: Diagram = Diagram(0);
    /// Holds for each input.
    pub const TRUE: Diagram = Diagram(1);

    /// The diagram of a constant.
    pub fn of(holds: bool) -> Diagram {
        if holds { Diagram::TRUE } else { Diagram::FALSE }
    }
}

/// The leaves of a term, each once: constants first. Their diagrams exclude each other, and together hold for each input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaves(pub(crate) Vec<(Term, Diagram)>);

impl Leaves {
    /// All of them.
    pub fn all(&self) -> &[(Term, Diagram)] {
        &self.0
    }

    /// Whether the term is no choice.
    pub(crate) fn is_single(&self) -> bool {
        self.0.len() == 1
    }

    /// The leaves as numbers of at most 64 bits, if all of them are.
    pub fn values(&self, terms: &Terms) -> Option<Vec<(u64, Diagram)>> {
        self.0.iter().map(|&(leaf, inputs)| Some((terms.constant64(leaf)?, inputs))).collect()
    }
}

/// The variable that a node tests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Variable {
    /// The value of a byte.
    Byte(ByteId),
    /// A condition that is no function of few bytes.
    Opaque(Term),
}

/// Where a variable stands in the order: the same in every store that has the same terms.
pub(crate) type Place = (u8, u64);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) variable: Variable,
    /// Sets of values that exclude each other and together are all, each with a diagram of its own, by their least value.
    pub(crate) edges: Box<[(ByteSet, Diagram)]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Operation {
    And,
    Or,
}

/// A store of diagrams. It belongs to the terms of one engine, and dies with them.
#[derive(Default)]
pub struct Diagrams {
    nodes: Vec<Rc<Node>>,
    /// Nodes of the diagram that begins with a node.
    sizes: Vec<u32>,
    /// Whether a comparison is a variable of the diagram that begins with a node.
    compares: Vec<bool>,
    index: FxHashMap<Rc<Node>, Diagram>,
    results: FxHashMap<(Operation, Diagram, Diagram), Diagram>,
    restrictions: FxHashMap<(Diagram, Diagram), Diagram>,
    opposites: FxHashMap<Diagram, Diagram>,
    pub(crate) of_terms: FxHashMap<Term, Option<Diagram>>,
    pub(crate) terms_of: FxHashMap<Diagram, Term>,
    pub(crate) leaves: FxHashMap<Term, Rc<Leaves>>,
    edges: usize,
    work: u64,
}

impl Diagrams {
    pub(crate) fn node(&self, d: Diagram) -> Option<&Rc<Node>> {
        self.nodes.get((d.0 as usize).checked_sub(2)?)
    }

    /// Nodes that were looked at so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Approximate memory, in bytes.
    pub fn memory(&self) -> usize {
        self.edges * 40 + self.nodes.len() * 120 + (self.results.len() + self.of_terms.len()) * 32
    }

    /// The diagram with this node at its top.
    pub(crate) fn make(
        &mut self,
        place: Place,
        variable: Variable,
        edges: &mut Vec<(ByteSet, Diagram)>,
    ) -> Diagram {
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
        let node = Node { place, variable, edges: edges.as_slice().into() };
        if let Some(&known) = self.index.get(&node) {
            return known;
        }
        let compares =
            matches!(variable, Variable::Opaque(_)) || node.edges.iter().any(|(_, to)| self.compares(*to));
        let node = Rc::new(node);
        let made = Diagram(self.nodes.len() as u32 + 2);
        self.edges += node.edges.len();
        self.nodes.push(node.clone());
        self.sizes.push(UNKNOWN);
        self.compares.push(compares);
        self.index.insert(node, made);
        made
    }

    /// Whether a comparison is a variable of a diagram: only then it may have no input without being [`Diagram::FALSE`].
    pub fn compares(&self, d: Diagram) -> bool {
        (d.0 as usize).checked_sub(2).is_some_and(|i| self.compares[i])
    }

    /// Nodes of a diagram, each counted once. More than [`MOST_NODES`] are not counted.
    fn size(&mut self, d: Diagram) -> u32 {
        let Some(i) = (d.0 as usize).checked_sub(2) else { return 0 };
        if self.sizes[i] == UNKNOWN {
            let mut seen = FxHashSet::default();
            let mut todo = vec![d];
            while let Some(d) = todo.pop() {
                let Some(node) = self.node(d) else { continue };
                if seen.insert(d) {
                    if seen.len() as u32 > MOST_NODES {
                        break;
                    }
                    todo.extend(node.edges.iter().map(|(_, to)| *to));
                }
            }
            self.sizes[i] = seen.len() as u32;
        }
        self.sizes[i]
    }

    /// A diagram that is not too large.
    fn bounded(&mut self, d: Diagram) -> Option<Diagram> {
        (self.size(d) <= MOST_NODES).then_some(d)
    }

    /// Both hold. `None` if the diagram would be too large.
    pub fn and(&mut self, a: Diagram, b: Diagram) -> Option<Diagram> {
        self.operate(Operation::And, a, b)
    }

    /// One of the two holds. `None` if the diagram would be too large.
    pub fn or(&mut self, a: Diagram, b: Diagram) -> Option<Diagram> {
        self.operate(Operation::Or, a, b)
    }

    /// The first two, or the opposite of the first and the third. `None` if the diagram would be too large.
    pub fn ite(&mut self, c: Diagram, a: Diagram, b: Diagram) -> Option<Diagram> {
        let (yes, not_c) = (self.and(c, a)?, self.not(c));
        let no = self.and(not_c, b)?;
        self.or(yes, no)
    }

    fn operate(&mut self, operation: Operation, a: Diagram, b: Diagram) -> Option<Diagram> {
        let product = u64::from(self.size(a)) * u64::from(self.size(b));
        if product > MOST_WORK {
            return None;
        }
        let made = self.apply(operation, a, b);
        self.bounded(made)
    }

    fn apply(&mut self, operation: Operation, a: Diagram, b: Diagram) -> Diagram {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        match (operation, a) {
            _ if a == b => return a,
            (Operation::And, Diagram::FALSE) => return Diagram::FALSE,
            (Operation::And, Diagram::TRUE) | (Operation::Or, Diagram::FALSE) => return b,
            (Operation::Or, Diagram::TRUE) => return Diagram::TRUE,
            _ => {}
        }
        if let Some(&known) = self.results.get(&(operation, a, b)) {
            return known;
        }
        self.work += 1;
        let (Some(x), Some(y)) = (self.node(a).cloned(), self.node(b).cloned()) else { return a };
        let (place, variable) =
            if x.place <= y.place { (x.place, x.variable) } else { (y.place, y.variable) };
        let mut edges = Vec::with_capacity(x.edges.len() + y.edges.len());
        if x.place != y.place {
            let (top, other) = if x.place < y.place { (&x, b) } else { (&y, a) };
            for (set, to) in top.edges.iter() {
                edges.push((*set, self.apply(operation, *to, other)));
            }
        } else {
            for (s, to_a) in x.edges.iter() {
                for (t, to_b) in y.edges.iter() {
                    let both = s.intersect(t);
                    if !both.is_empty() {
                        edges.push((both, self.apply(operation, *to_a, *to_b)));
                    }
                }
            }
        }
        let made = self.make(place, variable, &mut edges);
        self.results.insert((operation, a, b), made);
        made
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
        let mut edges = node.edges.iter().map(|(set, to)| (*set, self.not(*to))).collect();
        let made = self.make(node.place, node.variable, &mut edges);
        self.opposites.insert(d, made);
        self.opposites.insert(made, d);
        made
    }

    /// A diagram that is the same as `d` where `care` holds, and tends to be smaller: what `care` decides is left out.
    pub fn within(&mut self, d: Diagram, care: Diagram) -> Diagram {
        let product = u64::from(self.size(d)) * u64::from(self.size(care));
        if product > MOST_WORK {
            return d;
        }
        let made = self.restricted(d, care);
        self.bounded(made).unwrap_or(d)
    }

    fn restricted(&mut self, d: Diagram, care: Diagram) -> Diagram {
        if care <= Diagram::TRUE || d <= Diagram::TRUE {
            return d;
        }
        if let Some(&found) = self.restrictions.get(&(d, care)) {
            return found;
        }
        self.work += 1;
        let (Some(x), Some(y)) = (self.node(d).cloned(), self.node(care).cloned()) else { return d };
        let made = if y.place < x.place {
            // What is cared about whatever this variable is.
            let any = y.edges.iter().fold(Diagram::FALSE, |any, (_, to)| self.apply(Operation::Or, any, *to));
            self.restricted(d, any)
        } else {
            let mut edges: Vec<(ByteSet, Diagram)> = Vec::with_capacity(x.edges.len());
            if x.place < y.place {
                for (set, to) in x.edges.iter() {
                    edges.push((*set, self.restricted(*to, care)));
                }
            } else {
                for (s, to) in x.edges.iter() {
                    for (t, cared) in y.edges.iter().filter(|(_, cared)| *cared != Diagram::FALSE) {
                        let both = s.intersect(t);
                        if !both.is_empty() {
                            edges.push((both, self.restricted(*to, *cared)));
                        }
                    }
                }
                // The values that nobody cares about go with those of the first edge.
                let cared = edges.iter().fold(ByteSet::EMPTY, |all, (set, _)| union(&all, set));
                if let Some((set, _)) = edges.first_mut() {
                    *set = union(set, &cared.complement());
                }
            }
            self.make(x.place, x.variable, &mut edges)
        };
        self.restrictions.insert((d, care), made);
        made
    }
}
