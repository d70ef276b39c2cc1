//! Branches that known values decide: the states are known that have a value with which nobody came there.

use std::sync::Arc;

use cleave_engine::EngineOptions;
use cleave_explore::{Outcome, Programs, Space, TERM_MEMORY};
use cleave_region::Test;
use cleave_solver::SolverOptions;

/// An input byte sets a number to 0, 1 or 2. Behind another decision, a branch asks if it is 0, and one if it is above 1.
const SETTING: &str = r#"
target triple = "x86_64-unknown-linux-musl"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@setting = global i32 0
@sink = global i32 0
@name = private constant [2 x i8] c"b\00"
declare void @klee_make_symbolic(ptr, i64, ptr)
define i32 @main() {
  %b = alloca [2 x i8]
  call void @klee_make_symbolic(ptr %b, i64 2, ptr @name)
  %x = load i8, ptr %b
  switch i8 %x, label %choose [
    i8 65, label %one
    i8 66, label %two
  ]
one:
  store i32 1, ptr @setting
  br label %choose
two:
  store i32 2, ptr @setting
  br label %choose
choose:
  %q = getelementptr i8, ptr %b, i64 1
  %y = load i8, ptr %q
  %odd = icmp ult i8 %y, 9
  br i1 %odd, label %below, label %ask
below:
  store volatile i32 1, ptr @sink
  br label %ask
ask:
  %s = load i32, ptr @setting
  %unset = icmp eq i32 %s, 0
  br i1 %unset, label %usual, label %set
set:
  %t = load i32, ptr @setting
  %more = icmp ugt i32 %t, 1
  br i1 %more, label %rare, label %usual
rare:
  store volatile i32 3, ptr @sink
  ret i32 1
usual:
  ret i32 0
}
"#;

/// The state behind the first decisions of the path of a byte and a zero, and where it stops; `None` if the path ends before.
fn at(space: &mut Programs, first: u8, decisions: u32) -> Option<<Programs as Space>::State> {
    let object = cleave_region::Object { name: "b".into(), bytes: vec![first, 0] };
    let witness = space.prepare(&Test { objects: vec![object] });
    let mut state = space.root();
    while let Outcome::Decision { cond, .. } = space.run(&mut state, &witness, 1 << 20) {
        if space.depth(&state) == decisions {
            return Some(state);
        }
        let side = space.decides(&cond, &witness);
        space.take(&mut state, &cond, side);
    }
    None
}

#[test]
fn a_state_fits_a_side_that_nobody_took_with_a_value_that_was_not_tried() {
    let program = Arc::new(cleave_program::load(SETTING.as_bytes()).unwrap());
    let new = || {
        let (engine, solver) = (EngineOptions::default(), SolverOptions::default());
        Programs::new(program.clone(), engine, solver, TERM_MEMORY).unwrap()
    };
    let bytes = [0, 65, 66];
    let last = |first: u8| (0..9).rfind(|&n| at(&mut new(), first, n).is_some()).unwrap();
    let before_second_byte = bytes.map(last);

    let mut space = new();
    space.count_visits();
    space.watch_guards();
    // Runs a path to its end; then the number of sides that the state of each byte fits, before its second byte is decided.
    let mut fitting_after = |first: u8| {
        assert!(at(&mut space, first, u32::MAX).is_none());
        [0, 1, 2].map(|i| {
            let state = at(&mut space, bytes[i], before_second_byte[i]).unwrap();
            space.fitting(&state).len()
        })
    };
    assert_eq!(fitting_after(0), [0, 1, 1], "a number that is not 0 was not seen");
    assert_eq!(fitting_after(65), [1, 0, 1], "1 is not above 1; nobody came to that with 0 or 2");
    assert_eq!(fitting_after(66), [0, 0, 0], "each side is taken");
}
