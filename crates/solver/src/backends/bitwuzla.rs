//! Bitwuzla as a back end. Conditions become assumptions, so one instance serves many queries. After an error of
//! Bitwuzla the instance is replaced and the query has no answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cleave_bitwuzla::{Bitwuzla, Error, Kind, Satisfiability, Term as Smt};
use cleave_expr::{BinaryOp, ByteId, ByteSet, Node, TableId, Term, Terms};
use rustc_hash::FxHashMap;

use crate::backends::backend::{BackEnd, Backend, Conflict, Query, Verdict};
use crate::error::SolverError;
use crate::policy::bitwuzla::{LOOK, MOST_QUERIES, MOST_TERMS};

/// The entry in the table of back ends.
pub(crate) const BACK_END: BackEnd = BackEnd {
    name: "bitwuzla",
    about: "an SMT solver: for hard queries, and for checks",
    usual: true,
    start: |stop| Ok(Box::new(BitwuzlaBackend::new(stop)?)),
};

/// A translated term. Conditions are `Bool` in SMT-LIB and one-bit words here, so each may be needed in both
/// forms.
#[derive(Clone, Copy)]
struct Translated {
    word: Option<Smt>,
    boolean: Option<Smt>,
}

/// One instance with the terms translated for it.
struct Instance {
    solver: Bitwuzla,
    terms: FxHashMap<Term, Translated>,
    bytes: FxHashMap<ByteId, Smt>,
    questions: u32,
}

/// The running back end.
pub(crate) struct BitwuzlaBackend {
    instance: Instance,
    /// Flag that ends the query at hand.
    stop: Arc<AtomicBool>,
}

const TRANSLATED: &str = "the time limit came while the question was translated";

impl BitwuzlaBackend {
    /// Gives up as soon as `stop` is true.
    pub(crate) fn new(stop: &Arc<AtomicBool>) -> Result<BitwuzlaBackend, SolverError> {
        let failed = |e: Error| SolverError::NotStarted { name: BACK_END.name, why: e.0 };
        Ok(BitwuzlaBackend { instance: Instance::new(stop).map_err(failed)?, stop: stop.clone() })
    }

    fn try_solve(&mut self, terms: &mut Terms, query: &Query<'_>, limit: Duration) -> Result<Verdict, Error> {
        let start = Instant::now();
        if self.instance.questions >= MOST_QUERIES || self.instance.solver.len() > MOST_TERMS {
            self.instance = Instance::new(&self.stop)?;
        }
        let instance = &mut self.instance;
        instance.questions += 1;
        let mut assumptions = Vec::with_capacity(query.domains.len() + query.conditions.len());
        for (id, set) in query.domains {
            assumptions.push(instance.domain(*id, set)?);
        }
        let over = || start.elapsed() >= limit || self.stop.load(Ordering::Relaxed);
        for &c in query.conditions {
            match instance.condition(terms, c, over)? {
                Some(condition) => assumptions.push(condition),
                None => return Ok(Verdict::Unknown(TRANSLATED.into())),
            }
            if over() {
                return Ok(Verdict::Unknown(TRANSLATED.into()));
            }
        }
        match instance.solver.check(&assumptions, limit.saturating_sub(start.elapsed()))? {
            Satisfiability::Sat => Ok(Verdict::Sat(instance.model(terms, query)?)),
            Satisfiability::Unsat => Ok(Verdict::Unsat(instance.conflict(query, &assumptions)?)),
            Satisfiability::Unknown => {
                Ok(Verdict::Unknown(format!("Bitwuzla: no answer within {} ms", limit.as_millis())))
            }
        }
    }
}

impl Backend for BitwuzlaBackend {
    fn name(&self) -> &'static str {
        BACK_END.name
    }

    fn solve(&mut self, terms: &mut Terms, query: &Query<'_>, limit: Duration) -> Verdict {
        self.try_solve(terms, query, limit).unwrap_or_else(|e| {
            // After an error the state of the instance is unknown: replace it.
            self.instance.questions = MOST_QUERIES;
            Verdict::Unknown(e.to_string())
        })
    }
}

impl Instance {
    fn new(stop: &Arc<AtomicBool>) -> Result<Instance, Error> {
        let solver = Bitwuzla::stopped_by(stop.clone())?;
        Ok(Instance { solver, terms: FxHashMap::default(), bytes: FxHashMap::default(), questions: 0 })
    }

    fn byte(&mut self, id: ByteId) -> Result<Smt, Error> {
        if let Some(&t) = self.bytes.get(&id) {
            return Ok(t);
        }
        let t = self.solver.unknown(8)?;
        self.bytes.insert(id, t);
        Ok(t)
    }

