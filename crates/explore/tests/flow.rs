//! Distances to code that no path has come to, over calls and returns.

use std::sync::Arc;

use cleave_engine::EngineOptions;
use cleave_explore::{Answer, Distances, Flow, Outcome, Place, Programs, Space, TERM_MEMORY};
use cleave_program::code::{Op, Program};
use cleave_solver::SolverOptions;

const TEXT: &str = r#"
target triple = "x86_64-unknown-linux-musl"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@sink = global i32 0
@table = global [1 x ptr] [ptr @pointed]
declare void @klee_make_symbolic(ptr, i64, ptr)
define i32 @leaf(i32 %x) noinline {
  %c = icmp eq i32 %x, 7
  br i1 %c, label %rare, label %often
rare:
  store volatile i32 %x, ptr @sink
  %a = mul i32 %x, 3
  %b = add i32 %a, 5
  %d = xor i32 %b, %x
  ret i32 %d
often:
  ret i32 %x
}
define i32 @endless(i32 %x) noinline {
  br label %again
again:
  br label %again
}
define i32 @pointed(i32 %x) noinline {
  %y = mul i32 %x, %x
  ret i32 %y
}
define i32 @main(i32 %n) {
  %r = call i32 @leaf(i32 %n)
  %f = load ptr, ptr @table
  %s = call i32 %f(i32 %r)
  %z = icmp eq i32 %s, 3
  br i1 %z, label %stuck, label %end
stuck:
  %e = call i32 @endless(i32 %s)
  ret i32 %e
end:
  ret i32 %s
}
"#;

fn function(program: &Program, name: &str) -> u32 {
    program.functions.iter().position(|f| f.name == name).unwrap() as u32
}

fn all(program: &Program, func: u32) -> Vec<Place> {
    (0..program.functions[func as usize].code.len() as u32).map(|pc| Place { func, pc }).collect()
}

#[test]
fn new_code_is_near_or_far_through_calls_and_returns() {
    let program = cleave_program::load(TEXT.as_bytes()).unwrap();
    let [main, leaf, endless, pointed] =
        ["main", "leaf", "endless", "pointed"].map(|name| function(&program, name));
    let flow = Arc::new(Flow::new(&program));
    let mut distances = Distances::new(flow.clone());
    let entry = |func| Place { func, pc: 0 };
    let calls = |func: u32, callee: u32| {
        let code = &program.functions[func as usize].code;
        let pc = code.iter().position(|op| matches!(op, Op::Call { func, .. } if *func == callee));
        Place { func, pc: pc.unwrap() as u32 }
    };
    assert_eq!(distances.from(&[entry(main)]), Some(0), "where nothing is covered, all is new");

    // Everything but the rare part of the leaf.
    let rare = program.functions[leaf as usize].code.iter().position(|op| matches!(op, Op::Mul { .. }));
    let rare = flow.start(Place { func: leaf, pc: rare.unwrap() as u32 });
    assert!(rare.pc > 0, "a block of its own");
    for func in 0..program.functions.len() as u32 {
        let places: Vec<Place> = all(&program, func);
        distances.cover(&places.into_iter().filter(|p| *p != rare).collect::<Vec<_>>());
    }
    assert!(distances.is_outdated());
    distances.update();
    let from_main = distances.from(&[entry(main)]).unwrap();
    let from_leaf = distances.from(&[entry(leaf), calls(main, leaf)]).unwrap();
    assert!(0 < from_leaf && from_leaf < from_main, "{from_leaf} {from_main}");
    assert_eq!(distances.from(&[entry(endless), calls(main, endless)]), None, "it never returns");
    assert_eq!(distances.from(&[entry(pointed)]), None, "nothing new is behind it, as nobody called");

    // New code only behind the return of the leaf, and through a pointer.
    let mut distances = Distances::new(flow);
    for func in [main, leaf, endless] {
        distances.cover(&all(&program, func));
    }
    distances.update();
    let inside = distances.from(&[entry(leaf), calls(main, leaf)]).unwrap();
    let behind = distances.from(&[Place { pc: calls(main, leaf).pc + 1, func: main }]).unwrap();
    assert!(0 < behind && behind < inside, "{behind} {inside}");
    assert_eq!(distances.from(&[entry(leaf)]), None, "without its caller it leads nowhere");
}

/// Each side of a branch, and each target of a switch, is a block that stores another number.
const BRANCHES: &str = r#"
target triple = "x86_64-unknown-linux-musl"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@sink = global i32 0
@name = private constant [2 x i8] c"b\00"
declare void @klee_make_symbolic(ptr, i64, ptr)
define i32 @main() {
  %b = alloca [2 x i8]
  call void @klee_make_symbolic(ptr %b, i64 2, ptr @name)
  %x = load i8, ptr %b
  %q = getelementptr i8, ptr %b, i64 1
  %y = load i8, ptr %q
  %less = icmp ult i8 %x, %y
  br i1 %less, label %below, label %above
below:
  store volatile i32 1, ptr @sink
  %odd = trunc i8 %x to i1
  br i1 %odd, label %one, label %end
one:
  store volatile i32 2, ptr @sink
  ret i32 1
above:
  store volatile i32 3, ptr @sink
  switch i8 %x, label %default [
    i8 65, label %a
    i8 66, label %b2
    i8 67, label %a
    i8 70, label %f
    i8 71, label %default
  ]
a:
  store volatile i32 4, ptr @sink
  ret i32 2
b2:
  store volatile i32 5, ptr @sink
  ret i32 3
f:
  store volatile i32 6, ptr @sink
  ret i32 4
default:
  store volatile i32 7, ptr @sink
  ret i32 5
end:
  ret i32 6
}
"#;

#[test]
fn a_state_at_a_branch_is_said_to_stand_where_its_side_leads() {
    let program = Arc::new(cleave_program::load(BRANCHES.as_bytes()).unwrap());
    let (engine, solver) = (EngineOptions::default(), SolverOptions::default());
    let mut space = Programs::new(program, engine, solver, TERM_MEMORY).unwrap();
    space.count_visits();
    let (root, witness) = (space.root(), space.prepare(&Default::default()));
    let (mut todo, mut led) = (vec![(root, witness)], Vec::new());
    while let Some((mut state, witness)) = todo.pop() {
        let expected = space.stack(&state, None)[0];
        let before = space.visits(expected);
        let outcome = space.run(&mut state, &witness, 1 << 20);
        if space.depth(&state) > 0 {
            assert!(space.visits(expected) > before, "{expected:?}");
            led.push(expected);
        }
        let Outcome::Decision { cond, .. } = outcome else { continue };
        for side in [false, true] {
            let there = space.stack(&state, Some(side))[0];
            let Answer::Feasible(witness) = space.ask(&state, &cond, side, &witness) else { continue };
            let mut taken = state.clone();
            space.take(&mut taken, &cond, side);
            assert_eq!(space.stack(&taken, None)[0], there, "told before and after it is taken");
            todo.push((taken, witness));
        }
    }
    led.sort_unstable();
    let visits = led.len();
    led.dedup();
    assert_eq!(
        (visits, led.len()),
        (10, 9),
        "eight blocks, and twice the switch itself, before it is decided"
    );
}
