//! Gates over literals: simplified, and each made once. The blaster and its arithmetic call them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustc_hash::FxHashMap;

use super::sat::{Lit, Sat};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Mux(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

/// A circuit whose clauses go to the SAT solver as it grows.
pub(crate) struct Gates {
    pub(crate) sat: Sat,
    made: FxHashMap<Gate, Lit>,
}

impl Gates {
    /// The SAT solver of these gates gives up as soon as `stop` is true.
    pub(crate) fn new(stop: &Arc<AtomicBool>) -> Gates {
        Gates { sat: Sat::new(stop), made: FxHashMap::default() }
    }

    /// A new input; the search tries the value `first` first.
    pub(crate) fn input(&mut self, first: bool) -> Lit {
        Lit(self.sat.variable(first, true) << 1)
    }

    fn gate(&mut self, gate: Gate, clauses: impl FnOnce(&mut Sat, Lit)) -> Lit {
        if let Some(&l) = self.made.get(&gate) {
            return l;
        }
        let out = Lit(self.sat.variable(false, false) << 1);
        clauses(&mut self.sat, out);
        self.made.insert(gate, out);
        out
    }

    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::TRUE || a == b {
            return b;
        }
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        self.gate(Gate::And(a, b), |s, o| {
            s.add(&[!o, a]);
            s.add(&[!o, b]);
            s.add(&[o, !a, !b]);
        })
    }

    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// The conjunction of all literals, as one gate.
    pub(crate) fn all(&mut self, lits: &[Lit]) -> Lit {
        let mut lits: Vec<Lit> = lits.iter().copied().filter(|&l| l != Lit::TRUE).collect();
        lits.sort_unstable();
        lits.dedup();
        if lits.contains(&Lit::FALSE) || lits.windows(2).any(|p| p[0] == !p[1]) {
            return Lit::FALSE;
        }
        match lits[..] {
            [] => Lit::TRUE,
            [a] => a,
            [a, b] => self.and(a, b),
            _ => {
                let out = Lit(self.sat.variable(false, false) << 1);
                for &l in &lits {
                    self.sat.add(&[!out, l]);
                }
                for l in &mut lits {
                    *l = !*l;
                }
                lits.push(out);
                self.sat.add(&lits);
                out
            }
        }
    }

    pub(crate) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        // Negations move to the output, so that one gate serves all four cases.
        let negate = a.negated() ^ b.negated();
        let (a, b) = (a.xor(a.negated()), b.xor(b.negated()));
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b {
            return Lit::of(negate);
        }
        if a == Lit::TRUE {
            return b.xor(!negate);
        }
        let out = self.gate(Gate::Xor(a, b), |s, o| {
            s.add(&[!o, a, b]);
            s.add(&[!o, !a, !b]);
            s.add(&[o, !a, b]);
            s.add(&[o, a, !b]);
        });
        out.xor(negate)
    }

    /// `c ? a : b`.
    pub(crate) fn mux(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if c.negated() && !c.is_constant() {
            return self.mux(!c, b, a);
        }
        if c == Lit::TRUE || a == b {
            return a;
        }
        if c == Lit::FALSE {
            return b;
        }
        if a == !b {
            return !self.xor(c, a);
        }
        if a == Lit::TRUE || a == c {
            return self.or(c, b);
        }
        if a == Lit::FALSE || a == !c {
            return self.and(!c, b);
        }
        if b == Lit::FALSE || b == c {
            return self.and(c, a);
        }
        if b == Lit::TRUE || b == !c {
            return self.or(!c, a);
        }
        let negate = a.negated();
        let (a, b) = (a.xor(negate), b.xor(negate));
        let out = self.gate(Gate::Mux(c, a, b), |s, o| {
            s.add(&[!c, !a, o]);
            s.add(&[!c, a, !o]);
            s.add(&[c, !b, o]);
            s.add(&[c, b, !o]);
            s.add(&[!a, !b, o]);
            s.add(&[a, b, !o]);
        });
        out.xor(negate)
    }

    /// True if at least two of three hold.
    pub(crate) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut m = [a, b, c];
        m.sort_unstable();
        let [a, b, c] = m;
        if a == Lit::TRUE {
            return self.or(b, c);
        }
        if a == Lit::FALSE {
            return self.and(b, c);
        }
        if a == b || b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        let negate = a.negated();
        let (a, b, c) = (a.xor(negate), b.xor(negate), c.xor(negate));
        let out = self.gate(Gate::Majority(a, b, c), |s, o| {
            s.add(&[!a, !b, o]);
            s.add(&[!a, !c, o]);
            s.add(&[!b, !c, o]);
            s.add(&[a, b, !o]);
            s.add(&[a, c, !o]);
            s.add(&[b, c, !o]);
        });
        out.xor(negate)
    }
}
