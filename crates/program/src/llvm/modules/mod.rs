//! A module as LLVM has it: its values, types, sections and debug information.

pub(crate) mod constructors; // Functions that run before `main` and after it.
pub(crate) mod loops; // Source positions of loops, as clang attaches them to the branch that goes back.
pub(crate) mod module; // A parsed module: its contents, and passes over it.
pub(crate) mod nodes; // Descriptions of debug information, read from LLVM.
pub(crate) mod places; // Source places of code out of headers of the C++ library.
pub(crate) mod prefix; // A prefix for the names that a module defines.
pub(crate) mod section_objects; // Objects for such sections.
pub(crate) mod sections; // Sections with `__start_NAME` and `__stop_NAME`.
pub(crate) mod types; // Types of LLVM, flattened into scalars, with their registers and offsets.
pub(crate) mod values; // Properties of LLVM's values, blocks and types.
