//! `--program`: programs that the program under test can execute.

use std::path::{Path, PathBuf};

use cleave_linux::ProgramFile;
use cleave_linux::env::{EnvSpec, file_name};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::programs::program_file;

/// The longest name in a directory, and the longest path, in bytes.
const NAME_MAX: usize = 255;
const PATH_MAX: usize = 4095;
/// The most programs of a run.
const MOST: usize = 100;

/// A file of the model's file system that can be executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executable {
    /// Its path from the root, without a slash in front.
    pub path: String,
    /// The program that it runs, as a file of this machine.
    pub file: String,
    /// The number of its image; 0 is the program under test itself.
    pub image: u32,
}

/// Parses the values of `--program`. The program under test and its file may be among them.
///
/// # Errors
/// If a name is no path, or a file is none.
pub fn parsed(program: &Path, given: &[String]) -> Result<Vec<Executable>, Failure> {
    let mut all: Vec<Executable> = Vec::new();
    let real = |file: &Path| std::fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let mut files = vec![real(program)];
    for given in given {
        let (paths, file) = match given.split_once('=') {
            Some((name, file)) => (paths_of(name)?, PathBuf::from(file)),
            None => {
                let file = PathBuf::from(given);
                let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                (paths_of(&name)?, file)
            }
        };
        program_file::check_program(&file)?;
        let known = files.iter().position(|known| *known == real(&file));
        let image = known.unwrap_or_else(|| {
            files.push(real(&file));
            files.len() - 1
        }) as u32;
        let file = std::path::absolute(&file).unwrap_or(file).display().to_string();
        all.extend(paths.into_iter().map(|path| Executable { path, file: file.clone(), image }));
    }
    if all.len() > MOST {
        return Err(Failure::usage(format!("--program names {} files; {MOST} are the most", all.len())));
    }
    for (i, one) in all.iter().enumerate() {
        let within = |above: &str| one.path.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'));
        let twice = all[..i].iter().any(|other| other.path == one.path);
        if twice || all.iter().any(|other| within(&other.path)) {
            let what = if twice { "is there twice" } else { "would be a folder and a file" };
            return Err(Failure::usage(format!(
                "--program: a part of the path /{} {what}; name each once",
                one.path
            )));
        }
    }
    Ok(all)
}

/// The paths that a name means.
fn paths_of(name: &str) -> Result<Vec<String>, Failure> {
    let wrong = |why: &str| {
        Err(Failure::usage(format!(
            "--program: {name:?} {why}; give NAME=FILE with a path of the model's file system, like /bin/echo, or a plain name"
        )))
    };
    let parts: Vec<&str> = name.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.is_empty() || name.ends_with('/') || parts.last() != name.rsplit('/').next().as_ref() {
        return wrong("names no file");
    }
    if parts.contains(&"..") {
        return wrong("goes up by `..`");
    }
    if name.contains('\0') || name.len() > PATH_MAX || parts.iter().any(|part| part.len() > NAME_MAX) {
        return wrong("is no path that Linux takes");
    }
    let path = parts.join("/");
    Ok(if name.contains('/') { vec![path] } else { vec![format!("bin/{path}"), format!("usr/bin/{path}")] })
}

/// An environment with these programs.
///
/// # Errors
/// If a program has the name of a symbolic file.
pub fn added(mut spec: EnvSpec, programs: &[Executable]) -> Result<EnvSpec, Failure> {
    let symbolic: Vec<String> = (0..spec.files.map_or(0, |files| files.count)).map(file_name).collect();
    let taken = |path: &str| symbolic.iter().any(|name| path.split('/').next() == Some(name));
    if let Some(program) = programs.iter().find(|program| taken(&program.path)) {
        return Err(Failure::usage(format!(
            "--program: /{} is in the place of a file of --sym-files; give another name",
            program.path
        )));
    }
    spec.programs = files(programs);
    Ok(spec)
}

/// These programs as the model of the kernel has them.
pub fn files(programs: &[Executable]) -> Vec<ProgramFile> {
    programs.iter().map(|program| ProgramFile { path: program.path.clone(), image: program.image }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_is_in_bin_and_usr_bin_and_a_path_is_itself() {
        let paths = |name: &str| paths_of(name).map_err(|e| e.sentence().to_string());
        assert_eq!(paths("echo").unwrap(), ["bin/echo", "usr/bin/echo"]);
        for name in ["/bin/echo", "bin/echo", "./bin//echo", "/./bin/echo"] {
            assert_eq!(paths(name).unwrap(), ["bin/echo"], "{name}");
        }
        assert_eq!(paths("./echo").unwrap(), ["echo"]);
        for name in ["", "/", ".", "..", "bin/..", "../echo", "bin/", "bin/.", "a\0b", &"x".repeat(256)] {
            assert!(paths(name).unwrap_err().starts_with("--program: "), "{name}");
        }
    }
}
