//! Translates terms to literals and queries to assumptions, and asks the SAT solver. The chain calls it as a back end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cleave_expr::{BinaryOp, ByteId, ByteSet, Node, TableId, Term, Terms, Witness};
use cleave_never::never;
use rustc_hash::FxHashMap;

use super::arithmetic::Word;
use super::gates::Gates;
use super::sat::{Lit, SatOutcome};
use crate::backends::backend::{Backend, Conflict, Query, Verdict};
use crate::policy::back_ends;

/// One SAT instance with everything that was blasted into it.
struct Instance {
    gates: Gates,
    words: FxHashMap<Term, (u32, u8)>,
    bits: Vec<Lit>,
    divisions: FxHashMap<(bool, Term, Term), (Word, Word)>,
    bytes: FxHashMap<ByteId, [Lit; 8]>,
    domains: FxHashMap<(ByteId, ByteSet), Lit>,
    /// The number of variables that each condition added when it was blasted.
    costs: FxHashMap<Term, u32>,
}

/// The bit-blaster as a back end. Conditions are assumptions, so one instance serves a whole subtree.
pub(crate) struct BitBlaster {
    instance: Instance,
    assumptions: Vec<Lit>,
    /// Work of earlier instances.
    done: u64,
    /// Flag that ends the query at hand.
    stop: Arc<AtomicBool>,
}

impl BitBlaster {
    /// Gives up as soon as `stop` is true.
    pub(crate) fn new(stop: &Arc<AtomicBool>) -> BitBlaster {
        BitBlaster { instance: Instance::new(stop), assumptions: Vec::new(), done: 0, stop: stop.clone() }
    }

    /// Translates the query to assumptions. Returns false if the time is over before that is done.
    fn write_down(&mut self, terms: &mut Terms, query: &Query<'_>, deadline: Option<Instant>) -> bool {
        self.renew_if_stale(query);
        let instance = &mut self.instance;
        self.assumptions.clear();
        for &(id, set) in query.domains {
            let lit = instance.domain(id, &set, query.near);
            self.assumptions.push(lit);
        }
        let over = || self.stop.load(Ordering::Relaxed) || deadline.is_some_and(|at| Instant::now() >= at);
        for &c in query.conditions {
            let Some(lit) = instance.condition(terms, c, query.near, &over) else { return false };
            self.assumptions.push(lit);
            if over() {
                return false;
            }
        }
        true
    }

    /// Solves a query until the time limit, or for `most` decisions and propagations.
    fn solve_within(
        &mut self,
        terms: &mut Terms,
        query: &Query<'_>,
        limit: Duration,
        most: Option<(usize, u64)>,
    ) -> Verdict {
        let deadline = Instant::now().checked_add(limit);
        if !self.write_down(terms, query, deadline) {
            return Verdict::Unknown("the time limit came while the question was written down".into());
        }
        let instance = &mut self.instance;
        let sat = &mut instance.gates.sat;
        let outcome = match most {
            Some(most) => sat.solve_briefly(&self.assumptions, deadline, most),
            None => sat.solve(&self.assumptions, deadline, None),
        };
        match outcome {
            SatOutcome::Sat => Verdict::Sat(instance.model(terms, query)),
            SatOutcome::Unsat => Verdict::Unsat(instance.conflict(query, &self.assumptions)),
            SatOutcome::TimedOut => Verdict::Unknown(format!("no answer within {} ms", limit.as_millis())),
        }
    }

    fn renew_if_stale(&mut self, query: &Query<'_>) {
        let all = self.instance.gates.sat.variables();
        if all < back_ends::SMALL_INSTANCE {
            return;
        }
        let costs = &self.instance.costs;
        let used: u32 = query.conditions.iter().map(|c| costs.get(c).copied().unwrap_or(0)).sum();
        if all / back_ends::SLACK > used {
            self.done += self.instance.gates.sat.work();
            self.instance = Instance::new(&self.stop);
        }
    }
}

