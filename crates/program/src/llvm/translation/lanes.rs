//! The vector instructions of x86-64 that LLVM has intrinsics for: a table from their names to their operation on each lane. All
//! vectors are flattened, so each lane is a register, and moving lanes about costs nothing.

use llvm_sys::prelude::*;

use crate::llvm::modules::types::Scalar;
use crate::llvm::translation::scalar_ops::{binary, compare};
use crate::llvm::translation::translator::Translator;
use crate::register_code::code::*;

/// Lanes of one width.
type Lanes = Vec<Operand>;

fn scalar(width: u8) -> Scalar {
    Scalar { width: u32::from(width), stored: u32::from(width), float: None, soft: None, offset: 0 }
}

/// Instructions that pack or shuffle work on each 128 bits separately.
fn halves(lanes: &[Operand], w: u8) -> Vec<Lanes> {
    lanes.chunks((128 / u32::from(w)) as usize).map(<[Operand]>::to_vec).collect()
}

impl Translator<'_, '_> {
    /// An intrinsic of x86-64, by its name behind `llvm.x86.`; `None` if it is not in the table.
    pub(crate) fn x86_intrinsic(&mut self, i: LLVMValueRef, name: &str) -> Option<()> {
        let (set, rest) = name.split_once('.')?;
        if matches!((set, rest), ("sse", "sfence") | ("sse2", "lfence" | "mfence" | "pause" | "clflush")) {
            return Some(());
        }
        if !matches!(set, "sse" | "sse2" | "sse3" | "ssse3" | "sse41" | "sse42" | "avx" | "avx2") {
            return None;
        }
        let homes = self.homes_of(i)?;
        let first = rest.trim_end_matches(".256").trim_end_matches(".128");
        let lanes = self.integer_lanes(i, first)?;
        if lanes.len() != homes.len() {
            return None;
        }
        for ((s, dst), a) in homes.into_iter().zip(lanes) {
            self.copy(s, dst, a);
        }
        Some(())
    }

    fn emit(&mut self, make: impl FnOnce(Reg) -> Op) -> Operand {
        let dst = self.fresh(1);
        self.push(make(dst));
        Operand::reg(dst)
    }

    fn two(&mut self, op: BinOp, w: u8, a: Operand, b: Operand) -> Operand {
        self.emit(|dst| binary(op, scalar(w), dst, a, b))
    }

    fn clamp(&mut self, op: ClampOp, w: u8, a: Operand, b: Operand) -> Operand {
        self.emit(|dst| Op::Clamp { op, w, dst, a, b })
    }

    fn test(&mut self, pred: Pred, w: u8, a: Operand, b: Operand) -> Operand {
        self.emit(|dst| compare(pred, scalar(w), dst, a, b))
    }

    fn pick(&mut self, w: u8, cond: Operand, a: Operand, b: Operand) -> Operand {
        self.emit(|dst| Op::Select { w, dst, cond, a, b })
    }

    fn widen(&mut self, signed: bool, from: u8, w: u8, a: Operand) -> Operand {
        match (from == w, signed) {
            (true, _) => a,
            (_, true) => self.emit(|dst| Op::Sext { from, w, dst, a }),
            (_, false) => self.emit(|dst| Op::Zext { from, w, dst, a }),
        }
    }

    fn cut(&mut self, from: u8, w: u8, a: Operand) -> Operand {
        if from == w { a } else { self.emit(|dst| Op::Trunc { w, dst, a }) }
    }

    fn number(&mut self, w: u8, v: i64) -> Operand {
        self.constant(v as u64 & (u64::MAX >> (64 - w)))
    }

    /// The lanes of an argument, and their width; scalars have one lane.
    fn vector(&mut self, i: LLVMValueRef, k: u32) -> Option<(u8, Lanes)> {
        let all = self.scalars(self.argument(i, k))?;
        let w = u8::try_from(all.first()?.0.width).ok().filter(|w| *w <= 64)?;
        Some((w, all.into_iter().map(|(_, a)| a).collect()))
    }

