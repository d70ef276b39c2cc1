//! The state of a function's translation, and what all instructions need: operands of values, registers, constants, targets.

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use rustc_hash::FxHashMap;

use crate::debug::{FunctionInfo, NodeId};
use crate::llvm::marks::addresses::{computes_with_address, pointer_of};
use crate::llvm::modules::types::Scalar;
use crate::llvm::modules::values::*;
use crate::llvm::translation::loader::Loader;
use crate::llvm::translation::scalar_ops::{binary, binary_op, resize};
use crate::register_code::code::*;

/// Place of a value.
#[derive(Clone, Debug)]
pub(crate) enum Home {
    /// In registers from this one on.
    Registers(Reg),
    /// Nowhere of its own: these operands, one a scalar.
    Operands(Vec<Operand>),
    /// A pointer that is another plus a constant: computed at each use.
    Offset(Operand, i32),
}

/// Targets of jumps inside of inline assembly have this bit, see [`Translator::locals`].
pub(crate) const LOCAL: Pc = 1 << 31;

/// An edge with moves.
pub(crate) struct Stub {
    pub(crate) from: LLVMBasicBlockRef,
    pub(crate) to: LLVMBasicBlockRef,
    /// The number of the block that it leads to.
    pub(crate) id: u32,
    /// The position of the branch, where debuggers stop.
    pub(crate) position: u32,
    pub(crate) scope: NodeId,
}

/// The state of a function's translation.
pub(crate) struct Translator<'l, 'm> {
    pub(crate) loader: &'l mut Loader<'m>,
    pub(crate) out: Function,
    pub(crate) homes: FxHashMap<LLVMValueRef, Home>,
    pub(crate) constants: FxHashMap<u64, u32>,
    /// LLVM instructions since the last op that counted them.
    pub(crate) pending: u32,
    pub(crate) position: u32,
    pub(crate) block: LLVMBasicBlockRef,
    pub(crate) block_ids: FxHashMap<LLVMBasicBlockRef, u32>,
    /// First op of each block; targets are block numbers until the end, stubs behind the blocks.
    pub(crate) starts: Vec<Pc>,
    /// The blocks that were begun.
    pub(crate) translated: Vec<bool>,
    /// Edges with moves: made after all blocks.
    pub(crate) stubs: Vec<Stub>,
    /// Stack objects that the translation itself needs, made at the entry.
    pub(crate) scratch: Vec<Op>,
    /// Places of the labels inside of inline assembly, see `asm`.
    pub(crate) locals: Vec<Pc>,
    /// True if the marks of scopes are understood, see `scopes`.
    pub(crate) scopes: bool,
    /// True if it was compiled without optimisation.
    pub(crate) unoptimised: bool,
    /// Where the two values go that exceptions bring to its landing pads.
    pub(crate) landing: Option<Reg>,
    /// Notes for a debugger, if one asks.
    pub(crate) notes: Option<FunctionInfo>,
    /// The scope of the instruction at hand, for debuggers.
    pub(crate) scope: NodeId,
}

impl Translator<'_, '_> {
    pub(crate) fn fresh(&mut self, n: u32) -> Reg {
        let r = self.out.registers;
        self.out.registers += n;
        r
    }

    pub(crate) fn push(&mut self, op: Op) {
        self.out.code.push(op);
        self.out.positions.push(self.position);
        if let Some(notes) = &mut self.notes {
            notes.scopes.push(self.scope);
        }
    }

    /// The op behind the next one, as the target of a jump.
    pub(crate) fn next_op(&mut self) -> Pc {
        self.locals.push(self.out.code.len() as Pc + 1);
        LOCAL | (self.locals.len() as Pc - 1)
    }

    /// The instructions of the segment that ends here.
    pub(crate) fn segment(&mut self) -> u16 {
        let n = std::mem::take(&mut self.pending);
        if n > u16::MAX as u32 {
            self.push(Op::Count { n });
            return 0;
        }
        n as u16
    }

    pub(crate) fn constant(&mut self, v: u64) -> Operand {
        let next = self.out.constants.len() as u32;
        let pool = &mut self.out.constants;
        Operand::constant(*self.constants.entry(v).or_insert_with(|| {
            pool.push(v);
            next
        }))
    }

    /// A constant of up to 128 bits; wide ones take two neighbours of the pool.
    pub(crate) fn scalar_constant(&mut self, width: u32, v: u128) -> Operand {
        if width <= 64 {
            return self.constant(v as u64);
        }
        let i = self.out.constants.len() as u32;
        self.out.constants.extend([v as u64, (v >> 64) as u64]);
        Operand::constant(i)
    }

    pub(crate) fn flat(&self, ty: LLVMTypeRef) -> Option<Vec<Scalar>> {
        self.loader.layout.flat(ty)
    }

    /// The scalars of a value's type, and an operand for each.
    pub(crate) fn scalars(&mut self, v: LLVMValueRef) -> Option<Vec<(Scalar, Operand)>> {
        let flat = self.flat(type_of(v))?;
        let operands = self.operands(v, &flat)?;
        Some(flat.into_iter().zip(operands).collect())
    }