impl Backend for BitBlaster {
    fn name(&self) -> &'static str {
        super::BACK_END.name
    }

    fn work(&self) -> u64 {
        self.done + self.instance.gates.sat.work()
    }

    fn solve(&mut self, terms: &mut Terms, query: &Query<'_>, limit: Duration) -> Verdict {
        self.solve_within(terms, query, limit, None)
    }

    fn solve_briefly(
        &mut self,
        terms: &mut Terms,
        query: &Query<'_>,
        limit: Duration,
        round: u32,
    ) -> Verdict {
        let doublings = 3 * round.min(8);
        let most = (back_ends::FIRST_ROUND << doublings, back_ends::FIRST_PROPAGATIONS << doublings);
        self.solve_within(terms, query, limit, Some(most))
    }

    /// Finds the contradictions that unit propagation alone shows.
    fn feed(&mut self, terms: &mut Terms, query: &Query<'_>, limit: Duration) -> Option<Conflict> {
        if !self.write_down(terms, query, Instant::now().checked_add(limit)) {
            return None;
        }
        let instance = &mut self.instance;
        let unsat = instance.gates.sat.propagate(&self.assumptions) == SatOutcome::Unsat;
        unsat.then(|| instance.conflict(query, &self.assumptions))
    }
}

impl Instance {
    fn new(stop: &Arc<AtomicBool>) -> Instance {
        Instance {
            gates: Gates::new(stop),
            words: FxHashMap::default(),
            bits: Vec::new(),
            divisions: FxHashMap::default(),
            bytes: FxHashMap::default(),
            domains: FxHashMap::default(),
            costs: FxHashMap::default(),
        }
    }

    fn byte(&mut self, id: ByteId, near: &Witness) -> [Lit; 8] {
        let gates = &mut self.gates;
        let value = near.get(id);
        *self.bytes.entry(id).or_insert_with(|| std::array::from_fn(|i| gates.input(value >> i & 1 != 0)))
    }

    /// The literal that is true if a byte is in a set: a multiplexer tree over the byte's bits.
    fn domain(&mut self, id: ByteId, set: &ByteSet, near: &Witness) -> Lit {
        if let Some(&l) = self.domains.get(&(id, *set)) {
            return l;
        }
        let bits = self.byte(id, near);
        let mut column: Word = (0..=255u8).map(|v| Lit::of(set.contains(v))).collect();
        for &bit in &bits {
            column = column.chunks(2).map(|p| self.gates.mux(bit, p[1], p[0])).collect();
        }
        let lit = column[0];
        self.domains.insert((id, *set), lit);
        lit
    }

    /// A condition's literal; `None` if `over` returns true before it is complete. Parts blasted by then stay.
    fn condition(&mut self, terms: &Terms, c: Term, near: &Witness, over: &impl Fn() -> bool) -> Option<Lit> {
        let before = self.gates.sat.variables();
        let whole = self.blast(terms, c, near, over);
        let cost = self.gates.sat.variables() - before;
        *self.costs.entry(c).or_insert(1) += cost;
        whole.then(|| self.word(c)[0])
    }

    /// The literals of a term that was blasted before.
    fn word(&self, t: Term) -> &[Lit] {
        let (start, len) = self.words[&t];
        &self.bits[start as usize..start as usize + len as usize]
    }

    /// Blasts a term. Returns false if `over` returned true before that was done.
    fn blast(&mut self, terms: &Terms, t: Term, near: &Witness, over: &impl Fn() -> bool) -> bool {
        if self.words.contains_key(&t) {
            return true;
        }
        let mut stack = vec![t];
        let mut steps = 0u32;
        while let Some(&top) = stack.last() {
            steps += 1;
            if steps.is_multiple_of(256) && over() {
                return false;
            }
            if self.words.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(terms.children(top).filter(|c| !self.words.contains_key(c)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let word = self.blast_node(terms, top, near);
            debug_assert_eq!(word.len(), terms.width(top) as usize);
            self.words.insert(top, (self.bits.len() as u32, word.len() as u8));
            self.bits.extend(word);
        }
        true
    }

    fn blast_node(&mut self, terms: &Terms, t: Term, near: &Witness) -> Word {
        let width = terms.width(t) as usize;
        if let Some(v) = terms.constant(t) {
            return (0..width).map(|i| Lit::of(v >> i & 1 != 0)).collect();
        }
        match terms.node(t) {
            Node::Const(_) | Node::WideConst(_) => Word::new(), // was a constant above
            Node::Byte(id) => self.byte(id, near).to_vec(),
            Node::Not(a) => self.word(a).iter().map(|&l| !l).collect(),
            Node::Binary(op, a, b) => self.blast_binary(op, a, b),
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.word(c)[0], self.word(a).to_vec(), self.word(b).to_vec());
                self.gates.choose(c, &a, &b)
            }
            Node::Extract(a, low) => self.word(a)[low as usize..low as usize + width].to_vec(),
            Node::Zext(a) => {
                let mut w = self.word(a).to_vec();
                w.resize(width, Lit::FALSE);
                w
            }
            Node::Sext(a) => {
                let mut w = self.word(a).to_vec();
                let sign = w.last().copied().unwrap_or(Lit::FALSE);
                w.resize(width, sign);
                w
            }
            Node::Table(id, a) => self.blast_table(terms, id, a),
            Node::Float(op, ..) => {
                // The chain lowers floating-point terms to bit-vectors before it asks.
                never!("a floating-point `{}` in the bit-blaster", op.name());
                (0..width).map(|_| self.gates.input(false)).collect()
            }
        }
    }