    fn integer_lanes(&mut self, i: LLVMValueRef, name: &str) -> Option<Lanes> {
        let (base, kind) = name.split_once('.').unwrap_or((name, ""));
        let (w, a) = self.vector(i, 0)?;
        match base {
            "pmovmskb" | "movmsk" => return Some(vec![self.sign_mask(w, &a)]),
            "pabs" => {
                return Some(
                    a.into_iter()
                        .map(|a| self.emit(|dst| Op::Unary { op: UnOp::Abs, strict: false, w, dst, a }))
                        .collect(),
                );
            }
            "ptestz" | "ptestc" | "ptestnzc" => {
                let (_, b) = self.vector(i, 1)?;
                return Some(vec![self.all_zero(base, w, &a, &b)]);
            }
            "psll" | "psrl" | "psra" | "pslli" | "psrli" | "psrai" => {
                let (n, count) = self.vector(i, 1)?;
                let count = self.shift_count(n, &count);
                let op = base.trim_end_matches('i');
                let op = if base.len() == 5 { op } else { base };
                return Some(a.into_iter().map(|a| self.vector_shift(op, w, a, count)).collect());
            }
            "psllv" | "psrlv" | "psrav" => {
                let (n, counts) = self.vector(i, 1)?;
                let op = &base[..4];
                let mut out = Vec::new();
                for (a, c) in a.into_iter().zip(counts) {
                    let c = self.widen(false, n, 64, c);
                    out.push(self.vector_shift(op, w, a, c));
                }
                return Some(out);
            }
            "pblendvb" | "blendvps" | "blendvpd" | "blendv" => {
                let ((_, b), (_, mask)) = (self.vector(i, 1)?, self.vector(i, 2)?);
                let mut out = Vec::new();
                for ((a, b), m) in a.into_iter().zip(b).zip(mask) {
                    let zero = self.number(w, 0);
                    let chosen = self.test(Pred::Slt, w, m, zero);
                    out.push(self.pick(w, chosen, b, a));
                }
                return Some(out);
            }
            "phminposuw" => return Some(self.least_word(&a)),
            "permd" | "permps" => {
                let (n, index) = self.vector(i, 1)?;
                return Some(index.into_iter().map(|k| self.chosen(w, &a, n, k, 7)).collect());
            }
            "crc32" => return self.checksum(i, kind),
            _ => {}
        }
        let (_, b) = self.vector(i, 1)?;
        let pairs = a.iter().copied().zip(b.iter().copied());
        Some(match base {
            "packsswb" | "packssdw" | "packuswb" | "packusdw" => self.packed(base, w, &a, &b),
            "pavg" => pairs.map(|(a, b)| self.average(w, a, b)).collect(),
            "pmulh" => pairs.map(|(a, b)| self.high_product(true, a, b)).collect(),
            "pmulhu" => pairs.map(|(a, b)| self.high_product(false, a, b)).collect(),
            "pmul" => pairs.map(|(a, b)| self.rounded_product(a, b)).collect(),
            "pmadd" if kind.starts_with("wd") => self.products_of_pairs(&a, &b),
            "pmadd" => self.products_of_bytes(&a, &b),
            "psad" => self.distances(&a, &b),
            "psign" => pairs.map(|(a, b)| self.signed_by(w, a, b)).collect(),
            "phadd" | "phsub" => self.neighbours(base == "phadd", kind.starts_with("sw"), w, &a, &b),
            "pshuf" => {
                let mut out = Vec::new();
                for (bytes, indices) in halves(&a, 8).into_iter().zip(halves(&b, 8)) {
                    for k in indices {
                        let (taken, zero) = (self.chosen(8, &bytes, 8, k, 15), self.number(8, 0));
                        let none = self.test(Pred::Slt, 8, k, zero);
                        out.push(self.pick(8, none, zero, taken));
                    }
                }
                out
            }
            _ => return None,
        })
    }

    /// The highest bits of all lanes, as a number of 32 bits.
    fn sign_mask(&mut self, w: u8, lanes: &[Operand]) -> Operand {
        let zero = self.number(w, 0);
        let mut all = self.number(32, 0);
        for (k, &a) in lanes.iter().enumerate() {
            let bit = self.test(Pred::Slt, w, a, zero);
            let (bit, by) = (self.widen(false, 1, 32, bit), self.number(32, k as i64));
            let moved = self.two(BinOp::Shl, 32, bit, by);
            all = self.two(BinOp::Or, 32, all, moved);
        }
        all
    }

    fn all_zero(&mut self, name: &str, w: u8, a: &[Operand], b: &[Operand]) -> Operand {
        let (zero, ones) = (self.number(w, 0), self.number(w, -1));
        let (mut both, mut beside) = (zero, zero);
        for (&a, &b) in a.iter().zip(b) {
            let and = self.two(BinOp::And, w, a, b);
            both = self.two(BinOp::Or, w, both, and);
            let inverse = self.two(BinOp::Xor, w, a, ones);
            let rest = self.two(BinOp::And, w, inverse, b);
            beside = self.two(BinOp::Or, w, beside, rest);
        }
        let bit = match name {
            "ptestz" => self.test(Pred::Eq, w, both, zero),
            "ptestc" => self.test(Pred::Eq, w, beside, zero),
            _ => {
                let (z, c) = (self.test(Pred::Ne, w, both, zero), self.test(Pred::Ne, w, beside, zero));
                self.two(BinOp::And, 1, z, c)
            }
        };
        self.widen(false, 1, 32, bit)
    }

