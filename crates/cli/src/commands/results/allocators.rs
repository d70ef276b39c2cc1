//! Allocators of a program's own: overflows inside of their memory are not seen.

use cleave_program::code::{FuncId, Function, Op, Program};
use cleave_program::heap_builtins;

/// Ends of the names of functions that give out memory, the longest first.
const GIVE: [&str; 2] = ["malloc", "alloc"];
const TAKE: &str = "free";

/// Two functions of a program that give out memory and take it back, by their names, and whose memory is not of the C library's heap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocator {
    /// The name of the function that gives it out.
    pub gives: String,
    /// The name of the function that takes it back.
    pub takes: String,
    /// Number of parameters of each.
    pub parameters: [usize; 2],
}

/// The first allocator of the program's own.
pub fn own_allocator(program: &Program) -> Option<Allocator> {
    let is_own = |f: &&Function| !f.library && !f.code.is_empty();
    let own = || program.functions.iter().filter(is_own);
    let is_called = |id: usize| own().any(|f| calls_of(f).any(|called| called as usize == id));
    program.functions.iter().enumerate().filter(|(_, f)| is_own(f)).find_map(|(id, gives)| {
        let stem = GIVE.iter().find_map(|end| gives.name.strip_suffix(end))?;
        let name = format!("{stem}{TAKE}");
        let (takes_id, takes) =
            program.functions.iter().enumerate().find(|(_, f)| is_own(f) && f.name == name)?;
        let is_one = gives.results == 1
            && gives.params > 0
            && is_called(id)
            && is_called(takes_id)
            && !comes_to_heap(program, id as FuncId);
        let parameters = [gives, takes].map(|f| f.parameters.len());
        is_one.then(|| Allocator { gives: gives.name.clone(), takes: takes.name.clone(), parameters })
    })
}

/// The functions that a function calls by name.
fn calls_of(function: &Function) -> impl Iterator<Item = FuncId> {
    function.code.iter().filter_map(|op| match op {
        Op::Call { func, .. } | Op::CallVar { func, .. } => Some(*func),
        _ => None,
    })
}

/// Returns true if calls by name lead from a function to one of the C library's heap.
fn comes_to_heap(program: &Program, function: FuncId) -> bool {
    let (mut todo, mut next) = (vec![function], 0);
    while let Some(&id) = todo.get(next) {
        next += 1;
        let Some(function) = program.functions.get(id as usize) else { continue };
        if function.code.iter().any(|op| matches!(op, Op::Builtin { what: heap_builtins!(), .. })) {
            return true;
        }
        let called: Vec<FuncId> = calls_of(function).filter(|called| !todo.contains(called)).collect();
        todo.extend(called);
    }
    false
}
