//! The bitcode inside an executable.

use std::path::Path;

use object::{Object, ObjectSection};

use crate::ToolchainError;

/// The section that holds it.
pub const SECTION: &str = ".cleave.bc";

/// The linked bitcode of an executable that `cleave cc` made.
///
/// # Errors
/// [`ToolchainError`] where the file cannot be read, is no executable for x86-64 or i386, or has no bitcode inside.
pub fn extract_bitcode(executable: &Path) -> Result<Vec<u8>, ToolchainError> {
    let bytes = std::fs::read(executable)
        .map_err(|source| ToolchainError::File { path: executable.to_path_buf(), source })?;
    let no_executable = || ToolchainError::NoExecutable(executable.to_path_buf());
    if !bytes.starts_with(b"\x7fELF") {
        return Err(no_executable());
    }
    let file = object::File::parse(&*bytes).map_err(|_| no_executable())?;
    if !matches!(file.architecture(), object::Architecture::X86_64 | object::Architecture::I386) {
        return Err(no_executable());
    }
    let section = file.section_by_name(SECTION);
    let data = section.and_then(|s| s.data().ok()).filter(|d| !d.is_empty());
    data.map(<[u8]>::to_vec).ok_or_else(|| ToolchainError::NoBitcode(executable.to_path_buf()))
}
