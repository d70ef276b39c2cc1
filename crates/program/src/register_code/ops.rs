//! The ops of the register code: one table, from which everything else that knows all ops is made.
//!
//! - the enum [`Op`] with its documentation, and for each section a pattern of its ops (`plain_ops!()` ...);
//! - the reads, writes and targets of each op, and the rules that the verifier checks (`fields.rs`);
//! - its text (`dump.rs`).
//!
//! An entry is `NAME("TEXT"), FLOW { FIELD: TYPE = ROLE(...), ... }`. TEXT is what `cleave dump` shows, with each field
//! in the form of its role. FLOW is a [`Flow`]. ROLE says what the field means to all who look at every op: the roles
//! are functions of `fields.rs`, and their arguments may name other fields. The sections are those of the engine:
//! which function executes an op.

use serde::{Deserialize, Serialize};

use crate::builtins::Builtin;
use crate::register_code::operands::*;
use crate::register_code::operations::*;

/// Gives the table to another macro.
macro_rules! for_each_op {
    ($consumer:ident) => { $consumer! {

/// A pattern of the ops without jumps that the engine's loop executes.
plain_ops {
    /// A copy of a register of at most 64 bits.
    Move("{dst} = move {a}"), Next { dst: Reg = copy(a), a: Operand = carry(Width::Any) }
    /// `a + b`, modulo `2^w`.
    Add("{dst} = add.{w} {a}, {b}"), Next {
        w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = carry(w), b: Operand = carry(w),
    }
    /// `a - b`, modulo `2^w`.
    Sub("{dst} = sub.{w} {a}, {b}"), Next {
        w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = read(w), b: Operand = read(w),
    }
    /// `a * b`, modulo `2^w`.
    Mul("{dst} = mul.{w} {a}, {b}"), Next {
        w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = read(w), b: Operand = read(w),
    }
    /// Bitwise and.
    And("{dst} = and.{w} {a}, {b}"), Next {
        w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = read(w), b: Operand = read(w),
    }
    /// Bitwise or.
    Or("{dst} = or.{w} {a}, {b}"), Next {
        w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = read(w), b: Operand = read(w),
    }
    /// Bitwise exclusive or.
    Xor("{dst} = xor.{w} {a}, {b}"), Next {
        w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = read(w), b: Operand = read(w),
    }
    /// `a` shifted left by `b`. A shift by `w` or more is a bug; of a `lazy` one the result is undefined, and using it
    /// is the bug.
    Shl("{dst} = shl{lazy}.{w} {a}, {b}"), Next {
        lazy: bool = mark(".lazy"),
        w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = read(w), b: Operand = read(w),
    }
    /// `a` shifted right by `b`, zeros coming in; see [`Op::Shl`].
    LShr("{dst} = lshr{lazy}.{w} {a}, {b}"), Next {
        lazy: bool = mark(".lazy"),
        w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = read(w), b: Operand = read(w),
    }
    /// `a` shifted right by `b`, copies of its sign coming in; see [`Op::Shl`].
    AShr("{dst} = ashr{lazy}.{w} {a}, {b}"), Next {
        lazy: bool = mark(".lazy"),
        w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = read(w), b: Operand = read(w),
    }
    /// A comparison: one bit.
    Cmp("{dst} = {pred}.{w} {a}, {b}"), Next {
        pred: Pred = of(), w: u8 = width(1, 64), dst: Reg = write(1), a: Operand = read(w), b: Operand = read(w),
    }
    /// A comparison of two pointers by the program itself, neither of which is null for certain: it may depend on where objects lie.
    PtrCmp("{dst} = {pred}.ptr {a}, {b}"), Next {
        pred: Pred = of(), dst: Reg = write(1), a: Operand = read(64), b: Operand = read(64),
    }
    /// The distance of two pointers in bytes; between two objects it depends on their addresses.
    PtrSub("{dst} = sub.ptr {a}, {b}"), Next { dst: Reg = write(64), a: Operand = read(64), b: Operand = read(64) }
    /// A pointer as a number that the program computes with: it depends on where the object lies.
    PtrToInt("{dst} = number.ptr {a}"), Next { dst: Reg = write(64), a: Operand = carry(64) }
    /// `a` if `cond` is 1, `b` if it is 0.
    Select("{dst} = select.{w} {cond}, {a}, {b}"), Next {
        w: u8 = width(1, 64), dst: Reg = write(w), cond: Operand = read(1), a: Operand = carry(w),
        b: Operand = carry(w),
    }
    /// The low `w` bits of a value of `w` to 64 bits.
    Trunc("{dst} = trunc.{w} {a}"), Next { w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = narrowed(w) }
    /// A value with zeros in front.
    Zext("{dst} = zext.{from}.{w} {a}"), Next {
        from: u8 = width(1, w), w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = read(from),
    }
    /// A value with copies of its sign in front.
    Sext("{dst} = sext.{from}.{w} {a}"), Next {
        from: u8 = width(1, w), w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = read(from),
    }
    /// Reads the `w.div_ceil(8)` bytes at `addr + off`.
    Load("{dst} = load.{w} [{addr}{off}]"), Next {
        w: u8 = width(1, 64), dst: Reg = write(w), addr: Operand = read(64), off: i32 = offset(),
    }
    /// Writes the `w.div_ceil(8)` bytes of `val` to `addr + off`.
    Store("store.{w} {val} to [{addr}{off}]"), Next {
        w: u8 = width(1, 64), val: Operand = read(w), addr: Operand = read(64), off: i32 = offset(),
    }
    /// `base + index * scale + off`, modulo `2^64`.
    Index("{dst} = index {base} + {index} * {scale}{off}"), Next {
        dst: Reg = write(64), base: Operand = carry(64), index: Operand = read(64), scale: i32 = number(),
        off: i32 = offset(),
    }
    /// The scope of the stack object at `at` begins: its bytes are undefined from now on. Or it ends: there is no object any
    /// more, until its scope begins again. A `lazy` mark may have been reordered by an optimiser: a read from an object whose
    /// scope has ended gives an undefined value there.
    Scope("scope{lazy} of {at} {begins}"), Next {
        begins: bool = either("begins", "ends"), lazy: bool = mark(".lazy"), at: Operand = read(64),
    }
    /// Counts LLVM instructions of a segment that is too long for the `n` of its end.
    Count("count {n}"), Next { n: u32 = count() }
}

/// A pattern of the jumps that the engine's loop executes.
branch_ops {
    /// Goes on elsewhere.
    Jump("jump {to} / {n}"), Jump { to: Pc = target(), n: u16 = count() }
    /// Goes on at `then` if `cond` is 1, at `other` if it is 0.
    Branch("branch {cond} ? {then} : {other} / {n}"), Jump {
        cond: Operand = read(1), then: Pc = target(), other: Pc = target(), n: u16 = count(),
    }
    /// A comparison whose only use is the branch behind it, and that branch.
    CmpBranch("branch {pred}.{w} {a}, {b} ? {then} : {other} / {n}"), Jump {
        pred: Pred = of(), w: u8 = width(1, 64), a: Operand = read(w), b: Operand = read(w), then: Pc = target(),
        other: Pc = target(), n: u16 = count(),
    }
    /// As [`Op::CmpBranch`] of a [`Op::PtrCmp`].
    PtrBranch("branch {pred}.ptr {a}, {b} ? {then} : {other} / {n}"), Jump {
        pred: Pred = of(), a: Operand = read(64), b: Operand = read(64), then: Pc = target(), other: Pc = target(),
        n: u16 = count(),
    }
    /// Goes on where the case of `val` says.
    Switch("switch.{w} {val}: {table} / {n}"), Jump {
        w: u8 = width(1, 64), val: Operand = read(w), table: u32 = cases(w), n: u16 = count(),
    }
    /// Behind a call: goes on at `to`. An exception that leaves the call goes on at the landing pad `pad` instead.
    Lands("goes on at {to}, lands at {pad} as {number} with {dst}"), Jump {
        to: Pc = target(), pad: Pc = target(),
        /// The number of the pad in the function's table, from 1.
        number: u32 = number(),
        dst: Reg = landing(),
    }
}

/// A pattern of the ops that are rare, or not short.
other_ops {
    /// An undefined value, wide or not.
    Undefined("{dst} = undefined.{w}"), Next { w: u8 = width(1, 128), dst: Reg = write(w) }
    /// A value, wide or not: undefined bits of `a` are zero from here on.
    Freeze("{dst} = freeze.{w} {a}"), Next { w: u8 = width(1, 128), dst: Reg = write(w), a: Operand = read(w) }
    /// Division or remainder: by zero, and the one signed quotient that overflows, are bugs.
    Div("{dst} = {op}.{w} {a}, {b}"), Next {
        op: BinOp = one_that(op.divides(), w),
        w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = read(w), b: Operand = read(w),
    }
    /// With `strict` the result is undefined where the operation has none: for `Ctlz` and `Cttz` of zero, for `Abs` of
    /// the least value.
    Unary("{dst} = {op}{strict}.{w} {a}"), Next {
        op: UnOp = one_that(op.fits(w), w), strict: bool = mark(".strict"),
        w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = read(w),
    }
    /// A minimum, a maximum, or arithmetic that stops at the least and the greatest value.
    Clamp("{dst} = {op}.{w} {a}, {b}"), Next {
        op: ClampOp = of(), w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = read(w), b: Operand = read(w),
    }
    /// `llvm.fshl`, `llvm.fshr`: `a:b` shifted by `c` modulo `w`; its high part for a left shift, else its low part.
    Funnel("{dst} = {left}.{w} {a}, {b}, {c}"), Next {
        left: bool = either("fshl", "fshr"),
        w: u8 = width(1, 64), dst: Reg = write(w), a: Operand = read(w), b: Operand = read(w), c: Operand = read(w),
    }
    /// A new stack object of `size` bytes, freed when the function returns; its address.
    Alloca("{dst} = alloca {size} by {align}"), Next {
        dst: Reg = fresh(), size: Operand = read(64),
        /// Its alignment in bytes.
        align: u32 = number(),
    }
    /// A jump to the block whose address constant `val` holds.
    IndirectBranch("goto {val}: {table} / {n}"), Jump {
        val: Operand = read(64), table: u32 = labels(), n: u16 = count(),
    }
    /// A function that the engine executes itself by its name.
    Builtin("{dst}{what}({args}) / {n}"), Next {
        what: Builtin = builtin(args), dst: Reg = result(), args: Args = list(), n: u16 = count(),
    }
    /// A place that no path may reach: reaching it is a bug.
    Unreachable("unreachable / {n}"), End { n: u16 = count() }
    /// Something that is not modelled: ends the path as unsupported.
    Unsupported("unsupported: {what} / {n}"), End { what: u32 = text(), n: u16 = count() }
}

/// A pattern of the ops on values of more than 64 bits, which are in two registers.
wide_ops {
    /// The wrapped result, and behind it 1 if it overflowed, else 0: `dst` and `dst + 1`, or for a wide `w` `dst`, `dst + 1` and
    /// `dst + 2`. It stands here although it has narrow forms too.
    Overflow("{dst} = {op}.overflow.{w} {a}, {b}"), Next {
        op: OverflowOp = of(), w: u8 = width(1, 128), dst: Reg = write_flagged(w), a: Operand = read(w),
        b: Operand = read(w),
    }
    /// A copy of a wide value, whatever its width.
    WideMove("{dst} = move.wide {a}"), Next { dst: Reg = copy_wide(a), a: Operand = read(Width::AnyWide) }
    /// An operation on two values; `lazy` is of shifts, as in [`Op::Shl`].
    WideBin("{dst} = {op}{lazy}.{w} {a}, {b}"), Next {
        op: BinOp = of(), lazy: bool = mark(".lazy"),
        w: u8 = width(65, 128), dst: Reg = write(w), a: Operand = read(w), b: Operand = read(w),
    }
    /// A comparison: one bit.
    WideCmp("{dst} = {pred}.{w} {a}, {b}"), Next {
        pred: Pred = of(), w: u8 = width(65, 128), dst: Reg = write(1), a: Operand = read(w), b: Operand = read(w),
    }
    /// `a` if `cond` is 1, `b` if it is 0.
    WideSelect("{dst} = select.{w} {cond}, {a}, {b}"), Next {
        w: u8 = width(65, 128), dst: Reg = write(w), cond: Operand = read(1), a: Operand = read(w),
        b: Operand = read(w),
    }
    /// A value, wide or not, with copies of its sign in front, or zeros.
    WideExt("{dst} = {signed}ext.{from}.{w} {a}"), Next {
        signed: bool = either("s", "z"), from: u8 = width(1, w),
        w: u8 = width(65, 128), dst: Reg = write(w), a: Operand = read(from),
    }
    /// The low `w` bits of a wide value; the result may be wide or not.
    WideTrunc("{dst} = trunc.{from}.{w} {a}"), Next {
        from: u8 = width(65, 128), w: u8 = width(1, from), dst: Reg = write(w), a: Operand = read(from),
    }
    /// As [`Op::Unary`].
    WideUnary("{dst} = {op}{strict}.{w} {a}"), Next {
        op: UnOp = one_that(op.fits(w), w), strict: bool = mark(".strict"),
        w: u8 = width(65, 128), dst: Reg = write(w), a: Operand = read(w),
    }
    /// As [`Op::Clamp`].
    WideClamp("{dst} = {op}.{w} {a}, {b}"), Next {
        op: ClampOp = of(), w: u8 = width(65, 128), dst: Reg = write(w), a: Operand = read(w), b: Operand = read(w),
    }
    /// As [`Op::Funnel`].
    WideFunnel("{dst} = {left}.{w} {a}, {b}, {c}"), Next {
        left: bool = either("fshl", "fshr"),
        w: u8 = width(65, 128), dst: Reg = write(w), a: Operand = read(w), b: Operand = read(w), c: Operand = read(w),
    }
    /// As [`Op::Load`].
    WideLoad("{dst} = load.{w} [{addr}{off}]"), Next {
        w: u8 = width(65, 128), dst: Reg = write(w), addr: Operand = read(64), off: i32 = offset(),
    }
    /// As [`Op::Store`].
    WideStore("store.{w} {val} to [{addr}{off}]"), Next {
        w: u8 = width(65, 128), val: Operand = read(w), addr: Operand = read(64), off: i32 = offset(),
    }
}

/// A pattern of the ops on floating-point numbers.
float_ops {
    /// An operation on two numbers.
    FBin("{dst} = f{op}.{k} {a}, {b}"), Next {
        op: FBinOp = of(), k: Float = of(), dst: Reg = write(k), a: Operand = read(k), b: Operand = read(k),
    }
    /// An operation on one number.
    FUn("{dst} = f{op}.{k} {a}"), Next { op: FUnOp = of(), k: Float = of(), dst: Reg = write(k), a: Operand = read(k) }
    /// `a * b + c`; `fused` rounds once.
    FMulAdd("{dst} = {fused}.{k} {a}, {b}, {c}"), Next {
        fused: bool = either("fma", "fmuladd"), k: Float = of(),
        dst: Reg = write(k), a: Operand = read(k), b: Operand = read(k), c: Operand = read(k),
    }
    /// A comparison: one bit.
    FCmp("{dst} = fcmp{pred}.{k} {a}, {b}"), Next {
        pred: FPred = of(), k: Float = of(), dst: Reg = write(1), a: Operand = read(k), b: Operand = read(k),
    }
    /// A number as one of another kind.
    FToF("{dst} = float.{from}.{to} {a}"), Next {
        from: Float = of(), to: Float = of(), dst: Reg = write(to), a: Operand = read(from),
    }
    /// To an integer, wide or not, towards zero; out of range: as x86-64 code does, the indefinite value.
    FToInt("{dst} = {signed}int.{from}.{w} {a}"), Next {
        signed: bool = either("s", "u"), from: Float = of(), w: u8 = width(1, 128), dst: Reg = write(w),
        a: Operand = read(from),
    }
    /// As [`Op::FToInt`]; out of range: the least or the greatest integer, and 0 for an operand that is not a number.
    FToIntSat("{dst} = {signed}int.sat.{from}.{w} {a}"), Next {
        signed: bool = either("s", "u"), from: Float = of(), w: u8 = width(1, 128), dst: Reg = write(w),
        a: Operand = read(from),
    }
    /// From an integer, wide or not. With `halves` zero is -0 where rounding is down: native code makes the number
    /// of two halves, and each is a difference.
    IntToF("{dst} = float{halves}.{signed}{w}.{to} {a}"), Next {
        signed: bool = either("s", "u"), halves: bool = mark(".halves"),
        w: u8 = width(1, 128), to: Float = of(), dst: Reg = write(to), a: Operand = read(w),
    }
}

/// A pattern of calls and returns.
call_ops {
    /// A call of a function of the program.
    Call("{dst}call {func}({args}) / {n}"), Call {
        func: FuncId = callee(args), dst: Reg = results(func), args: Args = list(), n: u16 = count(),
    }
    /// A call with variable arguments behind `args`.
    CallVar("{dst}call {func}({args} ... {varargs}) / {n}"), Call {
        func: FuncId = callee(args), dst: Reg = results(func), args: Args = list(), varargs: u32 = variable(),
        n: u16 = count(),
    }
    /// A call through a pointer.
    CallIndirect("{call} / {n}"), Call { call: u32 = indirect(), n: u16 = count() }
    /// A return: the values go to the caller's `dst`, `dst + 1` ...
    Ret("ret {vals} / {n}"), Return { vals: Args = list(), n: u16 = count() }
}

    } };
}
pub(crate) use for_each_op;

