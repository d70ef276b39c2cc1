//! Random functions: compiled code leaves them where a plain interpreter of known values has the same registers, memory and count of
//! instructions, and it never executes an op that this interpreter cannot.

use std::cell::Cell;

use cleave_expr::Term;
use cleave_jit::{Compiler, Facts, Left, Running, Stack, Wish};
use cleave_memory::{AddressSpace, Kind, Reg};
use cleave_program::code::{BinOp, ClampOp, Function, Op, Operand, OverflowOp, Pred, SwitchTable, UnOp};

const WIDTHS: [u8; 6] = [1, 8, 16, 32, 48, 64];
/// Registers of each width; behind them are two pointers and a counter.
const EACH: u32 = 3;
const POINTERS: u32 = EACH * WIDTHS.len() as u32;
const COUNTER: u32 = POINTERS + 2;
const REGISTERS: u32 = COUNTER + 1;

struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    fn value(&mut self, w: u8) -> u64 {
        let v = match self.below(6) {
            0 => self.below(4),
            1 => u64::MAX - self.below(4),
            2 => (1u64 << (w - 1)).wrapping_add(self.below(3)).wrapping_sub(1),
            3 => self.below(u64::from(w) + 2),
            _ => self.next(),
        };
        v & mask(w)
    }
}

fn mask(w: u8) -> u64 {
    u64::MAX >> (64 - u32::from(w))
}

fn signed(v: u64, w: u8) -> i64 {
    (v as i64) << (64 - u32::from(w)) >> (64 - u32::from(w))
}

/// A random function: ops, jumps forwards between them, and a loop around all.
fn random(n: &mut Numbers) -> Function {
    let mut f = Function { registers: REGISTERS, params: REGISTERS, ..Function::default() };
    let ops = 4 + n.below(20) as u32;
    for pc in 0..ops {
        let op = one(n, &mut f, pc, ops);
        f.code.push(op);
    }
    let counter = Operand::reg(COUNTER);
    let [one, zero] = [1, 0].map(|v| constant(&mut f, v));
    f.code.push(Op::Sub { w: 64, dst: COUNTER, a: counter, b: one });
    let (then, other) = (n.below(2) as u32, ops + 2);
    f.code.push(Op::CmpBranch { pred: Pred::Ne, w: 64, a: counter, b: zero, then, other, n: 3 });
    f.code.push(Op::Unreachable { n: 1 });
    f
}

fn constant(f: &mut Function, v: u64) -> Operand {
    f.constants.push(v);
    Operand::constant(f.constants.len() as u32 - 1)
}

