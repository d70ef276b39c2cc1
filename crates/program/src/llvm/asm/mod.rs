//! Inline assembly: the operands by their constraints, then each statement as the processor would do it.
//!
//! Registers and their parts are those of the processor, and so are the flags that a program can see. A statement that is not in
//! the table, or depends on bits that nothing was put into, is unsupported by its name. `rdtsc` gives the time of the model.

pub(crate) mod machine; // The machine that inline assembly runs on: registers, flags and labels, as register code.
pub(crate) mod table; // Meanings of the instructions: one table from mnemonics to code.
pub(crate) mod text; // The text of inline assembly, in AT&T's syntax, taken apart: statements, and their operands.

use std::ffi::c_char;

use llvm_sys::LLVMInlineAsmDialect;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use machine::{Known, Machine, OperandPlace};
use text::Statement;

use super::modules::types::Scalar;
use super::modules::values::copied;
use super::translation::translator::{Home, Translator};
use crate::register_code::code::*;

fn text(
    value: LLVMValueRef,
    read: unsafe extern "C" fn(LLVMValueRef, *mut usize) -> *const c_char,
) -> String {
    let mut len = 0;
    // SAFETY: the text is as long as LLVM says.
    unsafe { copied(read(value, &mut len), len) }.unwrap_or_default()
}

impl Translator<'_, '_> {
    pub(crate) fn inline_asm(&mut self, i: LLVMValueRef, asm: LLVMValueRef) -> Option<()> {
        let code = text(asm, LLVMGetInlineAsmAsmString);
        let constraints = text(asm, LLVMGetInlineAsmConstraintString);
        let homes = self.homes_of(i)?;
        // A barrier: nothing, or values of any kind that stay as they are.
        let code = text::without_comments(&code);
        if code.trim().is_empty() {
            if homes.is_empty() {
                return Some(());
            }
            if let Some(operands) = self.unchanged(i, &constraints)?.filter(|all| all.len() == homes.len()) {
                self.homes.insert(i, Home::Operands(operands));
                return Some(());
            }
        }
        if code.contains("cpuid") {
            return self.cpuid(i, &constraints, &homes);
        }
        // Programs ask for the states of the processor only if cpuid allows it.
        if code.contains("xgetbv") {
            let zero = self.constant(0);
            for (s, dst) in homes {
                self.copy(s, dst, zero);
            }
            return Some(());
        }
        self.assembled(i, asm, &homes, &[]);
        Some(())
    }

    /// The results of a barrier, each of which is the input that its constraint names; `None` if one is another's.
    fn unchanged(&mut self, i: LLVMValueRef, constraints: &str) -> Option<Option<Vec<Operand>>> {
        let all: Vec<&str> =
            constraints.split(',').filter(|c| !c.starts_with('~') && !c.is_empty()).collect();
        // An output in memory is an argument, too.
        let is_argument = |c: &str| !c.starts_with('=') || c.contains('*');
        let arguments: Vec<&str> = all.iter().copied().filter(|c| is_argument(c)).collect();
        let mut operands = Vec::new();
        for (output, _) in all.iter().enumerate().filter(|(_, c)| !is_argument(c)) {
            let Some(argument) = arguments.iter().position(|c| *c == output.to_string()) else {
                return Some(None);
            };
            let argument = self.argument(i, argument as u32);
            operands.extend(self.scalars(argument)?.into_iter().map(|(_, operand)| operand));
        }
        Some(Some(operands))
    }

    /// `asm goto`: its first exit is that of its end, the others are labels of the function.
    pub(crate) fn asm_goto(&mut self, i: LLVMValueRef) -> Option<()> {
        let homes = self.homes_of(i)?;
        // SAFETY: it is a call of inline assembly that ends a block.
        let (asm, exits) = unsafe {
            let exits = (0..LLVMGetNumSuccessors(i)).map(|k| LLVMGetSuccessor(i, k)).collect::<Vec<_>>();
            (LLVMGetCalledValue(i), exits)
        };
        self.assembled(i, asm, &homes, &exits);
        Some(())
    }

    fn assembled(
        &mut self,
        i: LLVMValueRef,
        asm: LLVMValueRef,
        homes: &[(Scalar, Reg)],
        exits: &[LLVMBasicBlockRef],
    ) {
        let code = text(asm, LLVMGetInlineAsmAsmString);
        let constraints = text(asm, LLVMGetInlineAsmConstraintString);
        let first_label = self.locals.len();
        if let Err(why) = self.assemble(i, asm, [&code, &constraints], homes, exits) {
            let here = self.out.code.len() as Pc;
            self.locals[first_label..].iter_mut().filter(|pc| **pc == Pc::MAX).for_each(|pc| *pc = here);
            let words: Vec<&str> = code.split_whitespace().collect();
            self.unsupported(&format!("the inline assembly `{}`: {why}", words.join(" ")));
        }
    }

