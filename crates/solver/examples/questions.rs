//! Microseconds a question, by the layer that answered it, for workloads like those of an engine:
//!
//!     cargo run --release -p cleave-solver --example questions [without-layers]
//!
//! `without-layers` leaves everything to the back end, for comparison with solvers alone.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cleave_expr::{BinaryOp, Term, Terms, Witness};
use cleave_solver::{Answer, LayerName, PathCondition, Solver, SolverOptions};

/// A fixed sequence of numbers.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 20) % n
    }
}

/// A solver with its terms, and the times of its answers.
struct Clocked {
    terms: Terms,
    solver: Solver,
    times: BTreeMap<&'static str, Vec<Duration>>,
    assumed: Vec<Duration>,
    last: BTreeMap<&'static str, u64>,
}

impl Clocked {
    fn new(layers: bool) -> Clocked {
        let mut options = SolverOptions { timeout: Duration::from_secs(3), ..SolverOptions::default() };
        if !layers {
            options.disabled = LayerName::ALL
                .into_iter()
                .filter(|l| !matches!(l, LayerName::Sat | LayerName::Slices | LayerName::Constants))
                .collect();
        }
        Clocked {
            terms: Terms::new(),
            solver: Solver::new(options).expect("the default options need nothing"),
            times: BTreeMap::new(),
            assumed: Vec::new(),
            last: BTreeMap::new(),
        }
    }

    fn ask(&mut self, pc: &PathCondition, cond: Term, near: &Witness) -> Option<Witness> {
        let start = Instant::now();
        let answer = self.solver.ask(&mut self.terms, pc, cond, near);
        let took = start.elapsed();
        let now = self.solver.stats().answered_by;
        let layer = now.iter().find(|(name, n)| self.last.get(*name) != Some(n)).map_or("nobody", |l| l.0);
        self.times.entry(layer).or_default().push(took);
        self.last = now;
        match answer {
            Answer::Sat(w) => Some(w),
            Answer::Unsat(_) => None,
            Answer::Unknown(why) => {
                println!("no answer: {why}");
                None
            }
        }
    }

    fn assume(&mut self, pc: &mut PathCondition, cond: Term) {
        let start = Instant::now();
        self.solver.assume(&mut self.terms, pc, cond);
        self.assumed.push(start.elapsed());
    }

    /// Asks for the side of `cond` that `w` does not take, and takes the side that `w` takes.
    fn decide(&mut self, pc: &mut PathCondition, cond: Term, w: &Witness) -> Option<Witness> {
        let holds = self.terms.holds(cond, w);
        let not = self.terms.not(cond);
        let (here, there) = if holds { (cond, not) } else { (not, cond) };
        let other = self.ask(pc, there, w);
        self.assume(pc, here);
        other
    }

    fn report(mut self, name: &str) {
        let micros = |d: Duration| d.as_nanos() as f64 / 1000.0;
        let all: Duration = self.times.values().flatten().sum();
        let count: usize = self.times.values().map(Vec::len).sum();
        let stats = self.solver.stats();
        println!(
            "{name}: {count} questions ({} sat, {} unsat, {} unknown), {:.2} us each, {:.3} s; \
             assume {:.2} us each; {} terms",
            stats.sat,
            stats.unsat,
            stats.unknown,
            micros(all) / count.max(1) as f64,
            all.as_secs_f64(),
            micros(self.assumed.iter().sum()) / self.assumed.len().max(1) as f64,
            self.terms.len(),
        );
        for (layer, times) in &mut self.times {
            times.sort();
            let sum: Duration = times.iter().sum();
            println!(
                "    {layer:10} {:6} x, median {:8.2} us, mean {:8.2} us, last {:9.2} us",
                times.len(),
                micros(times[times.len() / 2]),
                micros(sum) / times.len() as f64,
                micros(times[times.len() - 1]),
            );
        }
    }
}

/// Paths of 20 decisions each, over random conditions.
fn paths(
    name: &str,
    layers: bool,
    questions: usize,
    mut condition: impl FnMut(&mut Terms, &mut Numbers) -> Term,
) {
    let mut c = Clocked::new(layers);
    let mut numbers = Numbers(0x1234_5678_9ABC_DEF1);
    let mut asked = 0;
    while asked < questions {
        let mut pc = PathCondition::default();
        let bytes: Vec<u8> = (0..16).map(|_| numbers.next() as u8).collect();
        let mut w = c.terms.witness(&bytes);
        for _ in 0..20 {
            let cond = condition(&mut c.terms, &mut numbers);
            if c.terms.constant(cond).is_some() {
                continue;
            }
            asked += 1;
            // now and then the other side is followed
            let holds = c.terms.holds(cond, &w);
            let not = c.terms.not(cond);
            let (here, there) = if holds { (cond, not) } else { (not, cond) };
            match c.ask(&pc, there, &w) {
                Some(other) if numbers.below(2) == 0 => {
                    w = other;
                    c.assume(&mut pc, there);
                }
                _ => c.assume(&mut pc, here),
            }
        }
    }
    c.report(name);
}