#[expect(clippy::too_many_lines, reason = "one match, with some lines for each op")]
fn one(n: &mut Numbers, f: &mut Function, pc: u32, ops: u32) -> Op {
    let i = n.below(WIDTHS.len() as u64) as u32;
    let w = WIDTHS[i as usize];
    let register = |n: &mut Numbers, i: u32| EACH * i + n.below(EACH.into()) as u32;
    let operand = |n: &mut Numbers, f: &mut Function, i: u32| {
        if n.below(3) > 0 {
            Operand::reg(register(n, i))
        } else {
            let v = n.value(WIDTHS[i as usize]);
            constant(f, v)
        }
    };
    let dst = register(n, i);
    let [a, b, c] = [(); 3].map(|()| operand(n, f, i));
    let amount = if n.below(4) > 0 {
        let v = n.below(w.into());
        constant(f, v)
    } else {
        b
    };
    let pred = [
        Pred::Eq,
        Pred::Ne,
        Pred::Ult,
        Pred::Ule,
        Pred::Ugt,
        Pred::Uge,
        Pred::Slt,
        Pred::Sle,
        Pred::Sgt,
        Pred::Sge,
    ][n.below(10) as usize];
    let pointer = Operand::reg(POINTERS + n.below(2) as u32);
    let off = if n.below(20) > 0 { n.below(56) as i32 } else { n.below(5000) as i32 - 20 };
    let (to, far) = (pc + 1 + n.below((ops - pc).into()) as u32, pc + 1 + n.below((ops - pc).into()) as u32);
    match n.below(27) {
        0 => Op::Move { dst, a },
        1 => Op::Add { w, dst, a, b },
        2 => Op::Sub { w, dst, a, b },
        3 => Op::Mul { w, dst, a, b },
        4 => Op::And { w, dst, a, b },
        5 => Op::Or { w, dst, a, b },
        6 => Op::Xor { w, dst, a, b },
        7 => Op::Shl { lazy: false, w, dst, a, b: amount },
        8 => Op::LShr { lazy: true, w, dst, a, b: amount },
        9 => Op::AShr { lazy: false, w, dst, a, b: amount },
        10 => Op::Cmp { pred, w, dst: register(n, 0), a, b },
        11 => Op::Select { w, dst, cond: operand(n, f, 0), a, b },
        12 | 13 => {
            let j = i + n.below(u64::from(WIDTHS.len() as u32 - i)) as u32;
            let (from, to) = (w, WIDTHS[j as usize]);
            let dst = register(n, j);
            if n.below(2) == 0 { Op::Zext { from, w: to, dst, a } } else { Op::Sext { from, w: to, dst, a } }
        }
        14 => {
            let j = n.below(u64::from(i) + 1) as u32;
            Op::Trunc { w: WIDTHS[j as usize], dst: register(n, j), a }
        }
        15 | 16 => Op::Load { w, dst, addr: pointer, off },
        17 | 18 => Op::Store { w, val: a, addr: pointer, off },
        19 => {
            let op = [BinOp::UDiv, BinOp::SDiv, BinOp::URem, BinOp::SRem][n.below(4) as usize];
            Op::Div { op, w, dst, a, b }
        }
        20 => {
            let op = [UnOp::BitReverse, UnOp::Ctpop, UnOp::Ctlz, UnOp::Cttz, UnOp::Abs, UnOp::Bswap];
            let op = op[n.below(if w.is_multiple_of(16) { 6 } else { 5 }) as usize];
            Op::Unary { op, strict: n.below(2) == 0, w, dst, a }
        }
        21 => {
            let op = [
                ClampOp::UMin,
                ClampOp::UMax,
                ClampOp::SMin,
                ClampOp::SMax,
                ClampOp::USubSat,
                ClampOp::SAddSat,
            ];
            Op::Clamp { op: op[n.below(6) as usize], w, dst, a, b }
        }
        22 => {
            let op = [
                OverflowOp::UAdd,
                OverflowOp::USub,
                OverflowOp::SAdd,
                OverflowOp::SSub,
                OverflowOp::UMul,
                OverflowOp::SMul,
            ];
            // The flag goes into the next register.
            let op = op[n.below(6) as usize];
            if dst + 1 < POINTERS { Op::Overflow { op, w, dst, a, b } } else { Op::Move { dst, a } }
        }
        23 => Op::Funnel { left: n.below(2) == 0, w, dst, a, b: if n.below(2) == 0 { a } else { b }, c },
        24 => Op::CmpBranch { pred, w, a, b, then: to, other: far, n: 2 },
        25 => {
            let cases = (0..3).map(|_| (n.value(w), pc + 1 + n.below((ops - pc).into()) as u32)).collect();
            f.switches.push(SwitchTable { cases, default: far });
            Op::Switch { w, val: a, table: f.switches.len() as u32 - 1, n: 1 }
        }
        _ => Op::Branch { cond: operand(n, f, 0), then: to, other: far, n: 1 },
    }
}

/// The plain interpreter's state.
struct Plain<'a> {
    f: &'a Function,
    regs: Vec<Reg>,
    memory: AddressSpace,
    pc: u32,
    instructions: u64,
}

