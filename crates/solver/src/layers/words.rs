//! Difference constraints between words: `a < b`, `b <= c` contradict `c <= a`, and so do bounds that the byte sets
//! give to words. Most questions of sorting and searching programs are of this kind. The pipeline calls it; a conflict
//! is a proof.

use cleave_expr::{
    BinaryOp, ByteId, ByteSet, Node, Support, Term, Terms, biased, binary_bounds, mask, sign_extended,
};
use cleave_path::{Comparison, PathCondition, comparison};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::backends::backend::Conflict;
use crate::layers::slice::Slice;
use crate::policy::differences;

const NONE: u32 = u32::MAX;

/// `from <= to`, or `from < to`, because of a relation, or two.
#[derive(Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    strict: bool,
    because: [Option<Term>; 2],
}

/// The distance of a word from the start: a lower bound in strict steps, and the last edge on the way.
#[derive(Clone, Copy)]
struct Reach {
    strict: u64,
    edge: u32,
}

/// Buffers of the layer.
#[derive(Default)]
pub(crate) struct Words {
    nodes: Vec<Term>,
    index: FxHashMap<Term, u32>,
    edges: Vec<Edge>,
    different: FxHashMap<(Term, Term), Term>,
    up: Vec<Option<Reach>>,
    down: Vec<Option<Reach>>,
}

/// A bound and the node that it comes from.
#[derive(Clone, Copy)]
struct Bound {
    value: u128,
    node: u32,
}

impl Words {
    /// A contradiction between one comparison of the question and the slice.
    pub(crate) fn conflict(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        slice: &Slice,
    ) -> Option<Conflict> {
        if slice.relations.len() > differences::MOST_EDGES {
            return None;
        }
        for asked in &slice.asked {
            let Some(c) = comparison(terms, asked.term) else { continue };
            let orders: &[bool] = match c.op {
                BinaryOp::Slt => &[true],
                BinaryOp::Ult => &[false],
                _ => &[false, true],
            };
            for &signed in orders {
                self.build(terms, slice, signed, asked.term, c);
                if let Some(mut conflict) = self.contradiction(terms, pc, slice, signed, c) {
                    conflict.conditions.push(asked.term);
                    return Some(conflict);
                }
            }
        }
        None
    }

    fn node(&mut self, t: Term) -> u32 {
        let next = self.nodes.len() as u32;
        let i = *self.index.entry(t).or_insert(next);
        if i == next {
            self.nodes.push(t);
        }
        i
    }

    /// The graph of all comparisons of one order but the asked one.
    fn build(&mut self, terms: &Terms, slice: &Slice, signed: bool, asked: Term, question: Comparison) {
        self.nodes.clear();
        self.index.clear();
        self.edges.clear();
        self.different.clear();
        self.node(question.a);
        self.node(question.b);
        let order = if signed { BinaryOp::Slt } else { BinaryOp::Ult };
        let relations = || slice.relations.iter().chain(&slice.asked).map(|r| r.term).filter(|&t| t != asked);
        for t in relations() {
            if let Some(c) = comparison(terms, t)
                && c.op == BinaryOp::Eq
                && !c.holds
            {
                self.different.insert((c.a.min(c.b), c.a.max(c.b)), t);
            }
        }
        for t in relations() {
            let Some(c) = comparison(terms, t) else { continue };
            if c.op == order {
                let (from, to) = if c.holds { (c.a, c.b) } else { (c.b, c.a) };
                self.edge(from, to, c.holds, t);
            } else if c.op == BinaryOp::Eq && c.holds {
                self.edge(c.a, c.b, false, t);
                self.edge(c.b, c.a, false, t);
            }
        }
    }

    fn edge(&mut self, from: Term, to: Term, strict: bool, because: Term) {
        let other = match strict {
            false => self.different.get(&(from.min(to), from.max(to))).copied(),
            true => None,
        };
        let (from, to) = (self.node(from), self.node(to));
        let strict = strict || other.is_some();
        self.edges.push(Edge { from, to, strict, because: [Some(because), other] });
    }