/// Continuation of control behind an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// At the next op.
    Next,
    /// At one of the op's targets, never at the next op for being the next.
    Jump,
    /// In a function of the program, and then at the next op.
    Call,
    /// Behind the call that entered the function.
    Return,
    /// Nowhere.
    End,
}

/// The documentation of a field, as its role says it.
macro_rules! role_doc {
    (width $least:expr, $most:expr) => {
        concat!("A width in bits, `", stringify!($least), "` to `", stringify!($most), "`.")
    };
    (read $w:expr) => {
        concat!("An operand of width `", stringify!($w), "`.")
    };
    (carry $w:expr) => {
        concat!(
            "An operand of width `",
            stringify!($w),
            "`; if it is an address, the result may be in its object."
        )
    };
    (narrowed $w:expr) => {
        concat!("An operand of `", stringify!($w), "` to 64 bits.")
    };
    (write $w:expr) => {
        concat!("Where the result goes, of width `", stringify!($w), "`.")
    };
    (write_flagged $w:expr) => {
        concat!("Where a result of `", stringify!($w), "` bits goes, one bit behind it.")
    };
    (fresh) => {
        "Where the address of the new object goes."
    };
    (copy $a:expr) => {
        concat!("Where the copy of `", stringify!($a), "` goes.")
    };
    (copy_wide $a:expr) => {
        concat!("Where the copy of `", stringify!($a), "` goes, of two registers.")
    };
    (result) => {
        "Where the result goes; [`NO_REG`] for nowhere."
    };
    (results $func:expr) => {
        concat!("Where the results of `", stringify!($func), "` go; [`NO_REG`] for nowhere.")
    };
    (of) => {
        "Which one."
    };
    (one_that $holds:expr, $w:expr) => {
        concat!("Which one; `", stringify!($holds), "`.")
    };
    (mark $text:expr) => {
        concat!("The text has `", $text, "` where it is so.")
    };
    (either $yes:expr, $no:expr) => {
        concat!("`", $yes, "` in the text where it is so, else `", $no, "`.")
    };
    (number) => {
        "A fixed number."
    };
    (offset) => {
        "A fixed number of bytes that is added to the address."
    };
    (count) => {
        "How many LLVM instructions are counted."
    };
    (target) => {
        "An op where control may go on."
    };
    (cases $w:expr) => {
        concat!("Index of its table in [`Function::switches`]; cases of `", stringify!($w), "` bits.")
    };
    (labels) => {
        "Index of its table in [`Function::switches`]; the default is unused."
    };
    (callee $args:expr) => {
        concat!("The function; it takes as many registers as `", stringify!($args), "` has.")
    };
    (builtin $args:expr) => {
        concat!("What it is; it needs no more arguments than `", stringify!($args), "` has.")
    };
    (list) => {
        "Operands of any width."
    };
    (variable) => {
        "Index of a list in [`Function::varargs`]."
    };
    (indirect) => {
        "Index into [`Function::indirect`]."
    };
    (landing) => {
        "Where the two values that an exception brings go, of 64 and 32 bits."
    };
    (text) => {
        "Index of its text in [`Program::strings`]."
    };
}

