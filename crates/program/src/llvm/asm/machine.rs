//! The machine that inline assembly runs on: registers, flags and labels, as register code. Each register of the
//! machine, and each operand of the assembly that is in "some register", has a register of the function's own.

use super::text::Written;
use crate::llvm::modules::types::Scalar;
use crate::llvm::translation::scalar_ops::{binary, compare};
use crate::llvm::translation::translator::{LOCAL, Translator};
use crate::register_code::code::*;

/// Why a piece of inline assembly is not modelled.
pub(super) type Unknown = String;
pub(super) type Known<T> = Result<T, Unknown>;

/// The flags that are modelled, in the order of their registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Carry,
    Zero,
    Sign,
    Overflow,
    /// Even parity of the low byte.
    Parity,
}
pub(super) const FLAGS: [Flag; 5] = [Flag::Carry, Flag::Zero, Flag::Sign, Flag::Overflow, Flag::Parity];

/// Place of an operand of the assembly.
#[derive(Clone, Copy, Debug)]
pub(super) enum OperandPlace {
    /// In register `number`, with its width in bits if the operand has no modifier.
    Register { number: usize, bits: u8 },
    /// In memory at this address.
    Memory(Operand),
    /// A constant.
    Value(Operand),
    /// A flag, as a result.
    Condition(usize),
    /// An exit of `asm goto`, by its number.
    Exit(usize),
}

/// A place that an instruction names, with its width.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spot {
    Register { number: usize, high: bool },
    Memory { address: Operand, offset: i32 },
    Value(Operand),
}

#[derive(Clone, Copy)]
struct Held {
    /// The register of 64 bits that it is in.
    reg: Reg,
    /// Number of low bits that have a value.
    known: u8,
}

pub(super) struct Machine<'t, 'l, 'm> {
    pub(super) t: &'t mut Translator<'l, 'm>,
    registers: Vec<Held>,
    flags: [Reg; 5],
    defined: [bool; 5],
    pub(super) places: Vec<OperandPlace>,
    /// The names of the conditions that are results.
    pub(super) conditions: Vec<String>,
    pub(super) stack: Vec<Reg>,
    /// Labels that stand already, and jumps to those that do not yet, with the known bits there.
    labels: Vec<(String, u32)>,
    open: Vec<(String, u32, Vec<u8>)>,
    /// True behind a jump that is always taken: only labels reach the statements that follow.
    pub(super) dead: bool,
}

/// The label of an exit: no name that assembly can have.
fn exit_label(exit: usize) -> String {
    format!(">{exit}")
}

pub(super) fn scalar(width: u8) -> Scalar {
    Scalar { width: u32::from(width), stored: u32::from(width), float: None, soft: None, offset: 0 }
}

impl<'t, 'l, 'm> Machine<'t, 'l, 'm> {
    pub(super) fn new(t: &'t mut Translator<'l, 'm>) -> Self {
        let first = t.fresh(5);
        let mut machine = Machine {
            t,
            registers: Vec::new(),
            flags: std::array::from_fn(|k| first + k as Reg),
            defined: [false; 5],
            places: Vec::new(),
            conditions: Vec::new(),
            stack: Vec::new(),
            labels: Vec::new(),
            open: Vec::new(),
            dead: false,
        };
        for _ in 0..16 {
            machine.new_register();
        }
        machine
    }

    pub(super) fn new_register(&mut self) -> usize {
        let reg = self.t.fresh(1);
        self.registers.push(Held { reg, known: 0 });
        self.registers.len() - 1
    }

    pub(super) fn has_value(&self, number: usize) -> bool {
        self.registers[number].known > 0
    }

    /// Puts a value of `bits` into a register as an input: the bits above are not known.
    pub(super) fn give(&mut self, number: usize, bits: u8, value: Operand) {
        let reg = self.registers[number].reg;
        let op = if bits == 64 {
            Op::Move { dst: reg, a: value }
        } else {
            Op::Zext { from: bits, w: 64, dst: reg, a: value }
        };
        self.t.push(op);
        self.registers[number].known = bits;
    }

    // ---- values

    pub(super) fn value(&mut self, make: impl FnOnce(Reg) -> Op) -> Operand {
        let dst = self.t.fresh(1);
        self.t.push(make(dst));
        Operand::reg(dst)
    }

    pub(super) fn constant(&mut self, w: u8, v: u64) -> Operand {
        self.t.constant(v & (u64::MAX >> (64 - w)))
    }

    pub(super) fn bin(&mut self, op: BinOp, w: u8, a: Operand, b: Operand) -> Operand {
        self.value(|dst| binary(op, scalar(w), dst, a, b))
    }

