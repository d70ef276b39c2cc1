//! Errors of a solver: wrong options, back ends that do not start, contradictions between answers.

use std::path::PathBuf;

use thiserror::Error;

/// An error of a solver or of its options.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SolverError {
    /// There is no layer of this name.
    #[error("there is no solver layer `{name}`; the layers are {layers}")]
    UnknownLayer {
        /// The name.
        name: String,
        /// The names of all layers.
        layers: String,
    },
    /// There is no back end of this name.
    #[error("there is no solver `{name}`; the solvers of this build are {solvers}")]
    UnknownBackEnd {
        /// The name.
        name: String,
        /// The names of all back ends of this build.
        solvers: String,
    },
    /// A list of back ends has one of them twice.
    #[error("the solver `{name}` is named twice; name each once")]
    NamedTwice {
        /// The name.
        name: &'static str,
    },
    /// The options need two back ends, and there is one.
    #[error("a cross-check needs two solvers, and this build has one; build with the feature `bitwuzla`")]
    NoSecond,
    /// A back end could not be started.
    #[error("the solver back end {name} did not start: {why}")]
    NotStarted {
        /// Its name.
        name: &'static str,
        /// Its message.
        why: String,
    },
    /// A question could not be written to a file.
    #[error("cannot write questions to {}: {why}; is there room?", .path.display())]
    NotWritten {
        /// The file.
        path: PathBuf,
        /// The system's message.
        why: String,
    },
    /// Two back ends, or a layer and a back end, answered one question differently: one of them has a bug.
    #[error(
        "{first} says {first_says} and {second} says {second_says} to one question; \
         this is a bug, please report the question: {question}"
    )]
    Disagreement {
        /// The name of the layer or back end that answered first.
        first: String,
        /// Its answer.
        first_says: &'static str,
        /// The name of the back end that checked.
        second: String,
        /// Its answer.
        second_says: &'static str,
        /// The question as text, cut at some depth.
        question: String,
    },
    /// A model does not satisfy its question: the layer or back end that found it has a bug.
    #[error(
        "{from} gave a model that does not satisfy its question; this is a bug, please report it: {question}"
    )]
    WrongModel {
        /// The name of the layer or back end that found the model.
        from: String,
        /// The question as text, cut at some depth.
        question: String,
    },
}
