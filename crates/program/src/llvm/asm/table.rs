//! Meanings of the instructions: one table from mnemonics to code.

use super::machine::{FLAGS, Flag, Known, Machine, Spot};
use super::text::Written;
use crate::register_code::code::*;

const RAX: usize = 0;
const RCX: usize = 1;
const RDX: usize = 2;
const RBX: usize = 3;
const RSI: usize = 6;
const RDI: usize = 7;

/// Instructions that take the letter of their width behind their name.
const SIZED: [&str; 58] = [
    "mov", "add", "adc", "sub", "sbb", "cmp", "and", "or", "xor", "test", "not", "neg", "inc", "dec", "lea",
    "xchg", "cmpxchg", "xadd", "bswap", "shl", "sal", "shr", "sar", "rol", "ror", "shld", "shrd", "bt",
    "bts", "btr", "btc", "bsf", "bsr", "tzcnt", "lzcnt", "popcnt", "mul", "imul", "div", "idiv", "movs",
    "stos", "lods", "cmps", "scas", "push", "pop", "movbe", "andn", "blsr", "blsi", "blsmsk", "mulx", "rorx",
    "sarx", "shlx", "shrx", "nop",
];

/// A mnemonic without the letter of its width, and the width.
fn sized(name: &str) -> Option<(&'static str, Option<u8>)> {
    if let Some(found) = SIZED.iter().find(|s| **s == name) {
        return Some((found, None));
    }
    let (base, letter) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let bits = match letter {
        "b" => 8,
        "w" => 16,
        "l" => 32,
        "q" => 64,
        _ => return None,
    };
    SIZED.iter().find(|s| **s == base).map(|found| (*found, Some(bits)))
}

/// `movzbl` and its kin: true if signed, from, to.
fn extension(name: &str) -> Option<(bool, u8, Option<u8>)> {
    let (signed, rest) = match (name.strip_prefix("movz"), name.strip_prefix("movs")) {
        (Some(rest), _) => (false, rest),
        (_, Some(rest)) => (true, rest),
        _ => return None,
    };
    let bits = |letter: u8| match letter {
        b'b' => Some(8),
        b'w' => Some(16),
        b'l' => Some(32),
        b'q' => Some(64),
        _ => None,
    };
    match *rest.as_bytes() {
        [from, to] => Some((signed, bits(from)?, Some(bits(to)?))),
        [b'x'] => None,
        _ => None,
    }
}