fn compare(pred: Pred, w: u8, a: u64, b: u64) -> bool {
    let (x, y) = (signed(a, w), signed(b, w));
    match pred {
        Pred::Eq => a == b,
        Pred::Ne => a != b,
        Pred::Ult => a < b,
        Pred::Ule => a <= b,
        Pred::Ugt => a > b,
        Pred::Uge => a >= b,
        Pred::Slt => x < y,
        Pred::Sle => x <= y,
        Pred::Sgt => x > y,
        Pred::Sge => x >= y,
    }
}

impl Plain<'_> {
    fn get(&self, o: Operand) -> Option<u64> {
        match (o.as_reg(), o.as_constant()) {
            (Some(r), _) => Some(self.regs[r as usize]).filter(|r| r.is_known()).map(|r| r.value),
            (_, c) => Some(self.f.constants[c? as usize]),
        }
    }

    fn jump(&mut self, to: u32, n: u16) -> Option<()> {
        self.pc = to;
        self.instructions += u64::from(n);
        Some(())
    }

    /// Executes an op; `None` if it is not one on known values, or a check finds a fault.
    fn step(&mut self) -> Option<()> {
        let op = self.f.code[self.pc as usize].clone();
        let (dst, value) = match op {
            Op::CmpBranch { pred, w, a, b, then, other, n } => {
                let holds = compare(pred, w, self.get(a)?, self.get(b)?);
                return self.jump(if holds { then } else { other }, n);
            }
            Op::Branch { cond, then, other, n } => {
                let to = if self.get(cond)? & 1 != 0 { then } else { other };
                return self.jump(to, n);
            }
            Op::Switch { val, table, n, .. } => {
                let v = self.get(val)?;
                let table = &self.f.switches[table as usize];
                let to = table.cases.iter().find(|c| c.0 == v).map_or(table.default, |c| c.1);
                return self.jump(to, n);
            }
            Op::Store { w, val, addr, off } => {
                let (v, at) = (self.get(val)?, self.get(addr)?.wrapping_add(off as i64 as u64));
                self.memory.store_known(at, w.div_ceil(8).into(), v)?;
                self.pc += 1;
                return Some(());
            }
            Op::Load { w, dst, addr, off } => {
                let at = self.get(addr)?.wrapping_add(off as i64 as u64);
                (dst, self.memory.load_known(at, w.div_ceil(8).into())? & mask(w))
            }
            Op::Overflow { op, w, dst, a, b } => {
                let (v, over) = overflow(op, w, self.get(a)?, self.get(b)?);
                self.regs[dst as usize + 1] = Reg::known(over.into());
                (dst, v)
            }
            op => self.value(op)?,
        };
        self.regs[dst as usize] = Reg::known(value);
        self.pc += 1;
        Some(())
    }

    fn value(&self, op: Op) -> Option<(u32, u64)> {
        Some(match op {
            Op::Move { dst, a } | Op::Zext { dst, a, .. } => (dst, self.get(a)?),
            Op::Add { w, dst, a, b } => (dst, self.get(a)?.wrapping_add(self.get(b)?) & mask(w)),
            Op::Sub { w, dst, a, b } => (dst, self.get(a)?.wrapping_sub(self.get(b)?) & mask(w)),
            Op::Mul { w, dst, a, b } => (dst, self.get(a)?.wrapping_mul(self.get(b)?) & mask(w)),
            Op::And { dst, a, b, .. } => (dst, self.get(a)? & self.get(b)?),
            Op::Or { dst, a, b, .. } => (dst, self.get(a)? | self.get(b)?),
            Op::Xor { dst, a, b, .. } => (dst, self.get(a)? ^ self.get(b)?),
            Op::Shl { w, dst, a, b, .. } => {
                let n = Some(self.get(b)?).filter(|&n| n < w.into())?;
                (dst, self.get(a)? << n & mask(w))
            }
            Op::LShr { w, dst, a, b, .. } => {
                let n = Some(self.get(b)?).filter(|&n| n < w.into())?;
                (dst, self.get(a)? >> n)
            }
            Op::AShr { w, dst, a, b, .. } => {
                let n = Some(self.get(b)?).filter(|&n| n < w.into())?;
                (dst, (signed(self.get(a)?, w) >> n) as u64 & mask(w))
            }
            Op::Cmp { pred, w, dst, a, b } => (dst, compare(pred, w, self.get(a)?, self.get(b)?).into()),
            Op::Select { dst, cond, a, b, .. } => {
                let (c, x, y) = (self.get(cond)?, self.get(a)?, self.get(b)?);
                (dst, if c & 1 != 0 { x } else { y })
            }
            Op::Trunc { w, dst, a } => (dst, self.get(a)? & mask(w)),
            Op::Sext { from, w, dst, a } => (dst, signed(self.get(a)?, from) as u64 & mask(w)),
            Op::Div { op, w, dst, a, b } => (dst, division(op, w, self.get(a)?, self.get(b)?)?),
            Op::Unary { op, strict, w, dst, a } => (dst, unary(op, strict, w, self.get(a)?)?),
            Op::Clamp { op, w, dst, a, b } => {
                let (x, y) = (self.get(a)?, self.get(b)?);
                let first = match op {
                    ClampOp::UMin => x < y,
                    ClampOp::UMax => x > y,
                    ClampOp::SMin => signed(x, w) < signed(y, w),
                    ClampOp::SMax => signed(x, w) > signed(y, w),
                    ClampOp::USubSat => return Some((dst, x.saturating_sub(y))),
                    _ => return None,
                };
                (dst, if first { x } else { y })
            }
            Op::Funnel { left, w, dst, a, b, c } => {
                let (x, y) = (u128::from(self.get(a)?), u128::from(self.get(b)?));
                let by = self.get(c)? % u64::from(w);
                let both = x << w | y;
                let v = if left { both << by >> w } else { both >> by };
                (dst, v as u64 & mask(w))
            }
            _ => return None,
        })
    }
}

