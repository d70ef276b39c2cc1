//! Commands around programs and the shell.

pub mod cc; // `cleave cc`: clang for programs that Cleave explores.
pub mod completions; // `cleave completions`: a script that completes commands and options in a shell.
pub mod dump; // `cleave dump`: the register code of a program, as the engine executes it.
pub mod man; // `cleave man`: manual pages, made of the same texts as the help.
pub mod options; // `cleave options`: all commands and options as JSON, for tests that try each of them.
pub mod toolchain; // `cleave toolchain`: prints a toolchain file for a build system.
