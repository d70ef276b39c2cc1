//! The entry point of the crate: a replayer of one executable. Called by the command line.

use crate::elf::check_elf;
use crate::isolation::sandbox::Sandbox;
use crate::programs::{NativeProgram, Programs};
use crate::{Error, Isolation, Job, Limits, Observed, Wanted, isolation::direct};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs one native executable on tests, one at a time.
pub struct Replayer {
    executable: PathBuf,
    limits: Limits,
    sandbox: Option<Sandbox>,
}

impl Replayer {
    /// A replayer that isolates programs from the machine.
    ///
    /// # Errors
    /// [`Error::NoIsolation`] if the machine allows none; [`Error::Executable`], [`Error::NotNative`] if
    /// `executable` is not a static executable for this machine.
    pub fn sandboxed(executable: &Path, limits: Limits) -> Result<Self, Error> {
        Self::with_programs(executable, &[], limits, Wanted::Full)
    }

    /// A replayer with the wanted isolation, as far as the machine allows it.
    ///
    /// # Errors
    /// As [`Replayer::sandboxed`].
    pub fn new(executable: &Path, limits: Limits, wanted: Wanted) -> Result<Self, Error> {
        Self::with_programs(executable, &[], limits, wanted)
    }

    /// As [`Replayer::new`], for a program that can execute others.
    ///
    /// # Errors
    /// As [`Replayer::sandboxed`], for each executable.
    pub fn with_programs(
        executable: &Path,
        programs: &[NativeProgram],
        limits: Limits,
        wanted: Wanted,
    ) -> Result<Self, Error> {
        if wanted == Wanted::None && !programs.is_empty() {
            let why =
                "the programs that it can execute are there only in the sandbox; leave --no-sandbox out";
            return Err(Error::BadJob(why.into()));
        }
        let file = match wanted {
            Wanted::None => return Self::unsandboxed(executable, limits),
            Wanted::Full | Wanted::Best => open_native(executable)?,
        };
        let programs = Arc::new(Programs::read(programs)?);
        let sandbox = match wanted {
            Wanted::Best => Sandbox::start_somehow(&file, &programs, limits)?,
            Wanted::Full | Wanted::None => Sandbox::start(&file, &programs, limits)?,
        };
        Ok(Replayer { executable: executable.into(), limits, sandbox: Some(sandbox) })
    }

    /// The reason for which this machine gives no namespaces, if [`Wanted::Best`] fell back to [`Isolation::Model`].
    pub fn without_namespaces(&self) -> Option<&str> {
        self.sandbox.as_ref()?.no_namespaces.as_deref()
    }

    /// Like [`Replayer::sandboxed`], with exactly this isolation.
    ///
    /// # Errors
    /// As there.
    pub fn sandboxed_by(executable: &Path, limits: Limits, isolation: Isolation) -> Result<Self, Error> {
        if isolation == Isolation::None {
            return Self::unsandboxed(executable, limits);
        }
        let file = open_native(executable)?;
        let sandbox = Sandbox::start_as(&file, &Arc::default(), limits, isolation);
        let sandbox = Some(sandbox.map_err(|reason| Error::NoIsolation { reason })?);
        Ok(Replayer { executable: executable.into(), limits, sandbox })
    }

    /// A replayer without isolation, for programs known to be harmless: they may do whatever the caller may.
    ///
    /// # Errors
    /// [`Error::Executable`], [`Error::NotNative`] as for [`Replayer::sandboxed`].
    pub fn unsandboxed(executable: &Path, limits: Limits) -> Result<Self, Error> {
        open_native(executable)?;
        let executable = std::path::absolute(executable)
            .map_err(|source| Error::Executable { path: executable.into(), source })?;
        Ok(Replayer { executable, limits, sandbox: None })
    }

    /// The isolation of programs from the machine.
    pub fn isolation(&self) -> Isolation {
        self.sandbox.as_ref().map_or(Isolation::None, |s| s.isolation)
    }

    /// Runs the executable once.
    ///
    /// # Errors
    /// If the job cannot be given to a program, or the program did not start. Crashes and exhausted limits of the program are
    /// part of [`Observed`].
    pub fn run(&mut self, job: &Job) -> Result<Observed, Error> {
        if job.argv.is_empty() {
            return Err(Error::BadJob("it has no argument for the program's name".into()));
        }
        match &mut self.sandbox {
            Some(sandbox) => sandbox.run(job),
            None => direct::run(&self.executable, &self.limits, job),
        }
    }
}

/// Runs `executable`, which can execute `programs`, on `count` jobs, `parallel` at once. `job` makes a job from its number; it
/// returns `None` for one to skip. `done` gets each result with the job's number, in no particular order and from several
/// threads. Returns the reason if [`Wanted::Best`] was given and there are no namespaces.
///
/// # Errors
/// As [`Replayer::sandboxed`]. Errors of single jobs go to `done`.
pub fn replay_all(
    (executable, programs): (&Path, &[NativeProgram]),
    limits: Limits,
    wanted: Wanted,
    count: usize,
    parallel: usize,
    job: &(dyn Fn(usize) -> Option<Job> + Sync),
    done: &(dyn Fn(usize, Result<Observed, Error>) + Sync),
) -> Result<Option<String>, Error> {
    let make = |executable: &Path, limits| Replayer::with_programs(executable, programs, limits, wanted);
    let replayers = (0..parallel.clamp(1, count.max(1)))
        .map(|_| make(executable, limits))
        .collect::<Result<Vec<_>, _>>()?;
    let without = replayers.first().and_then(Replayer::without_namespaces).map(String::from);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for mut replayer in replayers {
            let (next, make) = (&next, &make);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        break;
                    }
                    if let Some(job) = job(number) {
                        let result = replayer.run(&job);
                        if matches!(result, Err(Error::Lost))
                            && let Ok(fresh) = make(executable, limits)
                        {
                            replayer = fresh;
                        }
                        done(number, result);
                    }
                }
            });
        }
    });
    Ok(without)
}

/// Opens `path` if it is a static executable for this machine.
fn open_native(path: &Path) -> Result<File, Error> {
    let unreadable = |source| Error::Executable { path: path.into(), source };
    let mut file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(Error::NotNative { path: path.into(), reason: "it is a directory" });
    }
    let mut head = Vec::new();
    file.by_ref().take(4096).read_to_end(&mut head).map_err(unreadable)?;
    match check_elf(&head) {
        Ok(()) => Ok(file),
        Err(reason) => Err(Error::NotNative { path: path.into(), reason }),
    }
}