    pub(super) fn cmp(&mut self, pred: Pred, w: u8, a: Operand, b: Operand) -> Operand {
        self.value(|dst| compare(pred, scalar(w), dst, a, b))
    }

    pub(super) fn zext(&mut self, from: u8, w: u8, a: Operand) -> Operand {
        if from == w { a } else { self.value(|dst| Op::Zext { from, w, dst, a }) }
    }

    pub(super) fn sext(&mut self, from: u8, w: u8, a: Operand) -> Operand {
        if from == w { a } else { self.value(|dst| Op::Sext { from, w, dst, a }) }
    }

    pub(super) fn trunc(&mut self, from: u8, w: u8, a: Operand) -> Operand {
        if from == w { a } else { self.value(|dst| Op::Trunc { w, dst, a }) }
    }

    pub(super) fn select(&mut self, w: u8, cond: Operand, a: Operand, b: Operand) -> Operand {
        self.value(|dst| Op::Select { w, dst, cond, a, b })
    }

    pub(super) fn not(&mut self, bit: Operand) -> Operand {
        let one = self.constant(1, 1);
        self.bin(BinOp::Xor, 1, bit, one)
    }

    // ---- registers and memory

    pub(super) fn read_register(&mut self, number: usize, w: u8, high: bool) -> Known<Operand> {
        let Held { reg, known } = self.registers[number];
        if known < if high { 16 } else { w } {
            return Err("reads bits of a register that nothing was put into".into());
        }
        let mut a = Operand::reg(reg);
        if high {
            let by = self.constant(64, 8);
            a = self.bin(BinOp::LShr, 64, a, by);
        }
        // A copy: the register may change before the value is used.
        Ok(if w == 64 { self.value(|dst| Op::Move { dst, a }) } else { self.trunc(64, w, a) })
    }

    pub(super) fn write_register(&mut self, number: usize, w: u8, high: bool, a: Operand) {
        let Held { reg: dst, known } = self.registers[number];
        match w {
            64 => self.t.push(Op::Move { dst, a }),
            // The upper half becomes zero.
            32 => self.t.push(Op::Zext { from: 32, w: 64, dst, a }),
            _ if known == 0 && !high => self.t.push(Op::Zext { from: w, w: 64, dst, a }),
            _ => {
                let place = if high { 8 } else { 0 };
                let kept = self.constant(64, !((u64::MAX >> (64 - w)) << place));
                let rest = self.bin(BinOp::And, 64, Operand::reg(dst), kept);
                let (wide, by) = (self.zext(w, 64, a), self.constant(64, place));
                let moved = self.bin(BinOp::Shl, 64, wide, by);
                self.t.push(Op::Or { w: 64, dst, a: rest, b: moved });
            }
        }
        let now = if w >= 32 { 64 } else { known.max(w) };
        self.registers[number].known = now;
    }

    pub(super) fn read(&mut self, spot: Spot, w: u8) -> Known<Operand> {
        match spot {
            Spot::Register { number, high } => self.read_register(number, w, high),
            Spot::Memory { address, offset } => {
                Ok(self.value(|dst| Op::Load { w, dst, addr: address, off: offset }))
            }
            Spot::Value(v) => Ok(self.trunc(64, w, v)),
        }
    }

    pub(super) fn write(&mut self, spot: Spot, w: u8, a: Operand) -> Known<()> {
        match spot {
            Spot::Register { number, high: true } if !self.has_value(number) => {
                return Err("writes the second byte of a register that nothing was put into".into());
            }
            Spot::Register { number, high } => self.write_register(number, w, high, a),
            Spot::Memory { address, offset } => {
                self.t.push(Op::Store { w, val: a, addr: address, off: offset })
            }
            Spot::Value(_) => return Err("writes to a constant".into()),
        }
        Ok(())
    }