fn division(op: BinOp, w: u8, a: u64, b: u64) -> Option<u64> {
    let (x, y) = (signed(a, w), signed(b, w));
    let least = a == 1 << (w - 1) && b == mask(w);
    Some(match op {
        BinOp::UDiv => a.checked_div(b)?,
        BinOp::URem => a.checked_rem(b)?,
        _ if b == 0 || least => return None,
        BinOp::SDiv => (x / y) as u64 & mask(w),
        _ => (x % y) as u64 & mask(w),
    })
}

fn unary(op: UnOp, strict: bool, w: u8, v: u64) -> Option<u64> {
    let unused = 64 - u32::from(w);
    Some(match op {
        UnOp::Bswap => v.swap_bytes() >> unused,
        UnOp::BitReverse => v.reverse_bits() >> unused,
        UnOp::Ctpop => v.count_ones().into(),
        UnOp::Ctlz | UnOp::Cttz if strict && v == 0 => return None,
        UnOp::Ctlz => u64::from(v.leading_zeros() - unused),
        UnOp::Cttz => v.trailing_zeros().min(w.into()).into(),
        UnOp::Abs if w == 64 || strict && v == 1 << (w - 1) => return None,
        UnOp::Abs => signed(v, w).unsigned_abs() & mask(w),
    })
}

fn overflow(op: OverflowOp, w: u8, a: u64, b: u64) -> (u64, bool) {
    let (x, y) = (i128::from(signed(a, w)), i128::from(signed(b, w)));
    let (p, q) = (i128::from(a), i128::from(b));
    let (whole, is_signed) = match op {
        OverflowOp::UAdd => (p + q, false),
        OverflowOp::USub => (p - q, false),
        OverflowOp::UMul => ((p as u128 * q as u128) as i128, false),
        OverflowOp::SAdd => (x + y, true),
        OverflowOp::SSub => (x - y, true),
        OverflowOp::SMul => (x * y, true),
    };
    let v = whole as u64 & mask(w);
    let fits = if is_signed { whole == i128::from(signed(v, w)) } else { whole == i128::from(v) };
    (v, !fits)
}