    /// The results that are wanted of `cpuid`, by the registers of its outputs; ebx may come in any register, as code
    /// that is independent of its position keeps it.
    fn cpuid(&mut self, i: LLVMValueRef, constraints: &str, homes: &[(Scalar, Reg)]) -> Option<()> {
        let outputs = constraints.split(',').filter(|c| c.starts_with('='));
        let inputs = constraints.split(',').filter(|c| !c.starts_with(['=', '~'])).count() as u32;
        let leaf = if inputs > 0 { self.one(self.argument(i, 0))? } else { return None };
        let subleaf = if inputs > 1 { self.one(self.argument(i, 1))? } else { self.constant(0) };
        for (output, &(_, dst)) in outputs.zip(homes) {
            let which = match output {
                "={ax}" => 0,
                "={cx}" => 2,
                "={dx}" => 3,
                _ => 1,
            };
            let which = self.constant(which);
            let args = self.args(&[leaf, subleaf, which]);
            self.push(Op::Builtin { what: Builtin::Cpuid, dst, args, n: 0 });
        }
        Some(())
    }

    fn assemble(
        &mut self,
        i: LLVMValueRef,
        asm: LLVMValueRef,
        [code, constraints]: [&str; 2],
        homes: &[(Scalar, Reg)],
        exits: &[LLVMBasicBlockRef],
    ) -> Known<()> {
        let statements = text::statements(code).ok_or("it is not understood")?;
        // SAFETY: it is inline assembly.
        let is_att = unsafe { LLVMGetInlineAsmDialect(asm) } == LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
        // Without operands the two are one.
        let has_operands = |statement: &Statement| match statement {
            Statement::Instruction { operands, .. } => !operands.is_empty(),
            Statement::Label(_) => false,
        };
        if !is_att && statements.iter().any(has_operands) {
            return Err("it is in Intel's syntax".into());
        }
        let mut machine = Machine::new(self);
        machine.operands(i, constraints, homes)?;
        for statement in &statements {
            match statement {
                Statement::Label(name) => machine.label(name),
                Statement::Instruction { prefixes, name, operands } => {
                    if machine.dead {
                        return Err("code behind a jump that no label leads to".into());
                    }
                    machine.instruction(prefixes, name, operands)?;
                }
            }
        }
        if exits.is_empty() {
            machine.finish()?;
            return machine.results(homes);
        }
        machine.leave(homes, exits)
    }
}

/// The register that a constraint names, by itself or by its letter.
fn named(constraint: &str) -> Option<usize> {
    let name = constraint.strip_prefix('{')?.strip_suffix('}')?;
    let full = |name: &str| text::register(name).filter(|(_, _, high)| !high).map(|(number, ..)| number);
    full(name).or_else(|| full(&format!("e{name}"))).or_else(|| full(&format!("r{name}")))
}

/// Returns true if a constraint allows any general register.
fn any_register(constraint: &str) -> bool {
    let letters = "rqQRlgimnsIJKLMNOeZGXpo";
    !constraint.is_empty()
        && constraint.chars().all(|c| letters.contains(c))
        && constraint.contains(['r', 'q', 'Q', 'R', 'l', 'g', 'X', 'p'])
}

/// Returns true if a constraint allows constants only.
fn only_constants(constraint: &str) -> bool {
    !constraint.is_empty() && constraint.chars().all(|c| "insIJKLMNOeZG".contains(c))
}

