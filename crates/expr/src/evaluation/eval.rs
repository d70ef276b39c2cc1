//! Evaluation of terms under a witness, without recursion. Values are cached by term index with the witness's stamp, which needs
//! no hash map for terms of at most 64 bits.

use std::rc::Rc;

use crate::evaluation::semantics::{binary64, binary128, mask, sign_extend};
use crate::store::term::{ByteId, Node, Term};
use crate::store::terms::Terms;
use crate::store::witness::Witness;

/// A copy of `bytes` with other values for some of them; bytes behind the end are added.
fn longer(bytes: &[u8], patch: impl Iterator<Item = (ByteId, u8)>) -> Rc<[u8]> {
    let mut all = bytes.to_vec();
    for (id, value) in patch {
        let i = id.0 as usize;
        if i >= all.len() {
            all.resize(i + 1, 0);
        }
        all[i] = value;
    }
    all.into()
}

impl Terms {
    /// A witness with these values, by byte id.
    pub fn witness(&mut self, bytes: &[u8]) -> Witness {
        self.numbered(bytes.into())
    }

    fn numbered(&mut self, bytes: Rc<[u8]>) -> Witness {
        self.last_witness += 1;
        if self.last_witness as u32 == 0 {
            self.last_witness += 1; // a stamp of zero means that there is no value
        }
        Witness { serial: self.last_witness, bytes }
    }

    /// `from` with other values for some bytes.
    pub fn patched(&mut self, from: &Witness, patch: impl IntoIterator<Item = (ByteId, u8)>) -> Witness {
        // One allocation if no byte is behind the end; most queries call this.
        let mut bytes: Rc<[u8]> = Rc::from(&*from.bytes);
        let mut patch = patch.into_iter();
        while let Some((id, value)) = patch.next() {
            let i = id.0 as usize;
            if i >= bytes.len() {
                bytes = longer(&bytes, std::iter::once((id, value)).chain(patch));
                break;
            }
            if let Some(bytes) = Rc::get_mut(&mut bytes) {
                bytes[i] = value;
            }
        }
        self.numbered(bytes)
    }

    /// The value of `t` (at most 64 bits) under `w`.
    #[inline]
    pub fn eval(&mut self, t: Term, w: &Witness) -> u64 {
        self.cache.enter(w);
        match self.cached(t, w) {
            Some(v) => v as u64,
            None => self.eval_slow(t, w) as u64,
        }
    }

    /// The value of `t`, of any width, under `w`.
    pub fn eval_wide(&mut self, t: Term, w: &Witness) -> u128 {
        self.cache.enter(w);
        match self.cached(t, w) {
            Some(v) => v,
            None => self.eval_slow(t, w),
        }
    }

    /// True if the one-bit term `t` holds under `w`.
    #[inline]
    pub fn holds(&mut self, t: Term, w: &Witness) -> bool {
        self.eval(t, w) != 0
    }

    #[inline]
    fn cached(&self, t: Term, w: &Witness) -> Option<u128> {
        match self.nodes[t.index()] {
            Node::Const(v) => Some(v as u128),
            Node::Byte(id) => Some(w.get(id) as u128),
            _ if self.width(t) <= 64 => {
                let bank = &self.cache.banks[self.cache.at];
                match bank.stamps.get(t.index()) {
                    Some(&stamp) if stamp == w.serial as u32 => Some(bank.values[t.index()] as u128),
                    _ => None,
                }
            }
            Node::WideConst(_) => self.constant(t),
            _ => match self.cache.banks[self.cache.at].wide.get(&t) {
                Some(&(stamp, v)) if stamp == w.serial as u32 => Some(v),
                _ => None,
            },
        }
    }

    fn eval_slow(&mut self, t: Term, w: &Witness) -> u128 {
        let at = self.cache.at;
        let bank = &mut self.cache.banks[at];
        if bank.stamps.len() < self.nodes.len() {
            let room = self.nodes.len().next_power_of_two();
            bank.stamps.resize(room, 0);
            bank.values.resize(room, 0);
        }
        let mut stack = std::mem::take(&mut self.cache.stack);
        stack.clear();
        stack.push(t);
        let (mut result, mut looked_at) = (0, 0);
        while let Some(&top) = stack.last() {
            looked_at += 1;
            let before = stack.len();
            result = self.eval_node(top, w, &mut stack);
            if stack.len() > before {
                continue; // operands first
            }
            stack.pop();
            let narrow = self.width(top) <= 64;
            let bank = &mut self.cache.banks[at];
            if narrow {
                bank.stamps[top.index()] = w.serial as u32;
                bank.values[top.index()] = result as u64;
            } else {
                bank.wide.insert(top, (w.serial as u32, result));
            }
        }
        self.cache.stack = stack;
        self.count(0, looked_at);
        result
    }

    /// The value of one node if its operands are cached; otherwise pushes those that are not.
    fn eval_node(&self, t: Term, w: &Witness, missing: &mut Vec<Term>) -> u128 {
        let waiting = missing.len();
        let mut value = |t: Term| match self.cached(t, w) {
            Some(v) => v,
            None => {
                missing.push(t);
                0
            }
        };
        let width = self.width(t);
        match self.node(t) {
            Node::Const(v) => v as u128,
            Node::WideConst(_) => self.constant(t).unwrap_or(0),
            Node::Byte(id) => w.get(id) as u128,
            Node::Not(a) => !value(a) & mask(width),
            Node::Binary(op, a, b) => {
                let (x, y) = (value(a), value(b));
                let (wa, wb) = (self.width(a), self.width(b));
                if width <= 64 && wa <= 64 {
                    binary64(op, wa, wb, x as u64, y as u64) as u128
                } else {
                    binary128(op, wa, wb, x, y)
                }
            }
            Node::Ite(c, a, b) => match self.cached(c, w) {
                Some(0) => value(b),
                Some(_) => value(a),
                None => value(c),
            },
            Node::Extract(a, low) => value(a) >> low & mask(width),
            Node::Zext(a) => value(a),
            Node::Sext(a) => sign_extend(value(a), self.width(a)) as u128 & mask(width),
            Node::Table(id, a) => {
                let i = usize::try_from(value(a)).unwrap_or(usize::MAX);
                self.tables[id.0 as usize].entries.at(i).into()
            }
            Node::Float(op, a, b, c) => {
                let values = [a, b, c].map(&mut value);
                if missing.len() == waiting { op.value(self.width(a), width, values) } else { 0 }
            }
        }
    }
}
