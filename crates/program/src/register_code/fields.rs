//! Roles of the fields of an op, for code that handles every op alike (walk, verifier, dump): the roles of the table in `ops.rs`.

use crate::register_code::code::*;
use crate::register_code::ops::for_each_op;

/// The width of an operand or of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// This number of bits; above 64 two registers.
    Bits(u8),
    /// One register; the code does not say how much of it counts.
    Any,
    /// Two registers, with a value of 65 to 128 bits.
    AnyWide,
    /// One register, with at least this number of bits.
    Least(u8),
}

impl Width {
    /// Number of registers a value takes.
    pub(crate) const fn registers(self) -> u32 {
        match self {
            Width::Bits(65..) | Width::AnyWide => 2,
            Width::Bits(_) | Width::Any | Width::Least(_) => 1,
        }
    }

    /// In bits, as far as it is said.
    pub(crate) const fn bits(self) -> u8 {
        match self {
            Width::Bits(w) | Width::Least(w) => w,
            Width::Any => 0,
            Width::AnyWide => 128,
        }
    }
}

impl From<u8> for Width {
    fn from(bits: u8) -> Width {
        Width::Bits(bits)
    }
}

impl From<Float> for Width {
    fn from(k: Float) -> Width {
        Width::Bits(k.bits())
    }
}

/// A field of an op, by its role.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Field {
    /// A width, and the least and the greatest that it may be.
    Width { bits: u8, least: u8, most: u8 },
    /// An operation of an op of `bits` bits, which has it or not.
    OneThat { holds: bool, bits: u8 },
    /// A value is read; `carried` if the result may be an address in the same object.
    Read { operand: Operand, width: Width, carried: bool },
    /// A value of `bits` bits is written, and one bit behind it if `flagged`; `fresh` if it is the address of a new object.
    Write { dst: Reg, bits: u8, flagged: bool, fresh: bool },
    /// The value read from `a` is written.
    Copy { dst: Reg, a: Operand, width: Width },
    /// A value of any width is written, unless it is unused.
    Result { dst: Reg },
    /// The results of a function are written, unless they are unused.
    Results { dst: Reg, func: FuncId },
    /// A target of control.
    Target(Pc),
    /// A switch table whose cases have this number of bits.
    Cases { table: u32, bits: u8 },
    /// A table of labels.
    Labels(u32),
    /// A function, and its arguments.
    Callee { func: FuncId, args: Args },
    /// A builtin, and its arguments.
    Builtin { what: Builtin, args: Args },
    /// Operands are read.
    List(Args),
    /// Variable arguments are read.
    Variable(u32),
    /// A call through a pointer.
    Indirect(u32),
    /// A text of the program.
    Text(u32),
    /// The two values that an exception brings are written.
    Landing { dst: Reg },
    /// Nothing of the above.
    Plain,
}

/// The roles of the table: each makes a [`Field`] of the field's value and the role's arguments.
mod role {
    use super::*;

    pub(crate) const fn width(bits: u8, least: u8, most: u8) -> Field {
        Field::Width { bits, least, most }
    }
    pub(crate) fn read(operand: Operand, width: impl Into<Width>) -> Field {
        Field::Read { operand, width: width.into(), carried: false }
    }
    pub(crate) fn carry(operand: Operand, width: impl Into<Width>) -> Field {
        Field::Read { operand, width: width.into(), carried: true }
    }
    pub(crate) const fn narrowed(operand: Operand, least: u8) -> Field {
        Field::Read { operand, width: Width::Least(least), carried: false }
    }
    pub(crate) fn write(dst: Reg, width: impl Into<Width>) -> Field {
        Field::Write { dst, bits: width.into().bits(), flagged: false, fresh: false }
    }
    pub(crate) const fn write_flagged(dst: Reg, bits: u8) -> Field {
        Field::Write { dst, bits, flagged: true, fresh: false }
    }
    pub(crate) const fn fresh(dst: Reg) -> Field {
        Field::Write { dst, bits: 64, flagged: false, fresh: true }
    }
    pub(crate) const fn copy(dst: Reg, a: Operand) -> Field {
        Field::Copy { dst, a, width: Width::Any }
    }
    pub(crate) const fn copy_wide(dst: Reg, a: Operand) -> Field {
        Field::Copy { dst, a, width: Width::AnyWide }
    }
    pub(crate) const fn result(dst: Reg) -> Field {
        Field::Result { dst }
    }
    pub(crate) const fn results(dst: Reg, func: FuncId) -> Field {
        Field::Results { dst, func }
    }
    pub(crate) const fn of<T: Copy>(_: T) -> Field {
        Field::Plain
    }
    pub(crate) const fn one_that<T: Copy>(_: T, holds: bool, bits: u8) -> Field {
        Field::OneThat { holds, bits }
    }
    pub(crate) const fn mark(_: bool, _: &str) -> Field {
        Field::Plain
    }
    pub(crate) const fn either(_: bool, _: &str, _: &str) -> Field {
        Field::Plain
    }
    pub(crate) const fn number<T: Copy>(_: T) -> Field {
        Field::Plain
    }
    pub(crate) const fn offset(_: i32) -> Field {
        Field::Plain
    }
    pub(crate) const fn count<T: Copy>(_: T) -> Field {
        Field::Plain
    }
    pub(crate) const fn target(pc: Pc) -> Field {
        Field::Target(pc)
    }
    pub(crate) const fn cases(table: u32, bits: u8) -> Field {
        Field::Cases { table, bits }
    }
    pub(crate) const fn labels(table: u32) -> Field {
        Field::Labels(table)
    }
    pub(crate) const fn callee(func: FuncId, args: Args) -> Field {
        Field::Callee { func, args }
    }
    pub(crate) const fn builtin(what: Builtin, args: Args) -> Field {
        Field::Builtin { what, args }
    }
    pub(crate) const fn list(args: Args) -> Field {
        Field::List(args)
    }
    pub(crate) const fn variable(list: u32) -> Field {
        Field::Variable(list)
    }
    pub(crate) const fn indirect(call: u32) -> Field {
        Field::Indirect(call)
    }
    pub(crate) const fn text(what: u32) -> Field {
        Field::Text(what)
    }
    pub(crate) const fn landing(dst: Reg) -> Field {
        Field::Landing { dst }
    }
}

