//! The register code: a compact, immutable form of a program that the engine steps through.
//!
//! - A function has registers; a register holds a scalar of at most 64 bits. A *wide* scalar (65 to 128 bits,
//!   x87 extended floats among them) takes two consecutive registers, the low 64 bits first. Aggregates and
//!   vectors are flattened into consecutive registers, element by element.
//! - The concrete bits of a register above its width are zero.
//! - An operand is a register or an entry of the function's constant pool; addresses of globals and functions
//!   are constants, fixed by [`crate::layout`]. A wide operand names its low half; the high half is the next
//!   register, or the next constant.
//! - Phis are moves on edges, already put in an order that is right for parallel assignment.
//! - An op that ends a *segment* (jumps, branches, calls, returns ...) carries in `n` how many LLVM instructions
//!   the segment had, itself included: the engine counts LLVM instructions, not ops.
//! - Values that nobody has set ([`Op::Undefined`]) and results that an operation does not have read as zero; the
//!   engine keeps beside each value which of its bits are undefined.

use serde::{Deserialize, Serialize};

/// A register of a function's frame.
pub type Reg = u32;
/// An index into [`Function::code`].
pub type Pc = u32;
/// An index into [`Program::functions`].
pub type FuncId = u32;

/// The `dst` of an op whose result nobody wants.
pub const NO_REG: Reg = u32::MAX;

/// A register or an entry of the function's constant pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Operand(u32);

impl Operand {
    const CONSTANT: u32 = 1 << 31;

    /// Register `r`.
    pub const fn reg(r: Reg) -> Self {
        Operand(r)
    }
    /// Entry `i` of the constant pool.
    pub const fn constant(i: u32) -> Self {
        Operand(i | Self::CONSTANT)
    }
    /// The register, if it is one.
    #[inline(always)]
    pub const fn as_reg(self) -> Option<Reg> {
        if self.0 & Self::CONSTANT == 0 { Some(self.0) } else { None }
    }
    /// The index into the constant pool, if it is a constant.
    #[inline(always)]
    pub const fn as_constant(self) -> Option<u32> {
        if self.0 & Self::CONSTANT != 0 { Some(self.0 & !Self::CONSTANT) } else { None }
    }
    /// The high half of a wide operand whose low half this is.
    pub const fn high(self) -> Self {
        Operand(self.0 + 1)
    }
}

impl std::fmt::Debug for Operand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.as_constant() {
            Some(i) => write!(f, "k{i}"),
            None => write!(f, "r{}", self.0),
        }
    }
}

/// A run of operands in [`Function::args`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Args {
    /// Index of the first.
    pub start: u32,
    /// How many.
    pub len: u16,
}

/// Integer operations of two operands of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
}

/// Integer comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Pred {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

/// The kinds of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Float {
    /// IEEE single, in the low 32 bits of a register.
    F32,
    /// IEEE double.
    F64,
    /// x87 extended, 80 bits: a wide scalar.
    X80,
}

/// Floating-point operations of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FBinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    CopySign,
    /// `llvm.minnum`
    MinNum,
    /// `llvm.maxnum`
    MaxNum,
    /// `llvm.minimum`
    Minimum,
    /// `llvm.maximum`
    Maximum,
}

/// Floating-point operations of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FUnOp {
    Neg,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// Round to even, as the current mode says (we know one mode).
    Rint,
    /// Half away from zero.
    Round,
}

/// Floating-point comparisons, bit by bit as LLVM has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FPred {
    /// True where the operands are equal.
    pub eq: bool,
    /// True where the first is greater.
    pub gt: bool,
    /// True where the first is less.
    pub lt: bool,
    /// True where one is not a number.
    pub uno: bool,
}

/// Integer operations of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum UnOp {
    Bswap,
    BitReverse,
    Ctpop,
    /// Of zero: the width.
    Ctlz,
    /// Of zero: the width.
    Cttz,
    /// Of the least value: itself.
    Abs,
}

/// Minimum, maximum and saturating arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum ClampOp {
    UMin,
    UMax,
    SMin,
    SMax,
    UAddSat,
    SAddSat,
    USubSat,
    SSubSat,
    UShlSat,
    SShlSat,
}