    /// The place that an operand names, and its width if it says one.
    pub(super) fn spot(&mut self, written: &Written) -> Known<(Spot, Option<u8>)> {
        match written {
            Written::Immediate(v) => Ok((Spot::Value(self.constant(64, *v as u64)), None)),
            Written::Register { number, bits, high } => {
                Ok((Spot::Register { number: *number, high: *high }, Some(*bits)))
            }
            Written::Operand(k, letter) => {
                let place = *self.places.get(*k).ok_or("names an operand that is not there")?;
                match (place, letter) {
                    (OperandPlace::Register { number, bits }, None) => {
                        Ok((Spot::Register { number, high: false }, Some(bits)))
                    }
                    (OperandPlace::Register { number, .. }, Some(letter)) => {
                        let (bits, high) = match letter {
                            'b' => (8, false),
                            'h' => (8, true),
                            'w' => (16, false),
                            'k' => (32, false),
                            'q' => (64, false),
                            _ => return Err(format!("the letter `{letter}` of an operand")),
                        };
                        Ok((Spot::Register { number, high }, Some(bits)))
                    }
                    (OperandPlace::Memory(address), None | Some('b' | 'w' | 'k' | 'q' | 'a')) => {
                        Ok((Spot::Memory { address, offset: 0 }, None))
                    }
                    (OperandPlace::Value(v), None | Some('c' | 'P' | 'b' | 'w' | 'k' | 'q')) => {
                        Ok((Spot::Value(v), None))
                    }
                    _ => Err("an operand of this kind".into()),
                }
            }
            Written::Memory { distance, base, index, scale } => {
                let (address, offset) = self.address(*distance, base.as_deref(), index.as_deref(), *scale)?;
                Ok((Spot::Memory { address, offset }, None))
            }
            Written::Label(name, _) => Err(format!("the symbol `{name}`")),
        }
    }

    pub(super) fn address(
        &mut self,
        distance: i64,
        base: Option<&Written>,
        index: Option<&Written>,
        scale: u8,
    ) -> Known<(Operand, i32)> {
        let part = |m: &mut Self, written: Option<&Written>| -> Known<Option<Operand>> {
            let Some(written) = written else { return Ok(None) };
            match m.spot(written)? {
                (Spot::Register { number, high: false }, Some(64)) => {
                    m.read_register(number, 64, false).map(Some)
                }
                (Spot::Memory { address, offset: 0 }, _) if scale == 0 => Ok(Some(address)),
                _ => Err("an address that is not made of whole registers".into()),
            }
        };
        let first = part(self, base)?;
        let second = part(self, index)?;
        let zero = self.constant(64, 0);
        let base = first.unwrap_or(zero);
        let index = second.unwrap_or(zero);
        let whole = self.value(|dst| Op::Index { dst, base, index, scale: i32::from(scale.max(1)), off: 0 });
        match i32::try_from(distance) {
            Ok(distance) => Ok((whole, distance)),
            Err(_) => Err("a distance of more than 31 bits".into()),
        }
    }

    // ---- flags

    pub(super) fn set_flag(&mut self, flag: Flag, a: Operand) {
        self.t.push(Op::Move { dst: self.flags[flag as usize], a });
        self.defined[flag as usize] = true;
    }

    pub(super) fn forget(&mut self, flags: &[Flag]) {
        for &flag in flags {
            self.defined[flag as usize] = false;
        }
    }

    pub(super) fn is_defined(&self, flag: Flag) -> bool {
        self.defined[flag as usize]
    }

    pub(super) fn flag(&mut self, flag: Flag) -> Known<Operand> {
        if !self.defined[flag as usize] {
            return Err("looks at a flag that is not defined there".into());
        }
        let a = Operand::reg(self.flags[flag as usize]);
        Ok(self.value(|dst| Op::Move { dst, a }))
    }

    /// Zero, sign and parity of a result.
    pub(super) fn result_flags(&mut self, w: u8, r: Operand) {
        let zero = self.constant(w, 0);
        let (z, s) = (self.cmp(Pred::Eq, w, r, zero), self.cmp(Pred::Slt, w, r, zero));
        self.set_flag(Flag::Zero, z);
        self.set_flag(Flag::Sign, s);
        let byte = self.trunc(w, 8, r);
        let ones = self.value(|dst| Op::Unary { op: UnOp::Ctpop, strict: false, w: 8, dst, a: byte });
        let odd = self.trunc(8, 1, ones);
        let even = self.not(odd);
        self.set_flag(Flag::Parity, even);
    }

    /// The condition of `setXX`, `cmovXX` and `jXX`.
    pub(super) fn condition(&mut self, name: &str) -> Known<Option<Operand>> {
        use Flag::*;
        let (flag, inverse) = match name {
            "c" | "b" | "nae" => (Carry, false),
            "nc" | "ae" | "nb" => (Carry, true),
            "z" | "e" => (Zero, false),
            "nz" | "ne" => (Zero, true),
            "s" => (Sign, false),
            "ns" => (Sign, true),
            "o" => (Overflow, false),
            "no" => (Overflow, true),
            "p" | "pe" => (Parity, false),
            "np" | "po" => (Parity, true),
            _ => return self.compound(name),
        };
        let bit = self.flag(flag)?;
        Ok(Some(if inverse { self.not(bit) } else { bit }))
    }