    fn operands(&mut self, v: LLVMValueRef, flat: &[Scalar]) -> Option<Vec<Operand>> {
        match self.homes.get(&v).cloned() {
            Some(Home::Registers(r)) => Some(in_registers(r, flat)),
            Some(Home::Operands(list)) => Some(list),
            Some(Home::Offset(base, off)) => {
                let dst = self.fresh(1);
                let zero = self.constant(0);
                self.push(Op::Index { dst, base, index: zero, scale: 1, off });
                Some(vec![Operand::reg(dst)])
            }
            None => {
                if let Some(far) = self.far_element(v) {
                    return Some(vec![far]);
                }
                if let Some(pointer) = self.constant_number(v) {
                    let (a, dst) = (self.one(pointer)?, self.fresh(1));
                    self.push(Op::PtrToInt { dst, a });
                    self.as_number(dst);
                    return Some(vec![Operand::reg(dst)]);
                }
                if let Some(computed) = self.computed_constant(v, flat) {
                    return Some(vec![computed]);
                }
                let values = self.loader.scalars(v)?;
                let undefined = self.loader.undefined(v);
                let mut out = Vec::with_capacity(flat.len());
                for (k, (s, v)) in flat.iter().zip(values).enumerate() {
                    let unset = undefined.get(k).is_some_and(|&u| u);
                    out.push(if unset { self.undefined(*s) } else { self.scalar_constant(s.width, v) });
                }
                Some(out)
            }
        }
    }

    /// A constant `getelementptr` that leaves the slot of its global: as an op, which keeps the global it was made from.
    fn far_element(&mut self, v: LLVMValueRef) -> Option<Operand> {
        // SAFETY: a constant expression has an opcode, and this one a first operand.
        let base = unsafe {
            let is_element =
                !LLVMIsAConstantExpr(v).is_null() && LLVMGetConstOpcode(v) == LLVMOpcode::LLVMGetElementPtr;
            is_element.then(|| operand(v, 0))?
        };
        let (from, to) = (self.loader.scalar(base)? as u64, self.loader.scalar(v)? as u64);
        if (from ^ to) >> self.loader.program.target.slot_bits() == 0 {
            return None;
        }
        let (dst, base, index) = (self.fresh(1), self.constant(from), self.constant(to.wrapping_sub(from)));
        self.push(Op::Index { dst, base, index, scale: 1, off: 0 });
        Some(Operand::reg(dst))
    }

    /// The pointer of a constant that is the address of a global as a number.
    fn constant_number(&self, v: LLVMValueRef) -> Option<LLVMValueRef> {
        // SAFETY: a value that is no constant expression gives null.
        let constant = unsafe { !LLVMIsAConstantExpr(v).is_null() };
        let bits = self.loader.layout.pointer_bits();
        if constant && self.loader.own { pointer_of(v, bits) } else { None }
    }

    /// A constant expression that computes with the address of a global, as ops: its value depends on where the global lies.
    fn computed_constant(&mut self, v: LLVMValueRef, flat: &[Scalar]) -> Option<Operand> {
        let &[to] = flat else { return None };
        let bits = self.loader.layout.pointer_bits();
        if !self.loader.own || !computes_with_address(v, bits) {
            return None;
        }
        // SAFETY: it is a constant expression.
        let op = unsafe { LLVMGetConstOpcode(v) };
        let dst = self.fresh(1);
        if op == LLVMOpcode::LLVMSub
            && let (Some(a), Some(b)) = (pointer_of(operand(v, 0), bits), pointer_of(operand(v, 1), bits))
        {
            let (a, b) = (self.one(a)?, self.one(b)?);
            self.push(Op::PtrSub { dst, a, b });
            self.as_number(dst);
            return Some(Operand::reg(dst));
        }
        let (from, a) = self.scalars(operand(v, 0))?.first().copied()?;
        let made = match (op, binary_op(op)) {
            (_, Some(op)) => binary(op, to, dst, a, self.one(operand(v, 1))?),
            (LLVMOpcode::LLVMPtrToInt, _) => {
                let number = self.fresh(1);
                self.push(Op::PtrToInt { dst: number, a });
                resize(LLVMOpcode::LLVMTrunc, from, to, dst, Operand::reg(number))
            }
            _ => resize(op, from, to, dst, a),
        };
        self.push(made);
        Some(Operand::reg(dst))
    }

    /// An undefined scalar.
    pub(crate) fn undefined(&mut self, s: Scalar) -> Operand {
        let dst = self.fresh(s.registers());
        self.push(Op::Undefined { w: s.width as u8, dst });
        Operand::reg(dst)
    }

    /// The operand of a value that is one scalar.
    pub(crate) fn one(&mut self, v: LLVMValueRef) -> Option<Operand> {
        self.scalars(v)?.first().map(|&(_, o)| o)
    }

