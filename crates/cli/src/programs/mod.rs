//! Programs that a user names: compiled, read, loaded, and their sources.

pub(crate) mod build; // Sources and flags for a program that is given as C.
pub(crate) mod cache; // Loaded programs on disk.
pub(crate) mod changes; // Functions that two versions of a program do not have in common.
pub(crate) mod executables; // `--program`: programs that the program under test can execute.
pub(crate) mod images; // The program of a run with all that it can execute.
pub(crate) mod loading; // Reads bitcode in a process of its own.
pub(crate) mod program_file; // The program that a user names: an executable from `cleave cc`, a .bc, a .ll, or a source.
pub(crate) mod sources; // Source files by the names that debug information has for them.
