//! The native executor of a session with mutated inputs: compiled in a thread of its own when the session has lasted a while, for
//! workers on this machine.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use cleave_engine::EngineOptions;
use cleave_explore::NativeProgram;
use cleave_linux::env::{ArgSpec, EnvSpec, StdinSpec};
use cleave_program::code::Program;

use crate::programs::program_file;
use crate::sessions::saved::Saved;

/// Time before the compiler begins, where a worker needs its core: most sessions with a limit have found their bug by then, or are over.
const BEFORE: Duration = Duration::from_secs(1);
/// Time before it begins on a core of its own: small programs are explored to their end by then.
const BEFORE_WITH_CORE: Duration = Duration::from_millis(100);
/// Name of the executor in the run directory, while the session goes on.
const FILE: &str = "executor";

/// Arguments, variables, files and standard input as runtime/executor/executor.c reads them; `None` if the program has other inputs, which only the
/// engine has.
fn environment(options: &EngineOptions) -> Option<Vec<u8>> {
    let EnvSpec { args, vars, stdin, least_stdin, files, least_file, fuzz_data, .. } = &options.env;
    let plain = EnvSpec {
        args: args.clone(),
        vars: vars.clone(),
        stdin: stdin.clone(),
        least_stdin: *least_stdin,
        files: *files,
        least_file: *least_file,
        fuzz_data: *fuzz_data,
        ..EnvSpec::default()
    };
    let is_plain = plain == options.env && options.fail_malloc == 0;
    let (stdin, known): (_, &[u8]) = match (stdin, least_stdin) {
        (StdinSpec::Empty, _) => (0, &[]),
        (StdinSpec::Symbolic(_), None) => (1, &[]),
        (StdinSpec::Symbolic(_), Some(_)) => (2, &[]),
        (StdinSpec::Concrete(bytes), _) => (3, bytes),
    };
    if !is_plain || options.class.is_some() {
        return None;
    }
    let mut all = Vec::new();
    let mut put = |numbers: &[u32], text: &[u8]| {
        numbers.iter().for_each(|n| all.extend(n.to_le_bytes()));
        all.extend(text);
        all.resize(all.len().next_multiple_of(4), 0);
    };
    let files = files.map_or(0, |files| files.count);
    put(&[stdin, least_stdin.unwrap_or(0), fuzz_data.unwrap_or(0)], b"");
    put(&[files, least_file.is_some().into(), least_file.unwrap_or(0), args.len() as u32], b"");
    for argument in args {
        match argument {
            ArgSpec::Concrete(text) => put(&[0, 0, 0, 0, 0, text.len() as u32], text),
            ArgSpec::Symbolic { least, len } => put(&[1, 0, 0, *len, *least, 0], b""),
            ArgSpec::Range { least, min, max, len } => put(&[2, *min, *max, *len, *least, 0], b""),
        }
    }
    put(&[vars.len() as u32], b"");
    for (name, value) in vars {
        let text = [&name[..], b"=", &value[..]].concat();
        put(&[text.len() as u32], &text);
    }
    put(&[known.len() as u32], known);
    Some(all)
}

/// The executor of a session's program, if its inputs are such that it can have one.
pub fn planned(directory: &Path, saved: &Saved, program: &Program, workers: u32) -> Option<NativeProgram> {
    let is_wide = program.target == cleave_program::layout::Target::default();
    let is_whole = program.others.is_empty() && saved.changes().is_empty();
    let options = saved.engine_options().ok().filter(|_| is_wide && is_whole)?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let has_core = cores as u64 >= 2 * u64::from(workers);
    Some(NativeProgram { executor: directory.join(FILE), environment: environment(&options)?, has_core })
}

/// The thread that compiles an executor. It ends with the session, and the file with it.
pub struct Compiling {
    /// Dropped when the session is over.
    goes_on: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    file: PathBuf,
}

impl Compiling {
    /// Begins to compile the executor `native` of the program that `saved` names.
    pub fn begin(native: &NativeProgram, saved: &Saved) -> Compiling {
        let ((goes_on, over), file) = (channel::<()>(), native.executor.clone());
        let (executor, program) = (file.clone(), PathBuf::from(&saved.program));
        let before = if native.has_core { BEFORE_WITH_CORE } else { BEFORE };
        let work = move || {
            if over.recv_timeout(before) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
            let goes_on = || over.try_recv() != Err(TryRecvError::Disconnected);
            // Without an executor the engine executes everything, as for programs that can have none.
            if let Some(bitcode) = program_file::bitcode_of(&program) {
                let _ = cleave_toolchain::build_executor(&bitcode, &executor, &goes_on);
            }
        };
        let thread = std::thread::Builder::new().name("executor".into()).spawn(work).ok();
        Compiling { goes_on: Some(goes_on), thread, file }
    }
}

impl Drop for Compiling {
    fn drop(&mut self) {
        self.goes_on = None;
        // A thread that panicked has said so; a file that is not there need not be removed.
        let _ = self.thread.take().map(JoinHandle::join);
        let _ = std::fs::remove_file(&self.file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment_of(arguments: &[&str]) -> Option<Vec<u8>> {
        let rest: Vec<_> = arguments.iter().map(std::ffi::OsString::from).collect();
        let env = EnvSpec::parse("prog".as_ref(), &rest).unwrap();
        environment(&EngineOptions { env, ..EngineOptions::default() })
    }

    #[test]
    fn arguments_standard_input_and_plain_files_are_native() {
        let files = &["--sym-files", "1", "4"][..];
        for given in [&["--sym-stdin", "4"][..], &["a", "--sym-args", "0", "2", "3"], &[], files] {
            assert!(environment_of(given).is_some(), "{given:?}");
        }
        for given in [&["--sym-files", "1", "4", "--sym-stat"][..], &["--max-fail", "1"], &["--sym-stdout"]] {
            assert_eq!(environment_of(given), None, "{given:?}");
        }
    }

    #[test]
    fn an_environment_is_numbers_and_padded_texts() {
        let all = environment_of(&["--sym-arg", "5", "--sym-stdin", "9"]).unwrap();
        let numbers: Vec<u32> =
            all.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).take(19).collect();
        assert_eq!(numbers[..7], [1, 0, 0, 0, 0, 0, 2]);
        assert_eq!(numbers[7..13], [0, 0, 0, 0, 0, 4]);
        assert_eq!(numbers[13], u32::from_le_bytes(*b"prog"));
        assert_eq!(numbers[14..19], [1, 0, 0, 5, 0]);
    }
}
