//! The native executor of a session with mutated inputs: compiled in a thread of its own once the session has lasted a second, for
//! workers on this machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use cleave_engine::EngineOptions;
use cleave_explore::NativeProgram;
use cleave_linux::env::{ArgSpec, EnvSpec, StdinSpec};
use cleave_program::code::Program;

use crate::programs::program_file;
use crate::sessions::saved::Saved;

/// Time before the compiler begins: most sessions with a limit have found their bug by then, or are over.
const BEFORE: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(20);
/// Name of the executor in the run directory, while the session goes on.
const FILE: &str = "executor";

/// Arguments, variables and standard input as runtime/executor.c reads them; `None` if the program has other inputs, which only the
/// engine has.
fn environment(options: &EngineOptions) -> Option<Vec<u8>> {
    let EnvSpec { args, vars, stdin, least_stdin, fuzz_data, .. } = &options.env;
    let plain = EnvSpec {
        args: args.clone(),
        vars: vars.clone(),
        stdin: stdin.clone(),
        least_stdin: *least_stdin,
        fuzz_data: *fuzz_data,
        ..EnvSpec::default()
    };
    let is_plain = plain == options.env && options.fail_malloc == 0;
    let has_stdin = match (stdin, least_stdin) {
        (StdinSpec::Empty, _) => 0,
        (StdinSpec::Symbolic(_), None) => 1,
        (StdinSpec::Symbolic(_), Some(_)) => 2,
        (StdinSpec::Concrete(_), _) => return None,
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
    put(&[has_stdin, least_stdin.unwrap_or(0), fuzz_data.unwrap_or(0), args.len() as u32], b"");
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
    Some(all)
}

/// The executor of a session's program, if its inputs are such that it can have one.
pub fn planned(directory: &Path, saved: &Saved, program: &Program) -> Option<NativeProgram> {
    let is_wide = program.target == cleave_program::layout::Target::default();
    let is_whole = program.others.is_empty() && saved.changes().is_empty();
    let options = saved.engine_options().ok().filter(|_| is_wide && is_whole)?;
    Some(NativeProgram { executor: directory.join(FILE), environment: environment(&options)? })
}

/// The thread that compiles an executor. It ends with the session, and the file with it.
pub struct Compiling {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    file: PathBuf,
}

impl Compiling {
    /// Begins to compile the executor `native` of the program that `saved` names.
    pub fn begin(native: &NativeProgram, saved: &Saved) -> Compiling {
        let (over, file) = (Arc::new(AtomicBool::new(false)), native.executor.clone());
        let (flag, executor, program) = (over.clone(), file.clone(), PathBuf::from(&saved.program));
        let work = move || {
            let goes_on = || !flag.load(Ordering::Relaxed);
            let looks = BEFORE.as_millis() / LOOK.as_millis();
            for _ in 0..looks {
                if !goes_on() {
                    return;
                }
                std::thread::sleep(LOOK);
            }
            // Without an executor the engine executes everything, as for programs that can have none.
            if let Some(bitcode) = program_file::bitcode_of(&program) {
                let _ = cleave_toolchain::build_executor(&bitcode, &executor, &goes_on);
            }
        };
        let thread = std::thread::Builder::new().name("executor".into()).spawn(work).ok();
        Compiling { over, thread, file }
    }
}

impl Drop for Compiling {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
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
    fn only_arguments_and_standard_input_are_native() {
        for given in [&["--sym-stdin", "4"][..], &["a", "--sym-args", "0", "2", "3"], &[]] {
            assert!(environment_of(given).is_some(), "{given:?}");
        }
        for given in [&["--sym-files", "1", "4"][..], &["--max-fail", "1"], &["--sym-stdout"]] {
            assert_eq!(environment_of(given), None, "{given:?}");
        }
    }

    #[test]
    fn an_environment_is_numbers_and_padded_texts() {
        let all = environment_of(&["--sym-arg", "5", "--sym-stdin", "9"]).unwrap();
        let numbers: Vec<u32> =
            all.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).take(16).collect();
        assert_eq!(numbers[..4], [1, 0, 0, 2]);
        assert_eq!(numbers[4..10], [0, 0, 0, 0, 0, 4]);
        assert_eq!(numbers[10], u32::from_le_bytes(*b"prog"));
        assert_eq!(numbers[11..16], [1, 0, 0, 5, 0]);
    }
}
