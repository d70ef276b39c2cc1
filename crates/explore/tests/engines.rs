//! Several engines in one process: on two threads, and by turns on one. Nothing is shared that one could feel.

use std::sync::Arc;

use cleave_engine::EngineOptions;
use cleave_explore::{
    Ending, Event, Explorer, Limits, MutatedShare, Mutator, Programs, Search, Space, TERM_MEMORY,
};
use cleave_program::code::Program;
use cleave_region::{PathRecord, Region, Test};
use cleave_solver::SolverOptions;

/// A path for each choice of the lowest bits of `n` bytes, and the products of two more.
fn program(n: u32, product: u32) -> Arc<Program> {
    let text = format!(
        r#"
target triple = "x86_64-unknown-linux-musl"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@name = private constant [2 x i8] c"b\00"
declare void @klee_make_symbolic(ptr, i64, ptr)
define i32 @main() {{
  %b = alloca [16 x i8]
  call void @klee_make_symbolic(ptr %b, i64 16, ptr @name)
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %join ]
  %ones = phi i32 [ 0, %0 ], [ %sum, %join ]
  %at = getelementptr i8, ptr %b, i32 %i
  %byte = load i8, ptr %at
  %bit = and i8 %byte, 1
  %set = icmp ne i8 %bit, 0
  br i1 %set, label %one, label %join
one:
  %more = add i32 %ones, 1
  br label %join
join:
  %sum = phi i32 [ %ones, %loop ], [ %more, %one ]
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, {n}
  br i1 %done, label %end, label %loop
end:
  %px = getelementptr i8, ptr %b, i32 14
  %py = getelementptr i8, ptr %b, i32 15
  %x = load i8, ptr %px
  %y = load i8, ptr %py
  %wx = zext i8 %x to i32
  %wy = zext i8 %y to i32
  %p = mul i32 %wx, %wy
  %hit = icmp eq i32 %p, {product}
  %code = add i32 %sum, 100
  br i1 %hit, label %found, label %out
found:
  ret i32 %code
out:
  ret i32 %sum
}}
"#
    );
    Arc::new(cleave_program::load(text.as_bytes()).unwrap())
}

struct Exploration {
    space: Programs,
    explorer: Explorer<Programs>,
    found: Vec<PathRecord>,
}

impl Exploration {
    fn new(program: &Arc<Program>, search: &str) -> Exploration {
        let (engine, solver) = (EngineOptions::default(), SolverOptions::default());
        let mut space = Programs::new(program.clone(), engine, solver, TERM_MEMORY).unwrap();
        let strategy = Search::new(&[search.to_string()], 1).unwrap().strategy(space.flow());
        let explorer = Explorer::with_strategy(&mut space, Region::whole(), Limits::default(), strategy);
        Exploration { space, explorer, found: Vec::new() }
    }

    fn step(&mut self) -> bool {
        let mut events = Vec::new();
        self.explorer.step(&mut self.space, 50, &mut events);
        for event in events {
            let Event::Path { end, state, witness, .. } = event else { panic!("a region is set aside") };
            self.found.extend(self.space.record(end, &state, &witness));
        }
        !self.explorer.is_done()
    }

    fn whole(mut self) -> Vec<PathRecord> {
        while self.step() {}
        self.found
    }
}

#[test]
fn two_engines_in_one_process_do_what_each_does_alone() {
    let programs = [program(6, 221), program(5, 12345)];
    let searches = ["covnew", "random-path"];
    let make = |i: usize| Exploration::new(&programs[i], searches[i]);
    let alone = [0, 1].map(|i| make(i).whole());
    assert_eq!(alone.each_ref().map(Vec::len), [1 << 7, 1 << 5], "one product can be had, the other cannot");

    let by_turns = {
        let mut both = [make(0), make(1)];
        // Not in step with each other.
        let mut turn = 0;
        while both.iter().any(|e| !e.explorer.is_done()) {
            turn += 1;
            both[usize::from(turn % 3 == 0)].step();
        }
        both.map(|e| e.found)
    };
    assert_eq!(by_turns, alone);

    let on_threads = std::thread::scope(|scope| {
        let make = &make;
        [0, 1].map(|i| scope.spawn(move || make(i).whole())).map(|thread| thread.join().unwrap())
    });
    assert_eq!(on_threads, alone);
}

