//! Forms of terms for solving: equal to the terms for all inputs, and easier for solvers. The solver calls it.
//!
//! The constructors' rules are quick, and digests of paths are computed from the forms that they give. These rules look further,
//! and only the solver sees their forms.

use rustc_hash::FxHashMap;

use crate::domains::byteset::ByteSet;
use crate::evaluation::semantics::mask;
use crate::policy::rewriting;
use crate::store::term::{BinaryOp, Node, Term};
use crate::store::terms::Terms;
use BinaryOp::*;

impl Terms {
    /// A term with the same value for all inputs, in a form for solvers. Repeated calls give the same term.
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
                let rewritten = self.known_by_range(rewritten);
                self.rewritten.insert(top, rewritten);
            }
        }
        self.rewritten[&t]
    }

    /// The constant value of a term whose range has one value; otherwise the term.
    fn known_by_range(&mut self, t: Term) -> Term {
        let (w, (least, most)) = (self.width(t), self.range(t));
        if w <= 64 && least == most { self.constant_of(w, least.into()) } else { t }
    }

    /// The form of a term whose operands have been rewritten.
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
                // Zero extension does not change an index.
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
                let plain = self.ite(c, a, b);
                self.choice_as_sum(c, a, b).unwrap_or(plain)
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
        match op {
            Concat => return self.joined(a, b, rewriting::WRITES),
            Add => return self.narrow_sum(a, b),
            Mul if !self.is_constant(a) && !self.is_constant(b) => return self.narrow_product(a, b),
            Ult | Slt | Eq => {
                if let Some(compared) = self.compared_quotient(op, a, b) {
                    return compared;
                }
                if op == Eq
                    && let Some(shorter) = self.without_common_summands(a, b)
                {
                    return shorter;
                }
            }
            _ => {}
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

    /// The concatenation of two parts of a word that was written byte by byte.
    fn joined(&mut self, high: Term, low: Term, left: u32) -> Term {
        let plain = self.concat(high, low);
        if let Some(&known) = self.rewritten.get(&plain) {
            return known;
        }
        let at = self.width(low);
        let joined = match (self.node(high), self.node(low)) {
            (Node::Ite(c, x, y), Node::Ite(d, p, q)) if c == d && left > 0 => {
                // Both parts were written under the same condition.
                let (yes, no) = (self.joined(x, p, left - 1), self.joined(y, q, left - 1));
                self.ite(c, yes, no)
            }
            // The lower part of a sum is a sum of lower parts.
            (Node::Extract(whole, from), _) if from == u32::from(at) && self.extract(whole, 0, at) == low => {
                let w = self.width(plain);
                self.extract(whole, 0, w)
            }
            _ => plain,
        };
        let joined = self.known_by_range(joined);
        self.rewritten.insert(plain, joined);
        joined
    }

    /// A sum in the least width that holds all its values, zero-extended.
    fn narrow_sum(&mut self, a: Term, b: Term) -> Term {
        if let Some(sum) = self.sum_in_order(a, b) {
            return sum;
        }
        let plain = self.add(a, b);
        let w = self.width(plain);
        let Node::Binary(Add, a, b) = self.node(plain) else { return plain };
        let followed = if self.is_constant(b) { self.followed(plain, a, |s, v| s.add(v, b)) } else { plain };
        let most = self.range(a).1.checked_add(self.range(b).1);
        let Some(most) = most.filter(|_| w <= 64 && followed == plain) else { return followed };
        let bits = (64 - most.leading_zeros()).max(1) as u8;
        if bits >= w {
            return plain;
        }
        let (a, b) = (self.extract(a, 0, bits), self.extract(b, 0, bits));
        let narrow = self.add(a, b);
        self.zext(narrow, w)
    }

    /// `x + (x / k) * -k` as `x % k`, also for their lower bits: compilers emit this for a division with its remainder.
    fn remainder(&mut self, product: Term, x: Term) -> Option<Term> {
        let Node::Binary(Mul, quotient, factor) = self.node(product) else { return None };
        let factor = self.constant(factor)?;
        let w = self.width(x);
        self.remainder_of(quotient, factor.wrapping_neg() & mask(w), x)
    }

    /// `x - (x / k) * k` as `x % k`.
    fn remainder_by_sub(&mut self, x: Term, product: Term) -> Option<Term> {
        let Node::Binary(Mul, quotient, factor) = self.node(product) else { return None };
        let factor = self.constant(factor)?;
        self.remainder_of(quotient, factor, x)
    }

    /// `x % k`, if `quotient` is `x / k`; both may be truncated to the same lower bits, with `k` modulo their width.
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

    /// A function of a table's entry as an entry of another table. `plain` is the function of `read`.
    fn followed(&mut self, plain: Term, read: Term, function: impl Fn(&mut Terms, Term) -> Term) -> Term {
        let Node::Table(id, index) = self.node(read) else { return plain };
        let w = self.width(plain);
        if self.is_constant(plain)
            || w > 64
            || self.width(index) > 64
            || self.range(index).1 >= rewriting::ENTRIES
        {
            return plain;
        }
        let from = self.table_entries(id);
        let width = self.width(read);
        let mut entries = Vec::new();
        for i in 0..=self.range(index).1 {
            let v = self.constant_of(width, from.at(i as usize).into());
            let v = function(self, v);
            let Some(v) = self.constant64(v) else { return plain };
            entries.push(v);
        }
        let table = self.intern_table(w, &entries);
        self.table(table, index)
    }

    /// The terms whose values follow from a condition, with these values.
    fn facts(&mut self, cond: Term) -> FxHashMap<Term, Term> {
        let mut facts = FxHashMap::default();
        let mut parts = vec![cond];
        while let Some(part) = parts.pop().filter(|_| facts.len() < rewriting::FACTS) {
            let (known, value) = match self.node(part) {
                Node::Binary(And, a, b) => {
                    parts.extend([a, b]);
                    continue;
                }
                Node::Binary(Eq, x, k) if self.is_constant(k) => (x, k),
                Node::Not(a) => (a, self.constant_of(1, 0)),
                _ => (part, self.constant_of(1, 1)),
            };
            facts.insert(known, value);
        }
        facts
    }

    /// A term simplified under the assumption `cond`: terms that the condition makes constant are replaced.
    fn where_it_holds(&mut self, cond: Term, t: Term) -> Term {
        if self.is_constant(t) {
            return t;
        }
        let Some(order) = self.below(&[t], rewriting::BRANCH) else { return t };
        let mut now = self.facts(cond);
        if !order.iter().any(|(node, _)| now.contains_key(node)) {
            return t;
        }
        for (node, _) in order {
            if !now.contains_key(&node) {
                let replaced = self.with_operands(node, &now);
                now.insert(node, replaced);
            }
        }
        now[&t]
    }

    /// A node with its operands replaced by `now`.
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

    /// A condition as a condition on a term with at most 256 values: the term, and the set of its values for which the condition
    /// holds.
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
            if w > 64 || most >= rewriting::ENTRIES {
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
