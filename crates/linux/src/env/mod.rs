//! The environment of a program when it starts, and the world around it.

pub(crate) mod error; // The error of options for the environment.
mod inputs; // Inputs that users give the program themselves, written as a test.
pub(crate) mod spec; // Arguments, variables, standard input and files, concrete or symbolic, and the options for them.
pub(crate) mod variables; // Environment variables that options give.
pub mod world; // Constants of the world: clock, ids, limits, names of the machine.

pub use error::EnvError;
pub use inputs::Inputs;
pub use spec::{
    ArgSpec, ConcreteEnv, Connection, EnvSpec, FAILING_CALL_OBJECT, FUZZ_LENGTH_OBJECT, FUZZ_OBJECT,
    FilesSpec, FolderSpec, MAX_ARG_LEN, MAX_ARGS, MAX_CONNECTIONS, MAX_FAILURES, MAX_FILE_LEN, MAX_FILES,
    OPTIONS, SCHEDULE_OBJECT, SHORT_CALL_OBJECT, STDIN_LENGTH_OBJECT, STDIN_OBJECT, StdinSpec,
    TERMINAL_OBJECT, arg_object, connection_object, count_object, file_length_object, file_name, file_object,
    fuzz_input, kind_object, length_object, refusal_object, segments_object, stat_object,
};
pub use variables::SymbolicVariable;