/// A field of an op that a pass over the code may change.
pub(crate) enum FieldMut<'a> {
    /// A register that is written; [`NO_REG`] if the result is unused.
    Reg(&'a mut Reg),
    /// An operand.
    Operand(&'a mut Operand),
    /// A target of control.
    Target(&'a mut Pc),
    /// An index into [`Function::switches`].
    Table(&'a mut u32),
    /// A function that is called.
    Callee(&'a mut FuncId),
    /// A text of the program.
    Text(&'a mut u32),
    /// Nothing of the above. Lists of operands are the function's, not the op's.
    Plain,
}

/// The same roles for changing fields.
mod role_mut {
    use super::*;

    macro_rules! roles {
        ($($name:ident => $kind:ident($type:ty);)*) => {
            $(pub(crate) fn $name(field: &mut $type) -> FieldMut<'_> {
                FieldMut::$kind(field)
            })*
        };
    }
    macro_rules! plain {
        ($($name:ident)*) => {
            $(pub(crate) fn $name<T>(_: &mut T) -> FieldMut<'_> {
                FieldMut::Plain
            })*
        };
    }
    roles! {
        read => Operand(Operand);
        carry => Operand(Operand);
        narrowed => Operand(Operand);
        write => Reg(Reg);
        write_flagged => Reg(Reg);
        fresh => Reg(Reg);
        copy => Reg(Reg);
        copy_wide => Reg(Reg);
        result => Reg(Reg);
        results => Reg(Reg);
        landing => Reg(Reg);
        target => Target(Pc);
        cases => Table(u32);
        labels => Table(u32);
        callee => Callee(FuncId);
        text => Text(u32);
    }
    plain! { width of one_that mark either number offset count builtin list variable indirect }
}

/// No op but one whose flow is [`Flow::Jump`] has targets.
macro_rules! only_of_jumps {
    (target Jump) => {};
    (cases Jump) => {};
    (labels Jump) => {};
    (target $flow:ident) => {
        compile_error!("an op with a target is a Jump");
    };
    (cases $flow:ident) => {
        compile_error!("an op with a switch table is a Jump");
    };
    (labels $flow:ident) => {
        compile_error!("an op with a table of labels is a Jump");
    };
    ($role:ident $flow:ident) => {};
}

macro_rules! define_fields {
    ($($(#[$about:meta])* $section:ident { $(
        $(#[$doc:meta])*
        $name:ident($text:literal), $flow:ident {
            $($(#[$note:meta])* $field:ident: $type:ty = $role:ident($($arg:expr),*)),* $(,)?
        }
    )* })*) => {
        $($($(only_of_jumps!($role $flow);)*)*)*

        impl Op {
            /// Shows each field, in the order of the table, up to the first error.
            pub(crate) fn fields<E>(&self, mut see: impl FnMut(Field) -> Result<(), E>) -> Result<(), E> {
                match *self {
                    $($(Op::$name { $($field),* } => {
                        $(see(role::$role($field, $($arg),*))?;)*
                    })*)*
                }
                Ok(())
            }

            /// Gives each field to be changed.
            pub(crate) fn fields_mut(&mut self, mut change: impl FnMut(FieldMut<'_>)) {
                match self {
                    $($(Op::$name { $($field),* } => {
                        $(change(role_mut::$role($field));)*
                    })*)*
                }
            }
        }
    };
}

for_each_op!(define_fields);
