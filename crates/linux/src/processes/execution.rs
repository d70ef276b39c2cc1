//! Programs that can be executed: their files in the model's file system, and the request to start one.

use cleave_memory::Byte;

/// A file of the model's file system that can be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFile {
    /// Its path from the root, without a slash in front: names with a slash between two.
    pub path: String,
    /// Its image, as the engine numbers its images.
    pub image: u32,
}

/// A request to execute a program in place of another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    /// The image to run, as the engine numbers its images.
    pub image: u32,
    /// It was asked for by the name of a script, so that the arguments are others than the caller's.
    pub script: bool,
    /// The arguments, without their NULs.
    pub arguments: Vec<Vec<Byte>>,
    /// The environment variables, each as `NAME=VALUE`, without their NULs.
    pub variables: Vec<Vec<Byte>>,
}