impl Machine<'_, '_, '_> {
    /// Gives each operand its place, and the inputs their values.
    fn operands(&mut self, i: LLVMValueRef, constraints: &str, homes: &[(Scalar, Reg)]) -> Known<()> {
        let (mut argument, mut result, mut exits) = (0, 0, 0);
        for constraint in constraints.split(',').filter(|c| !c.starts_with('~') && !c.is_empty()) {
            let output = constraint.strip_prefix('=');
            let rest = output.unwrap_or(constraint).trim_start_matches(['&', '%']);
            if let Some(kind) = rest.strip_prefix('*') {
                if kind.contains('{') {
                    return Err(format!("the constraint `{constraint}`"));
                }
                let address = self.argument(i, argument)?.1;
                argument += 1;
                self.places.push(OperandPlace::Memory(address));
                continue;
            }
            if output.is_some() {
                let (s, _) = *homes.get(result).ok_or("a result that is not there")?;
                result += 1;
                let bits = general(s)?;
                let place = if let Some(cond) = rest.strip_prefix("{@cc").and_then(|c| c.strip_suffix('}')) {
                    self.conditions.push(cond.to_string());
                    OperandPlace::Condition(self.conditions.len() - 1)
                } else {
                    OperandPlace::Register { number: self.register_for(rest, constraint)?, bits }
                };
                self.places.push(place);
                continue;
            }
            if rest == "!i" {
                exits += 1;
                self.places.push(OperandPlace::Exit(exits));
                continue;
            }
            let (s, value) = self.argument(i, argument)?;
            argument += 1;
            let bits = general(s)?;
            if let Ok(same) = rest.parse::<usize>() {
                let place = *self.places.get(same).ok_or("ties to no operand")?;
                let OperandPlace::Register { number, .. } = place else {
                    return Err(format!("the constraint `{constraint}`"));
                };
                self.give(number, bits, value);
                self.places.push(OperandPlace::Register { number, bits });
            } else if only_constants(rest) {
                let whole = self.sext(bits, 64, value);
                // A constant of the text is signed; as a constant of the pool it can be a count.
                let constant = value.as_constant().map(|k| self.t.out.constants[k as usize]);
                let whole = match constant {
                    Some(v) => self.constant(64, ((v << (64 - bits)) as i64 >> (64 - bits)) as u64),
                    None => whole,
                };
                self.places.push(OperandPlace::Value(whole));
            } else {
                let number = self.register_for(rest, constraint)?;
                self.give(number, bits, value);
                self.places.push(OperandPlace::Register { number, bits });
            }
        }
        Ok(())
    }

    fn argument(&mut self, i: LLVMValueRef, k: u32) -> Known<(Scalar, Operand)> {
        let scalars = self.t.scalars(self.t.argument(i, k)).ok_or("an operand that has no registers")?;
        match scalars[..] {
            [one] => Ok(one),
            _ => Err("an operand of several parts".into()),
        }
    }

    fn register_for(&mut self, kind: &str, constraint: &str) -> Known<usize> {
        if let Some(number) = named(kind) {
            return Ok(number);
        }
        if any_register(kind) {
            return Ok(self.new_register());
        }
        Err(format!("the constraint `{constraint}`"))
    }

    /// The results, from where the operands are now.
    fn results(&mut self, homes: &[(Scalar, Reg)]) -> Known<()> {
        for (k, &(s, dst)) in homes.iter().enumerate() {
            let value = match self.places[self.outputs(k)] {
                OperandPlace::Register { number, bits } => self.read_register(number, bits, false)?,
                OperandPlace::Condition(c) => {
                    let name = self.conditions[c].clone();
                    let bit = self.condition(&name)?.ok_or_else(|| format!("the condition `{name}`"))?;
                    self.zext(1, s.width as u8, bit)
                }
                _ => return Err("a result that is no register".into()),
            };
            self.t.copy(s, dst, value);
        }
        Ok(())
    }

    /// The ends of `asm goto`: each puts the results in their places and goes to its block. Behind a jump a result may be none.
    fn leave(&mut self, homes: &[(Scalar, Reg)], exits: &[LLVMBasicBlockRef]) -> Known<()> {
        let n = self.t.segment();
        let end = !self.dead;
        for (k, &block) in exits.iter().enumerate() {
            if k > 0 && self.leaves_by(k) {
                for (k, &(s, _)) in homes.iter().enumerate() {
                    if let OperandPlace::Register { number, bits } = self.places[self.outputs(k)]
                        && self.read_register(number, bits, false).is_err()
                    {
                        let none = self.t.undefined(s);
                        self.give(number, bits, none);
                    }
                }
            } else if k > 0 || !end {
                continue;
            }
            self.results(homes)?;
            let to = self.t.target(block);
            self.t.push(Op::Jump { to, n });
        }
        self.finish()
    }

    /// The operand that gives result `k`: outputs in memory are no results.
    fn outputs(&self, k: usize) -> usize {
        let direct = self.places.iter().enumerate().filter(|(_, p)| !matches!(p, OperandPlace::Memory(_)));
        direct.map(|(i, _)| i).nth(k).unwrap_or(0)
    }
}

/// The bits of a scalar that fits a general register.
fn general(s: Scalar) -> Known<u8> {
    match s.width {
        8 | 16 | 32 | 64 if !s.is_number() => Ok(s.width as u8),
        1 if !s.is_number() => Ok(1),
        _ => Err("an operand that is no integer of a general register".into()),
    }
}