/// Arithmetic that tells whether it overflowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum OverflowOp {
    UAdd,
    SAdd,
    USub,
    SSub,
    UMul,
    SMul,
}

/// What the engine itself does when a program calls it by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Builtin {
    // the heap
    Malloc,
    Calloc,
    Realloc,
    Free,
    /// `memalign(alignment, size)`, `aligned_alloc`
    Memalign,
    PosixMemalign,
    MallocUsableSize,
    // memory
    /// `(dst, src, len) -> dst`
    Memcpy,
    Memmove,
    /// `(copying, dst, src)`, with a length behind these where [`Copying::bounded`]: a function of the C library begins
    /// to copy, and its source and destination must not overlap
    Copies,
    /// `(dst, byte, len) -> dst`
    Memset,
    // the interface to the kernel and the start-up code (runtime/)
    /// `cleave_syscall(nr, a, b, c, d, e, f)`
    Syscall,
    ThreadPointer,
    SetThreadPointer,
    EnvGet,
    EnvCopy,
    EnvCopyVar,
    MakeFiles,
    /// `cleave_allocate(size)`: memory of the start-up code, for arguments and environment
    Allocate,
    Setjmp,
    Longjmp,
    // variable arguments and the stack
    /// `(va_list *)`
    VaStart,
    /// `(dst, src)`
    VaCopy,
    StackSave,
    StackRestore,
    // ends of a path
    /// `__assert_fail(expr, file, line, func)`
    AssertFail,
    Abort,
    /// `reach_error`, `__VERIFIER_error`
    ReachError,
    /// `llvm.trap` and `llvm.ubsantrap`
    Trap,
    /// `llvm.debugtrap`
    Breakpoint,
    /// musl's `__fesetround`
    SetRounding,
    /// `cpuid`: leaf, subleaf, and which of the four results (eax, ebx, ecx, edx)
    Cpuid,
    /// `(handler, data, ...)`: a check of `-fsanitize=undefined` has failed; see [`crate::undefined`]
    Undefined,
    // contracts of the C library (runtime/musl/contracts.c)
    /// `cleave_stuck(why)`: the program waits for ever
    Stuck,
    /// `cleave_misused(what)`: a function is called in a way that its contract forbids
    Misused,
    /// `(offset, bytes, size, text)`: an access to an array of `size` bytes in a structure that the text names
    Member,
    /// `cleave_closed(stream)`: a stream, or one of directories, whose life is over
    Closed,
    // KLEE's intrinsics, under their own names without `klee_`
    MakeSymbolic,
    Assume,
    PreferCex,
    ReportError,
    SilentExit,
    KleeAbort,
    /// `klee_get_value_*`: the argument's width is that of the result
    GetValue32,
    GetValue64,
    GetValueF32,
    GetValueF64,
    IsSymbolic,
    GetObjSize,
    /// `klee_define_fixed_object`.
    DefineFixed,
    PrintExpr,
    Warning,
    WarningOnce,
    CheckMemoryAccess,
    /// Does nothing and returns 0: hints that mean nothing here (`klee_mark_global`, `klee_open_merge` ...)
    Nothing,
}

/// What a function of the C library copies that is C code, as the first argument of [`Builtin::Copies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copying {
    /// A string, up to its zero.
    Text,
    /// A string, or as many characters of it as the length says.
    Start,
    /// A string, to the end of another.
    Append,
    /// A string, or as many characters of it as the length says, to the end of another.
    AppendStart,
    /// As many elements of 4 bytes as the length says.
    Wide,
}

impl Copying {
    /// All of them; the first argument is an index into this.
    const ALL: [Copying; 5] =
        [Copying::Text, Copying::Start, Copying::Append, Copying::AppendStart, Copying::Wide];

    /// What the function of a name copies, if that must not overlap.
    pub fn of(function: &str) -> Option<Copying> {
        Some(match function {
            "strcpy" | "__stpcpy" => Copying::Text,
            "strncpy" | "__stpncpy" => Copying::Start,
            "strcat" => Copying::Append,
            "strncat" => Copying::AppendStart,
            "wmemcpy" => Copying::Wide,
            _ => return None,
        })
    }

