//! Constructors of terms: each returns the simplest known form of its operation. All code that makes terms calls them.

use crate::evaluation::semantics::{mask, sign_extend};
use crate::policy::paths;
use crate::store::term::{BinaryOp, Node, TableId, Term};
use crate::store::terms::{Table, Terms};

impl Terms {
    /// The one-bit constant.
    pub fn bool(&mut self, v: bool) -> Term {
        self.constant_of(1, v as u128)
    }

    /// Byte `offset` of the test's object `object`; 8 bits.
    pub fn byte(&mut self, object: u32, offset: u32) -> Term {
        let id = self.byte_id(object, offset);
        self.intern(Node::Byte(id), 8)
    }

    /// All bits of `a` inverted; for one bit: logical not.
    pub fn not(&mut self, a: Term) -> Term {
        let w = self.width(a);
        if let Some(v) = self.constant(a) {
            return self.constant_of(w, !v);
        }
        match self.node(a) {
            Node::Not(x) => x,
            Node::Ite(c, x, y) if self.is_constant(x) && self.is_constant(y) => {
                let (x, y) = (self.not(x), self.not(y));
                self.ite(c, x, y)
            }
            _ => self.intern(Node::Not(a), w),
        }
    }

    /// `a op b`; the operands have the same width, except for `Concat`. See [`BinaryOp`] for the result's width.
    pub fn binary(&mut self, op: BinaryOp, a: Term, b: Term) -> Term {
        debug_assert!(op == BinaryOp::Concat || self.width(a) == self.width(b), "{op:?} of two widths");
        let (wa, wb) = (self.width(a), self.width(b));
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b)) {
            let w = self.result_width(op, a, b);
            let v = crate::evaluation::semantics::binary128(op, wa, wb, x, y);
            return self.constant_of(w, v);
        }
        let (a, b) = if op.commutes() { self.ordered(a, b) } else { (a, b) };
        match self.simplified(op, a, b) {
            Some(t) => t,
            None => {
                let w = self.result_width(op, a, b);
                self.intern(Node::Binary(op, a, b), w)
            }
        }
    }

    /// Operands of a commutative operator in canonical order: by structural hash, constants last.
    fn ordered(&self, a: Term, b: Term) -> (Term, Term) {
        let key = |t: Term| (self.is_constant(t), self.hash_of(t));
        if key(a) > key(b) { (b, a) } else { (a, b) }
    }

    pub(crate) fn result_width(&self, op: BinaryOp, a: Term, b: Term) -> u8 {
        match op {
            BinaryOp::Concat => self.width(a) + self.width(b),
            _ if op.is_comparison() => 1,
            _ => self.width(a),
        }
    }

    /// True if `t` is a constant.
    pub fn is_constant(&self, t: Term) -> bool {
        matches!(self.node(t), Node::Const(_) | Node::WideConst(_))
    }

    /// `a + b`.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinaryOp::Add, a, b)
    }
    /// `a - b`.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinaryOp::Sub, a, b)
    }
    /// `a * b`.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinaryOp::Mul, a, b)
    }
    /// Bitwise and; for one bit: logical and.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinaryOp::And, a, b)
    }
    /// Bitwise or; for one bit: logical or.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinaryOp::Or, a, b)
    }
    /// Bitwise exclusive or.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinaryOp::Xor, a, b)
    }
    /// `a == b`; one bit.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinaryOp::Eq, a, b)
    }
    /// `a != b`; one bit.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let t = self.eq(a, b);
        self.not(t)
    }
    /// Unsigned `a < b`; one bit.
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinaryOp::Ult, a, b)
    }
    /// Unsigned `a <= b`; one bit.
    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        let t = self.ult(b, a);
        self.not(t)
    }
    /// Signed `a < b`; one bit.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinaryOp::Slt, a, b)
    }
    /// Signed `a <= b`; one bit.
    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        let t = self.slt(b, a);
        self.not(t)
    }
    /// The bits of `hi` in front of those of `lo`; together at most 128.
    pub fn concat(&mut self, hi: Term, lo: Term) -> Term {
        self.binary(BinaryOp::Concat, hi, lo)
    }

    /// `c ? a : b`, with `c` of one bit.
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        debug_assert!(self.width(a) == self.width(b) && self.width(c) == 1);
        if a == b {
            return a;
        }
        match self.node(c) {
            Node::Const(0) => return b,
            Node::Const(_) => return a,
            Node::Not(d) => return self.ite(d, b, a),
            _ => {}
        }
        let a = self.chosen(c, a, true);
        let b = self.chosen(c, b, false);
        if a == b {
            return a;
        }
        let w = self.width(a);
        if w == 1 {
            let (ca, cb) = (self.constant64(a), self.constant64(b));
            match (ca, cb) {
                (Some(1), Some(_)) => return c,
                (Some(_), Some(_)) => return self.not(c),
                (Some(1), None) => return self.or(c, b),
                (Some(_), None) => {
                    let n = self.not(c);
                    return self.and(n, b);
                }
                (None, Some(0)) => return self.and(c, a),
                (None, Some(_)) => {
                    let n = self.not(c);
                    return self.or(n, a);
                }
                (None, None) => {}
            }
        }
        self.intern(Node::Ite(c, a, b), w)
    }

    /// Simplifies a branch of a choice on `c`: if it chooses on `c` again, its operand for `side`.
    fn chosen(&self, c: Term, branch: Term, side: bool) -> Term {
        match self.node(branch) {
            Node::Ite(d, x, y) if d == c => {
                if side {
                    x
                } else {
                    y
                }
            }
            _ => branch,
        }
    }

    /// Zeros in front, up to `w` bits.
    pub fn zext(&mut self, a: Term, w: u8) -> Term {
        let from = self.width(a);
        debug_assert!(from <= w);
        if from == w {
            return a;
        }
        if let Some(v) = self.constant(a) {
            return self.constant_of(w, v);
        }
        match self.node(a) {
            Node::Zext(x) => self.zext(x, w),
            Node::Ite(c, x, y) if self.is_constant(x) && self.is_constant(y) => {
                let (x, y) = (self.zext(x, w), self.zext(y, w));
                self.ite(c, x, y)
            }
            _ => self.intern(Node::Zext(a), w),
        }
    }

    /// Copies of the sign bit in front, up to `w` bits.
    pub fn sext(&mut self, a: Term, w: u8) -> Term {
        let from = self.width(a);
        debug_assert!(from <= w);
        if from == w {
            return a;
        }
        if let Some(v) = self.constant(a) {
            return self.constant_of(w, sign_extend(v, from) as u128);
        }
        if from <= 64 && self.range(a).1 <= mask(from - 1) as u64 {
            return self.zext(a, w);
        }
        match self.node(a) {
            Node::Sext(x) => self.sext(x, w),
            Node::Zext(x) => self.zext(x, w),
            Node::Ite(c, x, y) if self.is_constant(x) && self.is_constant(y) => {
                let (x, y) = (self.sext(x, w), self.sext(y, w));
                self.ite(c, x, y)
            }
            _ => self.intern(Node::Sext(a), w),
        }
    }

    /// The `w` bits of `a` from bit `low` on.
    pub fn extract(&mut self, a: Term, low: u32, w: u8) -> Term {
        let from = self.width(a);
        debug_assert!(low + w as u32 <= from as u32);
        if from == w {
            return a;
        }
        if let Some(v) = self.constant(a) {
            return self.constant_of(w, v >> low);
        }
        let operation = matches!(self.node(a), Node::Binary(..) | Node::Ite(..));
        if operation && let Some(&known) = self.extracts.get(&(a, low, w)) {
            return known;
        }
        let part = match self.extract_simplified(a, low, w) {
            Some(t) => t,
            None => self.intern(Node::Extract(a, low), w),
        };
        if operation {
            self.extracts.insert((a, low, w), part);
        }
        part
    }

    /// As [`Terms::extract`], but the result is not simplified: it refers to the whole word, so that concatenating
    /// all parts of a word gives the word back. [`Terms::simple`] gives the simple form.
    pub fn part(&mut self, a: Term, low: u32, w: u8) -> Term {
        if self.width(a) == w || self.is_constant(a) {
            return self.extract(a, low, w);
        }
        match self.node(a) {
            Node::Extract(x, from) => self.intern(Node::Extract(x, from + low), w),
            _ => self.intern(Node::Extract(a, low), w),
        }
    }

    /// The simple form of a [`Terms::part`]; other terms are simple.
    pub fn simple(&mut self, t: Term) -> Term {
        match self.node(t) {
            Node::Extract(x, low) => {
                let w = self.width(t);
                self.extract(x, low, w)
            }
            _ => t,
        }
    }

    /// Zero extension or truncation to `w` bits.
    pub fn resize(&mut self, a: Term, w: u8) -> Term {
        if self.width(a) <= w { self.zext(a, w) } else { self.extract(a, 0, w) }
    }

    /// Entry `index` of a table; zero if the index is behind the last entry.
    pub fn table(&mut self, id: TableId, index: Term) -> Term {
        let width = self.tables[id.0 as usize].width;
        let entries = &self.tables[id.0 as usize].entries;
        if let Some(i) = self.constant(index) {
            let v = usize::try_from(i).map_or(0, |i| entries.at(i));
            return self.constant_of(width, v.into());
        }
        if self.width(index) <= 64 {
            let (lo, hi) = self.range(index);
            let last = hi.min((entries.len() as u64).saturating_sub(1));
            let is_inside = hi < entries.len() as u64;
            let all_are = |of: &dyn Fn(u64) -> u64| (lo..=last).all(|i| entries.at(i as usize) == of(i));
            let first = entries.at(lo as usize);
            if is_inside && all_are(&|_| first) {
                return self.constant_of(width, first.into());
            }
            // Identity: programs fill a table with `a[i] = i` before they change some of it.
            if is_inside && all_are(&|i| i) {
                return self.resize(index, width);
            }
        }
        self.intern(Node::Table(id, index), width)
    }

    /// A comparison of a table's entry with a constant: a constant if it has the same outcome for all entries that the index can
    /// reach; of a large table, an entry of a table of bits, as its circuit in a solver is one bit wide. `None` otherwise.
    pub(crate) fn compared_entry(&mut self, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
        let (read, constant, turned) = match (self.constant64(a), self.constant64(b)) {
            (None, Some(v)) => (a, v, false),
            (Some(v), None) => (b, v, true),
            _ => return None,
        };
        let Node::Table(id, index) = self.node(read) else { return None };
        let (least, greatest) = self.range(index);
        let Table { entries, width, .. } = &self.tables[id.0 as usize];
        let (w, is_inside) = (*width, greatest < entries.len() as u64);
        let holds = |v: u64| {
            let (x, y) = if turned { (constant, v) } else { (v, constant) };
            crate::evaluation::semantics::binary128(op, w, w, x.into(), y.into()) as u64
        };
        if is_inside {
            let first = holds(entries.at(least as usize));
            if (least..=greatest).all(|i| holds(entries.at(i as usize)) == first) {
                return Some(self.constant_of(1, first.into()));
            }
        }
        if entries.len() <= paths::COMPARED_TABLE {
            return None;
        }
        let bits: Vec<u64> = entries.clone().iter().map(holds).collect();
        // Entries behind the last one are zero.
        if holds(0) != 0 && !is_inside {
            return None;
        }
        let table = self.intern_table(1, &bits);
        Some(self.table(table, index))
    }
}