    /// The count of a shift of all lanes: the low 64 bits of a vector, or a number.
    fn shift_count(&mut self, w: u8, lanes: &[Operand]) -> Operand {
        if lanes.len() == 1 {
            return self.widen(false, w, 64, lanes[0]);
        }
        let mut all = self.number(64, 0);
        for (k, &a) in lanes.iter().take((64 / u32::from(w)) as usize).enumerate() {
            let (wide, by) = (self.widen(false, w, 64, a), self.number(64, k as i64 * i64::from(w)));
            let moved = self.two(BinOp::Shl, 64, wide, by);
            all = self.two(BinOp::Or, 64, all, moved);
        }
        all
    }

    /// A shift by any amount.
    fn vector_shift(&mut self, op: &str, w: u8, a: Operand, count: Operand) -> Operand {
        let (width, last) = (self.number(64, i64::from(w)), self.number(64, i64::from(w) - 1));
        let small = self.test(Pred::Ult, 64, count, width);
        let by = self.pick(64, small, count, last);
        let by = self.cut(64, w, by);
        match op {
            "psra" => self.two(BinOp::AShr, w, a, by),
            _ => {
                let kind = if op == "psll" { BinOp::Shl } else { BinOp::LShr };
                let (r, zero) = (self.two(kind, w, a, by), self.number(w, 0));
                self.pick(w, small, r, zero)
            }
        }
    }

    /// The lane that the low bits of an index choose.
    fn chosen(&mut self, w: u8, lanes: &[Operand], n: u8, index: Operand, mask: i64) -> Operand {
        let mask = self.number(n, mask);
        let low = self.two(BinOp::And, n, index, mask);
        let mut r = lanes[0];
        for (k, &lane) in lanes.iter().enumerate().skip(1) {
            let number = self.number(n, k as i64);
            let here = self.test(Pred::Eq, n, low, number);
            r = self.pick(w, here, lane, r);
        }
        r
    }

    fn packed(&mut self, name: &str, w: u8, a: &[Operand], b: &[Operand]) -> Lanes {
        let (half, signed) = (w / 2, name.starts_with("packss"));
        let (least, most) = match signed {
            true => (-(1i64 << (half - 1)), (1i64 << (half - 1)) - 1),
            false => (0, (1i64 << half) - 1),
        };
        let (least, most) = (self.number(w, least), self.number(w, most));
        let mut out = Vec::new();
        for (a, b) in halves(a, w).into_iter().zip(halves(b, w)) {
            for v in a.into_iter().chain(b) {
                let up = self.clamp(ClampOp::SMax, w, v, least);
                let held = self.clamp(ClampOp::SMin, w, up, most);
                out.push(self.cut(w, half, held));
            }
        }
        out
    }

    fn average(&mut self, w: u8, a: Operand, b: Operand) -> Operand {
        let (x, y, one) = (self.widen(false, w, 32, a), self.widen(false, w, 32, b), self.number(32, 1));
        let sum = self.two(BinOp::Add, 32, x, y);
        let sum = self.two(BinOp::Add, 32, sum, one);
        let half = self.two(BinOp::LShr, 32, sum, one);
        self.cut(32, w, half)
    }

    fn high_product(&mut self, signed: bool, a: Operand, b: Operand) -> Operand {
        let (x, y, by) = (self.widen(signed, 16, 32, a), self.widen(signed, 16, 32, b), self.number(32, 16));
        let p = self.two(BinOp::Mul, 32, x, y);
        let up = self.two(BinOp::LShr, 32, p, by);
        self.cut(32, 16, up)
    }

    /// `pmulhrsw`: the product's bits 15 to 30, rounded.
    fn rounded_product(&mut self, a: Operand, b: Operand) -> Operand {
        let (x, y) = (self.widen(true, 16, 32, a), self.widen(true, 16, 32, b));
        let (p, by, one) = (self.two(BinOp::Mul, 32, x, y), self.number(32, 14), self.number(32, 1));
        let up = self.two(BinOp::AShr, 32, p, by);
        let up = self.two(BinOp::Add, 32, up, one);
        let half = self.two(BinOp::AShr, 32, up, one);
        self.cut(32, 16, half)
    }

    fn products_of_pairs(&mut self, a: &[Operand], b: &[Operand]) -> Lanes {
        let mut out = Vec::new();
        for (a, b) in a.chunks(2).zip(b.chunks(2)) {
            let mut parts = Vec::new();
            for (&x, &y) in a.iter().zip(b) {
                let (x, y) = (self.widen(true, 16, 32, x), self.widen(true, 16, 32, y));
                parts.push(self.two(BinOp::Mul, 32, x, y));
            }
            out.push(self.two(BinOp::Add, 32, parts[0], parts[1]));
        }
        out
    }