#[test]
fn all_strategies_find_the_paths_of_a_program_in_little_memory_too() {
    let program = program(7, 221);
    let digests = |paths: Vec<PathRecord>| {
        let mut digests: Vec<_> = paths.into_iter().map(|p| p.digest).collect();
        digests.sort();
        digests
    };
    let expected = digests(Exploration::new(&program, "dfs").whole());
    for entry in cleave_explore::STRATEGIES {
        for memory in [TERM_MEMORY, 1 << 14] {
            let (engine, solver) = (EngineOptions::default(), SolverOptions::default());
            let mut space = Programs::new(program.clone(), engine, solver, memory).unwrap();
            let strategy = Search::new(&[entry.name.to_string()], 0).unwrap().strategy(space.flow());
            let explorer = Explorer::with_strategy(&mut space, Region::whole(), Limits::default(), strategy);
            let found = Exploration { space, explorer, found: Vec::new() }.whole();
            assert!(digests(found) == expected, "{} with {memory} bytes for terms", entry.name);
        }
    }
}

#[test]
fn an_execution_ends_as_the_path_of_its_test_and_is_new_once() {
    let program = program(4, 221);
    let mut exploration = Exploration::new(&program, "bfs");
    while exploration.step() {}
    let Exploration { mut space, found, .. } = exploration;
    let instructions = |space: &Programs| space.statistics()["instructions"];
    assert!(space.execute(&Test::default(), 1 << 20).is_some());
    let before = instructions(&space);
    let mut executed = Vec::new();
    for again in [false, true] {
        // Other engines come to the same.
        if again {
            space.renew();
            assert!(space.execute(&Test::default(), 1 << 20).is_some_and(|execution| execution.new == 0));
        }
        for path in &found {
            let execution = space.execute(&path.test, 1 << 20).unwrap();
            assert_eq!(execution.test, path.test);
            assert_eq!(execution.ending, Ending::Path { kind: path.kind, bug: None });
            assert!(execution.instructions <= path.instructions && execution.instructions > 20);
            executed.push((execution.instructions, execution.hash));
            assert!(execution.new == 0 || !again, "{} marks are new again", execution.new);
        }
    }
    let (first, second) = executed.split_at(found.len());
    assert_eq!(first, second);
    assert!(instructions(&space) < before + 100, "executions are counted by themselves");
    let all = u64::try_from(2 * found.len() + 2).unwrap();
    assert_eq!(space.statistics()["executions"], all);
    let cut = space.execute(&found[0].test, 10).unwrap();
    assert_eq!(cut.ending, Ending::TooLong);
}

#[test]
fn a_mutator_and_an_exploration_find_each_path_once() {
    let program = program(7, 221);
    let digests = |paths: &[PathRecord]| {
        let mut digests: Vec<_> = paths.iter().map(|p| p.digest).collect();
        digests.sort();
        digests
    };
    let expected = digests(&Exploration::new(&program, "bfs").whole());
    let mutated = |memory: usize, seed: u64| {
        let (engine, solver) = (EngineOptions::default(), SolverOptions::default());
        let mut space = Programs::new(program.clone(), engine, solver, memory).unwrap();
        let strategy = Search::new(&["covnew".into()], 1).unwrap().strategy(space.flow());
        let explorer = Explorer::with_strategy(&mut space, Region::whole(), Limits::default(), strategy);
        let mut mutator = Mutator::new(&mut space, MutatedShare::always(50), seed);
        let mut exploration = Exploration { space, explorer, found: Vec::new() };
        loop {
            mutator.turn(&mut exploration.space, &mut exploration.explorer);
            let known = exploration.found.len();
            let goes_on = exploration.step();
            mutator.stepped(&mut exploration.explorer, exploration.found.get(known));
            if !goes_on {
                break;
            }
        }
        let executions = exploration.space.statistics()["executions"];
        (digests(&exploration.found), executions, mutator.take_counts())
    };
    for memory in [TERM_MEMORY, 1 << 14] {
        let (paths, executions, counts) = mutated(memory, 0);
        assert!(paths == expected, "with {memory} bytes for terms");
        assert!(executions > 100 && counts.followed > 0 && counts.disagree == 0, "{executions} {counts:?}");
        assert_eq!(mutated(memory, 0), (paths, executions, counts));
    }
    // Two seeds may come to the same counts, but not all of eight.
    let first = mutated(TERM_MEMORY, 0);
    assert!((1..8).any(|seed| mutated(TERM_MEMORY, seed) != first), "the seed decides nothing");
}
