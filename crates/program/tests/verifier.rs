//! The verifier names what is wrong, and where.

use cleave_program::code::*;
use cleave_program::{Problem, VerifyError};

const NONE: Args = Args { start: 0, len: 0 };
const RET: Op = Op::Ret { vals: NONE, n: 1 };

/// A program of one function, of two parameters, four registers and the constants 7 and 256.
fn program(code: Vec<Op>) -> Program {
    let function = Function {
        name: "f".into(),
        params: 2,
        registers: 4,
        positions: vec![u32::MAX; code.len()],
        code,
        constants: vec![7, 256],
        defined_at: u32::MAX,
        ..Function::default()
    };
    let main = Image { functions: 0..1, heap_slot: 16, ..Image::default() };
    Program { functions: vec![function], main, ..Program::default() }
}

fn problem(code: Vec<Op>) -> (usize, Problem) {
    match program(code).verify().unwrap_err() {
        VerifyError::Op { function, op, problem } if function == "f" => (op, problem),
        other => panic!("{other}"),
    }
}

const fn r(i: Reg) -> Operand {
    Operand::reg(i)
}

/// Writes registers 2 and 3 and then does `op`.
fn after_writes(op: Op) -> Vec<Op> {
    let write = |dst| Op::Zext { from: 8, w: 32, dst, a: r(0) };
    vec![write(2), write(3), op, RET]
}

#[test]
fn code_that_keeps_to_the_rules_passes() {
    program(after_writes(Op::Add { w: 32, dst: 2, a: r(2), b: Operand::constant(1) })).verify().unwrap();
}

#[test]
fn indices_are_within_their_tables() {
    let add = |dst, a, b| Op::Add { w: 32, dst, a, b };
    assert_eq!(problem(after_writes(add(4, r(2), r(3)))), (2, Problem::Register(4)));
    assert_eq!(problem(after_writes(add(2, r(9), r(3)))), (2, Problem::Register(9)));
    assert_eq!(problem(after_writes(add(2, r(2), Operand::constant(2)))), (2, Problem::Constant(2)));
    let call = Op::Call { func: 3, dst: NO_REG, args: NONE, n: 1 };
    assert_eq!(problem(after_writes(call)), (2, Problem::Missing("function")));
    let switch = Op::Switch { w: 32, val: r(2), table: 0, n: 1 };
    assert_eq!(problem(after_writes(switch)), (2, Problem::Missing("switch table")));
    let what = Op::Unsupported { what: 0, n: 1 };
    assert_eq!(problem(after_writes(what)), (2, Problem::Missing("text")));
    let far = Args { start: u32::MAX, len: 1 };
    assert_eq!(problem(after_writes(Op::Ret { vals: far, n: 1 })), (2, Problem::Missing("operand list")));
}

#[test]
fn widths_agree() {
    let add = |w, a| Op::Add { w, dst: 2, a, b: r(0) };
    assert_eq!(problem(after_writes(add(65, r(2)))), (2, Problem::Width(65)));
    assert_eq!(problem(after_writes(add(16, r(2)))), (2, Problem::Mismatch(2, 16)));
    assert_eq!(problem(after_writes(add(8, Operand::constant(1)))), (2, Problem::Unfit(1, 8)));
    let halves = Op::WideBin { op: BinOp::Add, lazy: false, w: 80, dst: 2, a: r(2), b: r(2) };
    assert_eq!(problem(after_writes(halves)), (2, Problem::Mismatch(2, 80)));
    let grown = Op::Trunc { w: 64, dst: 2, a: r(2) };
    assert_eq!(problem(after_writes(grown)), (2, Problem::Mismatch(2, 64)));
}

#[test]
fn registers_are_written_before_they_are_read_on_every_path() {
    let write = |dst| Op::Zext { from: 8, w: 32, dst, a: r(0) };
    let branch = Op::Branch { cond: r(1), then: 1, other: 2, n: 1 };
    let read = Op::Add { w: 32, dst: 3, a: r(2), b: r(2) };
    assert_eq!(problem(vec![branch, write(2), read, RET]), (2, Problem::Undefined(2)));
}

#[test]
fn control_stays_in_the_code_and_reaches_all_of_it() {
    let jump = |to| Op::Jump { to, n: 1 };
    assert_eq!(problem(after_writes(jump(5))), (2, Problem::Target(5)));
    assert_eq!(problem(after_writes(jump(0))), (3, Problem::Unreachable));
    let mut open = after_writes(Op::Count { n: 1 });
    open.pop();
    assert_eq!(problem(open), (2, Problem::NoEnd));
}

#[test]
fn calls_give_what_the_function_takes() {
    let call = Op::Call { func: 0, dst: NO_REG, args: NONE, n: 1 };
    assert_eq!(problem(after_writes(call)), (2, Problem::Arguments { given: 0, wanted: 2 }));
    let free = Op::Builtin { what: Builtin::Free, dst: NO_REG, args: NONE, n: 1 };
    assert_eq!(problem(after_writes(free)), (2, Problem::Arguments { given: 0, wanted: 1 }));
}

#[test]
fn globals_are_where_the_layout_has_them() {
    let mut moved = program(after_writes(RET));
    moved.functions[0].code.pop();
    moved.functions[0].positions.pop();
    moved.verify().unwrap();
    moved.main.heap_slot = 17;
    assert!(matches!(moved.verify(), Err(VerifyError::Program(_))));
    let global = Global { name: "g".into(), address: 5, size: 1, init: vec![], constant: false, align: 1 };
    moved.globals.push(global);
    moved.main.globals = 0..1;
    assert!(moved.verify().unwrap_err().to_string().contains("`g` is not where it belongs"));
}
