//! `cleave toolchain`: prints a toolchain file for a build system.

use std::process::ExitCode;

use crate::failure::Failure;

/// Build systems for which `cleave toolchain` writes a file.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum BuildSystem {
    /// For `cmake --toolchain FILE`.
    Cmake,
    /// For `meson setup --cross-file FILE`.
    Meson,
}

/// Prints the file.
pub fn toolchain(build_system: BuildSystem) -> Result<ExitCode, Failure> {
    let own =
        std::env::current_exe().map_err(|e| Failure::new(format!("cannot find this executable: {e}")))?;
    let text = match build_system {
        BuildSystem::Cmake => cleave_toolchain::cmake_toolchain(&own),
        BuildSystem::Meson => cleave_toolchain::meson_cross(&own),
    };
    print!("{text}");
    Ok(ExitCode::SUCCESS)
}