    /// A pointer as base and offset.
    pub(crate) fn address(&mut self, v: LLVMValueRef) -> Option<(Operand, i32)> {
        match self.homes.get(&v) {
            Some(&Home::Offset(base, off)) => Some((base, off)),
            _ => self.one(v).map(|o| (o, 0)),
        }
    }

    /// The register in which an instruction's value belongs.
    pub(crate) fn home(&mut self, i: LLVMValueRef) -> Reg {
        match self.homes.get(&i) {
            Some(&Home::Registers(r)) => r,
            _ => NO_REG,
        }
    }

    /// The registers of the scalars of an instruction's value.
    pub(crate) fn homes_of(&mut self, i: LLVMValueRef) -> Option<Vec<(Scalar, Reg)>> {
        let flat = self.flat(type_of(i))?;
        let mut r = self.home(i);
        let mut out = Vec::with_capacity(flat.len());
        for s in flat {
            out.push((s, r));
            r += s.registers();
        }
        Some(out)
    }

    pub(crate) fn copy(&mut self, s: Scalar, dst: Reg, a: Operand) {
        self.push(if s.width > 64 { Op::WideMove { dst, a } } else { Op::Move { dst, a } });
    }

    pub(crate) fn unsupported(&mut self, what: &str) {
        let what = self.loader.string(what);
        let n = self.segment();
        self.push(Op::Unsupported { what, n });
    }

    /// The number that stands for a jump's target until the code is whole: a block, or a stub with the moves
    /// of the edge's phis.
    pub(crate) fn target(&mut self, to: LLVMBasicBlockRef) -> Pc {
        let id = self.block_ids[&to];
        let has_phis = instructions_of(to).first().is_some_and(|&i| opcode(i) == LLVMOpcode::LLVMPHI);
        if !has_phis {
            return id;
        }
        // Edges between the same two blocks carry the same values.
        let known = self.stubs.iter().rposition(|stub| stub.from == self.block && stub.to == to);
        let stub = known.unwrap_or_else(|| {
            let (from, position, scope) = (self.block, self.position, self.scope);
            self.stubs.push(Stub { from, to, id, position, scope });
            self.stubs.len() - 1
        });
        self.starts.len() as u32 + stub as u32
    }

    /// Case values and targets of an indirect branch: every block whose address may be taken.
    pub(crate) fn block_cases(&mut self, targets: Vec<LLVMBasicBlockRef>) -> Vec<(u64, Pc)> {
        let mut cases = Vec::new();
        for block in targets {
            let value = self.loader.block_address(block);
            let pc = self.target(block);
            if !cases.iter().any(|&(v, _)| v == value) {
                cases.push((value, pc));
            }
        }
        cases
    }

    /// Appends operands to the function's lists.
    pub(crate) fn args(&mut self, list: &[Operand]) -> Args {
        if list.len() > u16::MAX as usize {
            self.unsupported("a call or return of more than 65535 values");
        }
        let start = self.out.args.len() as u32;
        self.out.args.extend_from_slice(list);
        Args { start, len: list.len() as u16 }
    }

    /// An address or a distance as a number of the target's size.
    pub(crate) fn as_number(&mut self, dst: Reg) {
        let w = self.loader.layout.pointer_bits() as u8;
        if w < 64 {
            self.push(Op::Trunc { w, dst, a: Operand::reg(dst) });
        }
    }

    /// The sum of `base`, a number of bytes, and indices times sizes in bytes.
    pub(crate) fn added_up(
        &mut self,
        dst: Reg,
        mut base: Operand,
        offset: i64,
        variable: &[(LLVMValueRef, u64)],
    ) -> Option<()> {
        let mut left = offset;
        if i32::try_from(left).is_err() || variable.is_empty() {
            let k = self.constant(left as u64);
            self.push(Op::Index { dst, base, index: k, scale: 1, off: 0 });
            base = Operand::reg(dst);
            left = 0;
        }
        for &(index, scale) in variable {
            let (s, mut index) = *self.scalars(index)?.first()?;
            if s.width != 64 {
                let (resized, from) = (self.fresh(1), s.width as u8);
                self.push(if s.width < 64 {
                    Op::Sext { from, w: 64, dst: resized, a: index }
                } else {
                    Op::WideTrunc { from, w: 64, dst: resized, a: index }
                });
                index = Operand::reg(resized);
            }
            let Ok(scale) = i32::try_from(scale) else { return None };
            self.push(Op::Index { dst, base, index, scale, off: left as i32 });
            base = Operand::reg(dst);
            left = 0;
        }
        Some(())
    }
}

/// An operand for each scalar of a value in registers.
fn in_registers(r: Reg, flat: &[Scalar]) -> Vec<Operand> {
    let mut r = r;
    flat.iter()
        .map(|s| {
            let o = Operand::reg(r);
            r += s.registers();
            o
        })
        .collect()
}

/// Operands register by register: a wide one gives two.
pub(crate) fn spread(list: &[(Scalar, Operand)]) -> Vec<Operand> {
    list.iter().flat_map(|&(s, o)| if s.width > 64 { vec![o, o.high()] } else { vec![o] }).collect()
}