    /// The condition that a byte is in a set: in one of the set's intervals.
    fn domain(&mut self, id: ByteId, set: &ByteSet) -> Result<Smt, Error> {
        let byte = self.byte(id)?;
        let mut any = self.solver.boolean(false)?;
        let mut v = 0u64;
        while v < 256 {
            if !set.contains(v as u8) {
                v += 1;
                continue;
            }
            let first = v;
            while v < 256 && set.contains(v as u8) {
                v += 1;
            }
            let (lo, hi) = (self.solver.value_of(8, first)?, self.solver.value_of(8, v - 1)?);
            let above = self.solver.binary(Kind::BvUle, lo, byte)?;
            let below = self.solver.binary(Kind::BvUle, byte, hi)?;
            let within = self.solver.binary(Kind::And, above, below)?;
            any = self.solver.binary(Kind::Or, any, within)?;
        }
        Ok(any)
    }

    /// A condition in Bitwuzla's terms; `None` if `over` returns true during the translation.
    fn condition(&mut self, terms: &Terms, c: Term, over: impl Fn() -> bool) -> Result<Option<Smt>, Error> {
        let mut stack = vec![c];
        while let Some(&top) = stack.last() {
            if self.terms.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(terms.children(top).filter(|c| !self.terms.contains_key(c)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let translated = self.translate(terms, top)?;
            self.terms.insert(top, translated);
            if self.terms.len().is_multiple_of(LOOK) && over() {
                return Ok(None);
            }
        }
        self.boolean(c).map(Some)
    }

    /// A translated one-bit term as `Bool`.
    fn boolean(&mut self, t: Term) -> Result<Smt, Error> {
        let known = self.terms[&t];
        if let Some(b) = known.boolean {
            return Ok(b);
        }
        let one = self.solver.value_of(1, 1)?;
        let word = known.word.ok_or_else(|| Error("a term without a form".into()))?;
        let b = self.solver.binary(Kind::Equal, word, one)?;
        self.terms.insert(t, Translated { boolean: Some(b), ..known });
        Ok(b)
    }

    /// A translated term as a bit-vector.
    fn word(&mut self, t: Term) -> Result<Smt, Error> {
        let known = self.terms[&t];
        if let Some(w) = known.word {
            return Ok(w);
        }
        let (one, zero) = (self.solver.value_of(1, 1)?, self.solver.value_of(1, 0)?);
        let boolean = known.boolean.ok_or_else(|| Error("a term without a form".into()))?;
        let w = self.solver.ite(boolean, one, zero)?;
        self.terms.insert(t, Translated { word: Some(w), ..known });
        Ok(w)
    }

    fn translate(&mut self, terms: &Terms, t: Term) -> Result<Translated, Error> {
        let width = terms.width(t);
        let as_word = |w: Smt| Translated { word: Some(w), boolean: None };
        let as_boolean = |b: Smt| Translated { word: None, boolean: Some(b) };
        if let Some(v) = terms.constant(t) {
            return Ok(as_word(self.constant(width, v)?));
        }
        Ok(match terms.node(t) {
            Node::Const(_) | Node::WideConst(_) => return Err(Error("a constant without a value".into())),
            Node::Byte(id) => as_word(self.byte(id)?),
            Node::Not(a) if width == 1 => {
                let a = self.boolean(a)?;
                as_boolean(self.solver.unary(Kind::Not, a)?)
            }
            Node::Not(a) => {
                let a = self.word(a)?;
                as_word(self.solver.unary(Kind::BvNot, a)?)
            }
            Node::Ite(c, a, b) if width == 1 => {
                let (c, a, b) = (self.boolean(c)?, self.boolean(a)?, self.boolean(b)?);
                as_boolean(self.solver.ite(c, a, b)?)
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.boolean(c)?, self.word(a)?, self.word(b)?);
                as_word(self.solver.ite(c, a, b)?)
            }
            Node::Extract(a, low) => {
                let (a, low) = (self.word(a)?, low as u64);
                as_word(self.solver.extract(a, low + width as u64 - 1, low)?)
            }
            Node::Zext(x) | Node::Sext(x) => {
                let signed = matches!(terms.node(t), Node::Sext(_));
                let by = (width - terms.width(x)) as u64;
                let x = self.word(x)?;
                as_word(self.solver.extend(x, signed, by)?)
            }
            Node::Table(id, index) => as_word(self.table(terms, id, index)?),
            Node::Float(op, ..) => return Err(Error(format!("`{}` has no form for it", op.name()))),
            Node::Binary(op, a, b) => self.translate_binary(terms, op, a, b)?,
        })
    }

    fn translate_binary(
        &mut self,
        terms: &Terms,
        op: BinaryOp,
        a: Term,
        b: Term,
    ) -> Result<Translated, Error> {
        use BinaryOp::*;
        let logical = match op {
            And => Some(Kind::And),
            Or => Some(Kind::Or),
            Xor => Some(Kind::Xor),
            Eq => Some(Kind::Equal),
            _ => None,
        };
        if let Some(kind) = logical
            && terms.width(a) == 1
        {
            let (a, b) = (self.boolean(a)?, self.boolean(b)?);
            return Ok(Translated { word: None, boolean: Some(self.solver.binary(kind, a, b)?) });
        }
        let kind = match op {
            Add => Kind::BvAdd,
            Sub => Kind::BvSub,
            Mul => Kind::BvMul,
            UDiv => Kind::BvUdiv,
            SDiv => Kind::BvSdiv,
            URem => Kind::BvUrem,
            SRem => Kind::BvSrem,
            And => Kind::BvAnd,
            Or => Kind::BvOr,
            Xor => Kind::BvXor,
            Shl => Kind::BvShl,
            LShr => Kind::BvShr,
            AShr => Kind::BvAshr,
            Eq => Kind::Equal,
            Ult => Kind::BvUlt,
            Slt => Kind::BvSlt,
            Concat => Kind::BvConcat,
        };
        let (a, b) = (self.word(a)?, self.word(b)?);
        let t = self.solver.binary(kind, a, b)?;
        Ok(match op.is_comparison() {
            true => Translated { word: None, boolean: Some(t) },
            false => Translated { word: Some(t), boolean: None },
        })
    }

    fn constant(&mut self, width: u8, v: u128) -> Result<Smt, Error> {
        if width <= 64 {
            return self.solver.value_of(width as u64, v as u64);
        }
        let high = self.solver.value_of(width as u64 - 64, (v >> 64) as u64)?;
        let low = self.solver.value_of(64, v as u64)?;
        self.solver.binary(Kind::BvConcat, high, low)
    }

    /// A table as a tree of choices on the bits of the index; chains of array stores are far slower.
    fn table(&mut self, terms: &Terms, id: TableId, index: Term) -> Result<Smt, Error> {
        let entries = terms.table_entries(id);
        let width = terms.table_width(id) as u64;
        let index_width = terms.width(index) as u32;
        let index = self.word(index)?;
        let depth = (usize::BITS - entries.len().saturating_sub(1).leading_zeros()).min(index_width);
        // Equal parts of the tree are made once: in a large table of bytes most parts are equal.
        let (mut made, mut values): (Vec<Smt>, FxHashMap<u64, u32>) = Default::default();
        let mut column = Vec::with_capacity(1 << depth);
        for i in 0..1usize << depth {
            let value = entries.at(i);
            column.push(match values.get(&value) {
                Some(&number) => number,
                None => {
                    let number = made.len() as u32;
                    made.push(self.solver.value_of(width, value)?);
                    values.insert(value, number);
                    number
                }
            });
        }
        for bit in 0..depth {
            let one = self.solver.value_of(1, 1)?;
            let b = self.solver.extract(index, bit as u64, bit as u64)?;
            let b = self.solver.binary(Kind::Equal, b, one)?;
            let mut pairs: FxHashMap<[u32; 2], u32> = FxHashMap::default();
            let mut next = Vec::with_capacity(column.len() / 2);
            for pair in column.chunks(2) {
                let [zero, one] = [pair[0], pair[1]];
                next.push(match pairs.get(&[zero, one]) {
                    _ if zero == one => zero,
                    Some(&number) => number,
                    None => {
                        let number = made.len() as u32;
                        made.push(self.solver.ite(b, made[one as usize], made[zero as usize])?);
                        pairs.insert([zero, one], number);
                        number
                    }
                });
            }
            column = next;
        }
        let inside = made[column[0] as usize];
        if depth == index_width {
            return Ok(inside);
        }
        let high = self.solver.extract(index, index_width as u64 - 1, depth as u64)?;
        let none = self.constant((index_width - depth) as u8, 0)?;
        let within = self.solver.binary(Kind::Equal, high, none)?;
        let zero = self.solver.value_of(width, 0)?;
        self.solver.ite(within, inside, zero)
    }

    /// The values of all bytes of the query that were translated.
    fn model(&mut self, terms: &mut Terms, query: &Query<'_>) -> Result<Vec<(ByteId, u8)>, Error> {
        let mut values = Vec::new();
        for id in query.bytes(terms) {
            if let Some(&t) = self.bytes.get(&id) {
                values.push((id, self.solver.value(t)? as u8));
            }
        }
        Ok(values)
    }

    fn conflict(&mut self, query: &Query<'_>, assumptions: &[Smt]) -> Result<Conflict, Error> {
        let (domains, conditions) = assumptions.split_at(query.domains.len());
        let mut conflict = Conflict::default();
        for (&d, &t) in query.domains.iter().zip(domains) {
            if self.solver.failed(t)? {
                conflict.domains.push(d);
            }
        }
        for (&c, &t) in query.conditions.iter().zip(conditions) {
            if self.solver.failed(t)? {
                conflict.conditions.push(c);
            }
        }
        Ok(conflict)
    }
}