    /// `pmaddubsw`: unsigned bytes times signed ones, sums of two, saturated.
    fn products_of_bytes(&mut self, a: &[Operand], b: &[Operand]) -> Lanes {
        let mut out = Vec::new();
        for (a, b) in a.chunks(2).zip(b.chunks(2)) {
            let mut parts = Vec::new();
            for (&x, &y) in a.iter().zip(b) {
                let (x, y) = (self.widen(false, 8, 16, x), self.widen(true, 8, 16, y));
                parts.push(self.two(BinOp::Mul, 16, x, y));
            }
            out.push(self.clamp(ClampOp::SAddSat, 16, parts[0], parts[1]));
        }
        out
    }

    /// `psadbw`: the sum of eight distances between bytes.
    fn distances(&mut self, a: &[Operand], b: &[Operand]) -> Lanes {
        let mut out = Vec::new();
        for (a, b) in a.chunks(8).zip(b.chunks(8)) {
            let mut sum = self.number(64, 0);
            for (&x, &y) in a.iter().zip(b) {
                let (most, least) = (self.clamp(ClampOp::UMax, 8, x, y), self.clamp(ClampOp::UMin, 8, x, y));
                let far = self.two(BinOp::Sub, 8, most, least);
                let far = self.widen(false, 8, 64, far);
                sum = self.two(BinOp::Add, 64, sum, far);
            }
            out.push(sum);
        }
        out
    }

    fn signed_by(&mut self, w: u8, a: Operand, b: Operand) -> Operand {
        let zero = self.number(w, 0);
        let negated = self.two(BinOp::Sub, w, zero, a);
        let (below, none) = (self.test(Pred::Slt, w, b, zero), self.test(Pred::Eq, w, b, zero));
        let r = self.pick(w, below, negated, a);
        self.pick(w, none, zero, r)
    }

    fn neighbours(&mut self, add: bool, saturates: bool, w: u8, a: &[Operand], b: &[Operand]) -> Lanes {
        let mut out = Vec::new();
        for (a, b) in halves(a, w).into_iter().zip(halves(b, w)) {
            for pair in a.chunks(2).chain(b.chunks(2)) {
                out.push(match (add, saturates) {
                    (true, true) => self.clamp(ClampOp::SAddSat, w, pair[0], pair[1]),
                    (false, true) => self.clamp(ClampOp::SSubSat, w, pair[0], pair[1]),
                    (true, false) => self.two(BinOp::Add, w, pair[0], pair[1]),
                    (false, false) => self.two(BinOp::Sub, w, pair[0], pair[1]),
                });
            }
        }
        out
    }

    /// `phminposuw`: the least word, its first place, and zeros.
    fn least_word(&mut self, a: &[Operand]) -> Lanes {
        let (mut least, mut place, zero) = (a[0], self.number(16, 0), self.number(16, 0));
        for (k, &v) in a.iter().enumerate().skip(1) {
            let (less, here) = (self.test(Pred::Ult, 16, v, least), self.number(16, k as i64));
            least = self.pick(16, less, v, least);
            place = self.pick(16, less, here, place);
        }
        let mut out = vec![least, place];
        out.resize(8, zero);
        out
    }

    /// `crc32`: Castagnoli's polynomial, bit by bit.
    fn checksum(&mut self, i: LLVMValueRef, kind: &str) -> Option<Lanes> {
        let ((w, start), (n, data)) = (self.vector(i, 0)?, self.vector(i, 1)?);
        let mut crc = self.cut(w, 32, *start.first()?);
        let whole = self.widen(false, n, 64, *data.first()?);
        let (one, zero, polynomial) = (self.number(32, 1), self.number(32, 0), self.number(32, 0x82f6_3b78));
        for bit in 0..n {
            let by = self.number(64, i64::from(bit));
            let moved = self.two(BinOp::LShr, 64, whole, by);
            let low = self.cut(64, 32, moved);
            let mixed = self.two(BinOp::Xor, 32, crc, low);
            let last = self.two(BinOp::And, 32, mixed, one);
            let odd = self.test(Pred::Ne, 32, last, zero);
            let next = self.two(BinOp::LShr, 32, crc, one);
            let divided = self.two(BinOp::Xor, 32, next, polynomial);
            crc = self.pick(32, odd, divided, next);
        }
        kind.starts_with(['3', '6']).then(|| vec![self.widen(false, 32, w, crc)])
    }
}