fn word(s: &mut Terms, from: u32, bytes: u32) -> Term {
    let mut t = s.byte(0, from);
    for i in 1..bytes {
        let b = s.byte(0, from + i);
        t = s.concat(b, t);
    }
    t
}

fn bytes_condition(s: &mut Terms, n: &mut Numbers) -> Term {
    let (i, j) = (n.below(16) as u32, n.below(16) as u32);
    let (a, b) = (s.byte(0, i), s.byte(0, j));
    let k = s.constant_of(8, n.next() as u128);
    match n.below(6) {
        0 => s.ult(a, k),
        1 => s.eq(a, k),
        2 => {
            let t = s.add(a, b);
            s.eq(t, k)
        }
        3 => {
            let t = s.xor(a, b);
            s.ult(t, k)
        }
        4 => {
            let (wa, wb) = (s.zext(a, 32), s.zext(b, 32));
            let t = s.add(wa, wb);
            let k = s.constant_of(32, n.below(512) as u128);
            s.slt(t, k)
        }
        _ => s.ult(a, b),
    }
}

fn arithmetic_condition(s: &mut Terms, n: &mut Numbers) -> Term {
    let (x, y) = (word(s, 4 * n.below(4) as u32, 4), word(s, 4 * n.below(4) as u32, 4));
    let k = s.constant_of(32, n.below(1000) as u128 + 2);
    let seven = s.constant_of(32, 7);
    match n.below(5) {
        0 => {
            let p = s.mul(x, k);
            s.ult(p, y)
        }
        1 => {
            let q = s.binary(BinaryOp::UDiv, x, k);
            s.ult(q, y)
        }
        2 => {
            let r = s.binary(BinaryOp::URem, x, k);
            s.eq(r, seven)
        }
        3 => {
            let by = s.constant_of(32, 31);
            let by = s.and(y, by);
            let t = s.binary(BinaryOp::Shl, x, by);
            s.slt(t, k)
        }
        _ => {
            let p = s.mul(x, y);
            s.eq(p, k)
        }
    }
}

fn table_condition(s: &mut Terms, n: &mut Numbers) -> Term {
    let mut fixed = Numbers(42);
    let entries: Vec<u64> = (0..256).map(|_| fixed.next() & 0xFF).collect();
    let id = s.intern_table(8, &entries);
    let (a, b) = (s.byte(0, n.below(16) as u32), s.byte(0, n.below(16) as u32));
    let t = s.xor(a, b);
    let first = s.table(id, t);
    let k = s.constant_of(8, n.next() as u128);
    match n.below(3) {
        0 => s.eq(first, k),
        1 => s.ult(first, b),
        _ => {
            let t = s.xor(first, b);
            let second = s.table(id, t);
            s.ult(second, k)
        }
    }
}

fn address_condition(s: &mut Terms, n: &mut Numbers) -> Term {
    let index = word(s, 4 * n.below(4) as u32, 4);
    let index = s.sext(index, 64);
    let size = s.constant_of(64, [4u128, 8, 24][n.below(3) as usize]);
    let base = s.constant_of(64, 0x7000_0000 + 4096 * n.below(8) as u128);
    let offset = s.mul(index, size);
    let address = s.add(base, offset);
    let bound = s.constant_of(64, 0x7000_0000 + n.below(1 << 18) as u128);
    if n.below(2) == 0 { s.ult(address, bound) } else { s.ule(bound, address) }
}

/// A state of the sorting program: the array, where it is, and its path.
#[derive(Clone)]
struct Sorting {
    array: Vec<Term>,
    i: usize,
    j: usize,
    pc: PathCondition,
    witness: Witness,
}