    fn blast_table(&mut self, terms: &Terms, id: TableId, index: Term) -> Word {
        let index = self.word(index).to_vec();
        let entries: Vec<u64> = terms.table_entries(id).iter().collect();
        self.gates.lookup(&entries, terms.table_width(id), &index)
    }

    fn blast_binary(&mut self, op: BinaryOp, a: Term, b: Term) -> Word {
        use BinaryOp::*;
        let (x, y) = (self.word(a).to_vec(), self.word(b).to_vec());
        let g = &mut self.gates;
        match op {
            Add => g.add(&x, &y),
            Sub => g.sub(&x, &y),
            Mul => g.mul(&x, &y),
            And => x.iter().zip(&y).map(|(&p, &q)| g.and(p, q)).collect(),
            Or => x.iter().zip(&y).map(|(&p, &q)| g.or(p, q)).collect(),
            Xor => x.iter().zip(&y).map(|(&p, &q)| g.xor(p, q)).collect(),
            Eq => vec![g.equal(&x, &y)],
            Ult => vec![g.unsigned_less(&x, &y)],
            Slt => vec![g.signed_less(&x, &y)],
            Concat => y.into_iter().chain(x).collect(),
            Shl => g.shift(true, &x, &y, Lit::FALSE),
            LShr => g.shift(false, &x, &y, Lit::FALSE),
            AShr => {
                let sign = x.last().copied().unwrap_or(Lit::FALSE);
                g.shift(false, &x, &y, sign)
            }
            UDiv | URem | SDiv | SRem => {
                let signed = matches!(op, SDiv | SRem);
                let both = self
                    .divisions
                    .entry((signed, a, b))
                    .or_insert_with(|| if signed { g.signed_divide(&x, &y) } else { g.divide(&x, &y) });
                if matches!(op, UDiv | SDiv) { both.0.clone() } else { both.1.clone() }
            }
        }
    }

    /// The values of all bytes of the query that were blasted.
    fn model(&mut self, terms: &mut Terms, query: &Query<'_>) -> Vec<(ByteId, u8)> {
        let ids = query.bytes(terms);
        let mut values = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(bits) = self.bytes.get(&id) else { continue };
            let usual = query.near.get(id);
            let mut value = 0;
            for (i, &bit) in bits.iter().enumerate() {
                let v = self.gates.sat.value(bit).unwrap_or(usual >> i & 1 != 0);
                value |= (v as u8) << i;
            }
            values.push((id, value));
        }
        values
    }

    fn conflict(&mut self, query: &Query<'_>, assumptions: &[Lit]) -> Conflict {
        let failed: Vec<bool> = assumptions.iter().map(|&l| self.gates.sat.failed(l)).collect();
        let (domains, conditions) = failed.split_at(query.domains.len());
        let chosen = |(f, _): &(&bool, _)| **f;
        Conflict {
            domains: domains.iter().zip(query.domains.iter().copied()).filter(chosen).map(|p| p.1).collect(),
            conditions: conditions
                .iter()
                .zip(query.conditions.iter().copied())
                .filter(|(f, _)| **f)
                .map(|p| p.1)
                .collect(),
        }
    }
}
