//! A hint for a user who is new to symbolic inputs.

use cleave_campaign::Campaign;
use cleave_program::code::Program;

use crate::failure::Failure;
use crate::programs::loading::Image;
use crate::sessions::run_dir::test_of;
use crate::sessions::saved::Saved;

/// Functions of the C library, and the object of its streams, that are linked only where a program reads standard input.
const READING: [&str; 2] = ["read", "readv"];
const STDIN_STREAM: &str = "__stdin_FILE";

/// A hint if nothing was symbolic, so that there was one path, although the program reads input that could be symbolic.
///
/// # Errors
/// Those of the run's database, and an image that cannot be read.
pub fn nothing_symbolic(
    campaign: &Campaign,
    saved: &Saved,
    image: &Image,
) -> Result<Option<String>, Failure> {
    if campaign.account()?.paths.ended() != 1 || saved.environment()?.is_symbolic() {
        return Ok(None);
    }
    let Some(path) = campaign.store().path(1)? else { return Ok(None) };
    if !test_of(path.id, &path.record)?.objects.is_empty() {
        return Ok(None);
    }
    let program = image.program()?;
    let mut ways = Vec::new();
    if takes_arguments(&program) {
        ways.push("--sym-arg LEN makes an argument symbolic");
    }
    if reads_stdin(&program) {
        ways.push("--sym-stdin LEN its standard input");
    }
    if ways.is_empty() {
        return Ok(None);
    }
    Ok(Some(format!(
        "hint: nothing was symbolic, so there is one path; behind the program's name {}",
        ways.join(", ")
    )))
}

fn takes_arguments(program: &Program) -> bool {
    program.functions.iter().any(|f| f.name == "main" && !f.library && f.parameters.len() >= 2)
}

fn reads_stdin(program: &Program) -> bool {
    program.globals.iter().any(|global| global.name == STDIN_STREAM)
        || program.functions.iter().any(|f| READING.contains(&f.name.as_str()) && f.library)
}