/// Insertion sort of `n` symbolic ints, all paths, depth first.
fn sorting(n: usize, layers: bool) {
    let mut c = Clocked::new(layers);
    let array = (0..n).map(|i| word(&mut c.terms, 4 * i as u32, 4)).collect();
    let witness = c.terms.witness(&vec![0; 4 * n]);
    let mut states = vec![Sorting { array, i: 1, j: 1, pc: PathCondition::default(), witness }];
    let mut paths = 0;
    let start = Instant::now();
    while let Some(mut s) = states.pop() {
        while s.i < n {
            if s.j == 0 {
                (s.i, s.j) = (s.i + 1, s.i + 1);
                continue;
            }
            let cond = c.terms.slt(s.array[s.j], s.array[s.j - 1]);
            let step = |s: &mut Sorting, less: bool| {
                if less {
                    s.array.swap(s.j, s.j - 1);
                    s.j -= 1;
                } else {
                    (s.i, s.j) = (s.i + 1, s.i + 1);
                }
            };
            match c.terms.constant64(cond) {
                Some(v) => step(&mut s, v != 0),
                None => {
                    let less = c.terms.holds(cond, &s.witness);
                    let before = s.pc.clone();
                    if let Some(w) = c.decide(&mut s.pc, cond, &s.witness) {
                        let mut other = Sorting { pc: before, witness: w, ..s.clone() };
                        let taken = if less { c.terms.not(cond) } else { cond };
                        c.assume(&mut other.pc, taken);
                        step(&mut other, !less);
                        states.push(other);
                    }
                    step(&mut s, less);
                }
            }
        }
        paths += 1;
    }
    c.report(&format!("sort {n} ints: {paths} paths in {:.3} s", start.elapsed().as_secs_f64()));
}

/// A state of the tree program: nodes (key, left, right), the key to insert, where it is, and its path.
#[derive(Clone)]
struct Inserting {
    tree: Vec<(Term, usize, usize)>,
    next: usize,
    at: usize,
    pc: PathCondition,
    witness: Witness,
}

/// Insertions of `n` symbolic ints into an unbalanced search tree, all paths, depth first.
fn tree(n: usize, layers: bool) {
    const NONE: usize = usize::MAX;
    let mut c = Clocked::new(layers);
    let keys: Vec<Term> = (0..n).map(|i| word(&mut c.terms, 4 * i as u32, 4)).collect();
    let witness = c.terms.witness(&vec![0; 4 * n]);
    let first = Inserting {
        tree: vec![(keys[0], NONE, NONE)],
        next: 1,
        at: 0,
        pc: PathCondition::default(),
        witness,
    };
    let mut states = vec![(first, false)];
    let mut paths = 0;
    let start = Instant::now();
    while let Some((mut s, mut differs)) = states.pop() {
        while s.next < n {
            let (key, node) = (keys[s.next], s.tree[s.at]);
            let cond = if differs { c.terms.slt(key, node.0) } else { c.terms.eq(key, node.0) };
            let side = c.terms.holds(cond, &s.witness);
            let before = s.pc.clone();
            let other = c.decide(&mut s.pc, cond, &s.witness);
            let was = differs;
            let step = |s: &mut Inserting, side: bool| -> bool {
                if !was {
                    if side {
                        (s.next, s.at) = (s.next + 1, 0);
                    }
                    return !side;
                }
                let child = if side { s.tree[s.at].1 } else { s.tree[s.at].2 };
                if child != NONE {
                    s.at = child;
                    return false;
                }
                let new = s.tree.len();
                s.tree.push((keys[s.next], NONE, NONE));
                if side {
                    s.tree[s.at].1 = new;
                } else {
                    s.tree[s.at].2 = new;
                }
                (s.next, s.at) = (s.next + 1, 0);
                false
            };
            if let Some(w) = other {
                let mut o = Inserting { pc: before, witness: w, ..s.clone() };
                let taken = if side { c.terms.not(cond) } else { cond };
                c.assume(&mut o.pc, taken);
                let d = step(&mut o, !side);
                states.push((o, d));
            }
            differs = step(&mut s, side);
        }
        paths += 1;
    }
    c.report(&format!("tree of {n} ints: {paths} paths in {:.3} s", start.elapsed().as_secs_f64()));
}

fn main() {
    let layers = !std::env::args().any(|a| a == "without-layers");
    paths("W1, 16 bytes", layers, 2000, bytes_condition);
    if std::env::args().all(|a| a != "short") {
        paths("W2, 32-bit arithmetic", layers, 200, arithmetic_condition);
    }
    paths("W3, a table of 256 bytes", layers, 300, table_condition);
    paths("W4, 64-bit addresses", layers, 200, address_condition);
    sorting(6, layers);
    tree(5, layers);
    if layers {
        sorting(8, layers);
    }
}
