//! Forms of terms for solving: equal to the terms, and easier for whoever searches in them.
//!
//! The constructors' rules are quick, and the digests of paths are made of the forms that they give. These rules look further, and nobody
//! sees their forms but the solver.

use rustc_hash::FxHashMap;

use crate::byteset::ByteSet;
use crate::semantics::mask;
use crate::term::{BinaryOp, Node, Term};
use crate::terms::Terms;
use BinaryOp::*;

/// What is read from a table is followed up to a table of this many entries.
const ENTRIES: u64 = 256;
/// A branch of a choice is looked through for what its condition says up to this many terms.
const BRANCH: usize = 512;

impl Terms {
    /// A term of the same value for all inputs, for solvers. The same each time.
    pub fn rewritten(&mut self, t: Term) -> Term {
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            let before = stack.len();
            if !self.rewritten.contains_key(&top) {
                stack.extend(self.children(top).filter(|c| !self.rewritten.contains_key(c)));
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if !self.rewritten.contains_key(&top) {
                let rewritten = self.rewrite(top);
                self.rewritten.insert(top, rewritten);
            }
        }
        self.rewritten[&t]
    }

    /// A term whose operands have been rewritten.
    fn rewrite(&mut self, t: Term) -> Term {
        let w = self.width(t);
        let of = |s: &Self, t: Term| s.rewritten.get(&t).copied().unwrap_or(t);
        match self.node(t) {
            Node::Const(_) | Node::WideConst(_) | Node::Byte(_) => t,
            Node::Not(a) => {
                let a = of(self, a);
                let plain = self.not(a);
                self.followed(plain, a, Terms::not)
            }
            Node::Zext(a) => {
                let a = of(self, a);
                let plain = self.zext(a, w);
                self.followed(plain, a, |s, v| s.zext(v, w))
            }
            Node::Sext(a) => {
                let a = of(self, a);
                let plain = self.sext(a, w);
                self.followed(plain, a, |s, v| s.sext(v, w))
            }
            Node::Extract(a, low) => {
                let a = of(self, a);
                let plain = self.extract(a, low, w);
                self.followed(plain, a, |s, v| s.extract(v, low, w))
            }
            Node::Table(id, index) => {
                // An index is what it is without zeros in front.
                let index = match (of(self, index), self.node(of(self, index))) {
                    (_, Node::Zext(inner)) => inner,
                    (index, _) => index,
                };
                let plain = self.table(id, index);
                self.followed(plain, index, |s, v| s.table(id, v))
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (of(self, c), of(self, a), of(self, b));
                let a = self.where_it_holds(c, a);
                self.ite(c, a, b)
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (of(self, a), of(self, b));
                self.rewrite_binary(op, a, b)
            }
            Node::Float(op, ..) => {
                let operands: Vec<Term> = self.children(t).map(|x| of(self, x)).collect();
                self.float(op, w, &operands)
            }
        }
    }

    fn rewrite_binary(&mut self, op: BinaryOp, a: Term, b: Term) -> Term {
        let remainder = match op {
            Add => self.remainder(a, b).or_else(|| self.remainder(b, a)),
            Sub => self.remainder_by_sub(a, b),
            _ => None,
        };
        if let Some(remainder) = remainder {
            return remainder;
        }
        if op == Concat
            && let (Node::Ite(c, x, y), Node::Ite(d, p, q)) = (self.node(a), self.node(b))
            && c == d
        {
            // Bytes of one word, written at once.
            let (yes, no) = (self.concat(x, p), self.concat(y, q));
            return self.ite(c, yes, no);
        }
        let plain = self.binary(op, a, b);
        if self.is_constant(b) {
            return self.followed(plain, a, |s, v| s.binary(op, v, b));
        }
        if self.is_constant(a) {
            return self.followed(plain, b, |s, v| s.binary(op, a, v));
        }
        plain
    }

    /// `x + (x / k) * -k` is `x % k`, also of their lower bits: so compilers write a division with its remainder.
    fn remainder(&mut self, product: Term, x: Term) -> Option<Term> {
        let Node::Binary(Mul, quotient, factor) = self.node(product) else { return None };
        let factor = self.constant(factor)?;
        let w = self.width(x);
        self.remainder_of(quotient, factor.wrapping_neg() & mask(w), x)
    }

    /// `x - (x / k) * k`.
    fn remainder_by_sub(&mut self, x: Term, product: Term) -> Option<Term> {
        let Node::Binary(Mul, quotient, factor) = self.node(product) else { return None };
        let factor = self.constant(factor)?;
        self.remainder_of(quotient, factor, x)
    }

