//! The compiled functions of a program, if the crate `jit` is built in; `compiled_runs.rs` runs them.

#[cfg(feature = "jit")]
use cleave_jit::Compiler;

#[cfg(feature = "jit")]
use crate::states::visits::Visits;

/// The compiled functions of a program, by what they count: nothing, visits, or visits and accesses.
#[cfg(feature = "jit")]
pub(crate) struct Compiled {
    functions: usize,
    after: u32,
    all: [Option<Compiler>; 3],
}

/// No compiled functions.
#[cfg(not(feature = "jit"))]
pub(crate) type Compiled = std::convert::Infallible;

#[cfg(feature = "jit")]
impl Compiled {
    /// The functions that count what is counted now; `None` if this machine is not one that code can be made for.
    pub(crate) fn that_count(&mut self, visits: Option<&Visits>) -> Option<&mut Compiler> {
        let place = visits.map_or(0, |visits| 1 + usize::from(visits.marks_accesses()));
        let slot = &mut self.all[place];
        if slot.is_none() {
            *slot = Compiler::new(self.functions, self.after);
        }
        slot.as_mut()
    }

    /// To be called when a state begins to run.
    pub(crate) fn begins_run(&mut self) {
        self.all.iter_mut().flatten().for_each(Compiler::begins_run);
    }
}

/// A compiler for a program of so many functions, each of which is compiled once it has run often, as `after` says.
#[cfg(feature = "jit")]
pub(crate) fn compiler(functions: usize, after: Option<u32>) -> Option<Box<Compiled>> {
    after.map(|after| Box::new(Compiled { functions, after, all: [None, None, None] }))
}

/// None.
#[cfg(not(feature = "jit"))]
pub(crate) fn compiler(_: usize, _: Option<u32>) -> Option<Box<Compiled>> {
    None
}