    fn compound(&mut self, name: &str) -> Known<Option<Operand>> {
        let inverse = matches!(name, "a" | "nbe" | "ge" | "nl" | "g" | "nle");
        let bit = match name {
            "be" | "na" | "a" | "nbe" => {
                let (c, z) = (self.flag(Flag::Carry)?, self.flag(Flag::Zero)?);
                self.bin(BinOp::Or, 1, c, z)
            }
            "l" | "nge" | "ge" | "nl" | "le" | "ng" | "g" | "nle" => {
                let (s, o) = (self.flag(Flag::Sign)?, self.flag(Flag::Overflow)?);
                let less = self.bin(BinOp::Xor, 1, s, o);
                if matches!(name, "le" | "ng" | "g" | "nle") {
                    let z = self.flag(Flag::Zero)?;
                    self.bin(BinOp::Or, 1, less, z)
                } else {
                    less
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(if inverse { self.not(bit) } else { bit }))
    }

    /// The counter of cycles.
    pub(super) fn cycle_counter(&mut self) -> Operand {
        let (dst, args) = (self.t.fresh(1), self.t.args(&[]));
        self.t.push(Op::Builtin { what: Builtin::CycleCounter, dst, args, n: 0 });
        Operand::reg(dst)
    }

    // ---- labels

    /// A new target, which is still to be placed.
    pub(super) fn new_target(&mut self) -> u32 {
        self.t.locals.push(Pc::MAX);
        self.t.locals.len() as u32 - 1
    }

    pub(super) fn place_target(&mut self, target: u32) {
        self.t.locals[target as usize] = self.t.out.code.len() as Pc;
    }

    pub(super) fn label(&mut self, name: &str) {
        let target = self.new_target();
        // Forward jumps to it end here.
        let (here, open) = std::mem::take(&mut self.open).into_iter().partition(|(n, ..)| n == name);
        self.open = open;
        let here: Vec<(String, u32, Vec<u8>)> = here;
        for (k, held) in self.registers.iter_mut().enumerate() {
            let fallen = if self.dead { u8::MAX } else { held.known };
            let jumped = here.iter().map(|(_, _, known)| known.get(k).copied().unwrap_or(0)).min();
            held.known = jumped.unwrap_or(u8::MAX).min(fallen);
            if held.known == u8::MAX {
                held.known = 0; // only from behind: what is known there is not known yet
            }
        }
        for (_, jump, _) in &here {
            self.place_target(*jump);
        }
        self.place_target(target);
        self.labels.retain(|(n, _)| n != name);
        self.labels.push((name.to_string(), target));
        self.forget(&FLAGS);
        self.dead = false;
    }

    /// The target of a jump.
    pub(super) fn target(&mut self, written: &Written) -> Known<u32> {
        if let Written::Operand(k, None | Some('l')) = written
            && let Some(&OperandPlace::Exit(exit)) = self.places.get(*k)
        {
            return Ok(self.awaited(&exit_label(exit)));
        }
        let Written::Label(name, way) = written else { return Err("a jump to no label of its own".into()) };
        let standing = self.labels.iter().find(|(n, _)| n == name).map(|(_, target)| *target);
        match (standing, way) {
            (Some(target), Some(false) | None) => Ok(target),
            (None, Some(false)) => Err(format!("the label `{name}` is not there")),
            _ => Ok(self.awaited(name)),
        }
    }

    /// A jump to a label that is still to come.
    fn awaited(&mut self, name: &str) -> u32 {
        let target = self.new_target();
        let known = self.registers.iter().map(|h| h.known).collect();
        self.open.push((name.to_string(), target, known));
        target
    }

    /// Begins to leave the whole by its exit of this number, if there is a jump to it.
    pub(super) fn leaves_by(&mut self, exit: usize) -> bool {
        let name = exit_label(exit);
        let awaited = self.open.iter().any(|(n, ..)| *n == name);
        if awaited {
            self.dead = true;
            self.label(&name);
        }
        awaited
    }

    pub(super) fn jump(&mut self, target: u32) {
        self.t.push(Op::Jump { to: LOCAL | target, n: 1 });
    }

    /// Goes to `target` where the condition holds.
    pub(super) fn branch(&mut self, cond: Operand, target: u32) {
        let on = self.new_target();
        self.t.push(Op::Branch { cond, then: LOCAL | target, other: LOCAL | on, n: 1 });
        self.place_target(on);
    }

    /// All jumps have their labels.
    pub(super) fn finish(&self) -> Known<()> {
        match self.open.first() {
            Some((name, ..)) => Err(format!("the label `{name}` is not there")),
            None => Ok(()),
        }
    }
}
