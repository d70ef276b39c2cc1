//! The self-check finds an engine that goes on behind an assumption which its path refutes.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use cleave_campaign::{Exploration, Exploring, Found};
use cleave_engine::EngineOptions;
use cleave_explore::{Limits, Programs, TERM_MEMORY};
use cleave_linux::env::EnvSpec;
use cleave_region::Region;
use cleave_solver::SolverOptions;

const PROGRAM: &str = "#include <klee/klee.h>
#include <assert.h>
int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, \"x\");
  if (x == 4) {
    klee_assume(x == 5);
    assert(0);
  }
  return 0;
}
";

/// Number of paths that a checked exploration finds, and the error that it reports.
fn checked(forgetting: bool) -> (usize, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let (source, bitcode) = (folder.path().join("assume.c"), folder.path().join("assume.bc"));
    std::fs::write(&source, PROGRAM).unwrap();
    let flags = ["-O0", "-g"].map(OsString::from);
    cleave_toolchain::link_bitcode(std::slice::from_ref(&source), &flags, &bitcode).unwrap();
    let program = Arc::new(cleave_program::load(&std::fs::read(&bitcode).unwrap()).unwrap());
    let env = EnvSpec::parse(OsStr::new("assume"), &[]).unwrap();
    let (engine, solver) = (EngineOptions { env, ..EngineOptions::default() }, SolverOptions::default());
    let mut space = Programs::new(program, engine, solver, TERM_MEMORY).unwrap();
    if forgetting {
        space.forget_assumptions();
    }
    let mut exploring = Exploring::new(space, Limits::default()).self_checking(true);
    let mut found = Found::default();
    exploring.start(Region::whole());
    while !exploring.is_done() {
        exploring.step(1 << 16, &mut found);
    }
    (found.paths.len(), exploring.failure())
}

#[test]
fn a_path_behind_an_assumption_that_does_not_hold_is_found_by_the_self_check() {
    assert_eq!(checked(false), (2, None), "a path, and one that is assumed away");
    let (_, wrong) = checked(true);
    let wrong = wrong.expect("the self-check found nothing");
    assert!(wrong.contains("behind the assumption"), "{wrong}");
}
