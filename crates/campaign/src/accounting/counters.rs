//! The names of all counters of work, each with its unit and meaning. Counting code uses these names, and
//! docs/summary.md is made from them.

/// A value of the account of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its unit; "X by Y" for a table of counts by name, `group` for other fields inside.
    pub unit: &'static str,
    /// True if it may decrease, or is no count of events: then a sum over time has no meaning.
    pub varies: bool,
    /// Its meaning, in a sentence.
    pub meaning: &'static str,
}

macro_rules! named {
    ($($(#[$doc:meta])* $constant:ident = $name:literal;)*) => {
        $($(#[$doc])* pub const $constant: &str = $name;)*

        /// Counters that a field of the account shows, where their meaning is given. A name that ends with a dot is the prefix
        /// of several.
        const NAMED: &[&str] = &[$($name),*];
    };
}

named! {
    /// LLVM instructions.
    INSTRUCTIONS = "instructions";
    /// Decisions met.
    DECISIONS = "decisions";
    /// Queries to the solver's layers.
    QUESTIONS = "questions";
    /// Queries to SAT and SMT solvers.
    SMT_CALLS = "smt_calls";
    /// Nanoseconds in these.
    SMT_NANOS = "smt_nanos";
    /// Nanoseconds in all layers of the solver.
    SOLVER_NANOS = "solver_nanos";
    /// Nanoseconds with a region to explore.
    BUSY_NANOS = "busy_nanos";
    /// The largest resident size of a worker, in bytes.
    PEAK_MEMORY_BYTES = "peak_memory_bytes";
    /// Nanoseconds until the first worker was ready.
    LOADING_NANOS = "loading_nanos";
    /// Nanoseconds of exploring.
    EXPLORING_NANOS = "exploring_nanos";
    /// Nanoseconds after exploring.
    WRITING_NANOS = "writing_nanos";
    /// Workers that died.
    WORKER_DEATHS = "worker_deaths";
    /// Regions that changed hands.
    STOLEN_REGIONS = "stolen_regions";
    /// Paths that arrived twice.
    DOUBLED = "doubled";
    /// Queries that a layer of the solver answered; then its name.
    ANSWERED_BY = "answered_by.";
    /// Queries to a solver; then its name.
    SMT_CALLS_OF = "smt_calls_of.";
    /// Microseconds in long queries; then the line of the program from which they come.
    SOLVER_US_AT = "solver_us_at.";
    /// Values that a limit had decided one by one; then the line of the program, a colon and the limit.
    BY_VALUE = "by_value.";
    /// The same: the maximum number of values among which one was decided.
    PEAK_BY_VALUE = "peak_by_value.";
    /// Reads that a suppression excuses; then the suppression.
    EXCUSED = "excused.";
    /// Answers invented by a model of the environment; then the kind of answer.
    MADE_UP = "made_up.";
    /// Paths that depend on the addresses of objects; then the line of the program.
    ADDRESSES = "addresses.";
    /// Impossible states; then the place in Cleave's source, and a description.
    INTERNAL = "internal.";
}

/// True if a field of the account shows this counter.
pub(crate) fn is_named(name: &str) -> bool {
    NAMED.iter().any(|known| name == *known || (known.ends_with('.') && name.starts_with(known)))
}

macro_rules! others {
    ($($constant:ident = $name:literal, $unit:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $constant: &str = $name;)*

        /// Counters that the account shows under `other`, by name.
        pub const OTHERS: &[Field] = &[$(Field { name: $name, unit: $unit, varies: false, meaning: $meaning }),*];
    };
}

others! {
    QUESTIONS_FEASIBLE = "questions_feasible", "queries", "Queries of the exploration that were answered with yes.";
    QUESTIONS_INFEASIBLE = "questions_infeasible", "queries", "Those that were answered with no.";
    QUESTIONS_UNKNOWN = "questions_unknown", "queries", "Those that got no answer.";
    SOLVER_QUESTIONS = "solver_questions", "queries",
        "Queries that the engine asked by itself too: to make a value concrete, to look for an object.";
    SOLVER_WORK = "solver_work", "tenths of a microsecond, about",
        "Work of making and evaluating terms and of the solvers, in counted steps: the same on each machine.";
    EXECUTIONS = "executions", "executions",
        "Executions of mutated tests (`--mutate`). They are no paths: the exploration follows what is new.";
    EXECUTION_INSTRUCTIONS = "execution_instructions", "instructions", "LLVM instructions of these; `instructions` leaves them out.";
    NATIVE_EXECUTIONS = "native_executions", "executions", "Native executions of mutated inputs, which tell the ones that the engine is to execute.";
    EXECUTIONS_FOLLOWED = "executions_followed", "executions", "Executions with something new that the exploration followed to the end of a path.";
    EXECUTIONS_ELSEWHERE = "executions_elsewhere", "executions",
        "Those with something new that lie in no waiting state of the worker: explored already, given away, or cut off.";
    EXECUTIONS_UNFINISHED = "executions_unfinished", "executions",
        "Those that were followed as far as the mutator's part of the work allowed.";
    EXECUTIONS_DISAGREE = "executions_disagree", "executions", "Those that were followed, and whose path ended otherwise.";
    SELF_CHECKED_TESTS = "self_checked_tests", "tests", "Tests that `--self-check` followed once more.";
    SILENT_PATHS = "silent_paths", "paths", "Paths that `klee_silent_exit` ended, or that repeat the order of threads of another: they are no results.";
    REPLAYS = "replays", "replays", "Ways from the entry to a region that were run again.";
    REPLAY_NANOS = "replay_nanos", "nanoseconds", "Spent on that.";
    STEALS = "steals", "answers", "Times that a busy worker gave a part of its region away.";
    STEAL_BYTES = "steal_bytes", "bytes", "What was given away, as it is stored.";
    STEAL_ANSWER_NANOS = "steal_answer_nanos", "nanoseconds", "From the request to what was given away.";
    STEAL_EXPORT_NANOS = "steal_export_nanos", "nanoseconds", "Writing down what was given away.";
    IDLE_NANOS = "idle_nanos", "nanoseconds", "Of workers that were ready and had no region.";
    WAITING_FOR_FILES_NANOS = "waiting_for_files_nanos", "nanoseconds", "Of exploring that waited for files to be written.";
    WRITING_DOWN_NANOS = "writing_down_nanos", "nanoseconds", "Of workers that wrote their frontier down as regions.";
    SPILLED_REGIONS = "spilled_regions", "regions", "Regions that did not fit into memory and were kept for later.";
    PATHS_PUT_BACK = "paths_put_back", "paths", "Paths beyond `--max-paths`, each of which is open again.";
    INEXACT_REPORTS = "inexact_reports", "reports", "Reports that left out what remains, as it was too much to write down.";
    EXPLORED_AGAIN = "explored_again", "regions", "Regions that were begun anew after such a report, because a worker ended.";
    FOUND_AGAIN = "found_again", "paths", "Paths of these that were there already, and count once.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_count_has_one_name_and_a_meaning() {
        let names: Vec<&str> = NAMED.iter().copied().chain(OTHERS.iter().map(|field| field.name)).collect();
        for (i, name) in names.iter().enumerate() {
            assert!(!names[..i].contains(name), "{name} stands twice");
        }
        assert!(OTHERS.iter().all(|f| !is_named(f.name) && !f.unit.is_empty() && f.meaning.ends_with('.')));
        assert!(is_named("made_up.a socket") && is_named("questions") && !is_named("questions_feasible"));
    }
}
