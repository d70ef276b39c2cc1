//! The program of a run with all that it can execute: the images of all of them are parts of one program.

use std::path::Path;

use cleave_program::code::Place;
use cleave_program::debug::Debuggable;

use crate::failure::Failure;
use crate::programs::build::Build;
use crate::programs::loading::{Changes, How, Image};
use crate::programs::program_file;
use crate::sessions::saved::Saved;

/// The files of all images but the first, in the order of their numbers.
fn others(saved: &Saved) -> Vec<&Path> {
    let mut files = Vec::new();
    for program in &saved.programs {
        if program.image as usize == files.len() + 1 {
            files.push(Path::new(&program.file));
        }
    }
    files
}

/// Name of a program for people: its file name.
fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The program at `path` and all that it can execute, as a run has them.
///
/// # Errors
/// If one of them cannot be loaded.
pub fn load(path: &Path, saved: &Saved) -> Result<Image, Failure> {
    let members = saved.members()?;
    let image = program_file::load_changed(path, saved.changes(), How::alone(members))?;
    let files = others(saved);
    if files.is_empty() {
        return Ok(image);
    }
    let mut program = image.program()?;
    program.main.name = name_of(path);
    for file in files {
        let build = Build { checked: saved.build.checked, ..Build::default() };
        let how = How { members, place: program.next_place() };
        let part = program_file::load(file, &build, how)?.part()?;
        program.add_image(&name_of(file), part)?;
    }
    Ok(Image(program.to_bytes()?))
}

/// As [`load`], for a debugger.
///
/// # Errors
/// As there.
pub fn load_debuggable(path: &Path, saved: &Saved) -> Result<Debuggable, Failure> {
    let members = saved.members()?;
    let load = |file: &Path, changes: Changes<'_>, place: Place| {
        program_file::load_debuggable(file, changes, How { members, place })
    };
    let mut program = load(path, saved.changes(), Place::default())?;
    for file in others(saved) {
        let build = Build { checked: saved.build.checked, ..Build::default() };
        let changes = Changes { build: Some(&build), ..Changes::default() };
        let part = load(file, changes, program.program.next_place())?;
        program.add_image(&name_of(file), part)?;
    }
    Ok(program)
}
