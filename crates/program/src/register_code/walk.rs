//! Reads, writes and targets of an op, as its fields in the table say.

use std::convert::Infallible;

use crate::register_code::code::*;
use crate::register_code::fields::{Field, Width};

/// Reads and writes of an op.
#[derive(Default)]
pub(crate) struct Effects {
    /// Operands with their widths, in the order of the table.
    pub(crate) reads: Vec<(Operand, Width)>,
    /// The registers written.
    pub(crate) writes: Option<Writes>,
}

/// Values that go to registers one behind the other.
pub(crate) struct Writes {
    /// The first register.
    pub(crate) dst: Reg,
    /// The widths of the values.
    pub(crate) widths: Vec<Width>,
    /// The operand that they are a copy of, if they are a copy.
    pub(crate) copied: Option<Operand>,
}

impl Writes {
    /// Number of registers the values take.
    pub(crate) fn registers(&self) -> u32 {
        self.widths.iter().map(|w| w.registers()).sum()
    }
}

/// An entry of an op's tables that is not there.
#[derive(Debug)]
pub(crate) struct Missing(pub(crate) &'static str);

impl Function {
    /// The operands of a run; checked, as all look-ups here are.
    pub(crate) fn run_of(&self, args: Args) -> Result<&[Operand], Missing> {
        let start = args.start as usize;
        self.args.get(start..start + args.len as usize).ok_or(Missing("operand list"))
    }

    /// A list of variable arguments.
    pub(crate) fn variable(&self, list: u32) -> Result<&[VarArg], Missing> {
        self.varargs.get(list as usize).map(Vec::as_slice).ok_or(Missing("variable argument list"))
    }

    /// A call through a pointer.
    pub(crate) fn indirect_call(&self, call: u32) -> Result<&IndirectCall, Missing> {
        self.indirect.get(call as usize).ok_or(Missing("indirect call"))
    }

    /// Targets of control behind an op, apart from the next op. A table that is missing has no targets: the verifier reports it.
    pub fn targets(&self, op: &Op) -> Vec<Pc> {
        let mut out = Vec::new();
        if op.flow() != Flow::Jump {
            return out; // the table sees to it: `only_of_jumps`
        }
        let Ok(()) = op.fields::<Infallible>(|field| {
            match field {
                Field::Target(pc) => out.push(pc),
                Field::Cases { table, .. } => {
                    if let Some(table) = self.switches.get(table as usize) {
                        out.extend(table.cases.iter().map(|&(_, pc)| pc));
                        out.push(table.default);
                    }
                }
                Field::Labels(table) => {
                    let cases = self.switches.get(table as usize).map(|table| &table.cases);
                    out.extend(cases.into_iter().flatten().map(|&(_, pc)| pc));
                }
                Field::Width { .. } | Field::OneThat { .. } | Field::Plain => {}
                Field::Read { .. } | Field::List(_) | Field::Variable(_) | Field::Indirect(_) => {}
                Field::Write { .. } | Field::Copy { .. } | Field::Result { .. } | Field::Results { .. } => {}
                Field::Landing { .. } => {}
                Field::Callee { .. } | Field::Builtin { .. } | Field::Text(_) => {}
            }
            Ok(())
        });
        out
    }

    /// Returns true if a register may have the address of a stack object that the function computes by itself, and has not read
    /// from memory or got from another function.
    pub fn may_be_local(&self, r: Reg) -> bool {
        let (mut todo, mut next) = (vec![r], 0);
        while let Some(&r) = todo.get(next) {
            next += 1;
            for op in &self.code {
                let mut sources = Vec::new();
                let (mut writes, mut makes) = (false, false);
                let Ok(()) = op.fields::<Infallible>(|field| {
                    match field {
                        Field::Read { operand, carried: true, .. } => sources.extend(operand.as_reg()),
                        Field::Write { dst, fresh, .. } => (writes, makes) = (dst == r, fresh),
                        Field::Copy { dst, .. } => writes = dst == r,
                        // Values from elsewhere, or values that are no address.
                        Field::Read { carried: false, .. } | Field::Result { .. } | Field::Results { .. } => {
                        }
                        Field::Landing { .. } => {}
                        Field::List(_) | Field::Variable(_) | Field::Indirect(_) | Field::Text(_) => {}
                        Field::Width { .. } | Field::OneThat { .. } | Field::Plain => {}
                        Field::Target(_) | Field::Cases { .. } | Field::Labels(_) => {}
                        Field::Callee { .. } | Field::Builtin { .. } => {}
                    }
                    Ok(())
                });
                if writes && makes {
                    return true;
                }
                for source in sources.into_iter().filter(|_| writes) {
                    if !todo.contains(&source) {
                        todo.push(source);
                    }
                }
            }
        }
        false
    }
}

/// The widths of the two values that an exception brings: its address, and which clause of the landing pad it is for.
const LANDING: [u8; 2] = [64, 32];

/// The values of a list of variable arguments.
fn variable_reads(f: &Function, list: u32, reads: &mut Vec<(Operand, Width)>) -> Result<(), Missing> {
    let bits = |v: &VarArg| Width::Bits(if v.byval.is_some() { 64 } else { v.bits });
    reads.extend(f.variable(list)?.iter().map(|v| (v.value, bits(v))));
    Ok(())
}

fn list_reads(f: &Function, args: Args, reads: &mut Vec<(Operand, Width)>) -> Result<(), Missing> {
    reads.extend(f.run_of(args)?.iter().map(|&o| (o, Width::Any)));
    Ok(())
}

/// Reads and writes of `op` of `f`.
pub(crate) fn effects(program: &Program, f: &Function, op: &Op) -> Result<Effects, Missing> {
    let mut reads = Vec::new();
    let mut writes = None;
    let unless_unwanted = |dst: Reg, n: usize| {
        (dst != NO_REG).then(|| Writes { dst, widths: vec![Width::Any; n], copied: None })
    };
    op.fields(|field| {
        match field {
            Field::Read { operand, width, .. } => reads.push((operand, width)),
            Field::Write { dst, bits, flagged, .. } => {
                let flag = flagged.then_some(Width::Bits(1));
                let widths = std::iter::once(Width::Bits(bits)).chain(flag).collect();
                writes = Some(Writes { dst, widths, copied: None });
            }
            Field::Copy { dst, a, width } => {
                writes = Some(Writes { dst, widths: vec![width], copied: Some(a) });
            }
            Field::Result { dst } => writes = unless_unwanted(dst, 1),
            Field::Landing { dst } => {
                writes = Some(Writes { dst, widths: LANDING.map(Width::Bits).to_vec(), copied: None });
            }
            Field::Results { dst, func } => {
                let callee = program.functions.get(func as usize).ok_or(Missing("function"))?;
                writes = unless_unwanted(dst, callee.results.into());
            }
            Field::List(args) => list_reads(f, args, &mut reads)?,
            Field::Variable(list) => variable_reads(f, list, &mut reads)?,
            Field::Indirect(call) => {
                let call = f.indirect_call(call)?;
                reads.push((call.target, Width::Bits(64)));
                list_reads(f, call.args, &mut reads)?;
                if let Some(list) = call.varargs {
                    variable_reads(f, list, &mut reads)?;
                }
                writes = unless_unwanted(call.dst, call.results.into());
            }
            Field::Width { .. } | Field::OneThat { .. } | Field::Plain | Field::Text(_) => {}
            Field::Target(_) | Field::Cases { .. } | Field::Labels(_) => {}
            Field::Callee { .. } | Field::Builtin { .. } => {}
        }
        Ok(())
    })?;
    Ok(Effects { reads, writes })
}

impl Op {
    /// The function that a call calls, unless it is through a pointer.
    pub fn callee(&self) -> Option<FuncId> {
        let mut callee = None;
        let Ok(()) = self.fields::<Infallible>(|field| {
            if let Field::Callee { func, .. } = field {
                callee = Some(func);
            }
            Ok(())
        });
        callee
    }

    /// Returns true if control never falls through to the next op.
    pub const fn is_terminator(&self) -> bool {
        match self.flow() {
            Flow::Next | Flow::Call => false,
            Flow::Jump | Flow::Return | Flow::End => true,
        }
    }
}
