//! The compiled functions of a program, if the crate `jit` is built in; `compiled_runs.rs` runs them.

/// The compiled functions of a program.
#[cfg(feature = "jit")]
pub(crate) type Compiled = cleave_jit::Compiler;
/// No compiled functions.
#[cfg(not(feature = "jit"))]
pub(crate) type Compiled = std::convert::Infallible;

/// A compiler for a program of so many functions, each of which is compiled once it was seen `after` times.
#[cfg(feature = "jit")]
pub(crate) fn compiler(functions: usize, after: Option<u32>) -> Option<Box<Compiled>> {
    cleave_jit::Compiler::new(functions, after?).map(Box::new)
}

/// None.
#[cfg(not(feature = "jit"))]
pub(crate) fn compiler(_: usize, _: Option<u32>) -> Option<Box<Compiled>> {
    None
}