/// The contents of the objects at two addresses.
fn contents(memory: &AddressSpace, at: [u64; 2]) -> Vec<Option<u64>> {
    at.iter().flat_map(|&at| (0..2048).map(move |i| memory.load_known(at + i, 1))).collect()
}

#[test]
fn compiled_code_leaves_where_a_plain_interpreter_comes_to_with_the_same_state() {
    let mut n = Numbers(0x1234_5678_9ABC_DEF1);
    let (mut entered, mut executed, mut rounds) = (0, 0, 0);
    for number in 0..1500 {
        let f = random(&mut n);
        let mut compiler = Compiler::new(1, 0).expect("this machine has a compiler");
        let functions = [f];
        let f = &functions[0];
        let facts = Facts {
            functions: &functions,
            func: 0,
            slot_bits: 20,
            first: None,
            entry: &|_| None,
            of_switch: &|_, _| u32::MAX,
            is_passed: &|_| true,
            first_op: 1,
            scopes: false,
            undefined: false,
            counting: None,
        };
        for try_of in 0..24 {
            let mut memory = AddressSpace::default();
            let birth = cleave_memory::Birth { place: 1, undefined: number % 3 == 0, allocator: 0 };
            let large = memory.allocate_born(2048, 1, Kind::Heap, birth).unwrap();
            let small = memory.allocate(60, Kind::Heap).unwrap();
            let mut regs: Vec<Reg> = (0..REGISTERS)
                .map(|r| Reg::known(if r < POINTERS { n.value(WIDTHS[(r / EACH) as usize]) } else { 0 }))
                .collect();
            (regs[POINTERS as usize], regs[POINTERS as usize + 1]) = (Reg::known(large), Reg::known(small));
            regs[COUNTER as usize] = Reg::known(1 + n.below(50));
            if try_of % 4 == 3 || number % 5 == 0 {
                regs[n.below(POINTERS.into()) as usize] = Reg::symbolic(Term::from_raw(7).unwrap());
            }
            let mut plain = Plain { f, regs: regs.clone(), memory: memory.clone(), pc: 0, instructions: 5 };
            let limit = if n.below(3) == 0 { 69 + n.below(400) } else { u64::MAX };
            compiler.begins_run();
            let marks: [Cell<u8>; 0] = [];
            if compiler.wish(0, 5, f) == Wish::Compile {
                compiler.compile(&facts);
            }
            let mut stack = Stack { bytes: 0, limit: 1 << 20, next_frame: 1, weight: 48 };
            let running = Running {
                registers: &mut regs,
                written: None,
                memory: &mut memory,
                marks: &marks,
                instructions: 5,
                limit,
                stack: &mut stack,
                counting: None,
            };
            let left = compiler.run_from(&functions, (0, 0), running);
            let (Left::At(pc, instructions) | Left::AtLimit(pc, instructions)) = left else { continue };
            entered += 1;
            let at_limit = matches!(left, Left::AtLimit(..));
            assert_eq!(at_limit, instructions >= limit, "{number}: {left:?} of {limit}");
            while (plain.pc, plain.instructions) != (pc, instructions) {
                let at = plain.pc;
                assert!(plain.instructions < limit, "{number}: beyond the limit");
                plain.step().unwrap_or_else(|| {
                    panic!("{number}: left at {pc}, not at {at}: {:?}\n{:#?}", f.code[at as usize], f.code)
                });
                executed += 1;
                rounds += u64::from(plain.pc <= at);
            }
            assert_eq!(plain.regs, regs, "{number}: registers at {pc}\n{:#?}", f.code);
            let [ours, theirs] = [&memory, &plain.memory].map(|memory| contents(memory, [large, small]));
            assert_eq!(ours, theirs, "{number}: memory at {pc}\n{:#?}", f.code);
        }
    }
    assert!(
        entered > 15_000 && executed > 300_000 && rounds > 20_000,
        "{entered} runs, {executed} ops, {rounds} rounds"
    );
}