    /// The argument that stands for it.
    pub fn to_raw(self) -> u64 {
        self as u64
    }

    /// What an argument stands for.
    pub fn from_raw(raw: u64) -> Option<Copying> {
        Copying::ALL.get(usize::try_from(raw).ok()?).copied()
    }

    /// Whether a length is among the arguments.
    pub fn bounded(self) -> bool {
        !matches!(self, Copying::Text | Copying::Append)
    }
}

/// An argument of a call that goes into the callee's variable argument area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VarArg {
    /// The value, or the address of the aggregate that is passed by value.
    pub value: Operand,
    /// Width of the scalar in bits; above 64 the value is wide.
    pub bits: u8,
    /// Whether it is a floating-point number.
    pub float: bool,
    /// Bytes of the aggregate passed by value, if it is one.
    pub byval: Option<u32>,
    /// Its alignment in the area, in bytes: 8 or 16, or its size where it is a further lane of a vector.
    pub align: u32,
    /// How it is passed while there are registers.
    pub class: ArgClass,
}

/// Where an argument goes on x86-64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgClass {
    /// Into an integer register, or two.
    Integer,
    /// Into a vector register.
    Float,
    /// Onto the stack.
    Memory,
    /// A lane of a vector.
    Lane,
}

/// One instruction of the register code. `w` is a width in bits (1 to 64, or to 128 in ops named wide).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Op {
    Move {
        dst: Reg,
        a: Operand,
    },
    /// A value of `w` bits, wide or not, that nobody has set.
    Undefined {
        w: u8,
        dst: Reg,
    },
    /// A value of `w` bits, wide or not: what is undefined of `a` is zero from here on.
    Freeze {
        w: u8,
        dst: Reg,
        a: Operand,
    },
    Add {
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Sub {
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Mul {
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    And {
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Or {
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Xor {
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    /// A shift by `w` or more is a bug; of a `lazy` one the result is undefined, and using it is.
    Shl {
        lazy: bool,
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    LShr {
        lazy: bool,
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    AShr {
        lazy: bool,
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    /// Division and remainder: `op` is `UDiv`, `SDiv`, `URem` or `SRem`.
    Div {
        op: BinOp,
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Cmp {
        pred: Pred,
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Select {
        w: u8,
        dst: Reg,
        cond: Operand,
        a: Operand,
        b: Operand,
    },
    Trunc {
        w: u8,
        dst: Reg,
        a: Operand,
    },
    Zext {
        from: u8,
        w: u8,
        dst: Reg,
        a: Operand,
    },
    Sext {
        from: u8,
        w: u8,
        dst: Reg,
        a: Operand,
    },
    /// With `strict` the result is undefined where the operation has none: for `Ctlz` and `Cttz` of zero, for `Abs` of
    /// the least value.
    Unary {
        op: UnOp,
        strict: bool,
        w: u8,
        dst: Reg,
        a: Operand,
    },
    Clamp {
        op: ClampOp,
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    /// `dst` is the result, `dst + 1` the overflow bit (`dst`, `dst + 1` and `dst + 2` where `w` is wide).
    Overflow {
        op: OverflowOp,
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    /// `llvm.fshl`, `llvm.fshr`: the concatenation `a:b`, shifted by `c` modulo `w`.
    Funnel {
        left: bool,
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
        c: Operand,
    },

    // wide scalars: a value of more than 64 bits is in two registers
    WideMove {
        dst: Reg,
        a: Operand,
    },
    /// `lazy` is of shifts.
    WideBin {
        op: BinOp,
        lazy: bool,
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    /// The result is one bit.
    WideCmp {
        pred: Pred,
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    WideSelect {
        w: u8,
        dst: Reg,
        cond: Operand,
        a: Operand,
        b: Operand,
    },
    /// Extends a scalar of `from` bits, wide or not, to `w` > 64 bits.
    WideExt {
        signed: bool,
        from: u8,
        w: u8,
        dst: Reg,
        a: Operand,
    },
    /// Truncates a wide scalar of `from` bits to `w` bits, wide or not.
    WideTrunc {
        from: u8,
        w: u8,
        dst: Reg,
        a: Operand,
    },
    WideUnary {
        op: UnOp,
        strict: bool,
        w: u8,
        dst: Reg,
        a: Operand,
    },
    WideClamp {
        op: ClampOp,
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    WideFunnel {
        left: bool,
        w: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
        c: Operand,
    },

    // floating point
    FBin {
        op: FBinOp,
        k: Float,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    FUn {
        op: FUnOp,
        k: Float,
        dst: Reg,
        a: Operand,
    },
    /// `a * b + c`; `fused` rounds once.
    FMulAdd {
        fused: bool,
        k: Float,
        dst: Reg,
        a: Operand,
        b: Operand,
        c: Operand,
    },
    FCmp {
        pred: FPred,
        k: Float,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    FToF {
        from: Float,
        to: Float,
        dst: Reg,
        a: Operand,
    },
    /// To an integer of `w` bits, wide or not, towards zero; out of range: as x86-64 code does, the indefinite value.
    FToInt {
        signed: bool,
        from: Float,
        w: u8,
        dst: Reg,
        a: Operand,
    },
    /// From an integer of `w` bits, wide or not.
    IntToF {
        signed: bool,
        w: u8,
        to: Float,
        dst: Reg,
        a: Operand,
    },

    // memory; widths in bits, a value takes `w.div_ceil(8)` bytes
    /// Reads the value at `addr + off`.
    Load {
        w: u8,
        dst: Reg,
        addr: Operand,
        off: i32,
    },
    /// Writes `val` to `addr + off`.
    Store {
        w: u8,
        val: Operand,
        addr: Operand,
        off: i32,
    },
    WideLoad {
        w: u8,
        dst: Reg,
        addr: Operand,
        off: i32,
    },
    WideStore {
        w: u8,
        val: Operand,
        addr: Operand,
        off: i32,
    },
    /// `base + index * scale + off`, all of 64 bits.
    Index {
        dst: Reg,
        base: Operand,
        index: Operand,
        scale: i32,
        off: i32,
    },
    /// A new stack object of `size` (64 bits) bytes, freed when the function returns.
    Alloca {
        dst: Reg,
        size: Operand,
        align: u32,
    },

    /// The scope of the stack object at `at` begins: its bytes are undefined from now on. Or it ends: there is no object
    /// any more, until its scope begins again. What is `lazy` may have been reordered by an optimiser: a read from an
    /// object whose scope has ended gives an undefined value there.
    Scope {
        begins: bool,
        lazy: bool,
        at: Operand,
    },

    // control; each ends a segment of `n` LLVM instructions
    Jump {
        to: Pc,
        n: u16,
    },
    Branch {
        cond: Operand,
        then: Pc,
        other: Pc,
        n: u16,
    },
    /// A comparison whose only use is the branch behind it.
    CmpBranch {
        pred: Pred,
        w: u8,
        a: Operand,
        b: Operand,
        then: Pc,
        other: Pc,
        n: u16,
    },
    Switch {
        w: u8,
        val: Operand,
        table: u32,
        n: u16,
    },
    /// A jump to the block whose address constant `val` holds.
    IndirectBranch {
        val: Operand,
        table: u32,
        n: u16,
    },
    Call {
        func: FuncId,
        dst: Reg,
        args: Args,
        n: u16,
    },
    /// A call with variable arguments: those of `varargs` are behind `args`.
    CallVar {
        func: FuncId,
        dst: Reg,
        args: Args,
        varargs: u32,
        n: u16,
    },
    CallIndirect {
        call: u32,
        n: u16,
    },
    Builtin {
        what: Builtin,
        dst: Reg,
        args: Args,
        n: u16,
    },
    /// The values go to the caller's `dst`, `dst + 1` ...
    Ret {
        vals: Args,
        n: u16,
    },
    Unreachable {
        n: u16,
    },
    /// Something that is not modelled: ends the path as unsupported. Index into [`Program::strings`].
    Unsupported {
        what: u32,
        n: u16,
    },
    /// Counts LLVM instructions of a segment too long for one `n`.
    Count {
        n: u32,
    },
}

/// A scalar of a function's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// Bits, at most 128; above 64 it takes two registers.
    pub width: u8,
    /// Whether it is a floating-point number.
    pub float: bool,
}

impl Kind {
    /// How many registers it takes.
    pub fn registers(self) -> usize {
        if self.width > 64 { 2 } else { 1 }
    }
}

/// The scalars that a function takes and gives, flattened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Of the fixed arguments.
    pub params: Vec<Kind>,
    /// Of the results.
    pub results: Vec<Kind>,
    /// Whether each scalar is passed by itself: none is part of a vector, or of a structure in memory.
    pub plain: bool,
}

/// A call through a pointer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndirectCall {
    /// The function's address.
    pub target: Operand,
    /// Where the results go; [`NO_REG`] for nowhere.
    pub dst: Reg,
    /// How many registers the caller expects back.
    pub results: u16,
    /// The type that it is called by, which may be another than the function's own.
    pub signature: Signature,
    /// The fixed arguments as the call's own function type has them, flattened.
    pub args: Args,
    /// Index into [`Function::varargs`] of the variable ones, if the type is variadic.
    pub varargs: Option<u32>,
}

/// The cases of a switch, in the order of the source; then the default. Each target is one decision, in the order
/// of its first case; the default is what is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SwitchTable {
    /// Value and target.
    pub cases: Vec<(u64, Pc)>,
    /// Where no case holds. For an indirect branch: unused.
    pub default: Pc,
}

impl SwitchTable {
    /// The targets but the default's, in the order of their first cases: the order in which they are decided.
    pub fn targets(&self) -> impl Iterator<Item = Pc> + '_ {
        let first = |i: usize, pc: Pc| pc != self.default && self.cases[..i].iter().all(|c| c.1 != pc);
        let places = self.cases.iter().enumerate();
        places.filter_map(move |(i, &(_, pc))| first(i, pc).then_some(pc))
    }
}

/// A function in register code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its name in the module.
    pub name: String,
    /// Registers `0..params` receive the flattened arguments.
    pub params: u32,
    /// How many registers a frame has.
    pub registers: u32,
    /// How many registers it returns.
    pub results: u16,
    /// Its type, to be compared with that of a call through a pointer.
    pub signature: Signature,
    /// Whether it takes variable arguments.
    pub variadic: bool,
    /// The registers that its own parameters take: integer ones, vector ones.
    pub fixed_registers: (u8, u8),
    /// The code; entry at 0. Empty for a function that is only declared: see `external`.
    pub code: Vec<Op>,
    /// The constant pool.
    pub constants: Vec<u64>,
    /// Operand lists of calls and returns.
    pub args: Vec<Operand>,
    /// Variable argument lists of calls.
    pub varargs: Vec<Vec<VarArg>>,
    /// Tables of switches and indirect branches.
    pub switches: Vec<SwitchTable>,
    /// Calls through pointers.
    pub indirect: Vec<IndirectCall>,
    /// For each op of `code` the index of its source position in [`Program::positions`]; `u32::MAX` for none.
    pub positions: Vec<u32>,
    /// File and line of its definition, as an index into [`Program::positions`]; `u32::MAX` for none.
    pub defined_at: u32,
    /// A name that the engine does itself: calls through a pointer to it do that.
    pub builtin: Option<Builtin>,
    /// It is the C library's, or the start-up code's, and not the program's.
    pub library: bool,
}

/// A global variable or constant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Global {
    /// Its name in the module.
    pub name: String,
    /// Its address, from [`crate::layout`].
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The first bytes of its initial value; the rest is zero.
    pub init: Vec<u8>,
    /// Whether a write to it is an error.
    pub constant: bool,
}

/// A source position.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Position {
    /// Index of the file's name in [`Program::strings`].
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
}

/// A whole program, immutable, shared by all states of all workers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The functions; a [`FuncId`] is an index.
    pub functions: Vec<Function>,
    /// The globals in the order of their addresses.
    pub globals: Vec<Global>,
    /// The first slot behind the globals: the heap starts there.
    pub heap_slot: u64,
    /// Where a run starts: `cleave_start`, or `main` where there is no start-up code.
    pub entry: FuncId,
    /// File names and texts of unsupported instructions.
    pub strings: Vec<String>,
    /// Source positions.
    pub positions: Vec<Position>,
}