macro_rules! define_ops {
    ($($(#[$about:meta])* $section:ident { $(
        $(#[$doc:meta])*
        $name:ident($text:literal), $flow:ident {
            $($(#[$note:meta])* $field:ident: $type:ty = $role:ident($($arg:expr),*)),* $(,)?
        }
    )* })*) => {
        /// One instruction of the register code. `w` is a width in bits: of a plain op 1 to 64, of a wide one 65 to 128.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Op {
            $($(
                $(#[$doc])*
                $name {
                    $(
                        $(#[$note])*
                        #[doc = role_doc!($role $($arg),*)]
                        $field: $type,
                    )*
                },
            )*)*
        }

        impl Op {
            /// The names of all ops, in the order of the table.
            pub const NAMES: &[&str] = &[$($(stringify!($name),)*)*];

            /// The op's name in the table.
            pub const fn name(&self) -> &'static str {
                match self {
                    $($(Op::$name { .. } => stringify!($name),)*)*
                }
            }

            /// Continuation of control behind it.
            pub const fn flow(&self) -> Flow {
                match self {
                    $($(Op::$name { .. } => Flow::$flow,)*)*
                }
            }
        }

        $(
            $(#[$about])*
            #[macro_export]
            macro_rules! $section {
                () => { $($crate::code::Op::$name { .. })|* };
            }
        )*
    };
}

for_each_op!(define_ops);