impl Machine<'_, '_, '_> {
    pub(super) fn instruction(&mut self, prefixes: &[String], name: &str, operands: &[Written]) -> Known<()> {
        let unknown = || Err(format!("the instruction `{name}`"));
        let repeated = prefixes.iter().find(|p| *p != "lock" && *p != "notrack").map(String::as_str);
        match name {
            "nop" if repeated.is_some() => return Ok(()),
            _ if self.fixed(name)? => return Ok(()),
            "jmp" => {
                let [to] = operands else { return unknown() };
                let target = self.target(to)?;
                self.jump(target);
                self.dead = true;
                return Ok(());
            }
            "movabsq" | "movabs" => return self.ordinary("mov", Some(64), operands),
            "cmpxchg16b" => return self.compare_exchange_pair(64, operands),
            _ => {}
        }
        if let Some(rest) = name.strip_prefix('j')
            && let Some(cond) = self.condition(rest)?
        {
            let [to] = operands else { return unknown() };
            let target = self.target(to)?;
            self.branch(cond, target);
            return Ok(());
        }
        if let Some(rest) = name.strip_prefix("set")
            && let Some(cond) = self.condition(rest)?
        {
            let [to] = operands else { return unknown() };
            let (spot, _) = self.spot(to)?;
            let byte = self.zext(1, 8, cond);
            return self.write(spot, 8, byte);
        }
        if let Some(rest) = name.strip_prefix("cmov") {
            return self.conditional_move(rest, operands);
        }
        if let Some((signed, from, to)) = extension(name).filter(|_| operands.len() == 2) {
            let (source, _) = self.spot(&operands[0])?;
            let (dst, width) = self.spot(&operands[1])?;
            let w = to.or(width).ok_or("a width that nothing says")?;
            let a = self.read(source, from)?;
            let r = if signed { self.sext(from, w, a) } else { self.zext(from, w, a) };
            return self.write(dst, w, r);
        }
        let Some((base, width)) = sized(name) else { return unknown() };
        if matches!(base, "movs" | "stos" | "lods" | "cmps" | "scas") && operands.is_empty() {
            return self.string(base, width.ok_or("a width that nothing says")?, repeated);
        }
        if repeated.is_some() && base != "nop" {
            return unknown();
        }
        self.ordinary(base, width, operands)
    }

    /// Instructions that name none of their operands. Returns true if it is one.
    fn fixed(&mut self, name: &str) -> Known<bool> {
        match name {
            "pause" | "mfence" | "lfence" | "sfence" | "nop" | "cld" | "endbr64" | "nopw" | "nopl"
            | "prefetcht0" | "prefetcht1" | "prefetcht2" | "prefetchnta" | "prefetchw" | "clflush" => {}
            "clc" | "stc" | "cmc" => {
                let bit = if name == "cmc" {
                    let c = self.flag(Flag::Carry)?;
                    self.not(c)
                } else {
                    self.constant(1, (name == "stc") as u64)
                };
                self.set_flag(Flag::Carry, bit);
            }
            "rdtsc" | "rdtscp" => {
                let counter = self.cycle_counter();
                let low = self.trunc(64, 32, counter);
                let (by, dst) = (self.constant(64, 32), self.t.fresh(1));
                self.t.push(Op::LShr { lazy: false, w: 64, dst, a: counter, b: by });
                let high = self.trunc(64, 32, Operand::reg(dst));
                self.write_register(RAX, 32, false, low);
                self.write_register(RDX, 32, false, high);
                if name == "rdtscp" {
                    let processor = self.constant(32, 0);
                    self.write_register(RCX, 32, false, processor);
                }
            }
            "cbtw" | "cwtl" | "cltq" | "cwde" | "cdqe" | "cbw" => {
                let from = match name {
                    "cbtw" | "cbw" => 8,
                    "cwtl" | "cwde" => 16,
                    _ => 32,
                };
                let a = self.read_register(RAX, from, false)?;
                let r = self.sext(from, 2 * from, a);
                self.write_register(RAX, 2 * from, false, r);
            }
            "cwtd" | "cltd" | "cqto" | "cwd" | "cdq" | "cqo" => {
                let w = match name {
                    "cwtd" | "cwd" => 16,
                    "cltd" | "cdq" => 32,
                    _ => 64,
                };
                let (a, by) = (self.read_register(RAX, w, false)?, self.constant(w, u64::from(w) - 1));
                let r = self.bin(BinOp::AShr, w, a, by);
                self.write_register(RDX, w, false, r);
            }
            "ud2" => {
                self.t.push(Op::Builtin {
                    what: Builtin::Trap,
                    dst: NO_REG,
                    args: Args { start: 0, len: 0 },
                    n: 0,
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn conditional_move(&mut self, rest: &str, operands: &[Written]) -> Known<()> {
        let mut cond = self.condition(rest)?;
        if cond.is_none() {
            cond = self.condition(rest.trim_end_matches(['w', 'l', 'q']))?;
        }
        let (Some(cond), [source, dst]) = (cond, operands) else {
            return Err(format!("the instruction `cmov{rest}`"));
        };
        let (source, _) = self.spot(source)?;
        let (dst, w) = self.spot(dst)?;
        let w = w.ok_or("a width that nothing says")?;
        let (a, b) = (self.read(source, w)?, self.read(dst, w)?);
        let r = self.select(w, cond, a, b);
        self.write(dst, w, r)
    }

    /// An instruction whose operands have one width.
    fn ordinary(&mut self, base: &str, width: Option<u8>, operands: &[Written]) -> Known<()> {
        let mut spots = Vec::new();
        let mut said = width;
        let count = matches!(base, "shl" | "sal" | "shr" | "sar" | "rol" | "ror" | "shld" | "shrd");
        for (k, written) in operands.iter().enumerate() {
            if base == "lea" && k == 0 {
                spots.push(Spot::Value(self.constant(64, 0)));
                continue;
            }
            let (spot, w) = self.spot(written)?;
            // The count of a shift has a width of its own.
            let is_count = count && k == 0 && operands.len() > 1;
            said = said.or(w.filter(|_| !is_count));
            spots.push(spot);
        }
        if base == "nop" {
            return Ok(());
        }
        let w = said.ok_or("a width that nothing says")?;
        let done = match operands {
            [first, ..] if base == "lea" => self.address_of(w, &spots, first)?,
            _ => {
                self.moves(base, w, &spots)?
                    || self.sums(base, w, &spots)?
                    || self.bits(base, w, &spots)?
                    || self.manipulations(base, w, &spots)?
                    || self.products(base, w, &spots)?
            }
        };
        if done { Ok(()) } else { Err(format!("the instruction `{base}` with these operands")) }
    }

    /// `lea`. Returns true if its operands fit.
    fn address_of(&mut self, w: u8, spots: &[Spot], first: &Written) -> Known<bool> {
        let &[_, dst] = spots else { return Ok(false) };

        let Written::Memory { distance, base, index, scale } = first else {
            let Spot::Memory { address, offset } = self.spot(first)?.0 else {
                return Err("an address that is none".into());
            };
            self.store_address(dst, w, address, offset)?;
            return Ok(true);
        };
        let (address, offset) = self.address(*distance, base.as_deref(), index.as_deref(), *scale)?;
        self.store_address(dst, w, address, offset)?;
        Ok(true)
    }

    /// Copies and exchanges. Returns true if it is one.
    fn moves(&mut self, base: &str, w: u8, spots: &[Spot]) -> Known<bool> {
        match (base, spots) {
            ("push", &[source]) => {
                let a = self.read(source, 64)?;
                let reg = self.t.fresh(1);
                self.t.push(Op::Move { dst: reg, a });
                self.stack.push(reg);
                Ok(())
            }
            ("pop", &[dst]) => {
                let reg = self.stack.pop().ok_or("a pop of what was not pushed here")?;
                self.write(dst, 64, Operand::reg(reg))
            }
            ("mov", &[source, dst]) => {
                let a = self.read(source, w)?;
                self.write(dst, w, a)
            }
            ("movbe", &[source, dst]) => {
                let a = self.read(source, w)?;
                let r = self.value(|dst| Op::Unary { op: UnOp::Bswap, strict: false, w, dst, a });
                self.write(dst, w, r)
            }
            ("xchg", &[a, b]) => {
                let (x, y) = (self.read(a, w)?, self.read(b, w)?);
                self.write(a, w, y)?;
                self.write(b, w, x)
            }
            _ => return Ok(false),
        }?;
        Ok(true)
    }

    /// Sums, differences, comparisons, bitwise operations of two operands. Returns true if it is one.
    fn sums(&mut self, base: &str, w: u8, spots: &[Spot]) -> Known<bool> {
        match (base, spots) {
            ("add" | "adc" | "sub" | "sbb" | "cmp" | "and" | "or" | "xor" | "test", &[source, dst]) => {
                let same = matches!((source, dst), (Spot::Register { number: a, high: false }, Spot::Register { number: b, high: false }) if a == b);
                // `xor %eax, %eax` is zero for every old value, and `sbb %eax, %eax` depends on the carry alone.
                let (a, b) = if same && matches!(base, "xor" | "sub" | "sbb" | "cmp") {
                    (self.constant(w, 0), self.constant(w, 0))
                } else {
                    (self.read(dst, w)?, self.read(source, w)?)
                };
                let r = self.arithmetic(base, w, a, b)?;
                if matches!(base, "cmp" | "test") { Ok(()) } else { self.write(dst, w, r) }
            }
            ("xadd", &[source, dst]) => {
                let (a, b) = (self.read(dst, w)?, self.read(source, w)?);
                let r = self.arithmetic("add", w, a, b)?;
                self.write(source, w, a)?;
                self.write(dst, w, r)
            }
            ("cmpxchg", &[source, dst]) => {
                let (old, new) = (self.read(dst, w)?, self.read(source, w)?);
                let wanted = self.read_register(RAX, w, false)?;
                self.arithmetic("cmp", w, wanted, old)?;
                let same = self.flag(Flag::Zero)?;
                let (kept, seen) = (self.select(w, same, new, old), self.select(w, same, wanted, old));
                self.write(dst, w, kept)?;
                // A register that is left alone keeps its upper half.
                if w == 32 {
                    let before = self.read_register(RAX, 64, false).ok();
                    let wide = self.zext(32, 64, seen);
                    let r = before.map_or(wide, |before| self.select(64, same, before, wide));
                    self.write_register(RAX, 64, false, r);
                    return Ok(true);
                }
                self.write_register(RAX, w, false, seen);
                Ok(())
            }
            ("inc" | "dec", &[dst]) => {
                let (a, one) = (self.read(dst, w)?, self.constant(w, 1));
                let carry = self.is_defined(Flag::Carry).then(|| self.flag(Flag::Carry)).transpose()?;
                let r = self.arithmetic(if base == "inc" { "add" } else { "sub" }, w, a, one)?;
                match carry {
                    Some(carry) => self.set_flag(Flag::Carry, carry),
                    None => self.forget(&[Flag::Carry]),
                }
                self.write(dst, w, r)
            }
            ("neg", &[dst]) => {
                let (a, zero) = (self.read(dst, w)?, self.constant(w, 0));
                let r = self.arithmetic("sub", w, zero, a)?;
                self.write(dst, w, r)
            }
            _ => return Ok(false),
        }?;
        Ok(true)
    }

    /// Shifts, rotations, counts of bits. Returns true if it is one.
    fn bits(&mut self, base: &str, w: u8, spots: &[Spot]) -> Known<bool> {
        match (base, spots) {
            ("not", &[dst]) => {
                let (a, ones) = (self.read(dst, w)?, self.constant(w, u64::MAX));
                let r = self.bin(BinOp::Xor, w, a, ones);
                self.write(dst, w, r)
            }
            ("bswap", &[dst]) if w >= 32 => {
                let a = self.read(dst, w)?;
                let r = self.value(|dst| Op::Unary { op: UnOp::Bswap, strict: false, w, dst, a });
                self.write(dst, w, r)
            }
            ("shl" | "sal" | "shr" | "sar" | "rol" | "ror", &[dst]) => {
                let one = Spot::Value(self.constant(64, 1));
                self.shift(base, w, one, dst)
            }
            ("shl" | "sal" | "shr" | "sar" | "rol" | "ror", &[count, dst]) => self.shift(base, w, count, dst),
            ("shld" | "shrd", &[count, source, dst]) if w >= 32 => {
                let (c, a, b) = (self.count(w, count)?, self.read(dst, w)?, self.read(source, w)?);
                let left = base == "shld";
                let (high, low) = if left { (a, b) } else { (b, a) };
                let r = self.value(|dst| Op::Funnel { left, w, dst, a: high, b: low, c });
                self.forget(&FLAGS);
                self.write(dst, w, r)
            }
            ("shlx" | "shrx" | "sarx", &[count, source, dst]) if w >= 32 => {
                let (c, a) = (self.count(w, count)?, self.read(source, w)?);
                let op = match base {
                    "shlx" => BinOp::Shl,
                    "shrx" => BinOp::LShr,
                    _ => BinOp::AShr,
                };
                let r = self.bin(op, w, a, c);
                self.write(dst, w, r)
            }
            ("rorx", &[count, source, dst]) if w >= 32 => {
                let (c, a) = (self.count(w, count)?, self.read(source, w)?);
                let r = self.value(|dst| Op::Funnel { left: false, w, dst, a, b: a, c });
                self.write(dst, w, r)
            }
            ("bt" | "bts" | "btr" | "btc", &[source, dst]) => self.bit(base, w, source, dst),
            ("bsf" | "bsr" | "tzcnt" | "lzcnt" | "popcnt", &[source, dst]) => {
                self.count_bits(base, w, source, dst)
            }
            _ => return Ok(false),
        }?;
        Ok(true)
    }

    /// Products and quotients. Returns true if it is one.
    fn products(&mut self, base: &str, w: u8, spots: &[Spot]) -> Known<bool> {
        match (base, spots) {
            ("mul" | "imul", &[source]) => self.multiply(base == "imul", w, source),
            ("imul", &[source, dst]) => self.multiply_low(w, source, dst, dst),
            ("imul", &[factor, source, dst]) => self.multiply_low(w, factor, source, dst),
            ("mulx", &[source, low, high]) if w >= 32 => {
                let (a, b) = (self.read_register(RDX, w, false)?, self.read(source, w)?);
                let (l, h) = self.product(false, w, a, b);
                self.write(low, w, l)?;
                self.write(high, w, h)
            }
            ("div" | "idiv", &[source]) => self.divide(base == "idiv", w, source),
            _ => return Ok(false),
        }?;
        Ok(true)
    }

    /// Bit manipulations of BMI1. Returns true if it is one.
    fn manipulations(&mut self, base: &str, w: u8, spots: &[Spot]) -> Known<bool> {
        match (base, spots) {
            ("andn", &[a, b, dst]) if w >= 32 => {
                let (x, y, ones) = (self.read(b, w)?, self.read(a, w)?, self.constant(w, u64::MAX));
                let inverse = self.bin(BinOp::Xor, w, x, ones);
                let r = self.arithmetic("and", w, inverse, y)?;
                self.forget(&[Flag::Parity]);
                self.write(dst, w, r)
            }
            ("blsr" | "blsi" | "blsmsk", &[source, dst]) if w >= 32 => {
                let (a, one, zero) = (self.read(source, w)?, self.constant(w, 1), self.constant(w, 0));
                let less = self.bin(BinOp::Sub, w, a, one);
                let r = match base {
                    "blsr" => self.bin(BinOp::And, w, a, less),
                    "blsmsk" => self.bin(BinOp::Xor, w, a, less),
                    _ => {
                        let negative = self.bin(BinOp::Sub, w, zero, a);
                        self.bin(BinOp::And, w, a, negative)
                    }
                };
                self.forget(&FLAGS);
                self.write(dst, w, r)
            }
            _ => return Ok(false),
        }?;
        Ok(true)
    }

    fn store_address(&mut self, dst: Spot, w: u8, address: Operand, offset: i32) -> Known<()> {
        let far = self.constant(64, offset as i64 as u64);
        let whole = self.bin(BinOp::Add, 64, address, far);
        let r = self.trunc(64, w, whole);
        self.write(dst, w, r)
    }

    /// `a OP b` with its flags.
    fn arithmetic(&mut self, op: &str, w: u8, a: Operand, b: Operand) -> Known<Operand> {
        let (zero, zero_bit) = (self.constant(w, 0), self.constant(1, 0));
        let carry_in = |m: &mut Self| -> Known<Operand> {
            let bit = m.flag(Flag::Carry)?;
            Ok(m.zext(1, w, bit))
        };
        let (r, carry, signs) = match op {
            "add" | "adc" => {
                let s = self.bin(BinOp::Add, w, a, b);
                let mut carry = self.cmp(Pred::Ult, w, s, a);
                let mut r = s;
                if op == "adc" {
                    let c = carry_in(self)?;
                    r = self.bin(BinOp::Add, w, s, c);
                    let more = self.cmp(Pred::Ult, w, r, s);
                    carry = self.bin(BinOp::Or, 1, carry, more);
                }
                let (x, y) = (self.bin(BinOp::Xor, w, a, r), self.bin(BinOp::Xor, w, b, r));
                (r, carry, Some(self.bin(BinOp::And, w, x, y)))
            }
            "sub" | "sbb" | "cmp" => {
                let mut carry = self.cmp(Pred::Ult, w, a, b);
                let mut r = self.bin(BinOp::Sub, w, a, b);
                if op == "sbb" {
                    let c = carry_in(self)?;
                    let more = self.cmp(Pred::Ult, w, r, c);
                    r = self.bin(BinOp::Sub, w, r, c);
                    carry = self.bin(BinOp::Or, 1, carry, more);
                }
                let (x, y) = (self.bin(BinOp::Xor, w, a, b), self.bin(BinOp::Xor, w, a, r));
                (r, carry, Some(self.bin(BinOp::And, w, x, y)))
            }
            _ => {
                let op = match op {
                    "and" | "test" => BinOp::And,
                    "or" => BinOp::Or,
                    _ => BinOp::Xor,
                };
                (self.bin(op, w, a, b), zero_bit, None)
            }
        };
        let overflow = match signs {
            Some(signs) => self.cmp(Pred::Slt, w, signs, zero),
            None => zero_bit,
        };
        self.result_flags(w, r);
        self.set_flag(Flag::Carry, carry);
        self.set_flag(Flag::Overflow, overflow);
        Ok(r)
    }

    /// The count of a shift of `w` bits: five bits of it, or six, as a number of that width.
    fn count(&mut self, w: u8, spot: Spot) -> Known<Operand> {
        let a = self.read(spot, 8)?;
        let most = self.constant(8, if w == 64 { 63 } else { 31 });
        let c = self.bin(BinOp::And, 8, a, most);
        Ok(self.zext(8, w, c))
    }

    fn shift(&mut self, op: &str, w: u8, count: Spot, dst: Spot) -> Known<()> {
        let a = self.read(dst, w)?;
        let fixed = match count {
            Spot::Value(v) => {
                v.as_constant().map(|i| self.t.out.constants[i as usize] & if w == 64 { 63 } else { 31 })
            }
            _ => None,
        };
        if fixed == Some(0) {
            return self.write(dst, w, a);
        }
        // In 64 bits counts of 31 need no care.
        let c = self.count(64.min(w.max(8)), count)?;
        let c = if w == 64 { c } else { self.zext(w.max(8), 64, c) };
        let (one, top) = (self.constant(64, 1), self.constant(64, u64::from(w)));
        let rotates = matches!(op, "rol" | "ror");
        let (r, carry) = match op {
            "rol" | "ror" => {
                let narrow = self.trunc(64, w, c);
                let r = self.value(|dst| Op::Funnel { left: op == "rol", w, dst, a, b: a, c: narrow });
                let place = self.constant(w, if op == "rol" { 0 } else { u64::from(w) - 1 });
                (r, self.bin(BinOp::LShr, w, r, place))
            }
            "shl" | "sal" if w < 64 => {
                let wide = self.zext(w, 64, a);
                let all = self.bin(BinOp::Shl, 64, wide, c);
                let out = self.bin(BinOp::LShr, 64, all, top);
                (self.trunc(64, w, all), self.trunc(64, w, out))
            }
            "shl" | "sal" => {
                let last = self.constant(64, 63);
                let by = self.bin(BinOp::Sub, 64, last, c);
                let most = self.bin(BinOp::LShr, 64, a, by);
                (self.bin(BinOp::Shl, 64, a, c), self.bin(BinOp::LShr, 64, most, one))
            }
            _ => {
                let signed = op == "sar";
                let wide = if signed { self.sext(w, 64, a) } else { self.zext(w, 64, a) };
                let kind = if signed { BinOp::AShr } else { BinOp::LShr };
                let all = self.bin(kind, 64, wide, c);
                let (before, mask) = (self.bin(BinOp::Sub, 64, c, one), self.constant(64, 63));
                let before = self.bin(BinOp::And, 64, before, mask);
                let out = self.bin(kind, 64, wide, before);
                (self.trunc(64, w, all), self.trunc(64, w, out))
            }
        };
        let carry = self.trunc(w, 1, carry);
        self.shift_flags(op, w, (a, r), carry, fixed, c, rotates)?;
        self.write(dst, w, r)
    }

    /// The flags behind a shift. If the count may be zero they keep their values, if they had any.
    #[allow(clippy::too_many_arguments)]
    fn shift_flags(
        &mut self,
        op: &str,
        w: u8,
        (a, r): (Operand, Operand),
        carry: Operand,
        fixed: Option<u64>,
        c: Operand,
        rotates: bool,
    ) -> Known<()> {
        let before: Vec<Option<Operand>> = FLAGS
            .iter()
            .map(|&f| if self.is_defined(f) { self.flag(f).map(Some) } else { Ok(None) })
            .collect::<Known<_>>()?;
        let zero = self.constant(w, 0);
        if !rotates {
            self.result_flags(w, r);
        }
        self.set_flag(Flag::Carry, carry);
        self.forget(&[Flag::Overflow]);
        if fixed == Some(1) {
            let signs = match op {
                "shr" => a,
                "sar" => zero,
                "ror" => {
                    let one = self.constant(w, 1);
                    let next = self.bin(BinOp::Shl, w, r, one);
                    self.bin(BinOp::Xor, w, r, next)
                }
                _ => self.bin(BinOp::Xor, w, a, r),
            };
            // `rol` and `shl`: the sign changed, as the carry is the old one.
            let bit = self.cmp(Pred::Slt, w, signs, zero);
            self.set_flag(Flag::Overflow, bit);
        }
        if fixed.is_some() {
            return Ok(());
        }
        let none = self.constant(64, 0);
        let still = self.cmp(Pred::Eq, 64, c, none);
        for (flag, old) in FLAGS.into_iter().zip(before) {
            let kept = rotates && !matches!(flag, Flag::Carry | Flag::Overflow);
            match (old, self.is_defined(flag)) {
                (Some(old), true) if !kept => {
                    let new = self.flag(flag)?;
                    let both = self.select(1, still, old, new);
                    self.set_flag(flag, both);
                }
                (None, true) if !kept => self.forget(&[flag]),
                _ => {}
            }
        }
        Ok(())
    }

    fn bit(&mut self, op: &str, w: u8, source: Spot, dst: Spot) -> Known<()> {
        if w < 16 {
            return Err("a bit of a byte".into());
        }
        let index = match source {
            // A number in the text has eight bits.
            Spot::Value(_) => {
                let byte = self.read(source, 8)?;
                self.zext(8, w, byte)
            }
            _ => self.read(source, w)?,
        };
        let mask = self.constant(w, u64::from(w) - 1);
        let place = self.bin(BinOp::And, w, index, mask);
        let dst = match (dst, source) {
            // In memory a register counts bits from there, in both directions.
            (Spot::Memory { address, offset }, Spot::Register { .. }) => {
                let by = self.constant(w, u64::from(w.trailing_zeros()));
                let words = self.bin(BinOp::AShr, w, index, by);
                let words = self.sext(w, 64, words);
                let scale = i32::from(w / 8);
                let address = self.value(|dst| Op::Index { dst, base: address, index: words, scale, off: 0 });
                Spot::Memory { address, offset }
            }
            _ => dst,
        };
        let a = self.read(dst, w)?;
        let down = self.bin(BinOp::LShr, w, a, place);
        let bit = self.trunc(w, 1, down);
        let one = self.constant(w, 1);
        let mask = self.bin(BinOp::Shl, w, one, place);
        let r = match op {
            "bts" => Some(self.bin(BinOp::Or, w, a, mask)),
            "btc" => Some(self.bin(BinOp::Xor, w, a, mask)),
            "btr" => {
                let ones = self.constant(w, u64::MAX);
                let others = self.bin(BinOp::Xor, w, mask, ones);
                Some(self.bin(BinOp::And, w, a, others))
            }
            _ => None,
        };
        self.set_flag(Flag::Carry, bit);
        self.forget(&[Flag::Sign, Flag::Overflow, Flag::Parity]);
        match r {
            Some(r) => self.write(dst, w, r),
            None => Ok(()),
        }
    }

    fn count_bits(&mut self, op: &str, w: u8, source: Spot, dst: Spot) -> Known<()> {
        if w < 16 {
            return Err("bits of a byte".into());
        }
        let (a, zero) = (self.read(source, w)?, self.constant(w, 0));
        let kind = match op {
            "bsf" | "tzcnt" => UnOp::Cttz,
            "bsr" | "lzcnt" => UnOp::Ctlz,
            _ => UnOp::Ctpop,
        };
        let counted = self.value(|dst| Op::Unary { op: kind, strict: false, w, dst, a });
        let none = self.cmp(Pred::Eq, w, a, zero);
        let mut r = counted;
        if matches!(op, "bsf" | "bsr") {
            if op == "bsr" {
                let last = self.constant(w, u64::from(w) - 1);
                r = self.bin(BinOp::Sub, w, last, counted);
            }
            // Of zero the result is the old value.
            let old = self.read(dst, w).unwrap_or(zero);
            r = self.select(w, none, old, r);
        }
        self.forget(&FLAGS);
        match op {
            "tzcnt" | "lzcnt" => {
                let is_zero = self.cmp(Pred::Eq, w, r, zero);
                self.set_flag(Flag::Carry, none);
                self.set_flag(Flag::Zero, is_zero);
            }
            "popcnt" => {
                let clear = self.constant(1, 0);
                for flag in FLAGS {
                    self.set_flag(flag, clear);
                }
                self.set_flag(Flag::Zero, none);
            }
            _ => self.set_flag(Flag::Zero, none),
        }
        self.write(dst, w, r)
    }

    /// The whole product of two numbers of `w` bits: low half, high half.
    fn product(&mut self, signed: bool, w: u8, a: Operand, b: Operand) -> (Operand, Operand) {
        if w < 64 {
            let (x, y) = if signed {
                (self.sext(w, 64, a), self.sext(w, 64, b))
            } else {
                (self.zext(w, 64, a), self.zext(w, 64, b))
            };
            let (p, by) = (self.bin(BinOp::Mul, 64, x, y), self.constant(64, u64::from(w)));
            let up = self.bin(BinOp::LShr, 64, p, by);
            return (self.trunc(64, w, p), self.trunc(64, w, up));
        }
        let (x, y) = (self.wide(signed, a), self.wide(signed, b));
        let p = self.wide_bin(BinOp::Mul, x, y);
        self.halves(p)
    }

    fn wide(&mut self, signed: bool, a: Operand) -> Operand {
        let dst = self.t.fresh(2);
        self.t.push(Op::WideExt { signed, from: 64, w: 128, dst, a });
        Operand::reg(dst)
    }

    fn wide_bin(&mut self, op: BinOp, a: Operand, b: Operand) -> Operand {
        let dst = self.t.fresh(2);
        self.t.push(Op::WideBin { op, lazy: false, w: 128, dst, a, b });
        Operand::reg(dst)
    }

    fn halves(&mut self, p: Operand) -> (Operand, Operand) {
        let by = self.t.scalar_constant(128, 64);
        let up = self.wide_bin(BinOp::LShr, p, by);
        let low = self.value(|dst| Op::WideTrunc { from: 128, w: 64, dst, a: p });
        (low, self.value(|dst| Op::WideTrunc { from: 128, w: 64, dst, a: up }))
    }

    fn multiply(&mut self, signed: bool, w: u8, source: Spot) -> Known<()> {
        let (a, b) = (self.read_register(RAX, w, false)?, self.read(source, w)?);
        let (low, high) = self.product(signed, w, a, b);
        if w == 8 {
            self.write_register(RAX, 8, false, low);
            self.write_register(RAX, 8, true, high);
        } else {
            self.write_register(RAX, w, false, low);
            self.write_register(RDX, w, false, high);
        }
        let small = if signed {
            let by = self.constant(w, u64::from(w) - 1);
            self.bin(BinOp::AShr, w, low, by)
        } else {
            self.constant(w, 0)
        };
        let more = self.cmp(Pred::Ne, w, high, small);
        self.forget(&FLAGS);
        self.set_flag(Flag::Carry, more);
        self.set_flag(Flag::Overflow, more);
        Ok(())
    }

    fn multiply_low(&mut self, w: u8, x: Spot, y: Spot, dst: Spot) -> Known<()> {
        if w < 16 {
            return Err("the instruction `imul` of bytes".into());
        }
        let (a, b) = (self.read(x, w)?, self.read(y, w)?);
        let both = self.t.fresh(2);
        self.t.push(Op::Overflow { op: OverflowOp::SMul, w, dst: both, a, b });
        self.forget(&FLAGS);
        self.set_flag(Flag::Carry, Operand::reg(both + 1));
        self.set_flag(Flag::Overflow, Operand::reg(both + 1));
        self.write(dst, w, Operand::reg(both))
    }

    /// A quotient that does not fit ends the program as a division by zero does.
    fn divide(&mut self, signed: bool, w: u8, source: Spot) -> Known<()> {
        let b = self.read(source, w)?;
        let (quotient, remainder) =
            if signed { (BinOp::SDiv, BinOp::SRem) } else { (BinOp::UDiv, BinOp::URem) };
        let (q, r, fits) = if w == 64 {
            let (low, high) = (self.read_register(RAX, 64, false)?, self.read_register(RDX, 64, false)?);
            let (l, h, by) = (self.wide(false, low), self.wide(false, high), self.t.scalar_constant(128, 64));
            let up = self.wide_bin(BinOp::Shl, h, by);
            let whole = self.wide_bin(BinOp::Or, up, l);
            let divisor = self.wide(signed, b);
            let (q, r) = (self.wide_bin(quotient, whole, divisor), self.wide_bin(remainder, whole, divisor));
            let low = self.value(|dst| Op::WideTrunc { from: 128, w: 64, dst, a: q });
            let back = self.wide(signed, low);
            let fits = self.value(|dst| Op::WideCmp { pred: Pred::Eq, w: 128, dst, a: back, b: q });
            (low, self.value(|dst| Op::WideTrunc { from: 128, w: 64, dst, a: r }), fits)
        } else {
            let whole = if w == 8 {
                let ax = self.read_register(RAX, 16, false)?;
                if signed { self.sext(16, 64, ax) } else { self.zext(16, 64, ax) }
            } else {
                let (low, high) = (self.read_register(RAX, w, false)?, self.read_register(RDX, w, false)?);
                let (l, by) = (self.zext(w, 64, low), self.constant(64, u64::from(w)));
                let h = if signed { self.sext(w, 64, high) } else { self.zext(w, 64, high) };
                let up = self.bin(BinOp::Shl, 64, h, by);
                self.bin(BinOp::Or, 64, up, l)
            };
            let divisor = if signed { self.sext(w, 64, b) } else { self.zext(w, 64, b) };
            let (q, r) = (self.bin(quotient, 64, whole, divisor), self.bin(remainder, 64, whole, divisor));
            let low = self.trunc(64, w, q);
            let back = if signed { self.sext(w, 64, low) } else { self.zext(w, 64, low) };
            let fits = self.cmp(Pred::Eq, 64, back, q);
            (low, self.trunc(64, w, r), fits)
        };
        let on = self.new_target();
        self.branch(fits, on);
        let (least, minus) = (self.constant(64, 1 << 63), self.constant(64, u64::MAX));
        self.bin(BinOp::SDiv, 64, least, minus);
        self.place_target(on);
        self.forget(&FLAGS);
        if w == 8 {
            self.write_register(RAX, 8, false, q);
            self.write_register(RAX, 8, true, r);
        } else {
            self.write_register(RAX, w, false, q);
            self.write_register(RDX, w, false, r);
        }
        Ok(())
    }

    /// `cmpxchg16b`: two words in memory against rdx:rax, replaced by rcx:rbx.
    fn compare_exchange_pair(&mut self, w: u8, operands: &[Written]) -> Known<()> {
        let [dst] = operands else { return Err("an exchange of two words with these operands".into()) };
        let Spot::Memory { address, offset } = self.spot(dst)?.0 else {
            return Err("an exchange of two words that are not in memory".into());
        };
        let second = Spot::Memory { address, offset: offset + i32::from(w / 8) };
        let first = Spot::Memory { address, offset };
        let (low, high) = (self.read(first, w)?, self.read(second, w)?);
        let (a, d) = (self.read_register(RAX, w, false)?, self.read_register(RDX, w, false)?);
        let (b, c) = (self.read_register(RBX, w, false)?, self.read_register(RCX, w, false)?);
        let (same_low, same_high) = (self.cmp(Pred::Eq, w, low, a), self.cmp(Pred::Eq, w, high, d));
        let same = self.bin(BinOp::And, 1, same_low, same_high);
        let (new_low, new_high) = (self.select(w, same, b, low), self.select(w, same, c, high));
        self.write(first, w, new_low)?;
        self.write(second, w, new_high)?;
        self.write_register(RAX, w, false, low);
        self.write_register(RDX, w, false, high);
        self.set_flag(Flag::Zero, same);
        Ok(())
    }

    /// String instructions, upwards, once or in a loop.
    fn string(&mut self, op: &str, w: u8, repeated: Option<&str>) -> Known<()> {
        let compares = matches!(op, "cmps" | "scas");
        let Some(prefix) = repeated else { return self.string_once(op, w) };
        let while_equal = match (compares, prefix) {
            (_, "rep" | "repe" | "repz") => true,
            (true, "repne" | "repnz") => false,
            _ => return Err(format!("the prefix `{prefix}` of `{op}`")),
        };
        let (top, end) = (self.new_target(), self.new_target());
        // Without a round the flags keep their values; zero if they have none.
        let (before, clear) = (FLAGS.map(|f| self.is_defined(f)), self.constant(1, 0));
        for (flag, was) in FLAGS.into_iter().zip(before) {
            if compares && !was {
                self.set_flag(flag, clear);
            }
        }
        self.place_target(top);
        let (count, zero) = (self.read_register(RCX, 64, false)?, self.constant(64, 0));
        let none = self.cmp(Pred::Eq, 64, count, zero);
        self.branch(none, end);
        self.string_once(op, w)?;
        let one = self.constant(64, 1);
        let less = self.bin(BinOp::Sub, 64, count, one);
        self.write_register(RCX, 64, false, less);
        if compares {
            let z = self.flag(Flag::Zero)?;
            let on = if while_equal { z } else { self.not(z) };
            self.branch(on, top);
        } else {
            self.jump(top);
        }
        self.place_target(end);
        Ok(())
    }

    fn string_once(&mut self, op: &str, w: u8) -> Known<()> {
        let at = |m: &mut Self, number| -> Known<Spot> {
            Ok(Spot::Memory { address: m.read_register(number, 64, false)?, offset: 0 })
        };
        match op {
            "movs" => {
                let (source, dst) = (at(self, RSI)?, at(self, RDI)?);
                let a = self.read(source, w)?;
                self.write(dst, w, a)?;
            }
            "stos" => {
                let (a, dst) = (self.read_register(RAX, w, false)?, at(self, RDI)?);
                self.write(dst, w, a)?;
            }
            "lods" => {
                let source = at(self, RSI)?;
                let a = self.read(source, w)?;
                self.write_register(RAX, w, false, a);
            }
            "cmps" => {
                let (x, y) = (at(self, RSI)?, at(self, RDI)?);
                let (a, b) = (self.read(x, w)?, self.read(y, w)?);
                self.arithmetic("cmp", w, a, b)?;
            }
            _ => {
                let y = at(self, RDI)?;
                let (a, b) = (self.read_register(RAX, w, false)?, self.read(y, w)?);
                self.arithmetic("cmp", w, a, b)?;
            }
        }
        let step = self.constant(64, u64::from(w / 8));
        for (number, ops) in [(RSI, &["movs", "lods", "cmps"][..]), (RDI, &["movs", "stos", "cmps", "scas"])]
        {
            if ops.contains(&op) {
                let a = self.read_register(number, 64, false)?;
                let next = self.bin(BinOp::Add, 64, a, step);
                self.write_register(number, 64, false, next);
            }
        }
        Ok(())
    }
}