    /// `x % k`, if `quotient` is `x / k`; of both there may be the lower bits only, with `k` modulo these.
    fn remainder_of(&mut self, quotient: Term, k: u128, x: Term) -> Option<Term> {
        let w = self.width(x);
        let whole = match self.node(quotient) {
            Node::Extract(whole, 0) => whole,
            _ => quotient,
        };
        let Node::Binary(UDiv, dividend, divisor) = self.node(whole) else { return None };
        let by = self.constant(divisor)?;
        if by == 0 || by & mask(w) != k || self.extract(dividend, 0, w) != x {
            return None;
        }
        let remainder = self.binary(URem, dividend, divisor);
        Some(self.extract(remainder, 0, w))
    }

    /// A function of what is read from a table is another table. `plain` is the function of `read`.
    fn followed(&mut self, plain: Term, read: Term, function: impl Fn(&mut Terms, Term) -> Term) -> Term {
        let Node::Table(id, index) = self.node(read) else { return plain };
        let w = self.width(plain);
        if self.is_constant(plain) || w > 64 || self.width(index) > 64 || self.range(index).1 >= ENTRIES {
            return plain;
        }
        let from = self.table_entries(id);
        let width = self.width(read);
        let mut entries = Vec::new();
        for i in 0..=self.range(index).1 {
            let v = self.constant_of(width, from.get(i as usize).copied().unwrap_or(0).into());
            let v = function(self, v);
            let Some(v) = self.constant64(v) else { return plain };
            entries.push(v);
        }
        let table = self.intern_table(w, &entries);
        self.table(table, index)
    }

    /// A term where `cond` holds: what the condition says to be a constant is that constant.
    fn where_it_holds(&mut self, cond: Term, t: Term) -> Term {
        let Node::Binary(Eq, x, k) = self.node(cond) else { return t };
        if !self.is_constant(k) || self.is_constant(t) {
            return t;
        }
        let Some(order) = self.below(&[t], BRANCH) else { return t };
        if !order.iter().any(|(node, _)| *node == x) {
            return t;
        }
        let mut now: FxHashMap<Term, Term> = FxHashMap::default();
        for (node, _) in order {
            let replaced = if node == x { k } else { self.with_operands(node, &now) };
            now.insert(node, replaced);
        }
        now[&t]
    }

    /// A node with other operands, where they have changed.
    fn with_operands(&mut self, t: Term, now: &FxHashMap<Term, Term>) -> Term {
        let of = |t: Term| now.get(&t).copied().unwrap_or(t);
        if self.children(t).all(|c| of(c) == c) {
            return t;
        }
        let w = self.width(t);
        match self.node(t) {
            Node::Const(_) | Node::WideConst(_) | Node::Byte(_) => t,
            Node::Not(a) => self.not(of(a)),
            Node::Zext(a) => self.zext(of(a), w),
            Node::Sext(a) => self.sext(of(a), w),
            Node::Extract(a, low) => self.extract(of(a), low, w),
            Node::Table(id, a) => self.table(id, of(a)),
            Node::Ite(c, a, b) => self.ite(of(c), of(a), of(b)),
            Node::Binary(op, a, b) => self.binary(op, of(a), of(b)),
            Node::Float(op, ..) => {
                let operands: Vec<Term> = self.children(t).map(of).collect();
                self.float(op, w, &operands)
            }
        }
    }

    /// A condition as one on a term of few values: the term, and for which of its values it holds.
    pub fn on_few_values(&mut self, cond: Term) -> Option<(Term, ByteSet)> {
        if let Some(&known) = self.few_values.get(&cond) {
            return known;
        }
        let found = self.find_few_values(cond);
        self.few_values.insert(cond, found);
        found
    }

    fn find_few_values(&mut self, cond: Term) -> Option<(Term, ByteSet)> {
        let function = |s: &mut Self, of: Term, at: &dyn Fn(&mut Self, Term) -> Term| {
            let (w, most) = (s.width(of), s.range(of).1);
            if w > 64 || most >= ENTRIES {
                return None;
            }
            let mut set = ByteSet::EMPTY;
            for v in 0..=most {
                let constant = s.constant_of(w, v.into());
                let holds = at(s, constant);
                if s.constant64(holds)? != 0 {
                    set.insert(v as u8);
                }
            }
            Some((of, set))
        };
        match self.node(cond) {
            Node::Not(a) => {
                let (of, set) = self.on_few_values(a)?;
                Some((of, set.complement()))
            }
            Node::Table(id, index) => function(self, index, &|s, v| s.table(id, v)),
            Node::Binary(op, a, b) if op.is_comparison() && self.is_constant(b) => {
                function(self, a, &|s, v| s.binary(op, v, b))
            }
            Node::Binary(op, a, b) if op.is_comparison() && self.is_constant(a) => {
                function(self, b, &|s, v| s.binary(op, a, v))
            }
            _ => None,
        }
    }
}