    /// Computes the longest ways from `start` to all words that are reachable, up or down.
    fn reach(&self, start: u32, up: bool, reached: &mut Vec<Option<Reach>>) {
        reached.clear();
        reached.resize(self.nodes.len(), None);
        reached[start as usize] = Some(Reach { strict: 0, edge: NONE });
        // A satisfiable path has no strict cycle, so this ends; the bound is for paths that are not.
        for _ in 0..=self.nodes.len() {
            let mut changed = false;
            for (i, e) in self.edges.iter().enumerate() {
                let (from, to) = if up { (e.from, e.to) } else { (e.to, e.from) };
                let Some(r) = reached[from as usize] else { continue };
                let strict = r.strict + e.strict as u64;
                if to != start && reached[to as usize].is_none_or(|old| old.strict < strict) {
                    reached[to as usize] = Some(Reach { strict, edge: i as u32 });
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }

    fn contradiction(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        slice: &Slice,
        signed: bool,
        c: Comparison,
    ) -> Option<Conflict> {
        // node 0 is c.a, node 1 is c.b
        match (c.op, c.holds) {
            (BinaryOp::Eq, true) => self
                .above(terms, pc, slice, signed, (0, 1), true)
                .or_else(|| self.above(terms, pc, slice, signed, (1, 0), true)),
            (BinaryOp::Eq, false) => {
                let mut one = self.above(terms, pc, slice, signed, (0, 1), false)?;
                let other = self.above(terms, pc, slice, signed, (1, 0), false)?;
                one.conditions.extend(other.conditions);
                one.domains.extend(other.domains);
                Some(one)
            }
            // a < b is refuted by b <= a, and b <= a by a < b
            (_, true) => self.above(terms, pc, slice, signed, (0, 1), false),
            (_, false) => self.above(terms, pc, slice, signed, (1, 0), true),
        }
    }

    /// A proof that word `high` is always at least, or with `strictly` greater than, word `low`.
    fn above(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        slice: &Slice,
        signed: bool,
        (high, low): (u32, u32),
        strictly: bool,
    ) -> Option<Conflict> {
        let (mut up, mut down) = (std::mem::take(&mut self.up), std::mem::take(&mut self.down));
        self.reach(low, true, &mut up);
        self.reach(high, false, &mut down);
        let found = match up[high as usize] {
            Some(r) if r.strict > 0 || !strictly => {
                let mut conflict = Conflict::default();
                self.explain(&up, high, true, &mut conflict);
                Some(conflict)
            }
            _ => self.by_bounds(terms, pc, slice, signed, &up, &down, strictly),
        };
        (self.up, self.down) = (up, down);
        found
    }

    /// A proof by bounds: `low` is at most every word that it reaches going up, `high` at least every word that it
    /// reaches going down.
    #[allow(clippy::too_many_arguments)]
    fn by_bounds(
        &self,
        terms: &mut Terms,
        pc: &PathCondition,
        slice: &Slice,
        signed: bool,
        up: &[Option<Reach>],
        down: &[Option<Reach>],
        strictly: bool,
    ) -> Option<Conflict> {
        let (mut most, mut least): (Option<Bound>, Option<Bound>) = (None, None);
        for (i, &t) in self.nodes.iter().enumerate() {
            let (above, below) = (up[i], down[i]);
            if above.is_none() && below.is_none() {
                continue;
            }
            let (lo, hi) = keys(terms, signed, t, bounds(terms, pc, slice, t, differences::DEPTH));
            if let Some(r) = above {
                let value = hi.checked_sub(r.strict as u128)?; // impossible on a satisfiable path
                if most.is_none_or(|m| value < m.value) {
                    most = Some(Bound { value, node: i as u32 });
                }
            }
            if let Some(r) = below {
                let value = lo + r.strict as u128;
                if least.is_none_or(|l| value > l.value) {
                    least = Some(Bound { value, node: i as u32 });
                }
            }
        }
        let (most, least) = (most?, least?);
        if !(least.value > most.value || (!strictly && least.value == most.value)) {
            return None;
        }
        let mut conflict = Conflict::default();
        self.explain(up, most.node, true, &mut conflict);
        self.explain(down, least.node, false, &mut conflict);
        let mut blamed = FxHashSet::default();
        for node in [most.node, least.node] {
            for &id in terms.bytes_of(self.nodes[node as usize]).iter() {
                let set = slice.domain(pc, id);
                if set != ByteSet::FULL && blamed.insert(id) {
                    conflict.domains.push((id, set));
                }
            }
        }
        Some(conflict)
    }

    /// Adds the relations on the way from where `reach` started to `node`.
    fn explain(&self, reached: &[Option<Reach>], node: u32, up: bool, conflict: &mut Conflict) {
        let mut at = node;
        for _ in 0..self.nodes.len() {
            let Some(Reach { edge, .. }) = reached[at as usize] else { return };
            if edge == NONE {
                return;
            }
            let e = self.edges[edge as usize];
            conflict.conditions.extend(e.because.into_iter().flatten());
            at = if up { e.from } else { e.to };
        }
    }
}

/// Unsigned bounds of a word of at most 64 bits under the byte sets of the slice.
pub(crate) fn bounds(terms: &Terms, pc: &PathCondition, slice: &Slice, t: Term, depth: u32) -> (u64, u64) {
    let known = terms.range(t);
    if depth == 0 || terms.support(t) == Support::None {
        return known;
    }
    let below = |x: Term| bounds(terms, pc, slice, x, depth - 1);
    let (lo, hi) = match terms.node(t) {
        Node::Byte(id) => byte_bounds(pc, slice, id).unwrap_or(known),
        Node::Zext(a) => below(a),
        Node::Sext(a) => sign_extended(terms.width(a), terms.width(t), below(a)).unwrap_or(known),
        Node::Extract(a, 0) if terms.width(a) <= 64 => {
            let inner = below(a);
            if inner.1 <= mask(terms.width(t)) as u64 { inner } else { known }
        }
        Node::Binary(op @ (BinaryOp::Add | BinaryOp::Concat), a, b) => {
            binary_bounds(op, terms.width(t), terms.width(b), below(a), below(b)).unwrap_or(known)
        }
        _ => known,
    };
    (lo.max(known.0), hi.min(known.1))
}

fn byte_bounds(pc: &PathCondition, slice: &Slice, id: ByteId) -> Option<(u64, u64)> {
    let set = slice.domain(pc, id);
    let high = set.0.iter().rposition(|&x| x != 0)?;
    let last = high as u64 * 64 + 63 - set.0[high].leading_zeros() as u64;
    Some((set.first()? as u64, last))
}

/// Bounds as keys: their unsigned order is the order of the words that `signed` selects.
fn keys(terms: &Terms, signed: bool, t: Term, bounds: (u64, u64)) -> (u128, u128) {
    let (lo, hi) = if signed { biased(terms.width(t), bounds) } else { bounds };
    (lo.into(), hi.into())
}
